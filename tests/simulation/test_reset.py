"""Resets of worlds: they are loads of the start followed by writes, to the bit."""

import numpy as np
import pytest
from paths import SCENES

import fajin
from fajin import Part
from fajin.quaternion import multiply
from fajin.simulation.reset import Entry

WORLDS = 40
CHOSEN = np.array([3, 17, 39])
DEFAULT = Part.ALL & ~Part.PARAMETERS


def moved(name: str) -> fajin.Simulation:
    """A scene after 20 steps, with targets and efforts of each world."""
    sim = fajin.Simulation(fajin.read(SCENES / f"{name}.usda"), WORLDS, threads=1)
    rng = np.random.default_rng(0)
    sim.write("target_q", rng.normal(size=(WORLDS, len(sim.dof))).astype(np.float32))
    sim.write("effort", rng.normal(size=(WORLDS, len(sim.dof))).astype(np.float32) * 0.1)
    sim.step(20)
    return sim


def values_of(sim: fajin.Simulation, count: int) -> dict[str, np.ndarray]:
    """Random states of worlds."""
    rng = np.random.default_rng(1)
    poses = rng.normal(size=(count, len(sim.articulation), 7)).astype(np.float32)
    poses[..., 2] += 2.0
    poses[..., 3:] /= np.linalg.norm(poses[..., 3:], axis=-1, keepdims=True)
    found = {name: rng.normal(size=(count, len(sim.dof))).astype(np.float32) * 0.2 for name in ("q", "qd")}
    return found | {"root_pose": poses, "root_velocity": rng.normal(size=(*poses.shape[:2], 6)).astype(np.float32)}


def equal(a: fajin.Simulation, b: fajin.Simulation) -> bool:
    """Whether two simulations have the same state, results, parameters and future."""
    for _ in range(2):
        x, y = a.save(), b.save()
        same = all(np.array_equal(x.rows[name], y.rows[name]) for name in x.rows)
        for name, rows in x.parameters.items():
            same &= bool((rows == y.parameters[name]).all())
        if not same:
            return False
        a.step(3), b.step(3)
    return True


@pytest.mark.parametrize("name", ["go2_standing", "quadruped_standing", "double_pendulum", "four_bar"])
@pytest.mark.parametrize("parts", [DEFAULT, Part.ROOT, Part.POSITIONS, Part.VELOCITIES | Part.SLEEP, Part.ALL])
def test_a_reset_is_a_load_of_the_start(name, parts):
    one, two = moved(name), moved(name)
    start = fajin.Simulation(fajin.read(SCENES / f"{name}.usda")).save()
    one.reset(CHOSEN, parts)
    two.load(start, CHOSEN, parts)
    assert equal(one, two)


@pytest.mark.parametrize("name", ["go2_standing", "quadruped_standing"])
@pytest.mark.parametrize("names", [("q", "qd", "root_pose", "root_velocity"), ("root_pose",), ("q",)])
@pytest.mark.parametrize("worlds", [CHOSEN, None])
def test_values_are_writes_after_a_reset(name, names, worlds):
    one, two = moved(name), moved(name)
    values = {key: values_of(one, WORLDS if worlds is None else len(CHOSEN))[key] for key in names}
    one.reset(worlds, values=values)
    two.reset(worlds)
    for key, array in values.items():
        two.write(key, array, worlds)
    assert equal(one, two)


def test_values_restore_their_part_first():
    """The root's velocity of worlds whose pose is given is that of the start."""
    sim = moved("go2_standing")
    sim.reset(CHOSEN, Part(0), {"root_pose": values_of(sim, 3)["root_pose"]})
    assert not sim.read("root_velocity", worlds=CHOSEN).any()
    assert sim.read("qd", worlds=CHOSEN).any()


