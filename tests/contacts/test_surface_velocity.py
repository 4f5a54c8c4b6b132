"""Laws of surface velocities in double precision: belts, turntables, bodies that drive themselves."""

from dataclasses import replace
from math import pi

import numpy as np
import pytest
from bodies_on_ground import MU, G, H, cube, ground, material

import fajin
from fajin.scene import (
    IDENTITY,
    Articulation,
    Collider,
    CombineMode,
    ContactMaterial,
    Link,
    Scene,
    ShapeKind,
    SurfaceVelocity,
)

HALF = 0.05  # [m] of the box
TURN = (0.0, 0.0, 0.5**0.5, 0.5**0.5)
"""A quarter turn about z."""
LEFT = 2e-3 * G * H
"""What iterations leave of the fall of a step [m/s]."""


def belt(surface: SurfaceVelocity | None, turned: bool = False) -> tuple[Articulation, Collider]:
    """A kinematic plate whose top is z = 0."""
    link = Link("/belt", pose=((0.0, 0.0, -0.1), TURN if turned else IDENTITY[1]), surface_velocity=surface)
    shape = Collider("/belt", "/belt", ShapeKind.BOX, half_extents=(20.0, 20.0, 0.1), material=material())
    return Articulation("/belt", (link,), (), free=True, kinematic=True), shape


def box(at: tuple = (0.0, 0.0, HALF), surface: SurfaceVelocity | None = None, **link) -> tuple[Articulation, Collider]:
    """A box of 1 kg at rest."""
    body, shape = cube("box", HALF, 1.0, at, **link)
    return replace(body, links=(replace(body.links[0], surface_velocity=surface),)), shape


def simulate(
    *bodies: tuple[Articulation, Collider], tgs: int = 1, on: tuple = (), precision: str = "f64", **options
) -> fajin.Simulation:
    """Free bodies on each other, and on colliders of the world."""
    shapes = (*on, *(shape for _, shape in bodies))
    made = Scene("", tuple(body for body, _ in bodies), (0.0, 0.0, -G), H, tgs, colliders=shapes)
    return fajin.Simulation(made, device="cpu", precision=precision, threads=1, sleeping=False, **options)


def speed(sim: fajin.Simulation, name: str = "box") -> np.ndarray:
    """Velocity of a body [m/s]."""
    return sim.root_velocity[0, name, :3]


@pytest.mark.parametrize("tgs", [0, 1])
def test_a_box_reaches_the_speed_of_the_belt_after_v_over_mu_g(tgs):
    """v = min(μ g t, v_belt), but for the velocity change of the step in which they meet, μ g h."""
    sim, fastest = simulate(belt(SurfaceVelocity((1.0, 0.0, 0.0))), box(), tgs=tgs), 1.0
    for k in range(1, int(2.0 * fastest / (MU * G) / H)):
        sim.step()
        assert speed(sim)[0] == pytest.approx(min(MU * G * k * H, fastest), abs=MU * G * H)
    assert speed(sim) == pytest.approx((fastest, 0.0, 0.0), abs=LEFT)


@pytest.mark.parametrize("tgs", [0, 1])
def test_a_turntable_carries_a_box_around_its_centre(tgs):
    """Once it is as fast as the table there, the box circles: ω² r < μ g. Its friction is the centripetal force.

    In a step the box leaves the circle by (ω h)² r / 2, which nothing corrects: patches keep no anchors.
    """
    r, w, turns = 0.5, 2.0, 0.25
    sim = simulate(
        belt(SurfaceVelocity(angular=(0.0, 0.0, w))), box((r, 0.0, HALF), velocity=(0.0, r * w, 0.0)), tgs=tgs
    )
    steps = round(turns * 2.0 * pi / w / H)
    sim.step(steps)
    at = sim.root_pose[0, "box", :2]
    assert np.linalg.norm(at) == pytest.approx(r, abs=steps * (w * H) ** 2 * r)
    assert np.arctan2(at[1], at[0]) == pytest.approx(steps * H * w, abs=5.0 * w * H)
    assert speed(sim)[:2] == pytest.approx((-w * at[1], w * at[0]), abs=2.0 * w * H * w * r)


@pytest.mark.parametrize(("local", "expected"), [(True, (0.0, 1.0)), (False, (1.0, 0.0))])
def test_velocities_have_axes_of_the_body_or_of_the_world(local, expected):
    """A belt that lies turned by a quarter moves along y of the world, if x of its own is meant."""
    sim = simulate(belt(SurfaceVelocity((1.0, 0.0, 0.0), local=local), turned=True), box())
    sim.step(120)
    assert speed(sim)[:2] == pytest.approx(expected, abs=LEFT)


@pytest.mark.parametrize("tgs", [0, 1])
def test_a_body_with_a_surface_velocity_drives_itself_and_keeps_the_momentum(tgs):
    """On a plank that slides without friction, it goes one way and the plank the other: m v + M V = 0, v − V = u."""
    plank, shape = cube("plank", 1.0, 4.0, (0.0, 0.0, -1.0))
    ice = ContactMaterial(static_friction=0.0, dynamic_friction=0.0, friction_combine=CombineMode.MIN)
    smooth = replace(ground(), pose=((0.0, 0.0, -2.0), ground().pose[1]), material=ice)
    sim = simulate((plank, shape), box(surface=SurfaceVelocity((0.5, 0.0, 0.0))), tgs=tgs, on=(smooth,))
    sim.step(60)
    own, other = speed(sim)[0], speed(sim, "plank")[0]
    assert abs(own - other) == pytest.approx(0.5, abs=LEFT)
    assert own + 4.0 * other == pytest.approx(0.0, abs=1e-9)


def test_every_world_has_a_velocity_of_its_own():
    """In a pack, whose kernel tests share in single precision."""
    sim = simulate(belt(SurfaceVelocity()), box(), worlds=2, precision="f32")
    sim.surface_velocity[:, "belt", 0] = (0.2, 0.4)
    sim.step(120)
    assert sim.root_velocity[:, "box", 0] == pytest.approx((0.2, 0.4), abs=LEFT)


def test_a_surface_without_a_velocity_in_the_scene_cannot_get_one():
    """Its kernel has no law for it: the line says what to author."""
    sim = simulate(belt(SurfaceVelocity()), box())
    line = r'^surface_velocity\[0, "box", 1\] = 0.2: must be 0 here; author PhysxSurfaceVelocityAPI on the body$'
    with pytest.raises(ValueError, match=line):
        sim.surface_velocity[0, "box", 1] = 0.2
    assert not sim.surface_velocity[0, "box"].any()
