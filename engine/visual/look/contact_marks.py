"""Marks of contacts: a ball at each point, a thin rod along its normal, and an arrow as long as its force.

An arrow points along the force on the first collider of a pair; where that does not move, on the second.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...geometry.primitives import Triangles, cone_triangles, cylinder_triangles, sphere_triangles
from ...recording.contact_log import ContactLog
from ...scene import WORLD, Scene
from .bones import look_mesh
from .scene import OVERLAY, LookScene, Mesh, Shape

POINT, NORMAL, FORCE = (0.85, 0.05, 0.35), (0.95, 0.95, 0.95), (0.9, 0.15, 0.05)
BALL_SIZE = 0.01  # radius of a ball, by the extent of the scene
NORMAL_LENGTH = 0.07  # by the extent of the scene
WEIGHT_LENGTH = 0.5  # of the arrow of the weight of all links, by the extent
LONGEST = 0.8  # arrow, by the extent
LEAST_GRAVITY = 1.0  # [m/s²] of which weights are made without gravity
SHAFT, HEAD = 0.4, 0.3  # radius of an arrow's shaft by that of its head, length of its head
ROD_SIZE, TIP = 0.25, 1.4  # radius of a normal and of an arrow's head, by that of a ball
MARK_COLORS = (POINT, NORMAL, FORCE)


@dataclass(frozen=True)
class MarkSizes:
    """Sizes of the marks of one scene."""

    radius: float  # [m] of balls
    normal: float  # [m] length of normals
    per_newton: float  # [m/N] length of arrows
    longest: float  # [m]

    @classmethod
    def of(cls, scene: Scene, extent: float) -> "MarkSizes":
        """Return the sizes for a scene of this extent [m]: its weight is an arrow of half of it."""
        mass = sum(link.mass for part in scene.articulations for link in part.links)
        weight = max(mass, 1e-6) * max(float(np.linalg.norm(scene.gravity)), LEAST_GRAVITY)
        return cls(BALL_SIZE * extent, NORMAL_LENGTH * extent, WEIGHT_LENGTH * extent / weight, LONGEST * extent)


def turn_normals(log: ContactLog, scene: Scene) -> ContactLog:
    """Return a contact log whose normals point to colliders that move; forces are on these then."""
    return replace(log, normal=log.normal * signs_of(scene, log.pairs, log.pair)[:, None])


def signs_of(scene: Scene, pairs: Sequence[str], numbers: np.ndarray) -> np.ndarray:
    """Return `pair_signs` of some pairs by their numbers, (N,)."""
    used, place = np.unique(numbers, return_inverse=True)
    return pair_signs(scene, [pairs[int(number)] for number in used])[place.reshape(-1)]


def pair_signs(scene: Scene, pairs: Sequence[str]) -> np.ndarray:
    """Return -1 for pairs whose first collider is one of the world, else 1, (P,)."""
    still = {collider.path for collider in scene.colliders if collider.body == WORLD}
    return np.array([-1.0 if pair.partition("|")[0] in still else 1.0 for pair in pairs] or np.zeros(0))


def arrow_triangles() -> Triangles:
    """Return an arrow of length 1 from the origin along z, its head of radius 1."""
    shaft, head = cylinder_triangles(SHAFT, 1.0 - HEAD), cone_triangles(1.0, HEAD)
    points = [shaft[0] + (0, 0, (1.0 - HEAD) / 2.0), head[0] + (0, 0, 1.0 - HEAD / 2.0)]
    return np.concatenate(points), np.concatenate([shaft[1], head[1] + len(shaft[0])])


def mark_meshes() -> tuple[Mesh, ...]:
    """Return the meshes of the kinds of marks: ball, rod, arrow."""
    return tuple(map(look_mesh, (sphere_triangles(1.0), cylinder_triangles(1.0, 1.0), arrow_triangles())))


def add_marks(look: LookScene, count: int) -> tuple[LookScene, tuple[Shape, ...]]:
    """Return a look scene with the meshes of marks, and shapes for `count` points; `mark_matrices` places them."""
    first, none = len(look.meshes), np.zeros((4, 4), np.float32)
    shapes = [
        Shape("contact", first + kind, -1, none, color, purpose=OVERLAY)
        for _ in range(count)
        for kind, color in enumerate(MARK_COLORS)
    ]
    return replace(look, meshes=(*look.meshes, *mark_meshes())), tuple(shapes)


def mark_matrices(log: ContactLog, time: float, sizes: MarkSizes, count: int) -> np.ndarray:
    """Return the transforms (3 count, 4, 4) of the marks at a time; those that no point needs are zero."""
    rows = log.at(time)
    matrices = np.zeros((count, len(MARK_COLORS), 4, 4))
    points = zip(log.point[rows], log.normal[rows], log.force[rows], strict=True)
    for matrix, (point, normal, force) in zip(matrices, points, strict=False):
        turn = frame_along(np.asarray(normal, float))
        length = min(float(force) * sizes.per_newton, sizes.longest)
        head = min(TIP * sizes.radius, length)
        scales = (
            (sizes.radius,) * 3,
            (ROD_SIZE * sizes.radius, ROD_SIZE * sizes.radius, sizes.normal),
            (head, head, length),
        )
        matrix[:, :3, :3] = turn * np.array(scales)[:, None]
        matrix[:, :3, 3] = point
        matrix[1, :3, 3] += 0.5 * sizes.normal * turn[:, 2]
        matrix[:, 3, 3] = 1.0
    return matrices.reshape(-1, 4, 4)


def frame_along(direction: np.ndarray) -> np.ndarray:
    """Return a rotation (3, 3) whose third column is a direction."""
    aside = np.cross(direction, np.eye(3)[np.abs(direction).argmin()])
    aside /= max(float(np.linalg.norm(aside)), 1e-30)
    return np.stack([aside, np.cross(direction, aside), direction], axis=1)
