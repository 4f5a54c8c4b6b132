"""What is counted while worlds step equals its definition on the recorded motion, step by step."""

from dataclasses import replace

import numpy as np
import pytest
from one_joint import simulate, slider, wheel

import fajin
from fajin.jobs.metrics.named_metrics import METRICS, MetricInputs
from fajin.scene import Drive, Envelope
from fajin.simulation.statistics import Statistics

STEPS = 150
SPINNING = 8, 17
BAND = 0.02
EDGE = 1e-3
EPS = {"f32": np.finfo(np.float32).eps, "f64": np.finfo(np.float64).eps}


def started(scenes, precision: str, worlds: int = 19) -> fajin.Simulation:
    """Arms whose start, targets and strength differ from world to world; some run into limits and bounds."""
    sim = fajin.Simulation(fajin.read(scenes / "arm7.usda"), worlds, "cpu", precision, threads=1)
    rng = np.random.default_rng(3)
    shape = (worlds, len(sim.dof))
    sim.q, sim.target_q = rng.uniform(-0.5, 0.5, shape), rng.uniform(-2.0, 2.0, shape)
    sim.lower, sim.upper = -rng.uniform(0.6, 1.5, shape), rng.uniform(0.6, 1.5, shape)
    sim.max_force = rng.uniform(5.0, 80.0, shape)
    sim.stiffness = rng.uniform(5.0, 200.0, shape)
    return sim


def motion(sim: fajin.Simulation) -> dict[str, np.ndarray]:
    """q (T + 1, W, D), and q̇ likewise; the efforts of each step (T, W, D)."""
    names = {"q": "q", "qd": "qd", "effort": "applied_effort", "limit": "limit_effort"}
    frames = {name: [sim.read(quantity)] for name, quantity in names.items()}
    for _ in range(STEPS):
        sim.step()
        for name, quantity in names.items():
            frames[name].append(sim.read(quantity))
    rows = {name: np.array(values, np.float64) for name, values in frames.items()}
    return rows | {name: rows[name][1:] for name in ("effort", "limit")}


