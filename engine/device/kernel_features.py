"""Features of the kernel that a model needs."""

from ..model import Model
from ..model.contact_features import contact_features
from ..tables.features import Features
from ..tables.topology import ARTICULATION

LAWS = {"mimics": "MIMICS", "joints": "JOINTS", "tendons": "TENDONS", "contacts": "PAIRS"}
"""Laws that are compiled if a table has items."""


def kernel_features(model: Model, sleeps: bool, slots: bool) -> Features:
    """Return the laws that a model needs.

    Args:
        model: of the simulation
        sleeps: whether any articulation can fall asleep
        slots: whether pairs of colliders share slots
    """
    floats = model.tables["ARTICULATIONS"][:, [ARTICULATION["FLOATING"], ARTICULATION["FREE_BODY"]]].any()
    has = {law: len(model.tables[table]) > 0 for law, table in LAWS.items()}
    return Features(floats=bool(floats), sleeps=sleeps, slots=slots, **has, **contact_features(model.tables))
