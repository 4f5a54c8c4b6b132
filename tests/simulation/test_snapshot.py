"""Snapshots of worlds: bit by bit, in part, in files, and only where they fit."""

from dataclasses import replace

import numpy as np
import pytest
from planar_arm import arm, simulation
from random_tree import edited, random_tree

import fajin
from fajin import Part
from fajin.scene import Drive, Friction, Scene, SolverType

DEVICES = pytest.mark.parametrize("device", ["cpu", "cpu-lanes"])


def scene() -> Scene:
    """A fixed and a floating tree of every joint type with drives, friction and speed limits."""
    rows = {"drive": Drive(stiffness=60.0, damping=2.0), "friction": Friction(0.5, 0.4, 0.05), "max_velocity": 20.0}
    trees = (edited(random_tree(s, floating=s > 0), axes=lambda axis: replace(axis, **rows)) for s in (0, 1))
    fixed, floating = (replace(tree.articulations[0], position_iterations=4) for tree in trees)
    return Scene("two trees", (fixed, replace(floating, path="/other")), solver=SolverType.TGS)


def batch(worlds: int, device: str = "cpu", precision: str = "f32", steps: int = 10) -> fajin.Simulation:
    """Worlds that differ in state, targets, efforts and gains."""
    sim = fajin.Simulation(scene(), worlds, device, precision, threads=1)
    rng = np.random.default_rng(1)
    for name in ("q", "qd", "target_q", "effort"):
        setattr(sim, name, rng.uniform(-1, 1, (worlds, len(sim.dof))))
    sim.stiffness = rng.uniform(40, 80, (worlds, len(sim.dof)))
    sim.step(steps)
    return sim


def same(a: fajin.Snapshot, b: fajin.Snapshot) -> bool:
    """Whether two snapshots hold the same bits."""
    rows = all(a.rows[name].tobytes() == b.rows[name].tobytes() for name in a.rows)
    spread = {name: np.broadcast_arrays(a.parameters[name], b.parameters[name]) for name in a.parameters}
    return rows and all(np.array_equal(*pair) for pair in spread.values())


@pytest.mark.parametrize(
    ("worlds", "steps", "device", "precision"),
    [(256, 500, "cpu", "f32"), (20, 50, "cpu", "f64"), (20, 50, "cpu-lanes", "f32")],
)
def test_a_world_goes_the_same_way_again_while_the_others_go_on(worlds, steps, device, precision):
    """Snapshot, steps, load into one world, the same steps: the same bits; the others go on as if nothing was."""
    sim = batch(worlds, device, precision)
    start = sim.save()
    sim.step(steps)
    first = sim.save()
    sim.load(start, worlds=[17])
    others = [w for w in range(worlds) if w != 17]
    assert same(sim.save(others), first[others])
    sim.step(steps)
    second = sim.save()
    assert same(second[17], first[17])
    sim.load(first)
    sim.step(steps)
    assert same(sim.save(others), second[others])
    assert not same(sim.save([17]), second[17])


@DEVICES
def test_all_worlds_go_the_same_way_again(device):
    """Also in another simulation; clock and all."""
    sim = batch(20, device)
    start = sim.save()
    sim.step(50)
    end = sim.save()
    other = fajin.Simulation(scene(), 20, device, threads=1)
    for again in (sim, other):
        again.load(start)
        assert again.steps == start.steps == 10
        assert same(again.save(), start)
        again.step(50)
        assert same(again.save(), end)


def test_a_snapshot_is_the_state_as_it_was():
    """What is set before it, but not yet seen by a step, is in it; what comes later is not."""
    sim = simulation(arm(drive=Drive()), 3)
    sim.q = 0.3
    start = sim.save()
    pose = sim.link_pose[:]
    sim.q, sim.target_q, sim.upper = 0.0, 1.0, 2.0
    sim.step()
    sim.load(start)
    assert np.array_equal(sim.q, np.full((3, 3), 0.3))
    assert np.array_equal(sim.link_pose, pose)
    assert not np.array(sim.target_q).any()
    assert np.isinf(sim.upper).all()


@pytest.mark.parametrize(
    ("part", "names"),
    [
        (Part.POSITIONS, ("q",)),
        (Part.VELOCITIES, ("qd",)),
        (Part.ROOT, ("root_pose", "root_velocity")),
        (Part.FORCES, ("effort",)),
        (Part.TARGETS, ("target_q", "target_qd")),
        (Part.PARAMETERS, ("stiffness", "armature", "max_velocity")),
        (Part.POSITIONS | Part.VELOCITIES, ("q", "qd")),
    ],
    ids=str,
)
@pytest.mark.parametrize("worlds", [None, [2]])
def test_a_part_brings_back_that_part_alone(part, names, worlds):
    """The rest stays as it is; links follow."""
    sim = simulation(random_tree(3, floating=True), 4)
    everything = {"q", "qd", "root_pose", "root_velocity", "effort", "target_q", "target_qd"}
    everything |= {"stiffness", "armature", "max_velocity"}
    start = sim.save()
    before = {name: sim.read(name) for name in everything}
    sim.step(3)
    for name in ("effort", "target_q", "target_qd", "stiffness", "armature", "max_velocity"):
        setattr(sim, name, 30.0)
    after = {name: sim.read(name) for name in everything}
    sim.load(start, worlds, part)
    chosen = np.isin(np.arange(4), worlds if worlds else np.arange(4))
    for name in everything:
        expected = after[name].copy()
        if name in names:
            expected[chosen] = before[name][chosen]
        assert np.allclose(sim.read(name), expected, 0, 1e-15 * (name == "root_pose")), name
    assert sim.steps == 3
    if part & (Part.POSITIONS | Part.ROOT):
        alone = simulation(random_tree(3, floating=True), 4)
        alone.root_pose, alone.q = sim.root_pose[:], sim.q[:]
        assert np.allclose(sim.link_pose[chosen], alone.link_pose[chosen], 0, 1e-12)


