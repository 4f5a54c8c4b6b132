"""Mass properties of collision shapes: volume, centre and inertia in the frame of their body."""

from dataclasses import dataclass
from math import pi
from typing import Any

import numpy as np
from pxr import Usd

from ...scene import ShapeKind
from ..attributes.shape import SHAPES
from ..stage.diagnostic_codes import Reason
from ..stage.stage import StageReader
from .collision_shapes import CollisionShape
from .mesh_shapes import read_mesh_shapes

Measure = tuple[float, np.ndarray, np.ndarray]  # volume, centre (3,), moments about the centre (3, 3)
NOTHING: Measure = 0.0, np.zeros(3), np.zeros((3, 3))
CONE_SLICES = 32
"""Cylinders of which PhysX makes the mass properties of a cone."""


@dataclass(frozen=True)
class Solid:
    """A solid of constant density: mass (the volume [m³] at unit density), centre of mass and inertia about it."""

    mass: float
    com: np.ndarray  # (3,) in the body frame [m]
    inertia: np.ndarray  # (3, 3) in the axes of the body [kg·m²]


def solid(source: StageReader, shape: CollisionShape, body: Usd.Prim) -> Solid | None:
    """Return a collision shape as a solid of density 1; None, and a diagnostic, for a shape without volume."""
    prim = shape.prim
    kind = str(prim.GetTypeName())
    if kind not in MEASURES and kind != "Mesh":
        if prim.IsA("Gprim"):
            source.report(prim, "PhysicsCollisionAPI", Reason("volume-unknown", kind=kind))
        return None
    scale = np.abs(source.scale_of(prim)) * source.metres
    with np.errstate(over="ignore", invalid="ignore"):  # values that are not finite raise an error in `weigh`
        volume, middle, moments = measure(source, shape, kind, scale)
        if not volume > 0.0:
            source.report(prim, "PhysicsCollisionAPI", Reason("volume-zero", kind=kind))
            return None
        origin, axes = placement(source, prim, body)
        return Solid(volume, origin + axes @ middle, axes @ moments @ axes.T)


def placement(source: StageReader, prim: Usd.Prim, body: Usd.Prim) -> tuple[np.ndarray, np.ndarray]:
    """Return origin [m] (3,) and axes (3, 3), as columns, of a shape's rigid frame in the body frame."""
    local = source.frame_in(prim, body)
    return np.array(local.ExtractTranslation()) * source.metres, np.array(local.ExtractRotationMatrix()).T


def measure(source: StageReader, shape: CollisionShape, kind: str, scale: np.ndarray) -> Measure:
    """Return volume, centre and moments of a shape in its own frame."""
    if kind != "Mesh":
        return MEASURES[kind](source.values(shape.prim, SHAPES[kind]), scale)
    return mesh(source, shape)


def revolution_moments(along: int, about: float, across: float) -> np.ndarray:
    """Return the moments of a body of revolution about axis `along`."""
    moments = np.full(3, across)
    moments[along] = about
    return np.diag(moments)


def radius_and_height(values: dict, scale: np.ndarray) -> tuple[float, float]:
    """Return radius and height of a body of revolution; the larger of the two scales across its axis applies."""
    along = values["axis"]
    return values["radius"] * max(np.delete(scale, along)), values["height"] * scale[along]


def cube(values: dict, scale: np.ndarray) -> Measure:
    """Return volume, centre and moments of a box."""
    edges = values["size"] * scale
    volume = edges.prod()
    return volume, np.zeros(3), np.diag(volume / 12.0 * (edges @ edges - edges**2))


def sphere(values: dict, scale: np.ndarray) -> Measure:
    """Return volume, centre and moments of a sphere."""
    radius = values["radius"] * max(scale)
    volume = 4.0 / 3.0 * pi * radius**3
    return volume, np.zeros(3), 0.4 * volume * radius**2 * np.eye(3)


def cylinder(values: dict, scale: np.ndarray) -> Measure:
    """Return volume, centre and moments of a cylinder."""
    r, h = radius_and_height(values, scale)
    volume = pi * r**2 * h
    return (
        volume,
        np.zeros(3),
        revolution_moments(values["axis"], volume * r**2 / 2.0, volume * (r**2 / 4.0 + h**2 / 12.0)),
    )


