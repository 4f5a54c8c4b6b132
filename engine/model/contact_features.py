"""Features of contact generation that a model needs, by the kinds of its pairs."""

import numpy as np

from ..tables.collision_table import COLLISIONS, PAIR_FEATURES
from ..tables.contacts import SHAPES
from ..tables.topology import TABLES

NAMES = tuple(SHAPES)


def contact_features(tables: dict[str, np.ndarray]) -> dict[str, bool]:
    """Return the fields of `Features` that depend on the kinds of pairs, and on whether there are many bodies.

    Args:
        tables: tables of a model, see `tables.topology`.
    """
    pair, colliders = TABLES["PAIRS"], tables["COLLIDERS"]
    shapes = colliders[:, TABLES["COLLIDERS"]["SHAPE"]]
    a, b = (shapes[tables["PAIRS"][:, pair[side]]] for side in ("COLLIDER_A", "COLLIDER_B"))
    kinds = np.unique(np.stack([a, b], axis=1), axis=0).tolist()
    needed = {feature for one, two in kinds for feature in COLLISIONS[NAMES[one], NAMES[two]].features}
    return {name: name in needed for name in PAIR_FEATURES} | {"crowds": bool((tables["CROWD"] >= 0).any())}
