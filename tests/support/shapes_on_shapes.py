"""A shape of every kind that falls on one of every kind, as a free body or a link, on something static or kinematic."""

from itertools import product

import numpy as np
from bodies_on_ground import UP, G, H

from fajin.geometry.convex_hull import cook_hull
from fajin.scene import IDENTITY, WORLD, Articulation, Axis, Collider, Joint, JointType, Link, Scene, ShapeKind

HEIGHT, GAP, BROAD = 0.1, 0.005, 2.0
"""Centre of a shape above its lowest point, that above the support at the start, half the size of the support [m]."""
MASS = 1.0
INERTIA = ((0.004, 0.0, 0.0), (0.0, 0.004, 0.0), (0.0, 0.0, 0.004))
DOWN = (0.0, 0.5**0.5, 0.0, 0.5**0.5)
"""Rotation of x to -z; `bodies_on_ground.UP` is that to z."""

MOVING = [kind for kind in ShapeKind if kind not in (ShapeKind.PLANE, ShapeKind.TRIANGLE_MESH)]
PAIRS = [(one, two) for one in MOVING for two in ShapeKind]
"""Kinds of a shape that falls, and of its support."""


def falling_shape(kind: ShapeKind, body: str) -> Collider:
    """A shape whose centre is HEIGHT above what it lies on."""
    size: dict = {"radius": HEIGHT}
    if kind == ShapeKind.BOX:
        size = {"half_extents": (HEIGHT,) * 3}
    elif kind == ShapeKind.CONVEX_HULL:
        size = cube(HEIGHT)
    elif kind == ShapeKind.CAPSULE:
        size["half_height"] = 0.15
    elif kind != ShapeKind.SPHERE:
        size |= {"half_height": HEIGHT, "pose": ((0.0, 0.0, 0.0), UP)}
    return Collider(f"{body}/shape", body, kind, **size)


def support(kind: ShapeKind, body: str = WORLD) -> Collider:
    """A shape whose top is z = 0 at the origin; its body's frame is the world's."""
    below, level = (0.0, 0.0, -BROAD), IDENTITY[1]
    size: dict = {"radius": BROAD, "half_height": BROAD}
    if kind == ShapeKind.PLANE:
        below, level = (0.0, 0.0, 0.0), UP
    elif kind == ShapeKind.TRIANGLE_MESH:
        size, below = sheet(), (0.0, 0.0, 0.0)
    elif kind == ShapeKind.BOX:
        size = {"half_extents": (BROAD,) * 3}
    elif kind == ShapeKind.CONVEX_HULL:
        size = cube(BROAD)
    elif kind == ShapeKind.CYLINDER:
        level = UP
    elif kind == ShapeKind.CONE:
        level = DOWN  # its base is above
    return Collider("/support/shape", body, kind, pose=(below, level), **size)


def cube(half: float) -> dict:
    """Points and faces of a cube as a convex hull."""
    points = np.array(list(product((-half, half), repeat=3)))
    cooked = cook_hull(points)
    return {"points": tuple(map(tuple, cooked.points.tolist())), "faces": cooked.faces}


def sheet() -> dict:
    """Points and faces of a level square of two triangles."""
    points = [(x, y, 0.0) for x in (-BROAD, BROAD) for y in (-BROAD, BROAD)]
    return {"points": tuple(points), "faces": ((0, 2, 3), (0, 3, 1))}


def scene_of_pair(one: ShapeKind, two: ShapeKind, link: bool = False, kinematic: bool = False) -> Scene:
    """A shape GAP above its support: a free body, or a link on a vertical slide; the support is static or kinematic."""
    place = ((0.0, 0.0, HEIGHT + GAP), IDENTITY[1])
    falls = Link("/falls", mass=MASS, inertia=INERTIA, pose=place)
    body = Articulation("/falls", (falls,), (), free=True)
    if link:
        base = Link("/base", mass=MASS, inertia=INERTIA, pose=place)
        slide = Joint("/slide", JointType.PRISMATIC, "/base", "/falls", axes=(Axis("transZ"),))
        body = Articulation("/base", (base, falls), (slide,), fixed_base=True)
    bodies, carrier = [body], WORLD
    if kinematic:
        carrier = "/support"
        bodies.append(Articulation(carrier, (Link(carrier),), (), free=True, kinematic=True))
    colliders = support(two, carrier), falling_shape(one, "/falls")
    return Scene("pair", tuple(bodies), (0.0, 0.0, -G), H, colliders=colliders)
