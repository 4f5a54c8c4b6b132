"""Features of the kernel that a model needs."""

from ..model import Model
from ..model.contact_features import contact_features
from ..tables.features import Features
from ..tables.topology import ARTICULATION

COUNTED = {"mimics": "MIMICS", "joints": "JOINTS", "tendons": "TENDONS", "contacts": "PAIRS"}
"""Tables without which a law is not compiled."""


def kernel_features(model: Model, sleeps: bool, slots: bool) -> Features:
    """Return the laws that a model needs.

    Args:
        model: the compiled scene.
        sleeps: whether any of its articulations can fall asleep.
        slots: whether pairs of colliders share slots.
    """
    floats = model.tables["ARTICULATIONS"][:, [ARTICULATION["FLOATING"], ARTICULATION["FREE_BODY"]]].any()
    has = {law: len(model.tables[table]) > 0 for law, table in COUNTED.items()}
    kinematics = bool(model.tables["ARTICULATIONS"][:, ARTICULATION["KINEMATIC"]].any())
    given = {"floats": bool(floats), "sleeps": sleeps, "slots": slots, "kinematics": kinematics}
    given["dense"] = bool(model.tables["ARTICULATIONS"][:, ARTICULATION["DENSE"]].any())
    given["locks"] = bool(model.tables["ARTICULATIONS"][:, ARTICULATION["LOCKED"]].any())
    given["gears"] = any(joint.gear_ratio for joint in model.scene.joints)
    given["breaks"] = any(joint.breaks for joint in model.scene.joints)
    return Features(**given, **has, **contact_features(model.tables))
