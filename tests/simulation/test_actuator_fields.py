"""Parameters of explicit actuators are fields with a column per actuator, and may differ between worlds."""

from dataclasses import replace

import numpy as np
import pytest
from one_joint import slider

import fajin
from fajin.jobs.description.parameter_ref import ParameterRef
from fajin.jobs.description.prepared_job import ColumnNames
from fajin.scene import Actuator, Drive, Scene

H = 0.01
LAW = Actuator(5.0, 0.01, 0.25, saturation_effort=8.0, max_motor_effort=6.0, no_load_speed=3.0)
FIELDS = ("integral_gain", "integral_max", "constant_effort", "saturation_effort", "max_motor_effort", "no_load_speed")


def simulate(law: Actuator, worlds: int = 3) -> fajin.Simulation:
    """Worlds of a slider with an actuator, without gravity."""
    drive = Drive(stiffness=40.0, damping=3.0, actuator=law)
    scene = Scene("machine", (slider(0.7, drive=drive, qd=0.5),), gravity=(0.0, 0.0, 0.0), dt=H)
    return fajin.Simulation(scene, worlds=worlds, device="cpu", threads=1)


def test_fields_have_the_values_of_the_scene_by_actuator():
    sim = simulate(LAW)
    assert sim.actuator == sim.dof
    values = [float(getattr(sim, name)[2, 0]) for name in FIELDS]
    assert values == [float(np.float32(getattr(LAW, name))) for name in FIELDS]
    assert np.isinf(simulate(Actuator()).saturation_effort[:]).all()


def test_a_drive_without_an_actuator_has_no_column():
    scene = Scene("machine", (slider(drive=Drive(stiffness=40.0)),), dt=H)
    sim = fajin.Simulation(scene, device="cpu", threads=1)
    assert (sim.actuator, sim.integral_gain.shape) == ((), (1, 0))


@pytest.mark.parametrize("name", FIELDS)
def test_a_world_has_its_own_parameters(name):
    """A world moves as a simulation of the scene with its value does, to the bit; the other worlds as before."""
    value = 0.125 * getattr(LAW, name)
    sim, other, plain = simulate(LAW), simulate(replace(LAW, **{name: value})), simulate(LAW)
    getattr(sim, name)[1, sim.actuator[0]] = value
    for one in (sim, other, plain):
        one.target_q = 0.05
        one.step(20)
    assert sim.q[1, 0] == other.q[1, 0] != plain.q[1, 0]
    assert sim.q[0, 0] == sim.q[2, 0] == plain.q[0, 0]


BOUND = replace(LAW, bound_positions=(-0.2, 0.1, 0.3), bound_efforts=(1.0, 6.0, 3.0))


@pytest.mark.parametrize(("field", "own"), [("bound_position", "bound_positions"), ("bound_effort", "bound_efforts")])
def test_a_world_has_its_own_bound_by_position(field, own):
    """Each point is a column; a world moves as a simulation of the scene with its points does, to the bit."""
    given = tuple(0.5 * value + 0.01 for value in getattr(BOUND, own))
    sim, other, plain = simulate(BOUND), simulate(replace(BOUND, **{own: given})), simulate(BOUND)
    assert sim.bound_point == tuple(f"{sim.dof[0]}.{i}" for i in range(3))
    assert getattr(sim, field)[0].tolist() == np.float32(getattr(BOUND, own)).tolist()
    for point, value in zip(sim.bound_point, given, strict=True):
        getattr(sim, field)[1, point] = value
    for one in (sim, other, plain):
        one.target_q = 0.3
        one.step(20)
    assert sim.q[1, 0] == other.q[1, 0] != plain.q[1, 0]
    assert sim.q[0, 0] == sim.q[2, 0] == plain.q[0, 0]


def test_values_against_their_rules_are_refused():
    with pytest.raises(ValueError, match="no_load_speed"):
        simulate(LAW).no_load_speed = -1.0


def test_a_batch_names_them_by_their_joint():
    sim = simulate(LAW)
    names = ColumnNames((), (), (), actuator=sim.actuator)
    assert ParameterRef.parse("joint:saturation_effort*").columns(names) == [0]
    with pytest.raises(fajin.InvalidJob, match="explicit actuator"):
        ParameterRef.parse("wrist:saturation_effort*").columns(names)