def defined(sim: fajin.Simulation, seen: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Every metric by its definition, (W, D)."""
    h, effort, speed = sim.dt, seen["effort"], seen["qd"]
    target = np.array(sim.target_q, np.float64)
    error, rise = target - seen["q"][1:], target - seen["q"][0]
    outside = np.abs(error) > BAND * np.abs(rise)
    last = np.where(outside.any(0), STEPS - outside[::-1].argmax(0), 0)
    work = effort * h * (speed[:-1] + speed[1:]) / 2.0
    return {
        "settling_time": np.where(last < STEPS, (last + 1) * h, np.nan),
        "overshoot": np.maximum(0.0, (-error * np.sign(rise)).max(0)) / np.abs(rise),
        "rms_error": np.sqrt((error**2).mean(0)),
        "peak_effort": np.abs(effort).max(0),
        "mean_effort": np.abs(effort).mean(0),
        "rms_effort": np.sqrt((effort**2).mean(0)),
        "peak_speed": np.abs(speed[1:]).max(0),
        "work": work.sum(0),
        "energy": np.abs(work).sum(0),
        "time_at_lower": (seen["limit"] > 0.0).sum(0) * h,
        "time_at_upper": (seen["limit"] < 0.0).sum(0) * h,
        "time_saturated": (np.abs(effort) >= np.array(sim.max_force) * (1.0 - EDGE)).sum(0) * h,
        "time_on_envelope": np.full(rise.shape, np.nan),
    }


def counted(sim: fajin.Simulation, steps: int = STEPS) -> dict[str, np.ndarray]:
    """Every metric as it is counted in launches of several steps."""
    tally = Statistics(sim)
    for count in (1, steps // 3, steps - 1 - steps // 3):
        sim.step(count)
    return {name: metric.of(MetricInputs.of(sim, tally)) for name, metric in METRICS.items()}


@pytest.mark.parametrize(("precision", "worlds"), [("f32", 19), ("f64", 1)])
def test_what_is_counted_equals_its_definition_on_the_motion(scenes, precision, worlds):
    """In packs and in a lane; sums to round-off of their terms, counts exactly."""
    expected = defined(sim := started(scenes, precision, worlds), motion(sim))
    found = counted(started(scenes, precision, worlds))
    assert found.keys() == expected.keys()
    for name, values in found.items():
        scale = np.maximum(1.0, np.nan_to_num(np.abs(expected[name])))
        errors = np.abs(values - expected[name]) / scale
        assert (np.isnan(values) == np.isnan(expected[name])).all(), name
        assert np.nanmax(errors, initial=0.0) <= 32 * EPS[precision], name
    for name in ("time_at_lower", "time_at_upper", "time_saturated", "settling_time", "overshoot") * (worlds > 1):
        assert (np.nan_to_num(expected[name]) > 0.0).any(), name


def pressed(worlds: int = 35) -> fajin.Simulation:
    """Wheels that a motor at its bound presses against a limit, where they fall asleep; worlds 8 and 17 spin on."""
    envelope = Envelope(8.0, 0.1, 0.1)
    drive = Drive(stiffness=100.0, damping=10.0, target_q=-3.0, max_force=2.0, envelope=envelope)
    machine = replace(wheel(inertia=0.1, lower=-0.1, upper=0.1, drive=drive), sleep_threshold=1e-3)
    scene = replace(simulate(machine).scene, sleeping=True)
    sim = fajin.Simulation(scene, worlds, "cpu", "f32", threads=1)
    which, free = np.arange(worlds), list(SPINNING)
    sim.target_q[which % 3 == 1] = 3.0
    sim.max_force[which % 2 == 1] = 1.0
    sim.qd[free], sim.stiffness[free], sim.damping[free], sim.lower[free], sim.upper[free] = 1.0, 0.0, 0.0, -9.0, 9.0
    return sim


def test_what_sleeps_goes_on_being_held():
    """Against its limit and at its bounds, as `limit_effort` and `applied_effort` of its last step go on saying."""
    expected = defined(sim := pressed(), seen := motion(sim))
    effort, speed = np.abs(seen["effort"]), np.abs(seen["qd"][1:])
    edge = effort >= np.maximum(0.0, np.array(sim.max_force) - 0.1 * speed) * (1.0 - EDGE)
    edge |= speed >= np.maximum(0.0, 8.0 - 0.1 * effort) * (1.0 - EDGE)
    expected["time_on_envelope"] = edge.sum(0) * sim.dt
    assert list(np.flatnonzero(~sim.asleep[:, 0])) == list(SPINNING)
    found = counted(pressed())
    for name in ("time_at_lower", "time_at_upper", "time_saturated", "time_on_envelope"):
        assert np.array_equal(found[name], expected[name]), name
        assert expected[name].max() > 0.5 * STEPS * sim.dt > expected[name].min()
    assert np.allclose(found["energy"], expected["energy"], rtol=32 * EPS["f32"], atol=0.0)


def test_counting_changes_no_bit_of_the_motion(scenes):
    """The same motion with and without, and after it was stopped."""
    alone, watched = started(scenes, "f32"), started(scenes, "f32")
    tally = Statistics(watched)
    for sim in (alone, watched):
        sim.step(40)
    tally.stop()
    for sim in (alone, watched):
        sim.step(5)
        assert np.array(sim.q).tobytes() == np.array(alone.q).tobytes()
        assert np.array(sim.qd).tobytes() == np.array(alone.qd).tobytes()


def test_the_work_of_a_drive_is_the_kinetic_energy_it_gives():
    """½ m v² = Σ τ h (v₀ + v₁)/2, to the last bits: nothing else acts on a slider."""
    drive = Drive(stiffness=100.0, damping=3.0, target_q=0.7, max_force=40.0)
    sim = simulate(slider(mass=2.0, drive=drive))
    work = counted(sim, steps=60)["work"][0, 0]
    kinetic = 0.5 * 2.0 * sim.qd[0, 0] ** 2
    assert abs(work - kinetic) <= 60 * EPS["f64"] * max(1.0, kinetic)


def test_many_small_steps_lose_no_digits():
    """A constant effort's sum over n steps in single precision: n ε/2 of it without the carried rest."""
    scene = simulate(slider(drive=Drive(max_force=1.0))).scene
    sim, steps = fajin.Simulation(scene, 2, "cpu", "f32", threads=1), 100_000
    sim.effort = 0.1
    tally = Statistics(sim)
    sim.step(steps)
    mean = MetricInputs.of(sim, tally).mean("ABSOLUTE_EFFORT")[0, 0]
    assert abs(mean - np.float32(0.1)) <= 4 * EPS["f32"]


def test_a_new_target_begins_a_new_response():
    """Settling time and overshoot are those since the last change of target."""
    machine = slider(drive=Drive(stiffness=400.0, damping=8.0, target_q=1.0))
    sim, later = simulate(machine), simulate(machine)
    tally = Statistics(sim)
    sim.step(300)
    before = MetricInputs.of(sim, tally).settling_time()[0, 0]
    sim.target_q = 1.5
    sim.step(300)
    later.q, later.target_q = 1.0, 1.5
    again = Statistics(later)
    later.step(300)
    pair = [MetricInputs.of(s, t) for s, t in ((sim, tally), (later, again))]
    times = [c.settling_time()[0, 0] for c in pair]
    assert 0.1 < before < 2.0
    assert times[0] == times[1] == pytest.approx(before, abs=2 * sim.dt)
    assert abs(pair[0].overshoot() - pair[1].overshoot())[0, 0] <= BAND**2


def test_time_at_the_edge_of_an_envelope_is_that_of_its_inequalities():
    """|τ| ≥ (max_force - resistance |q̇|)(1 - ε) or |q̇| ≥ (max velocity - gradient |τ|)(1 - ε)."""
    envelope = Envelope(8.0, 0.4, 0.2)
    drive = Drive(stiffness=10.0, damping=2.0, target_q=3.0, max_force=6.0, envelope=envelope)
    sim = simulate(wheel(inertia=0.1, drive=drive))
    seen = motion(sim)
    effort, speed = np.abs(seen["effort"]), np.abs(seen["qd"][1:])
    edge = effort >= np.maximum(0.0, 6.0 - 0.4 * speed) * (1.0 - EDGE)
    edge |= speed >= np.maximum(0.0, 8.0 - 0.2 * effort) * (1.0 - EDGE)
    found = counted(simulate(wheel(inertia=0.1, drive=drive)))["time_on_envelope"][0, 0]
    assert found == edge.sum() * sim.dt
    assert 0 < edge.sum() < STEPS


def test_a_world_is_counted_to_its_end_and_no_further():
    """LAST ends one world, `end` another, a number that is not finite a third; the fourth goes on."""
    machine = slider(drive=Drive(max_force=np.inf))
    sim = fajin.Simulation(replace(simulate(machine).scene, articulations=(machine,)), 4, precision="f32", threads=1)
    sim.effort[2, 0], sim.mass[2, "link"] = 1e30, 1e-10
    sim.effort[[0, 1, 3], 0] = 1.0
    tally = Statistics(sim, np.array([7, 100, 100, 100]))
    sim.step(10)
    tally.end(np.array([1]))
    sim.step(10)
    ended = tally.ended
    assert list(ended[[0, 1, 3]]) == [7, 10, 20]
    assert ended[2] < 10
    speeds = tally["LAST_QD"][:, 0] * np.array([1.0, 1.0, 1e-40, 1.0]) / sim.dt
    assert np.allclose(speeds, ended, rtol=20 * EPS["f32"])
    assert np.isfinite(tally["LAST_Q"]).all()
    assert np.isfinite(tally["ABSOLUTE_WORK"][[0, 1, 3]]).all()