@DEVICES
def test_a_world_begins_anew_with_targets_and_efforts(device):
    """State, targets, efforts are the scene's; gains stay; the other worlds and the clock go on."""
    sim, fresh = batch(40, device), fajin.Simulation(scene(), 40, device, threads=1)
    before = sim.save()
    sim.reset([3, 39])
    after = sim.save()
    for name in ("q", "qd", "qdd", "target_q", "target_qd", "effort", "applied_effort", "link_pose", "root_velocity"):
        assert np.array_equal(sim.read(name, worlds=[3, 39]), fresh.read(name, worlds=[3, 39])), name
    rest = [w for w in range(40) if w not in (3, 39)]
    assert same(after[rest], before[rest])
    assert np.array_equal(after.parameters["STIFFNESS"], before.parameters["STIFFNESS"])
    assert sim.steps == 10
    sim.reset()
    assert sim.steps == 0
    sim.stiffness = fresh.stiffness[:]
    sim.step(20)
    fresh.step(20)
    assert same(sim.save(), fresh.save())


def test_worlds_can_be_picked_and_spread():
    """One world for all, one for each that is named, each its own."""
    sim = batch(5)
    start = sim.save()
    sim.load(start[2])
    assert all(same(sim.save([w]), start[2]) for w in range(5))
    sim.load(start[[0, 1]], worlds=[4, 3])
    assert same(sim.save([4]), start[0])
    assert same(sim.save([3]), start[1])
    sim.load(start, worlds=[4, 0])
    assert same(sim.save([0]), start[0])
    assert same(sim.save([4]), start[4])
    for worlds in (None, [0, 1, 2, 4]):
        with pytest.raises(fajin.InvalidSnapshot, match=r"= 3 worlds: must be 1 or .*5 worlds for . of 5; select some"):
            sim.load(start[:3], worlds)


def test_a_file_keeps_every_bit(tmp_path):
    """Written whole, read again, loaded: the same."""
    sim = batch(20)
    start = sim.save()
    path = tmp_path / "start.npz"
    start.write(path)
    sim.step(20)
    end = sim.save()
    again = fajin.Snapshot.read(path)
    assert same(again, start)
    sim.load(again)
    sim.step(20)
    assert same(sim.save(), end)
    assert [file.name for file in tmp_path.iterdir()] == ["start.npz"]


def test_a_snapshot_of_something_else_changes_nothing():
    """Another robot, precision or version: one line that says what was expected."""
    sim = simulation(arm(drive=Drive()), 2)
    sim.q = 0.7
    before = sim.save()
    cut = arm(drive=Drive())
    *joints, finger = cut.articulations[0].joints
    joints = *joints, replace(finger, body0="/arm/upper")  # the names and their order are the same
    tied = replace(cut, articulations=(replace(cut.articulations[0], joints=joints),))
    rows = dict(before.rows)
    del rows["QDD"]
    for stale, words in (
        (
            simulation(random_tree(0)).save(),
            "must be of this model, 3 degrees of freedom and 4 links of /arm/base",
        ),
        (simulation(tied).save(), "connected differently"),
        (simulation(arm(drive=Drive()), precision="f32").save(), "= float32: must be float64"),
        (replace(before, rows=rows), "of this version, with rows Q, QD"),
        (replace(before, parameters={}), "of this version, with ANGULAR_DAMPING"),
    ):
        with pytest.raises(fajin.InvalidSnapshot, match=words) as error:
            sim.load(stale)
        assert "\n" not in str(error.value)
        assert str(error.value).endswith("save one of this simulation")
        assert same(sim.save(), before)
    with pytest.raises(IndexError, match="must be from 0 to 1"):
        sim.load(before, worlds=[5])


def test_a_file_of_something_else_is_refused(tmp_path):
    """Missing, no archive, another archive."""
    np.savez(tmp_path / "other.npz", a=1)
    (tmp_path / "text.npz").write_text("no archive")
    for name, words in (
        ("none.npz", "can be read"),
        ("text.npz", "must be an .npz"),
        ("other.npz", "must be a fajin snapshot"),
    ):
        with pytest.raises(fajin.InvalidSnapshot, match=words) as error:
            fajin.Snapshot.read(tmp_path / name)
        assert str(error.value).startswith(str(tmp_path / name))
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("steps", [7, 20, 333])
def test_sleep_timers_continue_where_the_snapshot_was_taken(scenes, steps):
    """Steps that the timers have yet to count are restored, too: all rows are equal after as many steps."""
    sim = fajin.Simulation(fajin.read(scenes / "arm7.usda"), device="cpu", threads=1)
    sim.step(steps)
    saved = sim.save()
    sim.step(101)
    before = sim.save()
    sim.load(saved)
    sim.step(101)
    after = sim.save()
    assert [name for name, rows in before.rows.items() if not np.array_equal(rows, after.rows[name])] == []


def test_a_snapshot_starts_no_monitors(scenes):
    """Monitors cost time and kernels of their own; read-outs start them."""
    sim = fajin.Simulation(fajin.read(scenes / "pendulum.usda"), device="cpu")
    sim.load(sim.save())
    assert "monitors" not in sim._state._arrays