@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        ({"qdd": np.zeros((3, 12))}, KeyError, "no value 'qdd'; must be one of q, qd, root_pose, root_velocity"),
        ({"q": np.zeros((2, 12))}, ValueError, "q = (2, 12): must be (3, 12), a row for each world"),
        ({"qd": np.full((3, 12), np.nan)}, ValueError, "qd = nan: must be finite"),
        ({"root_pose": np.ones((3, 1, 7))}, ValueError, "of length 2: must be a position and a quaternion"),
    ],
)
def test_wrong_values_change_nothing(values, error, words):
    sim = moved("go2_standing")
    before = sim.save()
    with pytest.raises(error) as found:
        sim.reset(CHOSEN, values=values)
    assert words in str(found.value)
    assert all(np.array_equal(rows, before.rows[name]) for name, rows in sim.save().rows.items())


def euler(angles: np.ndarray) -> np.ndarray:
    """Quaternions of roll, then pitch, then yaw, each about an axis of the world."""
    half, found = angles / 2.0, np.array([0.0, 0.0, 0.0, 1.0])
    for axis in range(3):
        turn = np.zeros((len(angles), 4))
        turn[:, axis], turn[:, 3] = np.sin(half[:, axis]), np.cos(half[:, axis])
        found = multiply(turn, found)
    return found


@pytest.mark.parametrize(
    ("name", "device"),
    [
        ("go2_standing", "cpu"),
        ("quadruped_standing", "cpu"),
        ("double_pendulum", "cpu"),
        ("double_pendulum", "cpu-lanes"),
    ],
)
def test_numbers_become_values_of_the_start(name, device):
    """Joints are those of the start plus or times a number in a range, roots turn about their axes; others stay."""
    sim = fajin.Simulation(fajin.read(SCENES / f"{name}.usda"), WORLDS, device, threads=1)
    start = {key: sim.read(key)[0].astype(float) for key in ("q", "qd", "root_pose", "root_velocity")}
    sim.step(20)
    before, rng, last = sim.save(), np.random.default_rng(2), len(sim.dof) - 1
    numbers = rng.random((3, 20)).astype(np.float32)
    low, high = (-0.3, -0.2, 0.1, -3.0, -0.5, 1.0), (0.3, 0.2, 0.1, 3.0, 0.5, 2.0)
    entries = (
        Entry("q", (last,), 2, "add", (-0.2,), (0.4,)),
        Entry("qd", (0,), 3, "scale", (0.5,), (1.5,)),
        Entry("root_pose", (0,), 4, "add", low, high, shift=17),
        Entry("root_velocity", (0,), 10, "add", low, high),
    )
    sim._reset.write(CHOSEN, DEFAULT, entries, [numbers])
    found = {key: sim.read(key, worlds=CHOSEN) for key in start}
    drawn = [np.array(low) + (np.array(high) - np.array(low)) * numbers[:, at : at + 6] for at in (4, 10)]
    q, qd = np.tile(start["q"], (3, 1)), np.tile(start["qd"], (3, 1))
    q[:, last] += 0.6 * numbers[:, 2] - 0.2
    qd[:, 0] *= 0.5 + numbers[:, 3]
    pose = start["root_pose"][0]
    place = pose[:3] + drawn[0][:, :3] + numbers[:, 17:]
    turned = np.concatenate([place, multiply(pose[None, 3:], euler(drawn[0][:, 3:]))], 1)
    assert np.abs(found["q"] - q).max() < 1e-6
    assert np.abs(found["qd"] - qd).max() < 1e-6
    assert np.abs(found["root_pose"][:, 0] - turned).max() < 2e-6
    if "pendulum" not in name:  # whose base is fixed
        assert np.abs(found["root_velocity"][:, 0] - start["root_velocity"][0] - drawn[1]).max() < 1e-6
    others = np.setdiff1d(np.arange(WORLDS), CHOSEN)
    after = sim.save()
    assert all(np.array_equal(rows[others], before.rows[key][others]) for key, rows in after.rows.items())


def test_an_entry_overrides_those_before_it():
    sim = moved("go2_standing")
    given = np.full((3, 1), 0.25, np.float32)
    entries = Entry("q", (0, 1), 1, "add", (0.5, 0.5), (0.5, 0.5)), Entry("q", (1,), 0)
    sim._reset.write(CHOSEN, Part(0), entries, [given, np.zeros((3, 2), np.float32)])
    start = fajin.Simulation(sim.scene).q[0]
    assert np.allclose(sim.read("q", worlds=CHOSEN)[:, :2], [start[0] + 0.5, 0.25])
