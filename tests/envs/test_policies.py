"""A trained policy walks in fajin as it does in PhysX; what is not a policy of the robot is refused."""

import json

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnxruntime")
from policy_runs import (  # noqa: E402
    ANYMAL,
    CLIMB,
    FOLDER,
    GO2,
    ROUGH,
    SCRIPT,
    STAIRS,
    TROT,
    TWINS,
    WALK,
    Trot,
    climb,
    collapse,
    fell,
    minute,
    replay,
    walk,
)  # fmt: skip

from fajin import envs  # noqa: E402
from fajin.envs.policy import Policy, Signature  # noqa: E402
from fajin.errors import InputError  # noqa: E402

NUDGES = (0.0, *TWINS)  # [rad], of the joints of each world


def within_twins(found, pose: np.ndarray) -> bool:
    """Whether world 0 is where PhysX has it: within three times the distance to its own twins, or 2 cm.

    The twins' joints start 1e-7 rad away. While feet touch down, a distance grows tenfold in 1 to 2 s.
    """
    apart = np.linalg.norm(found.pose[..., :3] - found.pose[:, :1, :3], axis=-1).max()
    return np.linalg.norm(found.pose[:, 0, :3] - pose[:, :3], axis=-1).max() <= max(3.0 * apart, 0.02)


def parted(actions: np.ndarray, pose: np.ndarray, commands) -> float:
    """Return how far ANYmal comes from PhysX's poses (T, 7) where both engines apply actions (T, 12) [m]."""
    found = walk(ANYMAL, replay(actions), len(pose), commands)
    return np.linalg.norm((found.pose[:, 0] - pose)[:, :3], axis=-1).max()


def path_length(pose: np.ndarray) -> float:
    return np.linalg.norm(np.diff(pose[:, :2], axis=0), axis=1).sum()


@pytest.mark.slow
def test_a_walking_robot_is_where_physx_has_it():
    """After 14 s and 7 m; tracking errors agree to 2e-3."""
    with np.load(FOLDER / "go2_physx.npz") as file:
        log = dict(file)
    commands = list(zip(log["command_time"].tolist(), log["command"].tolist(), strict=True))
    found = walk(GO2, Policy(WALK), len(log["pose"]), commands, nudges=NUDGES)
    assert found.survived.all()
    assert within_twins(found, log["pose"])
    assert np.abs(found.errors.mean(0) - log["error"]).max() < 2e-3
    assert path_length(log["pose"]) > 5.0


@pytest.mark.slow
def test_a_walking_anymal_is_where_physx_has_it():
    """After 14 s and more than 5 m; tracking errors agree to 2e-3."""
    with np.load(FOLDER / "anymal_c_physx.npz") as file:
        log = dict(file)
    found = walk(ANYMAL, Policy(FOLDER / "anymal_c.onnx"), len(log["pose"]), SCRIPT, nudges=NUDGES)
    assert found.survived.all()
    assert within_twins(found, log["pose"])
    assert np.abs(found.errors.mean(0) - log["error"]).max() < 2e-3
    assert path_length(log["pose"]) > 5.0


@pytest.mark.slow
def test_a_walking_anymal_does_what_it_does_in_physx():
    """Where both engines apply the same actions, within three times the distance of PhysX to its own twins.

    Their first targets are 1e-7 and 3e-7 rad away. They part by more than 2 cm, and so no engine can be nearer.
    """
    with np.load(FOLDER / "anymal_c_physx.npz") as file:
        twins, apart = file["twins"], parted(file["actions"], file["replayed_pose"], SCRIPT)
    assert twins.min() > 0.02
    assert apart <= 3.0 * twins.max()


@pytest.mark.slow
def test_a_trotting_anymal_is_where_physx_has_it():
    """Closed loop as its twins; with the same actions, within three times PhysX's distance to its own, mm."""
    with np.load(FOLDER / "anymal_c_trot_physx.npz") as file:
        log = dict(file)
    found = walk(ANYMAL, Trot(), len(log["pose"]), TROT, nudges=NUDGES)
    assert found.survived.all()
    assert within_twins(found, log["pose"])
    assert np.abs(found.errors.mean(0) - log["error"]).max() < 2e-3
    assert parted(log["actions"], log["replayed_pose"], TROT) <= 3.0 * log["twins"].max() < 0.02
    assert path_length(log["pose"]) > 2.0


@pytest.mark.slow
def test_a_robot_that_climbs_stairs_is_where_physx_has_it():
    """It climbs seven steps of 10 cm, and stands on top of them; tracking errors agree to 2e-2."""
    with np.load(FOLDER / "go2_stairs_physx.npz") as file:
        log = dict(file)
    found = walk(ROUGH, Policy(FOLDER / "go2_stairs.onnx"), len(log["pose"]), CLIMB, nudges=NUDGES, scene=STAIRS)
    assert found.survived.all()
    for pose in (log["pose"], *found.pose.transpose(1, 0, 2)):
        assert pose[-1, 2] - pose[0, 2] > 0.65
        assert pose[-1, 0] > 3.2
    assert within_twins(found, log["pose"])
    assert np.abs(found.errors.mean(0) - log["error"]).max() < 2e-2


