"""A stage unit changes no SI number: kernels compute in stage units, as PhysX does, and users read and write SI.

A unit of 2⁻⁷ m scales all lengths exactly, so that results are equal to the bit. Left out is what stage units do in
PhysX: softness of rows is per stage unit, and absolute tolerances and the arm of a fixed tendon are stage units.
"""

from dataclasses import replace

import numpy as np
import pytest
from paths import RECORDINGS

import fajin
from fajin import dynamics
from fajin.device.dlpack import scaled
from fajin.simulation.fields import Fields
from fajin.simulation.statistics import Statistics

UNITS = 1.0, 2.0**-7  # [m]
ROBOT = "d06_mimic_pris_rev"
"""A hinge and a slider, coupled."""


def scene_in(name: str, unit: float) -> fajin.Scene:
    """Return a recorded scene whose stage unit is another length, without softness of rows."""
    scene = fajin.read(RECORDINGS / f"{name}.usda")
    articulations = tuple(
        replace(each, links=tuple(replace(link, cfm_scale=0.0) for link in each.links)) for each in scene.articulations
    )
    return replace(scene, articulations=articulations, meters_per_unit=unit)


def simulations(name: str, worlds: int = 1) -> list[fajin.Simulation]:
    """Return simulations of a scene in metres and in other stage units."""
    return [fajin.Simulation(scene_in(name, unit), worlds, "cpu", threads=1, copies=False) for unit in UNITS]


def fields_of(sim: fajin.Simulation) -> dict[str, np.ndarray]:
    return {field.name: sim.read(field.name) for field in Fields.quantities()}


def assert_equal_fields(sims: list[fajin.Simulation]) -> None:
    one, other = map(fields_of, sims)
    assert [name for name in one if not np.array_equal(one[name], other[name], equal_nan=True)] == []


@pytest.mark.parametrize(
    "name",
    [
        *("joints/scenes/d06_mimic_pris_rev", "joints/scenes/d06_mimic_rev_pris", "joints/scenes/h04_arm7_all_pgs4"),
        *("joints/scenes/e02_env_pos_tgs", "joints/scenes/n1_spatial_pgs4", "joints/scenes/n1_d6world_tgs8"),
        *("joints/scenes/n1_bodies2_tgs2_cm", "contacts/scenes/d01_hull_hull_1_pgs"),
    ],
)
def test_motion_and_all_fields_are_equal_to_the_bit(name):
    """At the start, after a step and after more."""
    sims = simulations(name)
    assert_equal_fields(sims)
    for steps in (1, 20):
        for sim in sims:
            sim.step(steps)
        assert_equal_fields(sims)
    assert np.abs(sims[0].link_velocity).max() > 1e-3  # it moves


def test_what_is_written_is_read_and_acts():
    """Parameters and states of all worlds and of one; efforts for some steps; forces, accelerations, external ones."""
    sims = simulations(f"joints/scenes/{ROBOT}", 3)
    for sim in sims:
        sim.write("target_q", sim.q + 0.125)
        sim.write("stiffness", np.full((1, len(sim.dof)), 40.0), worlds=[1])
        sim.write("max_force", np.full((1, len(sim.dof)), np.inf), worlds=[2])
        sim.write("effort", np.full((3, len(sim.dof)), 0.5), steps=4)
        sim.force[:, -1] = (1.0, 2.0, 0.5)
        sim.torque[:, -1] = (0.25, 0.0, 1.0)
        sim.force_is_acceleration[1, -1] = 1.0
        sim.qd[2] = 0.25
    assert_equal_fields(sims)
    for sim in sims:
        sim.step(9)
    assert_equal_fields(sims)
    assert np.ptp(sims[0].q, axis=0).max() > 1e-3  # the worlds differ
    assert np.isinf(sims[1].max_force[2]).all()


