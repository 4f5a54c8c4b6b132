"""Laws of speculative contacts in double precision."""

from dataclasses import replace

import pytest
from bodies_on_ground import H, ball, cube, material

import fajin
from fajin.scene import Collider, Scene, ShapeKind

R = 0.05  # [m] half of what flies
FACE = 2.0  # [m] where the wall begins
THIN = 0.01  # [m] thickness of the wall
FAST = 100.0  # [m/s] 0.42 m in a step
LEFT = 0.5**16 * FAST * H  # [m] each of 16 iterations leaves at most half of the error of a step


def wall() -> Collider:
    """A wall across x."""
    half = (0.5 * THIN, 2.0, 2.0)
    pose = ((FACE + half[0], 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    return Collider("/World/wall", kind=ShapeKind.BOX, half_extents=half, pose=pose, material=material())


def shoot(tgs: int, speculates: bool, make=ball, spin=(0.0, 0.0, 0.0)) -> fajin.Simulation:
    """A ball or a cube that flies at the wall."""
    body, shape = make("ball", R, 1.0, (0.0, 0.0, 0.0))
    link = replace(body.links[0], velocity=(FAST, 0.0, 0.0), angular_velocity=spin, speculative_ccd=speculates)
    made = Scene("", (replace(body, links=(link,)),), (0.0, 0.0, 0.0), H, tgs, colliders=(wall(), shape))
    return fajin.Simulation(made, device="cpu", precision="f64", threads=1, sleeping=False)


@pytest.mark.parametrize("make", [ball, cube])
@pytest.mark.parametrize("tgs", [0, 1])
def test_nothing_passes_a_thin_wall(tgs, make):
    """At 100 m/s through 1 cm."""
    sim = shoot(tgs, True, make)
    for _ in range(24):
        sim.step()
        assert sim.link_pose[0, 0, 0] <= FACE - R + LEFT
    assert sim.link_pose[0, 0, 0] == pytest.approx(FACE - R, abs=0.1 * R)


@pytest.mark.parametrize("tgs", [0, 1])
def test_without_it_the_same_body_passes(tgs):
    sim = shoot(tgs, False)
    sim.step(24)
    assert sim.link_pose[0, 0, 0] > FACE + THIN


def test_what_does_not_speculate_keeps_its_bits():
    """A body beside one that speculates moves as in a scene of its own."""
    body, shape = ball("other", R, 1.0, (0.0, 1.0, 0.0))
    other = replace(body, links=(replace(body.links[0], velocity=(1.0, 0.0, 0.0)),))
    sims = []
    for speculates in (False, True):
        first, one = ball("ball", R, 1.0, (0.0, 0.0, 0.0))
        link = replace(first.links[0], velocity=(FAST, 0.0, 0.0), speculative_ccd=speculates)
        made = Scene("", (replace(first, links=(link,)), other), (0.0, 0.0, 0.0), H, 1, colliders=(wall(), one, shape))
        sims.append(fajin.Simulation(made, device="cpu", precision="f64", threads=1, sleeping=False))
        sims[-1].step(24)
    assert (sims[0].link_pose[0, 1] == sims[1].link_pose[0, 1]).all()
