"""What the equations of motion are for: holding robots still and making them follow."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from random_tree import edited

import fajin
from fajin import dynamics
from fajin.scene.overrides import with_solver

SECONDS = 2.0
ARMS = ("franka_panda", "isaac_ur10")


def limp(path: Path, dt: float | None = None, change=lambda scene: scene) -> fajin.Simulation:
    """A robot whose drives and friction do nothing, bent within its limits, at rest."""
    sim = fajin.Simulation(change(fajin.read(path)), device="cpu", precision="f64", threads=1, dt=dt, contacts=False)
    sim.stiffness = sim.damping = sim.static_friction = sim.dynamic_friction = sim.viscous_friction = 0.0
    sim.max_force = np.inf
    middle = 0.5 * (np.array(sim.lower) + np.array(sim.upper))
    sim.q = np.where(np.isfinite(middle), np.clip(middle, -0.7, 0.7), 0.3)
    sim.qd = 0.0
    return sim


def wandering(sim: fajin.Simulation, efforts) -> float:
    """How far the joints get under efforts that are asked for before every step [rad | m]."""
    start, far = np.array(sim.q), 0.0
    for _ in range(round(SECONDS / sim.dt)):
        sim.effort = efforts()
        sim.step()
        far = max(far, np.abs(np.array(sim.q) - start).max())
    return far


def drift(sim: fajin.Simulation) -> float:
    """Way that an acceleration of round-off goes in the time, of a robot that falls when it is let go [rad | m]."""
    fall = np.abs(dynamics.joint_acceleration(sim, effort=np.zeros((1, len(sim.dof))))).max()
    condition = np.linalg.cond(dynamics.mass_matrix(sim)[0])
    return 0.5 * SECONDS**2 * np.finfo(float).eps * condition * fall


@pytest.mark.parametrize("name", ARMS)
def test_gravity_compensation_holds_an_arm(robots, name):
    """It stays for two seconds where it is let go, and falls without."""
    sim = limp(robots / f"{name}.usda")
    fallen = limp(robots / f"{name}.usda")
    bound = drift(sim)
    assert bound < 1e-6
    assert wandering(fallen, lambda: 0.0) > 0.1
    assert wandering(sim, lambda: dynamics.gravity_compensation(sim)) <= bound


def test_a_falling_humanoid_keeps_its_joints(robots):
    """A base that gives way: what holds the joints is nothing but round-off where everything weighs."""
    sim = limp(robots / "newton_humanoid.usda")
    size = np.abs(dynamics.gravity_compensation(sim)).max()
    assert np.abs(dynamics.gravity_compensation(sim, free_base=True)).max() <= 1e-11 * size
    bound = drift(sim)
    assert wandering(sim, lambda: dynamics.gravity_compensation(sim, free_base=True)) <= bound


def test_a_humanoid_with_links_without_weight_keeps_its_joints(robots):
    """They turn it as it falls. Efforts against gravity and velocities hold the joints, to first order in the step."""

    def lightened(scene):
        paths = [link.path for link in scene.articulations[0].links][::3]
        return edited(scene, lambda link: replace(link, disable_gravity=link.path in paths, angular_damping=0.0))

    def far(step: float, held: float = 1.0) -> float:
        sim = limp(robots / "newton_humanoid.usda", step, lightened)

        def efforts() -> np.ndarray:
            gravity = dynamics.gravity_compensation(sim, free_base=True)
            return held * (gravity + dynamics.coriolis_compensation(sim, free_base=True))

        return wandering(sim, efforts)

    coarse, fine = far(1 / 60), far(1 / 120)
    assert far(1 / 60, held=0.0) > 10 * coarse
    assert fine == pytest.approx(coarse / 2, rel=0.1)


def test_computed_torque_tracks_a_sine(robots):
    """τ = M (q̈_d + 2 ω ė + ω² e) + c − g leaves e = d / ω² of what link damping does, d = 0.28 rad/s² at the wrist.

    Under PGS: TGS spreads efforts over a step's iterations, but not the velocity products that they are to cancel.
    """
    sim = limp(robots / "isaac_ur10.usda", change=lambda scene: with_solver(scene, "pgs"))
    middle, size, speed, gain, far = np.array(sim.q), 0.3, np.pi, 30.0, 0.0

    def place(step: int) -> np.ndarray:
        return middle + size * np.sin(speed * step * sim.dt)

    def rate(step: int) -> np.ndarray:  # differences as the step integrates
        return (place(step) - place(step - 1)) / sim.dt

    sim.qd = rate(0)
    for step in range(round(SECONDS / sim.dt)):
        error, lag = place(step) - np.array(sim.q), rate(step) - np.array(sim.qd)
        qdd = (rate(step + 1) - rate(step)) / sim.dt + 2.0 * gain * lag + gain**2 * error
        sim.effort = dynamics.joint_force(sim, qdd=qdd) + dynamics.gravity_compensation(sim)
        sim.step()
        far = max(far, np.abs(error).max())
    assert far < 1e-3
