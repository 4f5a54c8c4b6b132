"""Laws of contacts in double precision: friction cone, sliding distance, bounces, momentum, rolling, penetration."""

from dataclasses import replace

import numpy as np
import pytest
from bodies_on_ground import G, H, ball, cube, ground, material

import fajin
from fajin.device import PACK
from fajin.scene import Collider, ContactMaterial, Scene, ShapeKind

FRICTIONS = (0.2, 0.4, 0.6, 0.8)
"""Below 1, at which a cube tips over instead."""


def simulate_bodies(bodies, worlds=1, on_ground=True, **scene) -> fajin.Simulation:
    """Free bodies, (articulation, collider) each, on the plane z = 0 or in empty space."""
    assert worlds < PACK[64]  # whose kernel no other fast test needs
    shapes = tuple(shape for _, shape in bodies)
    given = {"gravity": (0.0, 0.0, -G), "dt": H} | scene
    colliders = (ground(), *shapes) if on_ground else shapes
    made = Scene("bodies", tuple(body for body, _ in bodies), colliders=colliders, **given)
    return fajin.Simulation(made, worlds, "cpu", precision="f64", threads=worlds, sleeping=False)


def flat_cube(**link):
    """A cube of 0.1 m and 1 kg at rest on the plane."""
    return cube("box", 0.05, 1.0, (0.0, 0.0, 0.05), **link)


@pytest.mark.parametrize("tgs", [0, 1])
def test_a_box_slips_where_the_slope_exceeds_the_friction_angle(tgs):
    """tan θ = μ; beyond it the box slides with a = g (sin θ − μ cos θ), below it it stays within 1 % of free motion."""
    mu, steps = np.array(FRICTIONS), 120
    for excess in (-0.01, 0.01):
        sim = simulate_bodies([flat_cube()], len(mu), solver=tgs)
        angle = np.arctan(mu) + excess
        for field in (sim.contact_static_friction, sim.contact_dynamic_friction):
            field[:] = mu[:, None]
        sim.gravity = G * np.stack([np.sin(angle), 0.0 * angle, -np.cos(angle)], 1)
        before = np.array(sim.root_pose)[:, 0, 0]
        sim.step(steps)
        moved = np.array(sim.root_pose)[:, 0, 0] - before
        slides = 0.5 * G * (np.sin(angle) - mu * np.cos(angle)) * (steps * H) ** 2
        free = 0.5 * G * np.sin(angle) * (steps * H) ** 2
        if excess < 0.0:
            assert (np.abs(moved) < 0.01 * free).all()  # PGS creeps until its anchors hold
        else:
            assert (np.abs(moved - slides) < 0.05 * slides + 0.01 * free).all()


def test_a_sliding_box_stops_after_v2_over_2_mu_g():
    """Σ v h with v falling by μ g h a step: v²/2μg, up to the last step's v h."""
    sim = simulate_bodies([flat_cube(velocity=(1.0, 0.0, 0.0))], len(FRICTIONS))
    mu = np.array(FRICTIONS)
    for field in (sim.contact_static_friction, sim.contact_dynamic_friction):
        field[:] = mu[:, None]
    sim.step(200)
    moved = np.array(sim.root_pose)[:, 0, 0]
    assert moved == pytest.approx(1.0 / (2.0 * mu * G), abs=1.0 * H)
    assert np.abs(np.array(sim.root_velocity)).max() < G * H


def test_a_ball_rises_to_e2_of_its_height():
    """Height after a bounce = e² of the height before, up to the way of one step."""
    drop, radius, bounces = 0.5, 0.05, np.array((0.3, 0.6, 0.9))
    sim = simulate_bodies([ball("ball", radius, 1.0, (0.0, 0.0, radius + drop), bounce=0.5)], 3)
    sim.contact_restitution[:] = bounces[:, None]
    falls = int(np.sqrt(2.0 * drop / G) / H) + 2
    sim.step(falls)
    heights = []
    for _ in range(150):
        sim.step()
        heights.append(np.array(sim.root_pose)[:, 0, 2] - radius)
    speed = np.sqrt(2.0 * G * drop)
    assert np.max(heights, 0) == pytest.approx(bounces**2 * drop, abs=2.0 * speed * H)


def test_momentum_is_conserved_when_bodies_collide():
    """Σ m v before = after, to round-off of double precision, and the energy does not grow."""
    one = ball("one", 0.05, 2.0, (0.0, 0.0, 0.0), bounce=0.8)
    two = ball("two", 0.05, 1.0, (0.15, 0.02, 0.0), bounce=0.8)
    three = cube("three", 0.05, 1.5, (0.3, 0.0, 0.01))
    moving = replace(one[0], links=(replace(one[0].links[0], velocity=(2.0, 0.0, 0.0)),))
    sim = simulate_bodies([(moving, one[1]), two, three], on_ground=False, gravity=(0.0, 0.0, 0.0))
    mass = np.array((2.0, 1.0, 1.5))[:, None]

    def momentum_and_energy():
        velocity = np.array(sim.root_velocity)[0, :, :3]
        return (mass * velocity).sum(0), 0.5 * (mass * velocity**2).sum()

    start, most = momentum_and_energy()
    sim.step(100)
    end, energy = momentum_and_energy()
    assert np.abs(np.array(sim.root_velocity)[0, 1:, 0]).min() > 0.1  # both were hit
    assert end == pytest.approx(start, abs=1e-12 * 4.0 * 100)
    assert energy < most