def test_a_schedule_acts():
    sims = simulations(f"joints/scenes/{ROBOT}", 2)
    for sim in sims:
        rows = np.linspace(0.0, 0.25, 5)[:, None] * np.ones(len(sim.dof))
        sim.schedule({"target_q": rows}, every=3, interpolate=True)
        sim.step(12)
    assert_equal_fields(sims)


def test_recordings_statistics_and_dynamics_are_equal():
    """Frames of the device, and those of the present state."""
    found = []
    for sim in simulations(f"joints/scenes/{ROBOT}", 2):
        counts = Statistics(sim)
        recording = sim.run(steps=8, every=3)
        results = [recording.q, recording.qd, recording.effort, recording.pose]
        results += [counts[name] for name in ("SQUARED_ERROR", "SQUARED_EFFORT", "WORK", "PEAK_EFFORT", "OVERSHOOT")]
        results += [dynamics.mass_matrix(sim), dynamics.jacobian(sim), dynamics.gravity_compensation(sim)]
        results += [dynamics.joint_acceleration(sim), dynamics.link_acceleration(sim, qdd=np.ones_like(sim.q))]
        results += [dynamics.momentum(sim), dynamics.articulation_com(sim), dynamics.kinetic_energy(sim)]
        results += [dynamics.potential_energy(sim), dynamics.joint_force(sim, qdd=np.ones_like(sim.q))]
        force = np.ones((2, len(dynamics.links(sim)), 6))
        results.append(dynamics.generalized_external_force(sim, force=force))
        found.append(results)
    for one, other in zip(*found, strict=True):
        assert np.array_equal(one, other)


def test_snapshots_and_resets_restore_every_bit():
    """In centimetres, where SI numbers of single precision are others: of all worlds, of some, with values."""
    sim = fajin.Simulation(scene_in(f"joints/scenes/{ROBOT}", 0.01), 3, "cpu", threads=1, copies=False)
    start = sim.save()
    sim.step(7)
    later, motion = sim.save(), []
    for _ in range(2):
        sim.load(later)
        sim.step(5)
        motion.append(sim.save())
    assert_equal_snapshots(*motion)
    sim.reset()
    assert_equal_snapshots(sim.save(), start)
    sim.step(7)
    sim.reset(worlds=[0, 2])
    assert_equal_snapshots(sim.save()[[0, 2]], start[[0, 2]])
    assert_equal_snapshots(sim.save()[[1]], later[[1]])


def assert_equal_snapshots(one: fajin.Snapshot, other: fajin.Snapshot) -> None:
    for name in one.rows:
        assert np.array_equal(one.rows[name], other.rows[name]), name
    for name in one.parameters:
        assert (one.parameters[name] == other.parameters[name]).all(), name


def test_resets_with_values_and_read_outs_are_equal():
    found = []
    for sim in simulations(f"joints/scenes/{ROBOT}", 3):
        readout = fajin.Readout(sim)
        rows = [readout.add(name) for name in ("q", "qd", "qdd", "applied_effort", "root_pose", "squared_effort")]
        sim.step(5)
        sim.reset(worlds=[1], values={"q": np.full((1, len(sim.dof)), 0.125)})
        sim.step(2)
        readout.update()
        found.append([readout.values[each].copy() for each in rows])
    for one, other in zip(*found, strict=True):
        assert np.array_equal(one, other)


def test_a_snapshot_of_another_stage_unit_is_refused():
    one, other = simulations(f"joints/scenes/{ROBOT}")
    with pytest.raises(ValueError, match="must be of this model"):
        other.load(one.save())


def test_a_tensor_is_scaled_as_an_array():
    """To the bit; what stands for an infinite number stays."""
    torch = pytest.importorskip("torch")
    array = np.array([[0.1, -3.0, 1e30], [7.3, 1e-3, -1e30]], np.float32)
    factors = np.array([0.01, 0.0254, 0.01])
    assert np.array_equal(scaled(torch.from_numpy(array), factors).numpy(), scaled(array, factors))
    assert scaled(array, factors)[0, 2] == np.float32(1e30)
