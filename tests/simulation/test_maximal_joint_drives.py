"""Drives of joints outside the trees are set and read by joint and axis."""

from dataclasses import replace

import numpy as np
import pytest
from free_bodies import body, joint
from planar_arm import simulation

import fajin
from fajin.scene import WORLD, Articulation, Axis, Drive, JointType, Scene, SolverType, TimeSamples

LINKS = {"/a": body("/a"), "/b": body("/b")}
DRIVE = Drive(stiffness=40.0, damping=20.0, target_q=0.1)


def bodies() -> Scene:
    """A body on a slider to the world, and one on a D6 joint with two driven axes, a loose one, three locked ones."""
    slider = joint(JointType.PRISMATIC, LINKS, (WORLD, "/a"), axis="Z", axes=(Axis("transZ", drive=DRIVE),))
    axes = (Axis("transX", drive=DRIVE), Axis("transY"), Axis("rotX", drive=replace(DRIVE, target_q=0.2)))
    six = replace(joint(JointType.D6, LINKS, (WORLD, "/b"), axes=axes), path="/six")
    free = tuple(Articulation(path, (link,), (), free=True) for path, link in LINKS.items())
    return Scene("bodies", free, (0.0, 0.0, 0.0), 0.01, SolverType.PGS, joints=(replace(slider, path="/slider"), six))


def test_driven_axes_are_columns():
    """In the order of the joints, with the axis as it is authored and what the scene says of each."""
    sim = simulation(bodies(), 2)
    values = dict(zip(sim.maximal_dof, zip(sim.maximal_unit, sim.maximal_target_q[1], strict=True), strict=True))
    assert values == {
        "/slider:transZ": ("m", 0.1), "/six:transX": ("m", 0.1), "/six:rotX": ("rad", 0.2)
    }  # fmt: skip
    assert (sim.maximal_stiffness[:] == 40.0).all()
    assert (sim.maximal_damping[:] == 20.0).all()
    assert np.isinf(sim.maximal_max_force[:]).all()
    assert simulation(replace(bodies(), joints=())).maximal_target_q.shape == (1, 0)


def test_what_is_set_acts():
    """Each body goes where its world's target says; speeds and gains likewise."""
    sim = simulation(bodies(), 3, threads=3)
    sim.maximal_target_q[:, "slider"] = [0.3, -0.3, 0.0]
    sim.maximal_target_q[1, "six:rotX"] = 0.4
    sim.maximal_stiffness[2, "six:transX"] = 0.0
    sim.maximal_target_qd[2, "six:transX"] = 0.5
    sim.step(1000)
    height, angle = sim.link_pose[:, "a", 2], 2.0 * np.arcsin(sim.link_pose[:, "b", 3])
    assert np.allclose(height, [0.3, -0.3, 0.0], 0, 1e-6)
    assert np.allclose(angle, [0.2, 0.4, 0.2], 0, 1e-6)
    assert np.allclose(sim.link_velocity[:, "b", 0], [0.0, 0.0, 0.5], 0, 1e-6)


def test_they_are_in_snapshots_and_go_over():
    """As every quantity that can be set."""
    sim = simulation(bodies(), 2)
    start = sim.save()
    sim.maximal_target_q[:, "six:rotX"] = 0.7
    other = simulation(bodies(), 2)
    other.copy_state_from(sim)
    assert (other.maximal_target_q[:, "six:rotX"] == 0.7).all()
    sim.load(start, parts=fajin.Part.TARGETS)
    assert (sim.maximal_target_q[:, "six:rotX"] == 0.2).all()
    with pytest.raises(KeyError, match=r"no driven axis outside the trees 'six:transY'; did you mean 'six:transX'"):
        sim.maximal_target_q[:, "six:transY"] = 0.0


@pytest.mark.parametrize("parameter", ["target_q", "stiffness"])
def test_time_samples_are_what_is_set_before_each_step(parameter):
    """The same motion, to the bit, as with the value at the start of every step set by hand, in every world."""
    times, values = (0.02, 0.07, 0.1), (0.2, 0.5, 0.1)
    signals = (
        TimeSamples("/six:rotX", parameter, times, values),
        TimeSamples("/slider:transZ", parameter, times, values[::-1]),
    )
    sampled = simulation(replace(bodies(), signals=signals), 2, threads=2)
    driven = simulation(bodies(), 2, threads=2)
    start = driven.link_pose[0].copy()
    for step in range(15):
        for signal in signals:
            value = np.interp(step * driven.dt, signal.times, signal.values)
            getattr(driven, f"maximal_{parameter}")[:, signal.dof] = value
        driven.step()
    sampled.step(15)
    assert np.array_equal(sampled.link_pose[:], driven.link_pose[:])
    assert np.abs(sampled.link_pose[1] - start).max() > 1e-4
    assert np.array_equal(sampled.run(steps=3).pose[:], driven.run(steps=3).pose[:])


def test_they_follow_a_schedule():
    """As if every row were written before its step; a row has their columns."""
    sim, other = (simulation(bodies(), 2, threads=2) for _ in range(2))
    table = np.linspace(0.0, 0.4, 10)[:, None] * (1.0, 2.0, -1.0)
    sim.schedule({"maximal_target_q": table})
    sim.step(12)
    for row in (*table, table[-1], table[-1]):
        other.maximal_target_q = row
        other.step()
    assert np.array_equal(sim.link_pose, other.link_pose)
    assert np.array_equal(sim.maximal_target_q, other.maximal_target_q)
