"""Features of contact generation that a model needs, by the kinds of its pairs."""

import numpy as np

from ..tables.contacts import SHAPES
from ..tables.topology import TABLES


def contact_features(tables: dict[str, np.ndarray]) -> dict[str, bool]:
    """Return the fields of `Features` that depend on the kinds of pairs."""
    pair, colliders = TABLES["PAIRS"], tables["COLLIDERS"]
    shapes = colliders[:, TABLES["COLLIDERS"]["SHAPE"]]
    a, b = (shapes[tables["PAIRS"][:, pair[side]]] for side in ("COLLIDER_A", "COLLIDER_B"))
    plane, mesh, box, hull = (SHAPES[name] for name in ("PLANE", "TRIANGLE_MESH", "BOX", "CONVEX_HULL"))
    rounds, others = (np.isin(side, (SHAPES["CYLINDER"], SHAPES["CONE"])) for side in (a, b))
    solid = (b != plane) & (b != mesh)
    cores = (rounds | others) & solid
    polyhedra = (b > box) & solid & (a >= box) & ~cores
    boxes, capsules = (a == box) & (b == box), (a == SHAPES["CAPSULE"]) & (b >= box) & solid & ~cores
    simple = (a == SHAPES["SPHERE"]) | (a == SHAPES["CAPSULE"]) | (a == box)
    found = {
        "planes": simple & (b == plane),
        "boxes": boxes,
        "rounds": rounds & (b == plane),
        "cores": cores,
        "hulls": (a == hull) & (b == plane),
        "convexes": boxes | capsules | polyhedra | ((b > box) & solid & ~cores),
        "capsules": capsules,
        "polyhedra": polyhedra,
        "meshes": b == mesh,
        "kept_on_meshes": (b == mesh) & ~rounds,
        "cores_on_meshes": (b == mesh) & rounds,
        "crowds": tables["CROWD"] >= 0,
    }
    return {name: bool(where.any()) for name, where in found.items()}
