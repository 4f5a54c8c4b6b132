"""Fields that follow tables within a launch: the same bits as to write every row before its step."""

from dataclasses import replace

import numpy as np
import pytest
from any_length import AnyLength
from planar_arm import arm, simulation

import fajin
from fajin.scene import Drive, TimeSamples
from fajin.simulation.control_events import Control
from fajin.simulation.known_values import WINDOW

DRIVEN_ARM = arm(drive=Drive(stiffness=50.0, damping=5.0, max_force=100.0))
DRIVEN_ARM_DOFS = ("/arm/shoulder:rotZ", "/arm/elbow:rotZ", "/arm/finger:transX")
H, D, ROWS = 1 / 60, 3, 12
PRECISIONS = pytest.mark.parametrize("precision", ["f32", "f64"])
WORLDS = pytest.mark.parametrize("worlds", [1, 20])
FIELDS = ("target_q", "target_qd", "effort", "stiffness", "damping", "max_force")


def machine(worlds: int, precision: str = "f32", sleeping: bool = False) -> fajin.Simulation:
    """A driven arm, in single lanes or in packs."""
    return fajin.Simulation(DRIVEN_ARM, worlds, "cpu", precision, 1, sleeping=sleeping)


def tables(*shape: int) -> dict[str, np.ndarray]:
    """A table for each field."""
    rng = np.random.default_rng(5)
    return {
        "target_q": rng.normal(0.0, 0.5, shape), "target_qd": rng.normal(0.0, 0.5, shape),
        "effort": rng.normal(0.0, 2.0, shape), "stiffness": rng.uniform(10.0, 60.0, shape),
        "damping": rng.uniform(1.0, 6.0, shape), "max_force": rng.uniform(5.0, 50.0, shape),
    }  # fmt: skip


def same(a: fajin.Simulation, b: fajin.Simulation) -> bool:
    """Whether two simulations are in one state, to the bit."""
    return all(np.array_equal(a.read(name), b.read(name)) for name in ("q", "qd", "applied_effort", *FIELDS))


