"""Laws of the contact slop in double precision."""

from dataclasses import replace

import pytest
from bodies_on_ground import MU, G, H, ball, ground

import fajin
from fajin.scene import Scene

R = 0.05  # [m]


def roll(slop: float, tgs: int, steps: int, precision: str = "f64") -> fajin.Simulation:
    """A ball that begins to slide at 1 m/s."""
    body, shape = ball("ball", R, 1.0, (0.0, 0.0, R))
    link = replace(body.links[0], contact_slop=slop, velocity=(1.0, 0.0, 0.0))
    made = Scene("", (replace(body, links=(link,)),), (0.0, 0.0, -G), H, tgs, colliders=(ground(), shape))
    sim = fajin.Simulation(made, device="cpu", precision=precision, threads=1, sleeping=False)
    sim.step(steps)
    return sim


@pytest.mark.parametrize("tgs", [0, 1])
def test_a_ball_does_not_roll_if_its_radius_is_below_the_slop(tgs):
    """Friction has no lever: v = v0 − μ g t, ω = 0."""
    steps = 24
    velocity = roll(2.0 * R, tgs, steps).root_velocity[0, 0]
    assert velocity[0] == pytest.approx(1.0 - MU * G * steps * H, rel=1e-6)
    assert not velocity[3:].any()


@pytest.mark.parametrize("tgs", [0, 1])
def test_a_ball_rolls_as_without_slop_if_its_radius_is_above(tgs):
    """But for round-off, which arms of normals lose: v = 5/7 v0 in the end."""
    small, none = (roll(slop, tgs, 60).root_velocity[0, 0] for slop in (0.5 * R, 0.0))
    assert small == pytest.approx(none, abs=1e-12)
    assert small[0] == pytest.approx(5.0 / 7.0, rel=1e-3)


def test_worlds_have_slops_of_their_own():
    body, shape = ball("ball", R, 1.0, (0.0, 0.0, R))
    link = replace(body.links[0], contact_slop=2.0 * R, velocity=(1.0, 0.0, 0.0))
    made = Scene("", (replace(body, links=(link,)),), (0.0, 0.0, -G), H, 1, colliders=(ground(), shape))
    sim = fajin.Simulation(made, 2, "cpu", "f32", threads=1, sleeping=False)
    sim.contact_slop[1] = 0.5 * R
    sim.step(24)
    assert not sim.root_velocity[0, 0, 3:].any()
    assert sim.root_velocity[1, 0, 4] > 1.0


def test_a_scene_without_slop_cannot_get_one():
    """Its kernel has no law for it: the line says what to author."""
    sim = roll(0.0, 1, 1)
    line = "^contact_slop.* = 0.1: must be 0 here; author physxRigidBody:contactSlopCoefficient on a body$"
    with pytest.raises(ValueError, match=line):
        sim.contact_slop = 0.1
