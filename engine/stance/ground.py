"""The ground of a scene: its height, and a plane below a robot."""

from dataclasses import replace
from math import hypot

import numpy as np

from ..quaternion import rotate
from ..scene import WORLD, Collider, ContactMaterial, InvalidScene, Scene, ShapeKind
from .extents import lowest_of, shapes_of
from .tree import Tree

FRICTION = 1.0
"""Static and dynamic friction of a ground; PhysX averages it with that of the other shape."""

CLEARANCE = 1e-6
"""Gap [m] between a ground and what is put on it, above the round-off of poses.

Impulses of PhysX, and so of fajin, jump by 0.3 % at a gap of 0, where round-off would choose the side.
"""

LEVEL = 1.0 - 1e-6
"""Cosine of the angle between a level plane's normal and the up axis, at least."""


def up_of(scene: Scene, axis: str = "Z") -> np.ndarray:
    """Return the direction against gravity (3,); without gravity, the up axis of the stage."""
    size = hypot(*scene.gravity)
    return -np.array(scene.gravity) / size if size else np.eye(3)["XYZ".index(axis)]


def ground_height(scene: Scene, up: np.ndarray) -> float | None:
    """Return the height of the highest level plane of the world [m]; None if there is none."""
    planes = [one for one in scene.colliders if one.kind is ShapeKind.PLANE and one.body == WORLD]
    normals = [rotate(np.array(one.pose[1]), np.array((1.0, 0.0, 0.0))) for one in planes]
    heights = [float(up @ one.pose[0]) for one, normal in zip(planes, normals, strict=True) if normal @ up > LEVEL]
    return max(heights, default=None)


def lowest_height(scene: Scene, up: np.ndarray) -> float:
    """Return the height of the lowest collider of all bodies that the scene moves [m].

    Raises:
        InvalidScene: no body has a collider.
    """
    heights = []
    for robot in scene.articulations:
        tree = Tree(robot)
        heights.append(lowest_of(shapes_of(tree, scene.colliders), tree.place(tree.q), up))
    height = min(heights, default=float("inf"))
    if height == float("inf"):
        raise InvalidScene(
            file=scene.source,
            attribute="ground",
            rule="for bodies with colliders that collide",
            fix="apply PhysicsCollisionAPI to the shapes of the robot",
        )
    return height


def with_ground(scene: Scene) -> tuple[Scene, float]:
    """Return the scene with a plane that its lowest collider touches, and the plane's height [m].

    Raises:
        InvalidScene: no body has a collider, or the scene has a level plane already.
    """
    up = up_of(scene)
    if (height := ground_height(scene, up)) is not None:
        raise InvalidScene(
            file=scene.source,
            attribute="ground",
            value=f"a plane at {height:.6g} m",
            rule="for a scene without a level plane",
            fix="leave out the option, or move the robot with `fajin author base --height touch`",
        )
    height = lowest_height(scene, up) - CLEARANCE
    material = ContactMaterial(static_friction=FRICTION, dynamic_friction=FRICTION)
    x, y, z = (float(value) for value in height * up)
    plane = Collider("/ground", kind=ShapeKind.PLANE, pose=((x, y, z), turn_of_x(up)), material=material)
    return replace(scene, colliders=(*scene.colliders, plane)), height


def turn_of_x(direction: np.ndarray) -> tuple[float, float, float, float]:
    """Return the shortest rotation of the x axis to a unit vector."""
    x, y, z = (float(value) for value in direction)
    if x < -LEVEL:
        return 0.0, 0.0, 1.0, 0.0
    size = hypot(1.0 + x, y, z)
    return 0.0, -z / size, y / size, (1.0 + x) / size
