"""A terrain: a static triangle mesh of a height field, in the axes of the stage."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from pxr import Gf, Usd, UsdGeom, UsdPhysics, Vt

from ..scene import InvalidScene
from .change import Change
from .ground import finish_material, home

TERRAIN = "terrain"


def terrain(
    stage: Usd.Stage,
    heights: ArrayLike,
    spacing: float,
    *,
    slope_threshold: float | None = None,
    static_friction: float = 1.0,
    dynamic_friction: float = 1.0,
    restitution: float = 0.0,
) -> list[Change]:
    """Author a static mesh of a height field with a physics material; the middle lies in the world's origin.

    The terrain does not belong to a robot: its place does not depend on the transforms of prims above it. A plane that
    `ground` has authored stays; remove it where the terrain is to be lower.

    Args:
        stage: an open stage.
        heights: heights of the points along the up axis, (rows, columns) [m]; rows run along x (z up) or z (y up).
        spacing: distance of neighbouring points [m].
        slope_threshold: slope from which a rise is made vertical, as of Isaac Lab's height fields; None for none.
        static_friction: friction of the material.
        dynamic_friction: friction of the material.
        restitution: restitution of the material.

    Raises:
        InvalidScene: a value is against its rule, or the stage has a terrain already.
    """
    path = home(stage).AppendChild(TERRAIN)
    field = np.asarray(heights, float)
    if field.ndim != 2 or min(field.shape) < 2 or not np.isfinite(field).all():
        raise InvalidScene(str(path), "heights", field.shape, "(rows, columns) of finite numbers", "give such an array")
    for name, value, least in (("spacing", spacing, 0.0), ("slope_threshold", slope_threshold, 0.0)):
        if value is not None and not least < value < np.inf:
            raise InvalidScene(str(path), name, value, "above 0 and finite", "give such a number")
    if stage.GetPrimAtPath(path):
        raise InvalidScene(str(path), "", TERRAIN, "no prim yet", "remove or rename it")
    points, faces = height_field_mesh(field, spacing, slope_threshold)
    if UsdGeom.GetStageUpAxis(stage) == UsdGeom.Tokens.y:
        points = points[:, [1, 2, 0]]
    _mesh(stage, path, points / UsdGeom.GetStageMetersPerUnit(stage), faces)
    material: dict[str, float | None] = {
        "static_friction": static_friction, "dynamic_friction": dynamic_friction, "restitution": restitution,
    }  # fmt: skip
    return [Change(str(path), "", None, "Mesh"), *finish_material(stage, stage.GetPrimAtPath(path), material)]


def height_field_mesh(
    heights: np.ndarray, spacing: float, slope_threshold: float | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return points (P, 3) and triangles (F, 3) of a height field (rows, columns) along x and y, about the origin.

    A rise between two neighbours above slope_threshold · spacing is vertical: its lower end moves under the upper one.
    """
    rows, columns = heights.shape
    x, y = np.meshgrid(np.arange(rows) - (rows - 1) / 2.0, np.arange(columns) - (columns - 1) / 2.0, indexing="ij")
    if slope_threshold is not None:
        moved = [_moves(heights, axis, slope_threshold * spacing) for axis in (0, 1)]
        alone = (moved[0] == 0.0) & (moved[1] == 0.0)
        corner = _corner_moves(heights, slope_threshold * spacing) * alone
        x, y = (grid + move + corner for grid, move in zip((x, y), moved, strict=True))
    points = np.stack([x * spacing, y * spacing, heights], -1).reshape(-1, 3)
    first = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    one = np.stack([first, first + columns, first + columns + 1], 1)
    other = np.stack([first, first + columns + 1, first + 1], 1)
    return points, np.stack([one, other], 1).reshape(-1, 3)


def _moves(heights: np.ndarray, axis: int, rise: float) -> np.ndarray:
    """Return by how many cells each point moves along an axis: towards a neighbour that is higher by the rise."""
    steps = np.diff(heights, axis=axis)
    moves = np.zeros_like(heights)
    before, after = [slice(None)] * 2, [slice(None)] * 2
    before[axis], after[axis] = slice(None, -1), slice(1, None)
    moves[tuple(before)] += steps > rise
    moves[tuple(after)] -= -steps > rise
    return moves


def _corner_moves(heights: np.ndarray, rise: float) -> np.ndarray:
    """Return by how many cells each point moves along both axes: towards a higher neighbour across a cell."""
    moves, steps = np.zeros_like(heights), heights[1:, 1:] - heights[:-1, :-1]
    moves[:-1, :-1] += steps > rise
    moves[1:, 1:] -= -steps > rise
    return moves


def _mesh(stage: Usd.Stage, path: Any, points: np.ndarray, faces: np.ndarray) -> None:
    """Author a static collider of triangles."""
    mesh = UsdGeom.Mesh.Define(stage, path)
    mesh.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(points.astype(np.float32)))
    mesh.CreateFaceVertexCountsAttr(Vt.IntArray.FromNumpy(np.full(len(faces), 3, np.int32)))
    mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(faces.ravel().astype(np.int32)))
    mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    mesh.CreateExtentAttr([Gf.Vec3f(*map(float, corner)) for corner in (points.min(0), points.max(0))])
    mesh.SetResetXformStack(True)
    UsdPhysics.CollisionAPI.Apply(mesh.GetPrim())
    UsdPhysics.MeshCollisionAPI.Apply(mesh.GetPrim()).CreateApproximationAttr("none")
