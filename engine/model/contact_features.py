"""Features of contact generation that a model needs, by the laws of its pairs."""

import numpy as np

from ..tables.collision_table import FEATURES_OF_LAWS, LAWS, PAIR_FEATURES
from ..tables.topology import TABLES

LAW_NAMES = tuple(LAWS)


def contact_features(tables: dict[str, np.ndarray]) -> dict[str, bool]:
    """Return the fields of `Features` that depend on the laws of pairs, and on whether there are many bodies.

    Args:
        tables: tables of a model, see `tables.topology`.
    """
    laws = np.unique(tables["PAIRS"][:, TABLES["PAIRS"]["LAW"]]).tolist()
    needed = {feature for law in laws for feature in FEATURES_OF_LAWS[LAW_NAMES[law]]}
    return {name: name in needed for name in PAIR_FEATURES} | {"crowds": bool((tables["CROWD"] >= 0).any())}