def capsule(values: dict, scale: np.ndarray) -> Measure:
    """Return volume, centre and moments of a capsule."""
    r, h = radius_and_height(values, scale)
    rod, ball = pi * r**2 * h, 4.0 / 3.0 * pi * r**3
    along = rod * r**2 / 2.0 + ball * 0.4 * r**2
    across = rod * (r**2 / 4.0 + h**2 / 12.0) + ball * (0.4 * r**2 + h**2 / 4.0 + 3.0 / 8.0 * h * r)
    return rod + ball, np.zeros(3), revolution_moments(values["axis"], along, across)


def cone_solid(values: dict, scale: np.ndarray) -> Measure:
    """Return volume, centre and moments that PhysX gives a cone; its origin is at half its height.

    PhysX sums CONE_SLICES cylinders, and takes their moments about half the height for those about the centre.
    """
    r, h = radius_and_height(values, scale)
    share = (np.arange(CONE_SLICES) + 0.5) / CONE_SLICES  # of radius and height, from the tip
    volumes, along = pi * (r * share) ** 2 * h / CONE_SLICES, h * (0.5 - share)
    volume = volumes.sum()
    middle = np.zeros(3)
    middle[values["axis"]] = volumes @ along / volume if volume > 0.0 else 0.0
    about = float(volumes @ (r * share) ** 2 / 2.0)
    across = about / 2.0 + float(volumes @ ((h / CONE_SLICES) ** 2 / 12.0 + along**2))
    return volume, middle, revolution_moments(values["axis"], about, across)


def mesh(source: StageReader, shape: CollisionShape) -> Measure:
    """Return volume, centre and moments of the shapes that a mesh collides as, as PhysX does."""
    parts = []
    for offset, part in read_mesh_shapes(source, shape, False):
        middle, axes = np.array(offset.ExtractTranslation()) * source.metres, np.array(offset.ExtractRotationMatrix()).T
        volume, centre, moments = measure_approximation(part)
        parts.append((volume, middle + axes @ centre, axes @ moments @ axes.T))
    total = sum(volume for volume, _, _ in parts)
    if not total > 0.0:
        return NOTHING
    middle = sum((volume * centre for volume, centre, _ in parts), np.zeros(3)) / total
    moments = np.zeros((3, 3))
    for volume, centre, own in parts:
        arm = centre - middle
        moments = moments + own + volume * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return total, middle, moments


def measure_approximation(shape: dict[str, Any]) -> Measure:
    """Return volume, centre and moments of a hull, box or sphere, in its own frame."""
    if shape["kind"] is ShapeKind.SPHERE:
        return sphere({"radius": shape["radius"]}, np.ones(3))
    if shape["kind"] is ShapeKind.BOX:
        return cube({"size": 2.0}, np.array(shape["half_extents"]))
    fans = [(face[0], face[k], face[k + 1]) for face in shape["faces"] for k in range(1, len(face) - 1)]
    return polyhedron(np.array(shape["points"])[np.array(fans)])


def polyhedron(corners: np.ndarray) -> Measure:
    """Return volume, centre and moments inside triangles (F, 3, 3): a sum over the tetrahedra to a vertex."""
    origin = corners[0, 0]
    corners = corners - origin
    volumes = np.linalg.det(corners) / 6.0
    volume = volumes.sum()
    if not volume > 0.0:
        return NOTHING
    sums = corners.sum(axis=1)
    middle = (volumes[:, None] * sums).sum(axis=0) / 4.0 / volume
    products = np.einsum("f,fci,fcj->ij", volumes, corners, corners) + np.einsum("f,fi,fj->ij", volumes, sums, sums)
    covariance = products / 20.0 - volume * np.outer(middle, middle)
    return volume, origin + middle, np.trace(covariance) * np.eye(3) - covariance


MEASURES = {"Cube": cube, "Sphere": sphere, "Cylinder": cylinder, "Capsule": capsule, "Cone": cone_solid}
