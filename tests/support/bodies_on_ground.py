"""Free bodies on a plane: a box at rest, a ball in the air, a sled that slides; 240 steps per second."""

from functools import cache

import fajin
from fajin.scene import (
    IDENTITY,
    Articulation,
    Collider,
    ContactMaterial,
    Link,
    Scene,
    ShapeKind,
)

G = 9.81  # [m/s²]
H = 1.0 / 240.0  # [s]
MU = 0.5
UP = (0.0, -(0.5**0.5), 0.0, 0.5**0.5)
"""Rotation of a plane's frame that turns its normal, +x, to +z."""


def cube(name: str, half: float, mass: float, position: tuple, **link) -> tuple[Articulation, Collider]:
    """A cube as a free body, and its collider."""
    inertia = mass * (2 * half) ** 2 / 6
    path = f"/World/{name}"
    moves = Link(
        path, mass=mass, inertia=((inertia, 0, 0), (0, inertia, 0), (0, 0, inertia)),
        pose=(position, IDENTITY[1]), **{"angular_damping": 0.0, **link},
    )  # fmt: skip
    shape = Collider(path, path, ShapeKind.BOX, half_extents=(half,) * 3, material=material())
    return Articulation(path, (moves,), (), free=True, sleep_threshold=5e-5), shape


def ball(name: str, radius: float, mass: float, position: tuple, bounce: float = 0.0) -> tuple[Articulation, Collider]:
    """A ball as a free body, and its collider."""
    inertia = 0.4 * mass * radius**2
    path = f"/World/{name}"
    moves = Link(
        path, mass=mass, inertia=((inertia, 0, 0), (0, inertia, 0), (0, 0, inertia)),
        pose=(position, IDENTITY[1]), angular_damping=0.0,
    )  # fmt: skip
    shape = Collider(path, path, ShapeKind.SPHERE, radius=radius, material=material(bounce))
    return Articulation(path, (moves,), (), free=True, sleep_threshold=5e-5), shape


def material(bounce: float = 0.0) -> ContactMaterial:
    """A material of friction MU."""
    return ContactMaterial(static_friction=MU, dynamic_friction=MU, restitution=bounce)


def ground() -> Collider:
    """The plane z = 0."""
    return Collider("/World/ground", kind=ShapeKind.PLANE, pose=((0.0, 0.0, 0.0), UP), material=material())


@cache
def scene() -> Scene:
    """Box 2 kg at rest, ball 1 kg in the air above it, sled 3 kg at 1 m/s along x."""
    bodies = (
        cube("box", 0.1, 2.0, (0.0, 0.0, 0.1)),
        ball("ball", 0.05, 1.0, (0.0, 0.0, 0.45)),
        cube("sled", 0.1, 3.0, (2.0, 0.0, 0.1), velocity=(1.0, 0.0, 0.0)),
    )
    return Scene(
        "bodies_on_ground", tuple(body for body, _ in bodies), gravity=(0.0, 0.0, -G), dt=H,
        colliders=(ground(), *(shape for _, shape in bodies)),
    )  # fmt: skip


def simulation(worlds: int = 1, **options) -> fajin.Simulation:
    """The scene in some worlds; more than one are a pack."""
    return fajin.Simulation(scene(), worlds, "cpu", threads=1, **options)
