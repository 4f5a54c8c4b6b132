"""What hardly moves falls asleep when it does in PhysX, and wakes when something disturbs it."""

from dataclasses import replace

import numpy as np
import pytest
from paths import RECORDINGS
from planar_arm import arm, simulation
from recorded import recordings

import fajin
from fajin import Part
from fajin.scene import Articulation, Drive, Joint, JointType, Link, Scene
from parity import compare, simulate

RECORDED = recordings(RECORDINGS / "sleep")
DEVICES = pytest.mark.parametrize("device", ["cpu", "cpu-lanes"])
H = 1 / 60
FULL = round(0.4 / H)  # [steps] of a timer that was set anew


def drowsy(scene: Scene | None = None, threshold: float = 1.0) -> Scene:
    """A scene whose articulations may fall asleep; by default a driven arm."""
    scene = scene or arm(drive=Drive(stiffness=20.0, damping=30.0))
    articulations = tuple(replace(a, sleep_threshold=threshold) for a in scene.articulations)
    return replace(scene, articulations=articulations, dt=H)


def two() -> Scene:
    """The same arm twice, apart from each other."""
    scene = drowsy()
    (one,) = scene.articulations
    joints = tuple(
        replace(j, **{name: getattr(j, name).replace("/arm", "/leg") for name in ("path", "body0", "body1")})
        for j in one.joints
    )
    links = tuple(replace(link, path=link.path.replace("/arm", "/leg")) for link in one.links)
    return replace(scene, articulations=(one, replace(one, path="/leg", joints=joints, links=links)))


def asleep(worlds: int = 1, scene: Scene | None = None, **options) -> fajin.Simulation:
    """A simulation in which everything fell asleep by itself."""
    sim = simulation(scene or drowsy(), worlds, **options)
    sim.step(FULL + 5)
    assert sim.asleep.all()
    return sim


@pytest.mark.parametrize("recorded", RECORDED.values(), ids=RECORDED)
def test_what_sleeps_sleeps_as_in_physx(recorded):
    """From the same step on, in the same pose; wakes where it does."""
    motion = simulate(recorded)
    assert "; ".join(str(check) for check in compare(recorded, motion) if not check.holds) == ""
    seen, expected = still(motion), still(recorded)
    assert np.array_equal(seen, expected)
    assert expected[-1].any() or recorded.name == "z01_wake"


def still(motion) -> np.ndarray:
    """Which joints and free bodies have no velocity at all, (T + 1, D + B)."""
    return np.concatenate([motion.qd == 0.0, ~motion.flight[..., 7:].any(-1)], 1)


def test_what_stands_still_sleeps_after_its_timers():
    """Two steps beyond 0.4 s: one finds the timers at zero, the next finds them so still."""
    sim = simulation(drowsy())
    seen = []
    for _ in range(FULL + 5):
        sim.step()
        seen.append(bool(sim.asleep.all()))
    assert seen.index(True) in (FULL, FULL + 1)
    assert all(seen[seen.index(True) :])


def test_what_sleeps_does_not_move():
    """Its velocity is gone; what holds its joints is told as of its last step; a million more steps do nothing."""
    scene = replace(drowsy(threshold=10.0), gravity=(0.0, -9.81, 0.0))
    sim = simulation(scene)
    while not sim.asleep.all():
        sim.step()
    before = sim.save()
    assert not sim.qd[:].any()
    assert not sim.link_velocity[:].any()
    assert not sim.qdd[:].any()
    assert not sim.link_acceleration[:].any()
    assert sim.applied_effort[:].all()
    sim.step(1_000_000)
    after = sim.save()
    assert all(np.array_equal(after.rows[name], before.rows[name]) for name in before.rows)
    sim.wake()
    sim.step()
    assert sim.qd[:].all()


@pytest.mark.parametrize("how", ["threshold", "scene", "simulation"])
def test_nothing_sleeps_that_must_not(how):
    """A threshold of zero, a scene that forbids it, a simulation that does: the same motion, without an end."""
    scene = drowsy(threshold=0.0 if how == "threshold" else 1.0)
    sim = simulation(replace(scene, sleeping=how != "scene"), sleeping=how != "simulation")
    sim.step(3 * FULL)
    assert not sim.asleep.any()
    assert not sim.sleeping
    with pytest.raises(ValueError, match="no articulation can fall asleep here"):
        sim.sleep()


def test_until_it_sleeps_nothing_changes():
    """The same bits with and without."""
    sims = [simulation(drowsy(threshold=1e-3), 3, sleeping=sleeping, precision="f32") for sleeping in (True, False)]
    for sim in sims:
        sim.target_q = np.array([0.3, 0.5, 0.7])[:, None]
        sim.step(FULL)
    assert not sims[0].asleep.any()
    assert sims[0].q[:].tobytes() == sims[1].q[:].tobytes()


