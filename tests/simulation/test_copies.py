"""Copies of robots in one stage lie in lanes: bits and behaviour are those of every robot by itself, in scene order."""

from dataclasses import replace

import numpy as np
import pytest
from paths import SCENES

import fajin
from fajin import Part
from fajin.device.copies_state import CopiesState
from fajin.device.state import State
from fajin.scene import Actuator, Scene
from fajin.scene.overrides import with_iterations
from fajin.scene.renaming import Renaming
from fajin.simulation import simulation as module
from fajin.simulation.statistics import Statistics

COPIES = 17
"""More than fill a pack."""


@pytest.fixture(scope="module")
def stage() -> Scene:
    """Arms, grippers and fingers; one arm differs in its gains, another one in its structure, most have actuators."""
    kinds = [("arm7", COPIES), ("gripper_mimic", COPIES), ("tendon_finger", 3), ("four_bar", 2)]
    parts = [renamed(fajin.replicate(fajin.read(SCENES / f"{name}.usda"), n, 2.0), name) for name, n in kinds]
    robots = [robot for part in parts for robot in part.articulations]
    robots[3] = with_axes(robots[3], lambda axis: replace(axis, drive=replace(axis.drive, stiffness=7.0)))
    robots[5] = with_axes(robots[5], lambda axis: replace(axis, max_velocity=3.0))
    for i in range(6, COPIES):
        robots[i] = with_axes(robots[i], lambda axis, i=i: replace(axis, drive=replace(axis.drive, actuator=motor(i))))
    scene = replace(
        parts[0],
        articulations=tuple(robots),
        joints=tuple(joint for part in parts for joint in part.joints),
        signals=tuple(signal for part in parts for signal in part.signals),
        colliders=(),
        collision_groups=(),
    )
    return with_iterations(scene, 8, 1)  # else they would depend on the neighbours in a batch


def renamed(scene: Scene, name: str) -> Scene:
    """The scene below a prim of its own."""
    below = Renaming(lambda text: ["", text] if text.startswith("/") else [text])
    parts = ("articulations", "joints", "signals")
    return replace(scene, **{part: below.renamed(getattr(scene, part), f"/{name}") for part in parts})


def motor(i: int) -> Actuator:
    """An actuator with every law, whose integral gain is that of copy i."""
    bounds = {"bound_positions": (-1.0, 0.0, 1.0), "bound_efforts": (9.0, 20.0, 9.0)}
    return Actuator(integral_gain=0.5 + i, saturation_effort=30.0, no_load_speed=8.0, delay=3, **bounds)


def with_axes(robot, change):
    """The robot with changed axes."""
    joints = (replace(joint, axes=tuple(map(change, joint.axes))) for joint in robot.joints)
    return replace(robot, joints=tuple(joints))


@pytest.fixture
def twins(stage) -> tuple[fajin.Simulation, fajin.Simulation]:
    """Three worlds of the stage, with copies in lanes and without."""
    return pair_of(stage, 3)


def pair_of(scene: Scene, worlds: int) -> tuple[fajin.Simulation, fajin.Simulation]:
    """A simulation with copies in lanes, and one without."""
    lanes = fajin.Simulation(scene, worlds, threads=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "make_state", lambda *given: State(*given[:5]))
        single = fajin.Simulation(scene, worlds, threads=1)
    assert isinstance(lanes._state, CopiesState)
    assert isinstance(single._state, State)
    return lanes, single


def assert_equal(lanes: fajin.Simulation, single: fajin.Simulation) -> None:
    """Assert equal bits of every row, link and parameter."""
    for name, (buffer, rows) in lanes._state.layout.places.items():
        if buffer == "monitors":  # of read-outs, which need one state
            continue
        for state in (lanes._state, single._state):
            state.update_link_state()
        seen, wanted = (state.buffer(buffer).read(rows) for state in (lanes._state, single._state))
        assert np.array_equal(seen, wanted, equal_nan=True), name
    for name in lanes._state.model.parameters:
        seen, wanted = np.broadcast_arrays(lanes._state.parameters[name], single._state.parameters[name])
        number = single._state.float
        assert np.array_equal(seen.astype(number), wanted.astype(number)), name


