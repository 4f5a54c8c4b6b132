"""Features of the kernel that a model needs."""

from ..model import Model
from ..model.contact_features import contact_features
from ..tables.features import Features
from ..tables.topology import ARTICULATION

COUNTED = ("MIMICS", "JOINTS", "TENDONS", "CONTACTS")
"""Tables without which the law of the same name is not compiled."""


def kernel_features(model: Model, sleeps: bool) -> Features:
    """Return the laws that a model needs; `sleeps`: whether any of its articulations can fall asleep."""
    floats = model.tables["ARTICULATIONS"][:, [ARTICULATION["FLOATING"], ARTICULATION["FREE_BODY"]]].any()
    has = {name.lower(): len(model.tables[name]) > 0 for name in COUNTED}
    return Features(floats=bool(floats), sleeps=sleeps, **has, **contact_features(model.tables))
