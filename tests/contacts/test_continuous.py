"""Laws of continuous collision detection in double precision: bodies that are swept through a step."""

from dataclasses import replace

import numpy as np
import pytest
from bodies_on_ground import H, ball, cube, material

import fajin
from fajin.scene import Collider, Scene, ShapeKind

R = 0.05  # [m] half of what flies
FACE = 2.0  # [m] where the wall begins
THIN = 0.01  # [m] thickness of the wall
FAST = 100.0  # [m/s] 0.42 m in a step
NEAR = 0.1 * THIN  # [m] at most half a percent of the wall's half remains between boxes
EPS = float(np.finfo(np.float64).eps)


def wall(bounce: float) -> Collider:
    """A wall across x."""
    half = (0.5 * THIN, 2.0, 2.0)
    pose = ((FACE + half[0], 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    return Collider("/World/wall", kind=ShapeKind.BOX, half_extents=half, pose=pose, material=material(bounce))


def shoot(bodies: list, colliders: tuple = (), allowed: bool = True) -> fajin.Simulation:
    """Bodies with their shapes, which fly without gravity."""
    shapes = (*colliders, *(shape for _, shape in bodies))
    made = Scene("", tuple(body for body, _ in bodies), (0.0, 0.0, 0.0), H, 1, colliders=shapes, ccd=allowed)
    return fajin.Simulation(made, device="cpu", precision="f64", threads=1, sleeping=False)


def flying(make, name: str, x: float, speed: float, swept: bool = True, bounce: float = 0.0) -> tuple:
    """A body that flies along x."""
    body, shape = make(name, R, 1.0, (x, 0.0, 0.0))
    link = replace(body.links[0], velocity=(speed, 0.0, 0.0), ccd=swept)
    return replace(body, links=(link,)), replace(shape, material=material(bounce))


@pytest.mark.parametrize("make", [ball, cube])
def test_nothing_passes_a_thin_wall(make):
    """At 100 m/s through 1 cm: it stops at the wall."""
    sim = shoot([flying(make, "one", 0.0, FAST)], (wall(0.0),))
    for _ in range(24):
        sim.step()
        assert sim.link_pose[0, 0, 0] <= FACE - R + NEAR
    assert sim.link_pose[0, 0, 0] == pytest.approx(FACE - R, abs=NEAR)


def mesh_wall() -> Collider:
    """The front of the wall, as two triangles."""
    corners = ((FACE, -2.0, -2.0), (FACE, -2.0, 2.0), (FACE, 2.0, 2.0), (FACE, 2.0, -2.0))
    faces = ((0, 1, 2), (0, 2, 3))
    return Collider("/World/wall", kind=ShapeKind.TRIANGLE_MESH, points=corners, faces=faces, material=material(0.0))


@pytest.mark.parametrize("make", [ball, cube])
def test_nothing_passes_a_mesh_without_thickness(make):
    """At 100 m/s: it stops at the triangles; a ball that comes from behind goes on."""
    sim = shoot([flying(make, "one", 0.0, FAST)], (mesh_wall(),))
    sim.step(24)
    assert sim.link_pose[0, 0, 0] == pytest.approx(FACE - R, abs=NEAR)
    behind = shoot([flying(ball, "one", 2.0 * FACE, -FAST)], (mesh_wall(),))
    behind.step(24)
    assert behind.link_pose[0, 0, 0] < FACE - R


@pytest.mark.parametrize(("swept", "allowed"), [(False, True), (True, False)])
def test_scene_and_body_must_allow_it(swept, allowed):
    """Else the body passes."""
    sim = shoot([flying(ball, "one", 0.0, FAST, swept)], (wall(0.0),), allowed)
    sim.step(24)
    assert sim.link_pose[0, 0, 0] > FACE + THIN


def test_a_bounce_turns_the_velocity_in_the_step_of_the_touch():
    """v' = −e v, and the body stays at the wall for the rest of the step."""
    sim = shoot([flying(ball, "one", 0.0, FAST, bounce=0.5)], (wall(0.5),))
    before = int((FACE - R) / (FAST * H))
    sim.step(before + 1)
    assert sim.root_velocity[0, 0, 0] == pytest.approx(-0.5 * FAST, rel=EPS * 100)
    assert sim.link_pose[0, 0, 0] == pytest.approx(FACE - R, abs=NEAR)


def test_bodies_that_meet_keep_their_momentum():
    """A fast ball and one at rest go on with half the speed each, and neither passes the other one."""
    sim = shoot([flying(ball, "one", 0.0, FAST), flying(ball, "two", 1.0, 0.0, swept=False)])
    sim.step(int(1.0 / (FAST * H)) + 1)
    assert sim.root_velocity[0, :, 0] == pytest.approx(0.5 * FAST, rel=EPS * 100)
    assert np.ptp(sim.link_pose[0, :, 0]) == pytest.approx(2.0 * R, abs=NEAR)


def test_slow_bodies_are_left_to_the_contacts():
    """Below three quarters of its radius in a step a ball moves to the same bits."""
    slow = 0.7 * R / H
    sims = [shoot([flying(ball, "one", 1.0, slow, swept)], (wall(0.0),)) for swept in (True, False)]
    for sim in sims:
        sim.step(40)
    assert (sims[0].link_pose == sims[1].link_pose).all()
