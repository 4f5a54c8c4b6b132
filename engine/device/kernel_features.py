"""Features of the kernel that a model needs, and the check that a kernel has them."""

from dataclasses import asdict

import numpy as np

from ..model import Model
from ..model.contact_features import contact_features
from ..tables.collision_table import FEATURES_OF_LAWS
from ..tables.features import Features
from ..tables.layout import INFINITE
from ..tables.topology import ARTICULATION, TABLES
from ..tables.word_values import SWEPT

COUNTED = {"mimics": "MIMICS", "actuators": "ACTUATORS", "joints": "JOINTS", "tendons": "TENDONS", "contacts": "PAIRS"}
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
    given["surfaces"] = bool(model.tables["PAIRS"][:, TABLES["PAIRS"]["SURFACES"]].any())
    given["impulse_limits"] = bool((model.parameters["CONTACT_MAX_IMPULSE"] < INFINITE).any())
    given["slops"] = bool((model.parameters["CONTACT_SLOP"] > 0.0).any())
    speculates = model.tables["COLLIDERS"][:, TABLES["COLLIDERS"]["SPECULATES"]]
    given["speculation"], given["continuous"] = bool(speculates.any()), bool((speculates & SWEPT).any())
    given["gears"] = any(joint.gear_ratio for joint in model.scene.joints)
    given["breaks"] = any(joint.breaks for joint in model.scene.joints)
    return Features(**given, **has, **contact_features(model.tables))


def check_laws(features: Features, model: Model) -> None:
    """Check that a kernel of these features has the laws of all pairs; without its law a pair would never touch.

    Raises:
        RuntimeError: it lacks a feature, which is an error of fajin and not of the scene.
    """
    laws, names = np.unique(model.tables["PAIRS"][:, TABLES["PAIRS"]["LAW"]]).tolist(), tuple(FEATURES_OF_LAWS)
    for law in (names[number] for number in laws):
        check_features(features, FEATURES_OF_LAWS[law], f"contacts of {law}")


def check_features(features: Features, needs: tuple[str, ...], what: str) -> None:
    """Check that a kernel has the features that something needs.

    Raises:
        RuntimeError: it lacks a feature.
    """
    lacks = [name for name in needs if not getattr(features, name)]
    if lacks:
        raise RuntimeError(f"kernel lacks `{'`, `'.join(lacks)}`: {what} would be left out; report this")


def names_of(features: Features) -> tuple[str, ...]:
    """Return the names of the features that a kernel has."""
    return tuple(name for name, has in asdict(features).items() if has)