def test_copies_are_recognised(stage):
    """Equal structure makes a template; another gain does not end it, another kind of row does."""
    sim = fajin.Simulation(stage, threads=1)
    assert [copies.count for copies in sim._state.copies] == [5, 1, COPIES - 6, 2 * COPIES, 3, 3, 2]


def test_copies_have_the_bits_of_islands_one_by_one(twins):
    """After steps with different states and parameters of worlds and robots, all rows are equal."""
    rng = np.random.default_rng(1)
    shape = twins[0].q.shape
    values = {name: rng.uniform(-0.2, 0.2, shape) for name in ("q", "qd", "target_q", "effort")}
    values |= {"stiffness": rng.uniform(1.0, 5.0, shape), "max_velocity": rng.uniform(1.0, 9.0, shape)}
    pushes = rng.uniform(-1.0, 1.0, (len(twins[0].link), 3))
    for sim in twins:
        for name, value in values.items():
            setattr(sim, name, value)
        sim.force[1] = pushes
        sim.damping[:, 3:30] = 0.3
        sim.root_pose[:, :, 2] += 0.25
        sim.gravity = [0.0, 1.0, -9.0]
        sim.step(7)
    assert_equal(*twins)


def test_writes_of_some_columns_of_some_worlds(twins):
    """A write reaches the named rows and no others; masses and armatures are set on the device."""
    for sim in twins:
        sim.step(2)
        sim.q[1, 5:23] = 0.1
        sim.write("qd", np.full((2, len(sim.dof)), 0.2), worlds=[2, 0])
        sim.write("armature", np.full((1, len(sim.dof)), 0.3), worlds=[1])
        sim.write("effort", np.full((3, len(sim.dof)), 0.3), steps=2)
        sim.wake(worlds=[1])
        sim.step(5)
    assert_equal(*twins)
    assert np.array_equal(twins[0].read("q", worlds=[2, 1]), twins[1].read("q")[[2, 1]])


def test_snapshots_and_resets(twins):
    """A snapshot of one simulation restores the other; a world is reset by itself."""
    lanes, single = twins
    lanes.step(4)
    saved = lanes.save()
    single.load(saved)
    assert_equal(lanes, single)
    for sim in twins:
        sim.step(3)
        sim.reset(worlds=[1])
        sim.load(saved[0], worlds=[2], parts=Part.POSITIONS | Part.ROOT)
        sim.step(3)
    assert_equal(lanes, single)


def test_schedules_controls_and_recordings(twins):
    """Tables per world and shared ones, events of single joints, and frames are in scene order."""
    rng = np.random.default_rng(2)
    count, found = len(twins[0].dof), []
    tables = rng.uniform(-0.5, 0.5, (3, 4, count)), rng.uniform(0.0, 0.5, (6, count))
    for sim in twins:
        sim.schedule({"target_q": tables[0]}, every=2, interpolate=True, delay=[0.0, 0.01, 0.1])
        found.append(sim.run(steps=5))
        sim.schedule({"effort": tables[1]})
        controls = [fajin.Control(7, 3, "target_q", 0.2), fajin.Control(8, 40, "stiffness", 2.0)]
        found.append(sim.run(steps=6, every=2, controls=controls, record=("q", "pose")))
        sim.schedule(None)
        sim.step(2)
    for seen, wanted, names in zip(found[:2], found[2:], (("q", "qd", "effort", "pose"), ("q", "pose")), strict=True):
        for name in names:
            assert np.array_equal(getattr(seen, name), getattr(wanted, name)), name
    assert_equal(*twins)


