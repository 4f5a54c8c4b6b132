"""Kinematic bodies move as they are told and push: laws beside the recorded motion."""

from dataclasses import replace

import numpy as np
import pytest
from bodies_on_ground import G, H, cube
from commands import fajin_here
from paths import ROOT

import fajin
from fajin.scene import Articulation, BodyMotion, Collider, Link, Scene, ShapeKind

UPRIGHT = (0.0, 0.0, 0.0, 1.0)
SPEED = 0.3


def belt(*motions: BodyMotion, worlds: int = 1, height: float = 0.05) -> fajin.Simulation:
    """A cube of 0.1 m on a plate of 4 m that moves along x at `SPEED`."""
    plate = Articulation("/plate", (Link("/plate", ((0.0, 0.0, -0.05), UPRIGHT)),), (), free=True, kinematic=True)
    shape = Collider("/plate/shape", "/plate", ShapeKind.BOX, half_extents=(2.0, 2.0, 0.05), contact_offset=0.01)
    body, box = cube("box", 0.05, 1.0, (0.0, 0.0, height))
    given = motions or (
        BodyMotion("/plate", (0.0, 10.0), (((0.0, 0.0, -0.05), UPRIGHT), ((3.0, 0.0, -0.05), UPRIGHT))),
    )
    scene = Scene("belt", (body, plate), (0.0, 0.0, -G), H, colliders=(box, shape), motions=given)
    return fajin.Simulation(scene, worlds, "cpu", precision="f64", threads=1, sleeping=False)


def column(sim: fajin.Simulation, name: str) -> int:
    return sim.link.index(name)


def test_friction_carries_a_box_on_a_belt():
    """It slides until μ g t = v, that is by v²/(2 μ g), and then moves at the speed of the belt."""
    sim = belt()
    friction = 0.5  # without materials
    steps = round(SPEED / (friction * G) / H)
    sim.step(steps + 40)
    x, plate = sim.link_pose[0, :, 0][[column(sim, name) for name in (cube_path(sim), "/plate")]]
    assert sim.link_velocity[0, column(sim, cube_path(sim)), 0] == pytest.approx(SPEED, rel=1e-3)
    assert plate == pytest.approx(SPEED * (steps + 40) * H, abs=1e-9)
    assert plate - x == pytest.approx(SPEED**2 / (2.0 * friction * G), abs=1.5 * SPEED * H)


def cube_path(sim: fajin.Simulation) -> str:
    return next(path for path in sim.link if path != "/plate")


def test_motion_does_not_depend_on_the_lengths_of_launches():
    """A plate of constant velocity needs no launch per step, and gives the same bits."""
    one, other = belt(), belt()
    one.step(60)
    for _ in range(20):
        other.step(3)
    assert np.asarray(one.link_pose).tobytes() == np.asarray(other.link_pose).tobytes()


def test_nothing_changes_the_velocity_of_a_kinematic_body():
    """Neither gravity, nor what lies on it, nor a force of the user."""
    sim = belt()
    sim.force[:, "/plate"] = (0.0, 0.0, 100.0)
    sim.step(60)
    assert sim.link_velocity[0, column(sim, "/plate")] == pytest.approx((SPEED, 0.0, 0.0, 0.0, 0.0, 0.0), abs=1e-9)
    assert sim.contact_force[0, column(sim, "/plate"), 2] == pytest.approx(-G, rel=1e-3)


def test_velocity_of_a_kinematic_body_without_samples_is_that_of_the_user():
    """It stays where it is until a velocity is set, and keeps that."""
    sim = belt(BodyMotion("/plate", (0.0,), (((0.0, 0.0, -0.05), UPRIGHT),)))
    scene = replace(sim.scene, motions=())
    sim = fajin.Simulation(scene, 2, "cpu", precision="f64", threads=2, sleeping=False)
    sim.root_velocity[1, "/plate"] = (0.0, 0.0, 0.2, 0.0, 0.0, 0.0)
    sim.step(60)
    heights = sim.link_pose[:, column(sim, "/plate"), 2]
    assert heights == pytest.approx([-0.05, -0.05 + 0.2 * 60 * H], abs=1e-9)
    cubes = sim.link_pose[:, column(sim, cube_path(sim)), 2]
    assert cubes - heights == pytest.approx(0.1, abs=1e-4)


def test_a_moving_plate_keeps_what_lies_on_it_awake():
    """At rest on a plate that stands still a box falls asleep, on a slow one it does not."""
    still = ((0.0, 0.0, -0.05), UPRIGHT)
    asleep = []
    for end in (0.0, 1e-3):
        sim = belt(BodyMotion("/plate", (0.0, 10.0), (still, ((end, 0.0, -0.05), UPRIGHT))))
        sim = fajin.Simulation(sim.scene, 1, "cpu", precision="f64", threads=1)
        sim.step(240)
        asleep.append(bool(sim.asleep.all()))
    assert asleep == [True, False]


def test_inspect_names_what_time_samples_move():
    done = fajin_here("inspect", ROOT / "tests/recorded/contacts/scenes/k02_platform_tgs.usda")
    assert "moved by time samples: /World/plate" in done.stdout
