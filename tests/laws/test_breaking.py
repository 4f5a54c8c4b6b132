"""Maximal joints that break: by statics, in the step after their force exceeds the bound."""

from math import inf

import numpy as np
import pytest

import fajin
from fajin.scene import Articulation, Joint, JointType, Link, Scene, SolverType

MASS, G, ARM, H = 2.0, 9.81, 0.5, 1.0 / 60.0


def held(solver: SolverType, force: float = inf, torque: float = inf) -> fajin.Simulation:
    """A body that a fixed joint holds at an arm from its centre of mass."""
    pose = ((ARM, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    body = Articulation("/b", (Link("/b", pose, mass=MASS, angular_damping=0.0),), (), free=True)
    frame = ((-ARM, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    hold = Joint("/j", JointType.FIXED, "", "/b", frame1=frame, break_force=force, break_torque=torque)
    return fajin.Simulation(Scene("", (body,), solver=solver, joints=(hold,)), precision="f64", device="cpu")


@pytest.mark.parametrize("solver", list(SolverType))
@pytest.mark.parametrize("bound", ["force", "torque"])
@pytest.mark.parametrize("share", [0.99, 1.01])
def test_a_joint_breaks_above_its_force(solver, bound, share):
    """F = m g and τ = m g r: below the bound it holds; above, the body falls from the second step on."""
    weight = MASS * G * (ARM if bound == "torque" else 1.0)
    sim = held(solver, **{bound: share * weight})
    sim.step(1)
    assert sim.joint_broken[0, 0] == (share < 1.0)
    assert abs(sim.root_velocity[0, 0, 2]) < 1e-9
    sim.step(9)
    assert sim.root_velocity[0, 0, 2] == pytest.approx(-9 * G * H if share < 1.0 else 0.0, abs=1e-9)


def test_a_snapshot_remembers_what_broke():
    sim = held(SolverType.TGS, force=1.0)
    whole = sim.save()
    sim.step(3)
    broken = sim.save()
    sim.load(whole)
    assert not np.any(sim.joint_broken[:])
    sim.load(broken)
    assert np.all(sim.joint_broken[:])