def test_a_capsule_rolls_without_slipping():
    """v = ω r once friction has accelerated its rotation, and the contact does no more work."""
    radius = 0.05
    body, _ = ball("roller", radius, 1.0, (0.0, 0.0, radius))
    shape = Collider(
        "/World/roller", "/World/roller", ShapeKind.CAPSULE, radius=radius, half_height=0.1,
        pose=((0.0, 0.0, 0.0), (0.0, 0.0, 0.5**0.5, 0.5**0.5)), material=material(),
    )  # fmt: skip
    moving = replace(body, links=(replace(body.links[0], velocity=(0.5, 0.0, 0.0)),))
    sim = simulate_bodies([(moving, shape)])
    sim.step(120)
    velocity = np.array(sim.root_velocity)[0, 0]
    assert velocity[4] * radius == pytest.approx(velocity[0], rel=1e-3)
    assert 0.3 < velocity[0] < 0.5


def test_a_deep_start_is_pushed_out_no_faster_than_the_bound():
    """Speed ≤ maxDepenetrationVelocity while it leaves the ground, and then it rests on it."""
    body, shape = flat_cube(max_depenetration_velocity=0.5)
    sunk = replace(body, links=(replace(body.links[0], pose=((0.0, 0.0, 0.02), body.links[0].pose[1])),))
    sim = simulate_bodies([(sunk, shape)])
    heights = [np.array(sim.root_pose)[0, 0, 2]]
    for _ in range(60):
        sim.step()
        heights.append(np.array(sim.root_pose)[0, 0, 2])
    speed = np.diff(heights) / H
    assert 0.3 < speed.max() <= 0.5 + 1e-9
    sim.step(200)
    assert np.array(sim.root_pose)[0, 0, 2] == pytest.approx(0.05, abs=1e-4)


def test_a_stack_gains_no_energy():
    """Five boxes that fell 2 mm on each other: from 1 s on, for 10 s, their energy never grows by 1e-6 m g of a box."""
    stack = [cube(f"box{i}", 0.05, 1.0, (0.002 * i, 0.001 * i, 0.052 + 0.102 * i)) for i in range(5)]
    sim = simulate_bodies(stack)
    sim.step(240)

    def energy():
        velocity = np.array(sim.root_velocity)[0, :, :3]
        return G * np.array(sim.root_pose)[0, :, 2].sum() + 0.5 * (velocity**2).sum()

    start, place, most = energy(), np.array(sim.root_pose)[0, :, :3], 0.0
    for _ in range(240):
        sim.step(10)
        most = max(most, energy() - start)
    assert most < 1e-6 * G
    assert np.abs(np.array(sim.root_pose)[0, :, :3] - place).max() < 1e-4


def test_a_material_without_friction_does_not_brake():
    """μ = 0: the velocity along the plane stays, to round-off."""
    body, shape = flat_cube(velocity=(1.0, 0.0, 0.0))
    slick = replace(shape, material=ContactMaterial(0.0, 0.0))
    sim = simulate_bodies([(body, slick)])
    sim.contact_static_friction[:] = 0.0
    sim.contact_dynamic_friction[:] = 0.0
    sim.step(50)
    assert np.array(sim.root_velocity)[0, 0, 0] == pytest.approx(1.0, abs=1e-9)


@pytest.mark.slow
def test_worlds_of_a_pack_touch_as_alone(own_kernels):
    """With the bits of worlds that run one by one, by the kernel that tests share."""
    body, shape = ball("ball", 0.05, 1.0, (0.0, 0.0, 0.06))
    made = Scene("", (body,), (0.0, 0.0, -G), H, colliders=(ground(), shape))
    speeds = np.random.default_rng(0).normal(0.0, 0.5, (PACK[64] - 1, 1, 6))
    ends = []
    for threads, shared in ((1, False), (len(speeds), True)):
        own_kernels.use(shared)
        sim = fajin.Simulation(made, len(speeds), "cpu", "f64", threads, sleeping=False)
        sim.root_velocity = speeds
        sim.step(30)
        assert (np.array(sim.contact_force)[..., 2] > 0.0).all()
        ends.append([np.array(numbers).tobytes() for numbers in (sim.root_pose, sim.root_velocity, sim.contact_force)])
    assert ends[0] == ends[1]
