"""Solids: volume, centre and inertia of a collision shape, seen from the body it belongs to."""

from dataclasses import dataclass
from math import pi

import numpy as np
from pxr import Gf, Usd, UsdGeom

from .stage import START, Source


@dataclass(frozen=True)
class Solid:
    """A solid of constant density: its mass (a volume [m³] at unit density), centre and inertia about it."""

    mass: float
    com: np.ndarray  # (3,) in the frame of the body [m]
    inertia: np.ndarray  # (3, 3) in the axes of the body [kg·m²]


def solid(source: Source, prim: Usd.Prim, body: Usd.Prim) -> Solid | None:
    """A collision shape as a solid of density 1; None, and a report, for a shape without volume."""
    measure = MEASURES.get(str(prim.GetTypeName()))
    if measure is None:
        if prim.IsA(UsdGeom.Gprim):
            source.report(prim, "PhysicsCollisionAPI", f"a {prim.GetTypeName()} has no known volume: it weighs nothing")
        return None
    world = source.matrix(prim)
    scale = np.abs(np.array(Gf.Transform(world).GetScale())) * source.metres
    volume, middle, moments = measure(prim, scale)
    if measure is mesh:
        reason = "the mesh itself gives mass and inertia; PhysX takes an approximation of it"
        source.report(prim, "physics:approximation", reason, source.authored(prim, "physics:approximation") or "")
    if not volume > 0.0:
        return None
    origin, axes = placement(source, prim, body)
    return Solid(volume, origin + axes @ middle, axes @ moments @ axes.T)


def placement(source: Source, prim: Usd.Prim, body: Usd.Prim) -> tuple[np.ndarray, np.ndarray]:
    """Origin [m] (3,) and axes (3, 3), as columns, of a shape's rigid frame in that of its body."""
    local = source.frame(prim) * source.frame(body).GetInverse()
    return np.array(local.ExtractTranslation()) * source.metres, np.array(local.ExtractRotationMatrix()).T


def size(prim: Usd.Prim, name: str) -> float:
    """A number of a shape, authored or the schema's own."""
    return float(prim.GetAttribute(name).Get(START))


def turned(prim: Usd.Prim, along: float, across: float) -> np.ndarray:
    """Moments of a body of revolution about the axis the prim names."""
    moments = np.full(3, across)
    moments["XYZ".index(prim.GetAttribute("axis").Get(START))] = along
    return np.diag(moments)


def radius_and_height(prim: Usd.Prim, scale: np.ndarray) -> tuple[float, float]:
    """Radius and height of a body of revolution; the greater of the two scales across its axis counts."""
    along = "XYZ".index(prim.GetAttribute("axis").Get(START))
    return size(prim, "radius") * max(np.delete(scale, along)), size(prim, "height") * scale[along]


def cube(prim: Usd.Prim, scale: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Volume, centre and moments of a box."""
    edges = size(prim, "size") * scale
    volume = edges.prod()
    return volume, np.zeros(3), np.diag(volume / 12.0 * (edges @ edges - edges**2))


def sphere(prim: Usd.Prim, scale: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Volume, centre and moments of a ball."""
    radius = size(prim, "radius") * max(scale)
    volume = 4.0 / 3.0 * pi * radius**3
    return volume, np.zeros(3), 0.4 * volume * radius**2 * np.eye(3)


def cylinder(prim: Usd.Prim, scale: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Volume, centre and moments of a cylinder."""
    r, h = radius_and_height(prim, scale)
    volume = pi * r**2 * h
    return volume, np.zeros(3), turned(prim, volume * r**2 / 2.0, volume * (r**2 / 4.0 + h**2 / 12.0))


def capsule(prim: Usd.Prim, scale: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Volume, centre and moments of a cylinder between two half balls."""
    r, h = radius_and_height(prim, scale)
    rod, ball = pi * r**2 * h, 4.0 / 3.0 * pi * r**3
    along = rod * r**2 / 2.0 + ball * 0.4 * r**2
    across = rod * (r**2 / 4.0 + h**2 / 12.0) + ball * (0.4 * r**2 + h**2 / 4.0 + 3.0 / 8.0 * h * r)
    return rod + ball, np.zeros(3), turned(prim, along, across)


def cone(prim: Usd.Prim, scale: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Volume, centre and moments of a cone; its origin is half way up."""
    r, h = radius_and_height(prim, scale)
    volume = pi * r**2 * h / 3.0
    middle = np.zeros(3)
    middle["XYZ".index(prim.GetAttribute("axis").Get(START))] = -h / 4.0
    return volume, middle, turned(prim, 0.3 * volume * r**2, volume * (0.15 * r**2 + 0.0375 * h**2))


def mesh(prim: Usd.Prim, scale: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Volume, centre and moments of a closed triangle mesh: a sum over the tetrahedra to its first point."""
    points = np.array(prim.GetAttribute("points").Get(START) or np.zeros((0, 3)), float) * scale
    counts = np.array(prim.GetAttribute("faceVertexCounts").Get(START) or [], int)
    indices = np.array(prim.GetAttribute("faceVertexIndices").Get(START) or [], int)
    fans = []
    for start, count in zip(np.cumsum(counts) - counts, counts, strict=True):
        face = indices[start : start + count]
        fans += [(face[0], face[k], face[k + 1]) for k in range(1, count - 1)]
    if not fans:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    corners = points[np.array(fans)]  # (F, 3 corners, 3)
    volumes = np.linalg.det(corners) / 6.0
    volume = volumes.sum()
    sums = corners.sum(axis=1)
    middle = (volumes[:, None] * sums).sum(axis=0) / 4.0 / volume
    products = np.einsum("f,fci,fcj->ij", volumes, corners, corners) + np.einsum("f,fi,fj->ij", volumes, sums, sums)
    covariance = products / 20.0 - volume * np.outer(middle, middle)
    sign = np.sign(volume)  # left-handed meshes wind the other way round
    return sign * volume, middle, sign * (np.trace(covariance) * np.eye(3) - covariance)


MEASURES = {"Cube": cube, "Sphere": sphere, "Cylinder": cylinder, "Capsule": capsule, "Cone": cone, "Mesh": mesh}