def test_statistics(twins):
    """Statistics are in scene order, and end per world."""
    counted = [Statistics(sim, np.array([3, 9, 5])) for sim in twins]
    for sim in twins:
        sim.target_q = 0.1
        sim.step(6)
    for name in ("SQUARED_ERROR", "PEAK_SPEED", "STEPS", "WORK", "AT_UPPER"):
        assert np.array_equal(counted[0][name], counted[1][name]), name
    for each in counted:
        each.end(np.array([1]))
        each.stop()


def test_dynamics_of_one_copy(twins):
    """Equations of motion are those of the named articulation in every world."""
    for sim in twins:
        sim.q = np.linspace(0.0, 0.3, sim.q.size).reshape(sim.q.shape)
    for number in (2, COPIES + 3):
        seen, wanted = (fajin.dynamics.mass_matrix(sim, articulation=number) for sim in twins)
        assert np.array_equal(seen, wanted)
        seen, wanted = (fajin.dynamics.coriolis_compensation(sim, articulation=number) for sim in twins)
        assert np.array_equal(seen, wanted)


def test_copies_with_contacts():
    """Robots on the ground, filtered: contacts, forces of pairs and sleep are in scene order."""
    # PhysX's hash tables turn the order of bodies around from copy to copy: seven templates, two of them in lanes
    scene = fajin.replicate(fajin.read(SCENES / "stack_of_five.usda"), 64, 3.0)
    pair = pair_of(scene, 1)
    for sim in pair:
        sim.step(3)
        sim.root_velocity[0, 7, 0] = 0.5
        sim.contact_static_friction[:, 11] = 0.1
        sim.step(30)
    assert_equal(*pair)
    seen, wanted = (sim.contacts for sim in pair)
    assert len(seen)
    assert (seen.pair == wanted.pair).all()
    assert np.array_equal(seen.impulse, wanted.impulse)
    assert np.array_equal(pair[0].contact_force, pair[1].contact_force)
    for sim in pair:
        sim.sleep()
        sim.q = sim.q
        sim.root_velocity[0, 3, 2] = 0.1
        sim.step(2)
    assert pair[0].asleep.any()
    assert np.array_equal(pair[0].asleep, pair[1].asleep)
    assert_equal(*pair)


def test_a_copy_has_the_bits_of_its_robot_alone():
    """Whatever stands beside it: a robot of a stage of copies moves as in a stage with that robot only."""
    copies = fajin.replicate(fajin.read(SCENES / "quadruped_standing.usda"), COPIES, 2.0)
    chosen = copies.articulations[11]
    bodies = {"", *(link.path for link in chosen.links)}
    colliders = tuple(collider for collider in copies.colliders if collider.body in bodies)
    only = replace(copies, articulations=(chosen,), colliders=colliders)
    whole, single = fajin.Simulation(copies, threads=1), fajin.Simulation(only, threads=1)
    for sim in (whole, single):
        sim.step(20)
    columns = [whole.dof.index(name) for name in single.dof]
    assert np.array_equal(whole.q[:, columns], single.q)
    assert np.array_equal(whole.qd[:, columns], single.qd)


def test_on_a_gpu_copies_are_neighbouring_threads():
    """The layout of a GPU has copies side by side, too, with equal bits; they load the words of one robot."""
    scene = fajin.replicate(fajin.read(SCENES / "arm7.usda"), 2 * COPIES)
    lanes, single = fajin.Simulation(scene, device="cpu-lanes"), fajin.Simulation(scene, threads=1)
    assert [copies.count for copies in lanes._state.copies] == [2 * COPIES]
    alone = fajin.Simulation(fajin.read(SCENES / "arm7.usda"), 2 * COPIES, device="cpu-lanes")
    words = [sim._state.parts[0].array("topology").shape for sim in (lanes, alone)]
    assert words[0] == words[1]  # a thread finds them where its neighbours do: one load per warp
    for sim in (lanes, single):
        sim.q[:, 5:9] = 0.1
        sim.step(5)
    assert np.array_equal(lanes.q, single.q)