@pytest.mark.slow
@pytest.mark.parametrize(("level", "speed"), [(2, 0.7), (4, 0.6), (4, 0.8)])
def test_a_policy_climbs_stairs(level, speed):
    """In at least 60 of 64 worlds, out of pits with steps of 6 and 10 cm."""
    assert climb(Policy(FOLDER / "go2_stairs.onnx"), level, speed).sum() >= 60


@pytest.mark.slow
@pytest.mark.parametrize(("task", "name"), [(GO2, "go2"), (ANYMAL, "anymal_c")])
def test_random_commands_are_followed_for_a_minute_as_in_physx(task, name):
    """In 100 worlds: as many fall, mean errors are equal, and those of each world as near as those of a twin.

    Falls may differ by two standard deviations of their number, mean errors by three standard errors of the
    differences between the worlds. Half of the worlds differ by less than twice what they differ from twins in fajin.
    """
    with np.load(FOLDER / f"{name}_minute_physx.npz") as file:
        log = dict(file)
    found = minute(task, name)
    down = fell(found)
    assert abs(down.sum() - log["fell"].sum()) <= 2.0 * max(down.sum() + log["fell"].sum(), 1) ** 0.5
    differences = (found.errors - log["errors"])[~(down | log["fell"])]
    spread = differences.std(0, ddof=1) / len(differences) ** 0.5
    assert (np.abs(differences.mean(0)) <= 3.0 * spread).all()
    assert (np.median(np.abs(differences), 0) <= 2.0 * np.median(log["twins"], 0)).all()
    assert path_length(found.pose[:, 0]) > 15.0


def test_a_trunk_that_touches_the_ground_ends_an_episode_as_in_physx():
    """In the same control step, of one world in four; forces on trunk and feet agree to 3 % of the largest."""
    with np.load(FOLDER / "anymal_c_falls_physx.npz") as log:
        found = collapse()
        assert log["ends"].sum(0).tolist() == [0, 0, 0, 1]
        np.testing.assert_array_equal(found["ends"], log["ends"])
        assert np.abs(found["peak"] - log["peak"]).max() < 0.03 * log["peak"].max()


def test_a_policy_knows_its_joints_and_observations():
    """And is refused for another task, in one line."""
    signature = Policy(WALK).signature
    own = Signature.of(envs.make("VelocityFlatGo2-v0", 1))
    assert signature == own
    signature.check(own, "go2.onnx")
    with pytest.raises(InputError, match=r"go2.onnx, joints = FL_hip_joint, .*: must be slider, those of the scene"):
        signature.check(Signature.of(envs.make("Cartpole-v0", 1)), "go2.onnx")


def test_a_file_that_is_not_a_policy_is_refused(tmp_path):
    (tmp_path / "x.onnx").write_text("not ONNX")
    for name, words in (("x.onnx", "must be an ONNX file"), ("y.onnx", "there is none")):
        with pytest.raises(InputError, match=words) as error:
            Policy(tmp_path / name)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize(("key", "word"), [("observations", "observations"), ("actions", "actions")])
def test_a_network_of_other_sizes_than_its_metadata_is_refused(tmp_path, key, word):
    onnx = pytest.importorskip("onnx")
    graph = onnx.load(WALK)
    words = json.loads(graph.metadata_props[0].value)
    words[key] = {**words[key], "height_scan": 187} if key == "observations" else 13
    onnx.helper.set_model_props(graph, {"fajin": json.dumps(words)})
    onnx.save(graph, tmp_path / "other.onnx")
    with pytest.raises(InputError, match=rf"other.onnx, {word} = \['worlds', .*\]: must be \(worlds, ") as error:
        Policy(tmp_path / "other.onnx")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "words",
    [
        "{",
        "[]",
        "7",
        '{"task": "x"}',
        '{"task": "x", "joint_names": ["a"], "observations": {"a": 48}, "actions": 12, "more": 1}',
        '{"task": "x", "joint_names": 3, "observations": {"a": 48}, "actions": 12}',
        '{"task": "x", "joint_names": ["a"], "observations": {"a": "48"}, "actions": 12}',
        '{"task": 7, "joint_names": ["a"], "observations": {"a": 48}, "actions": 12}',
        '{"task": "x", "joint_names": ["a"], "observations": ["a"], "actions": 12}',
        "[" * 100_000,
    ],
)
def test_metadata_of_another_form_are_refused(tmp_path, words):
    onnx = pytest.importorskip("onnx")
    graph = onnx.load(WALK)
    onnx.helper.set_model_props(graph, {"fajin": words})
    onnx.save(graph, tmp_path / "other.onnx")
    with pytest.raises(InputError, match=r"other.onnx, metadata = .*: must have task, joint_names, ") as error:
        Policy(tmp_path / "other.onnx")
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 300 + len(str(tmp_path))


@pytest.mark.parametrize("shape", [(4,), (3, 47), (2, 3, 48)])
def test_observations_of_another_shape_are_refused(shape):
    with pytest.raises(InputError, match=r"observations = \(.*\): must be \(worlds, 48\)"):
        Policy(WALK)(np.zeros(shape, np.float32))