WRITES = {
    "target_q": lambda sim: sim.target_q.__setitem__((1, "elbow"), 0.0),
    "effort": lambda sim: sim.effort.__setitem__((1, "elbow"), 0.0),
    "stiffness": lambda sim: sim.stiffness.__setitem__((1, "elbow"), 20.0),
    "q": lambda sim: sim.q.__setitem__((1, "elbow"), 0.0),
    "qd": lambda sim: sim.qd.__setitem__((1, "elbow"), 0.0),
    "force": lambda sim: sim.force.__setitem__((1, "lower"), 0.0),
    "root_pose": lambda sim: sim.write("root_pose", sim.read("root_pose", worlds=[1]), [1]),
    "write": lambda sim: sim.write("target_q", np.zeros((1, 3)), [1]),
    "wake": lambda sim: sim.wake([1]),
    "load": lambda sim: sim.load(sim.save(), [1], Part.TARGETS),
    "reset": lambda sim: sim.reset([1]),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_whatever_is_set_wakes_its_world(write):
    """Also to what it was; the timers are full again, and the other worlds sleep on."""
    sim = asleep(3)
    write(sim)
    assert sim.asleep[:, 0].tolist() == [True, False, True]
    sim.step(FULL - 1)
    assert sim.asleep[:, 0].tolist() == [True, False, True]
    sim.step(5)
    assert sim.asleep.all()


def test_a_robot_wakes_and_its_neighbour_does_not():
    """Only what belongs to the columns that were set."""
    sim = asleep(2, two())
    sim.target_q[0, "/leg/elbow:rotZ"] = 1.0
    assert sim.asleep.tolist() == [[True, False], [True, True]]
    before = sim.q[:]
    sim.step(3)
    moved = sim.q[:] != before
    assert moved[0, 3:].all()
    assert not moved[0, :3].any()
    assert not moved[1].any()


def test_what_a_joint_ties_wakes_and_sleeps_together():
    """An arm and a body on its tip, of which one alone is disturbed, or moves."""
    body = Articulation("/ball", (Link("/ball", pose=((3.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))),), (), free=True)
    scene = drowsy()
    tie = Joint("/tie", JointType.SPHERICAL, "/arm/tip", "/ball", frame0=((1.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)))
    body = replace(body, sleep_threshold=1.0)
    sim = asleep(scene=replace(scene, articulations=(*scene.articulations, body), joints=(tie,)))
    sim.root_velocity[0, "/ball"] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.5)
    assert not sim.asleep.any()
    sim.step()
    assert not sim.asleep.any()
    sim.step(FULL + 100)
    assert sim.asleep.all(1) == sim.asleep.any(1)


@DEVICES
def test_a_world_sleeps_by_itself(device):
    """To the bit alone and among others, of which some sleep and others do not, in one launch and in many."""
    targets = np.linspace(0.0, 0.5, 20)[:, None]

    def run(worlds: list[int], pieces: int) -> fajin.Snapshot:
        sim = fajin.Simulation(drowsy(), len(worlds), device, threads=1)
        sim.target_q = targets[worlds]
        for _ in range(pieces):
            sim.step(90 // pieces)
        for w in (w for w, world in enumerate(worlds) if world % 3):
            sim.target_q[w, "elbow"] = float(targets[worlds[w], 0]) + 0.1
        for _ in range(pieces):
            sim.step(90 // pieces)
        return sim.save()

    together = run(list(range(20)), 1)
    sleepers = together.rows["ASLEEP"][:, 0] == 1.0
    assert 0 < sleepers.sum() < 20
    crept = int(np.flatnonzero(sleepers)[-1])  # it would creep on
    assert crept > 0
    for worlds, pieces in (([0], 1), ([crept], 1), ([19], 1), (list(range(20)), 90)):
        alone = run(worlds, pieces)
        for name in alone.rows:
            assert alone.rows[name].tobytes() == together.rows[name][worlds].tobytes(), (name, worlds)


@DEVICES
def test_a_snapshot_holds_how_long_it_rested(device):
    """Taken halfway to sleep and brought back: asleep in the same step, also in one world among others."""
    sim = simulation(drowsy(), 5, device=device, precision="f32")
    sim.step(FULL - 3)
    start = sim.save()
    first = []
    for _ in range(8):
        sim.step()
        first.append(sim.asleep[2, 0])
    end = sim.save([2])
    assert first != [False] * 8
    sim.load(start, [2])
    assert [sim.step() or sim.asleep[2, 0] for _ in range(8)] == first
    again = sim.save([2])
    assert all(again.rows[name].tobytes() == end.rows[name].tobytes() for name in end.rows)


def test_worlds_are_put_to_sleep_on_request():
    """At once and without their velocities; the others go on."""
    sim = simulation(drowsy(), 3)
    sim.target_q = 1.0
    sim.step(3)
    sim.sleep([1])
    before = sim.q[:]
    assert sim.asleep[:, 0].tolist() == [False, True, False]
    assert sim.qd[:].all(1).tolist() == [True, False, True]
    sim.step(2)
    assert (sim.q[:] != before).all(1).tolist() == [True, False, True]
    with pytest.raises(IndexError, match="must be from 0 to 2"):
        sim.sleep([3])


def test_what_sleeps_at_the_start_has_no_velocity():
    """Until something wakes it."""
    scene = drowsy(arm(drive=Drive(stiffness=20.0), qd=1.0))
    scene = replace(scene, articulations=tuple(replace(a, asleep=True) for a in scene.articulations))
    sim = simulation(scene)
    sim.step(10)
    assert sim.asleep.all()
    assert not sim.q[:].any()
    assert simulation(scene, sleeping=False).qd[:].all()
