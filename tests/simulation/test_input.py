"""What a simulation is given: whole numbers of steps, finite times, known names; what is refused breaks nothing."""

from math import inf, nan

import numpy as np
import pytest
from one_joint import simulate, slider
from planar_arm import arm, simulation

import fajin
from fajin.simulation.control_events import Control

WRONG_STEPS = [
    (-1, ValueError),
    (1.5, TypeError),
    (2.0, TypeError),
    (True, TypeError),
    ("3", TypeError),
    (None, TypeError),
]
WRONG_STEPS += [(np.float32(2.0), TypeError), (np.int64(-3), ValueError)]


@pytest.fixture(scope="module")
def wanted():
    """The motion of the arm over ten steps."""
    return simulation(arm(qd=1.0)).run(steps=10)


@pytest.mark.parametrize(("steps", "error"), WRONG_STEPS)
def test_steps_are_whole_numbers(wanted, steps, error):
    """Of `step`, `run` and `stream`; the simulation goes on as if nothing had been asked."""
    sim = simulation(arm(qd=1.0))
    for ask in (sim.step, lambda n: list(sim.stream(n))):
        with pytest.raises(error, match=r"must be a whole number from 0"):
            ask(steps)
    with pytest.raises((error, ValueError)):
        sim.run(steps=steps)
    assert sim.steps == 0
    np.testing.assert_array_equal(sim.run(steps=10).q, wanted.q)


@pytest.mark.parametrize("kind", [int, np.int64, np.uint8])
def test_numpy_counts_as_well(wanted, kind):
    """Whole numbers of NumPy are whole numbers."""
    sim = simulation(arm(qd=1.0), worlds=kind(1))
    sim.step(kind(4))
    sim.run(steps=kind(6))
    assert (sim.steps, type(sim.steps)) == (10, int)
    np.testing.assert_array_equal(sim.q, wanted.q[-1])


@pytest.mark.parametrize(
    "asked",
    [
        {"seconds": -1.0},
        {"seconds": nan},
        {"seconds": inf},
        {"seconds": 1.0, "fps": 0.0},
        {"seconds": 1.0, "fps": nan},
        {"seconds": 1.0, "fps": -60},
        {"steps": 3, "fps": inf},
    ],
)
def test_times_are_finite_and_not_negative(asked):
    """Of `run`."""
    with pytest.raises(ValueError, match="must be finite"):
        simulation(arm()).run(**asked)


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"worlds": 0}, ValueError),
        ({"worlds": 1.5}, TypeError),
        ({"worlds": True}, TypeError),
        ({"threads": -1}, ValueError),
        ({"threads": 10**9}, ValueError),
        ({"threads": 1.5}, TypeError),
        ({"dt": nan}, ValueError),
        ({"dt": inf}, ValueError),
        ({"dt": 0.0}, ValueError),
    ],
)
def test_a_simulation_is_made_of_sound_numbers(asked, error):
    """Worlds, threads and step; in one line that names the argument and its value."""
    with pytest.raises(error, match=rf"{next(iter(asked))} = .*: must be") as refused:
        fajin.Simulation(arm(), **asked)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "near"), [("stifness", "stiffness"), ("target", "target_q"), ("linkpose", "link_pose"), ("zzz", None)]
)
def test_a_misspelt_name_is_refused(wanted, name, near):
    """Set or read: with the nearest name there is, and the simulation is as before."""
    sim = simulation(arm(qd=1.0))
    meant = f"Simulation has no '{name}'" + (f"; did you mean '{near}'" if near else "$")
    with pytest.raises(AttributeError, match=meant):
        setattr(sim, name, 0.0)
    with pytest.raises(AttributeError, match=meant):
        getattr(sim, name)
    np.testing.assert_array_equal(sim.run(steps=10).q, wanted.q)


@pytest.mark.parametrize("name", ["worlds", "dof", "step", "scene", "time", "asleep", "indexing"])
def test_what_cannot_be_set_is_refused(name):
    """Names that follow from the scene, and methods."""
    with pytest.raises(AttributeError, match=name):
        setattr(simulation(arm()), name, 1)


def test_the_step_can_be_set_to_one():
    """And to nothing else."""
    sim = simulation(arm())
    sim.dt = 0.001
    with pytest.raises(ValueError, match="dt = 0: must be finite and above 0"):
        sim.dt = 0
    sim.step(3)
    assert sim.time == 0.003


def test_a_view_takes_no_new_attributes():
    """`sim.q.value = 1` would set nothing."""
    with pytest.raises(AttributeError):
        simulation(arm()).q.value = 1.0


@pytest.mark.parametrize("steps", [7, 8])
def test_steps_after_the_last_frame_are_looked_at(steps):
    """A speed that overflows in step 5 is in no frame of 7 steps at 4 a frame."""
    stream = simulate(slider()).stream(steps, 4, [Control(5, 0, "qd", 1.5e308), Control(5, 0, "q", 1.79e308)])
    first, second = next(stream), next(stream)
    assert [first.time[-1], second.time[-1]] == [0.0, 0.04]
    with pytest.raises(fajin.NonFinite) as left:
        next(stream)
    assert left.value.step == steps