def step_by_step(sim: fajin.Simulation, steps: int, values: dict, every: int = 1) -> None:
    """Write every row before its first step; the last row holds."""
    for step in range(steps):
        for name, table in values.items():
            row = table[..., min(step // every, table.shape[-2] - 1), :]
            sim.write(name, np.ascontiguousarray(np.broadcast_to(row, (sim.worlds, row.shape[-1]))))
        sim.step()


@PRECISIONS
@WORLDS
@pytest.mark.parametrize("every", [1, 3])
def test_a_schedule_gives_the_bits_of_writing_its_rows(worlds, precision, every):
    """All fields, shared by all worlds, beyond the last row."""
    sim, other, values = machine(worlds, precision), machine(worlds, precision), tables(ROWS, D)
    sim.schedule(values, every=every)
    sim.step(5 * ROWS // 2)
    step_by_step(other, 5 * ROWS // 2, values, every)
    assert same(sim, other)
    assert len(np.unique(sim.q[0])) == D


@pytest.mark.parametrize(("device", "precision"), [("cpu", "f64"), ("cpu-lanes", "f32")])
def test_every_world_may_have_its_own_table(precision, device):
    """Written world by world, or as the same table in all worlds: on packs, and on the path of a GPU."""
    sim, other, shared = (fajin.Simulation(DRIVEN_ARM, 20, device, precision, 1) for _ in range(3))
    own = tables(20, ROWS, D)
    sim.schedule(own)
    sim.step(ROWS)
    step_by_step(other, ROWS, own)
    assert same(sim, other)
    assert len(np.unique(sim.q[:, 0])) == 20
    shared.schedule({name: table[0] for name, table in own.items()})
    shared.step(ROWS)
    assert np.array_equal(sim.q[0], shared.q[7])
    assert np.array_equal(shared.q[0], shared.q[19])


@WORLDS
def test_it_does_not_matter_how_steps_are_cut_into_launches(worlds):
    """One launch, one a step, launches of a recording, and frames of any kind."""
    whole, cut, single, recorded = (machine(worlds) for _ in range(4))
    for sim in (whole, cut, single, recorded):
        sim.schedule(tables(ROWS, D), every=3, interpolate=True, delay=2.3 * H)
    whole.step(40)
    for steps in (7, 1, 20, 12):
        cut.step(steps)
    for _ in range(40):
        single.step()
    recorded.run(steps=40, every=7)
    assert same(whole, cut)
    assert same(whole, single)
    assert same(whole, recorded)


@PRECISIONS
@WORLDS
@pytest.mark.parametrize("every", [1, 4])
def test_values_change_linearly_between_rows_if_asked(worlds, precision, every):
    """a + (b − a) · steps/every, to the bit of the precision; the last row holds."""
    sim, table = machine(worlds, precision), tables(ROWS, D)["target_q"]
    sim.schedule({"target_q": table}, every=every, interpolate=True)
    rows, number = table.astype(f"f{int(precision[1:]) // 8}"), np.dtype(f"f{int(precision[1:]) // 8}").type
    for step in range(every * ROWS + 2):
        row, share = min(step // every, ROWS - 1), number(step % every) * number(1 / every)
        after = rows[min(row + 1, ROWS - 1)]
        sim.step()
        assert np.array_equal(sim.target_q[-1], rows[row] + (after - rows[row]) * share)


@pytest.mark.parametrize("every", [1, 4])
@pytest.mark.parametrize("interpolate", [False, True])
def test_a_delay_shifts_a_world(every, interpolate):
    """c(t − delay), c the value step by step; a fraction of a step interpolates between two steps."""
    delays = np.array([0.0, 1.0, 2.0, 0.5, 3.25, 7.9, -1.0, -2.75, *np.zeros(12)]) * H
    sim, table = machine(20, "f64"), tables(ROWS, D)["effort"]
    sim.schedule({"effort": table}, every=every, interpolate=interpolate, delay=delays)

    def command(step: float) -> np.ndarray:
        place = max(step, 0.0) / every
        row = min(int(place), ROWS - 1)
        after = table[min(row + 1, ROWS - 1)]
        return table[row] + (after - table[row]) * (place - int(place)) * interpolate

    for step in range(every * ROWS + 10):
        sim.step()
        for world in range(9):
            place = step - delays[world] / H
            low = np.floor(place + 1e-9)
            share = 0.0 if interpolate else max(place - low, 0.0)
            at = place if interpolate else low
            wanted = command(at) + (command(low + 1) - command(low)) * share
            assert np.allclose(sim.effort[world], wanted, 0, 1e-12), (step, world)


def test_a_whole_delay_is_exact():
    """Rows are copied, whatever the rounding of delay/dt."""
    sim, table = machine(3), tables(ROWS, D)["target_q"]
    sim.schedule({"target_q": table}, delay=[0.0, 3 * H, 5 * H])
    sim.step(7)
    for world, delay in enumerate((0, 3, 5)):
        assert np.array_equal(sim.target_q[world], table[6 - delay].astype(np.float32))


@WORLDS
def test_without_a_schedule_the_last_values_stay(worlds):
    """And can be set again."""
    sim, table = machine(worlds), tables(ROWS, D)["target_q"]
    sim.schedule({"target_q": table})
    sim.step(4)
    sim.schedule(None)
    sim.step(4)
    assert np.array_equal(sim.target_q[-1], table[3].astype(np.float32))
    sim.target_q = 0.25
    sim.step()
    assert (sim.target_q[:] == 0.25).all()


def test_the_place_in_the_schedule_is_part_of_a_snapshot(tmp_path):
    """Restored in all worlds or in one, from a file, and by a reset."""
    sim = machine(3)
    sim.schedule(tables(40, D))
    sim.step(5)
    middle = sim.save()
    middle.write(tmp_path / "middle.npz")
    sim.step(10)
    end = {name: sim.read(name) for name in ("q", "qd", *FIELDS)}
    sim.step(7)
    sim.load(fajin.Snapshot.read(tmp_path / "middle.npz"))
    sim.step(4)
    sim.load(middle[1], worlds=[1])
    sim.step(10)
    for name, values in end.items():
        assert np.array_equal(sim.read(name)[1], values[1]), name
    assert not np.array_equal(sim.q[0], end["q"][0])
    sim.reset()
    sim.step(15)
    assert all(np.array_equal(sim.read(name), values) for name, values in end.items())


def test_a_reset_of_one_world_starts_its_schedule_again():
    """Others go on."""
    sim, other, table = machine(20), machine(20), tables(40, D)
    for each in (sim, other):
        each.schedule(table)
        each.step(9)
    sim.reset(worlds=[4])
    sim.step(9)
    assert np.array_equal(sim.q[4], other.q[4])
    other.step(9)
    assert np.array_equal(np.delete(sim.q[:], 4, 0), np.delete(other.q[:], 4, 0))


@WORLDS
def test_what_changes_wakes(worlds):
    """A row that changes nothing lets the arm sleep; one that changes a value wakes it, as a write does."""
    robot = replace(DRIVEN_ARM.articulations[0], sleep_threshold=1.0)
    scene = replace(DRIVEN_ARM, articulations=(robot,))
    sim, other, still = (fajin.Simulation(scene, worlds, "cpu", threads=1) for _ in range(3))
    table = np.zeros((80, D))
    still.schedule({"target_q": table})
    table[60:] = 0.3
    sim.schedule({"target_q": table})
    for each in (sim, still):
        each.step(60)
        assert each.asleep.all()
    sim.step(20)
    still.step(20)
    other.step(60)
    other.target_q = 0.3
    other.step(20)
    assert same(sim, other)
    assert not sim.asleep.any()
    assert sim.q[:].all()
    assert still.asleep.all()


@pytest.mark.parametrize("worlds", [1, 20])
def test_an_event_wakes_even_if_it_changes_nothing(worlds):
    """As a write does in PhysX."""
    robot = replace(DRIVEN_ARM.articulations[0], sleep_threshold=1.0)
    sim = fajin.Simulation(replace(DRIVEN_ARM, articulations=(robot,)), worlds, "cpu", threads=1)
    sim.run(steps=60)
    assert sim.asleep.all()
    sim.run(steps=2, controls=[Control(61, 0, "target_q", 0.0)])
    assert not sim.asleep.any()


def test_a_world_sleeps_on_beside_one_that_wakes():
    """In one pack."""
    robot = replace(DRIVEN_ARM.articulations[0], sleep_threshold=1.0)
    sim = fajin.Simulation(replace(DRIVEN_ARM, articulations=(robot,)), 20, "cpu", threads=1)
    table = np.zeros((20, 61, D))
    table[3, 60] = 0.3
    sim.schedule({"target_q": table})
    sim.step(62)
    assert np.flatnonzero(~sim.asleep[:, 0]).tolist() == [3]


def test_it_goes_beside_values_for_some_steps_and_values_of_other_fields():
    """A temporary effort while targets follow their table."""
    sim, other, values = machine(2), machine(2), {"target_q": tables(ROWS, D)["target_q"]}
    sim.schedule(values)
    for each in (sim, other):
        each.stiffness[1] = 20.0
        each.effort.for_steps(3)[0, "elbow"] = 4.0
    sim.step(8)
    step_by_step(other, 8, values)
    assert same(sim, other)
    assert not sim.effort[:].any()


def test_robots_that_move_on_their_own_follow_their_own_columns():
    """Several articulations are several islands, each in its turn."""
    robot = DRIVEN_ARM.articulations[0]
    other_robot = replace(
        robot,
        path="/leg",
        links=tuple(replace(link, path=link.path.replace("/arm", "/leg")) for link in robot.links),
        joints=tuple(
            replace(
                joint, **{name: getattr(joint, name).replace("/arm", "/leg") for name in ("path", "body0", "body1")}
            )
            for joint in robot.joints
        ),
    )
    scene = replace(DRIVEN_ARM, articulations=(robot, other_robot))
    sim, other = (fajin.Simulation(scene, 20, "cpu", threads=1, sleeping=False) for _ in range(2))
    values = tables(ROWS, 2 * D)
    sim.schedule(values)
    sim.step(ROWS)
    step_by_step(other, ROWS, values)
    assert same(sim, other)


REFUSED = [
    ({"target": np.zeros((4, D))}, {}, KeyError, "'target': must be one of .*; did you mean 'target_q'"),
    ({"lower": np.zeros((4, D))}, {}, KeyError, "'lower': must be one of stiffness, .*"),
    ({}, {}, ValueError, "must have at least one field"),
    ({"effort": np.zeros((4, 2))}, {}, ValueError, r"effort.shape = \(4, 2\): must be \(rows, 3\) or \(2, rows, 3\)"),
    ({"effort": np.zeros((0, D))}, {}, ValueError, r"effort.shape = \(0, 3\): must be"),
    ({"effort": np.zeros((3, 4, D))}, {}, ValueError, r"effort.shape = \(3, 4, 3\): must be .*give a table per world"),
    ({"effort": np.full((4, D), np.nan)}, {}, ValueError, r"effort\[0, 0\] = nan: must be finite"),
    ({"damping": -np.eye(D)}, {}, ValueError, r"damping\[0, 0\] = -1: must be finite and 0 or more"),
    ({"effort": "none"}, {}, TypeError, "effort: must be an array of numbers"),
    ({"effort": np.zeros((4, D)), "damping": np.zeros((5, D))}, {}, ValueError, "rows = effort 4, damping 5: must be"),
    ({"effort": np.zeros((4, D))}, {"every": 0}, ValueError, "every = 0: must be a whole number from 1"),
    ({"effort": np.zeros((4, D))}, {"every": 1.5}, TypeError, "every = 1.5: must be a whole number from 1"),
    ({"effort": np.zeros((4, D))}, {"delay": [0.0, np.inf]}, ValueError, "delay = inf: must be"),
    ({"effort": np.zeros((4, D))}, {"delay": np.zeros(3)}, ValueError, r"delay.shape = \(3,\): must be \(\) or \(2,\)"),
]


@pytest.mark.parametrize(("values", "options", "kind", "message"), REFUSED)
def test_a_wrong_schedule_is_refused_and_changes_nothing(values, options, kind, message):
    """In one line; the schedule before goes on."""
    sim = simulation(DRIVEN_ARM, 2)
    sim.schedule({"target_q": np.full((3, D), 0.5)})
    with pytest.raises(kind, match=message):
        sim.schedule(values, **options)
    assert bool(sim._fields.schedule)


def test_a_field_follows_time_samples_or_a_schedule():
    """Not both; other fields may follow a schedule in a scene with time samples."""
    samples = TimeSamples(DRIVEN_ARM_DOFS[0], "target_q", (0.0, 1.0), (0.0, 1.0))
    scene = replace(DRIVEN_ARM, signals=(samples,))
    sim, other = (fajin.Simulation(scene, 2, "cpu", threads=1) for _ in range(2))
    with pytest.raises(ValueError, match="target_q: must not follow time samples of the scene"):
        sim.schedule({"target_q": np.zeros((4, D))})
    values = {"effort": tables(ROWS, D)["effort"]}
    sim.schedule(values)
    sim.step(ROWS)
    step_by_step(other, ROWS, values)
    assert same(sim, other)
    assert (sim.target_q[:, 0] > 0.1).all()


@WORLDS
def test_a_schedule_acts_beside_time_samples_and_events_in_one_launch(worlds, monkeypatch):
    """Each world in its own place of its own table; with the bits of writing every row."""
    samples = TimeSamples(DRIVEN_ARM_DOFS[0], "target_q", (0.0, 1.0), (0.0, 1.0))
    scene = replace(DRIVEN_ARM, signals=(samples,))
    sim, other = (fajin.Simulation(scene, worlds, "cpu", "f64", 1, sleeping=False) for _ in range(2))
    own = {name: tables(worlds, 3 * ROWS, D)[name] for name in ("effort", "damping")}
    events = [Control(5, 1, "stiffness", 17.0), Control(9, 2, "effort", 99.0)]
    sim.step(2)
    other.step(2)
    sim.schedule(own, delay=np.arange(worlds) * H)
    state, lengths = sim._synced_state(), []
    sim._stepper.length = AnyLength()
    run = state.run
    monkeypatch.setattr(state, "run", lambda steps, *rest: (lengths.append(steps), run(steps, *rest))[1])
    sim.run(steps=2 * ROWS, every=ROWS, record="q", controls=events)
    assert lengths == [0, 2 * ROWS]
    for step in range(2 * ROWS):
        if step + 2 == 5:
            other.stiffness[:, 1] = 17.0
        for name, table in own.items():
            other.write(name, table[np.arange(worlds), np.maximum(step - np.arange(worlds), 0)])
        other.step()
    assert same(sim, other)


@WORLDS
def test_no_value_is_beyond_the_largest(worlds):
    """A schedule and a write limit it to 1e30, whatever the precision."""
    sim, other = machine(worlds, "f64"), machine(worlds, "f64")
    sim.schedule({"max_force": np.full((1, D), 5e30)})
    for values in (np.full((worlds, D), 5e30), np.linspace(1e30, 5e30, worlds * D).reshape(worlds, D)):
        other.write("max_force", values)
        for each in (sim, other):
            each.step()
            assert np.isinf(each.max_force[:]).all()
            assert (each._state.parameters["MAX_FORCE"] == 1e30).all()


@WORLDS
def test_control_events_act_within_a_launch(worlds):
    """As if each value were set before its step, in a whole run and in pieces of a stream."""
    rng, names = np.random.default_rng(1), ("target_q", "target_qd", "effort", "stiffness")
    events = [
        Control(int(step), int(dof), str(name), float(value))
        for step, dof, name, value in zip(
            rng.integers(0, 60, 80), rng.integers(0, D, 80), rng.choice(names, 80), rng.uniform(0, 4, 80), strict=True
        )
    ]
    events += [Control(20, 1, "q", 0.3), Control(33, 2, "qd", 0.1)]
    sim, other, cut = (machine(worlds) for _ in range(3))
    sim.run(steps=70, every=7, controls=events)
    for step in range(70):
        for event in (event for event in events if event.step == step):
            getattr(other, event.parameter)[:, event.dof] = event.value
        other.step()
    for _ in range(10):
        list(cut.stream(7, 7, [event for event in events if event.step >= cut.steps]))
    assert same(sim, other)
    assert same(cut, other)


def test_what_is_known_beforehand_needs_no_launches(monkeypatch):
    """Time samples and control events: one launch, but for one that compiles and one before an event of a state."""
    samples = TimeSamples(DRIVEN_ARM_DOFS[0], "target_q", (0.0, 1.0), (0.0, 1.0))
    sim = simulation(replace(DRIVEN_ARM, signals=(samples,)))
    state, lengths = sim._synced_state(), []
    sim._stepper.length = AnyLength()
    run = state.run
    monkeypatch.setattr(state, "run", lambda steps, *rest: (lengths.append(steps), run(steps, *rest))[1])
    sim.step(50)
    assert lengths == [50]
    events = [*(Control(step, 1, "effort", 1.0 + step) for step in range(50, 90)), Control(80, 2, "q", 0.0)]
    sim.run(steps=40, every=10, record="q", controls=events)
    assert lengths == [50, 0, 30, 10]
    sim.step(WINDOW + 1)
    assert lengths[4:] == [WINDOW, 1]
