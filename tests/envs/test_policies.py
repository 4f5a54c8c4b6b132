"""A trained policy walks in fajin as it does in PhysX; what is not a policy of the robot is refused."""

import json

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnxruntime")
from paths import TESTS  # noqa: E402

from fajin import envs  # noqa: E402
from fajin.envs.playing import nominal, play  # noqa: E402
from fajin.envs.policy import Policy, Signature  # noqa: E402
from fajin.errors import InputError  # noqa: E402

FOLDER = TESTS / "recorded" / "policies"
NUDGES = (0.0, 1e-7, -1e-7, 3e-7, -3e-7)  # [rad], of the joints of each world


@pytest.mark.slow
def test_a_walking_robot_is_where_physx_has_it():
    """After 14 s and 7 m it is no farther away than 3 times its own twins, whose joints start 1e-7 rad away, or 2 cm.

    While feet touch down, a distance grows tenfold in 1 to 2 s. Tracking errors agree to 2e-3.
    """
    with np.load(FOLDER / "go2_physx.npz") as file:
        log = dict(file)
    commands = list(zip(log["command_time"].tolist(), log["command"].tolist(), strict=True))
    env = envs.make(nominal(envs.find_task("VelocityFlatGo2-v0")), len(NUDGES), autoreset="disabled", noise=False)
    env.sim.q += np.array(NUDGES)[:, None]
    env.sim.step(1)  # PhysX has a state after a first step only
    env.robot.change()
    found = play(env, Policy(FOLDER / "go2.onnx"), len(log["pose"]), commands)
    assert found.survived.all()
    apart = np.linalg.norm(found.pose[..., :3] - found.pose[:, :1, :3], axis=-1).max(0)
    physx = np.linalg.norm(found.pose[:, 0, :3] - log["pose"][:, :3], axis=-1).max()
    assert physx <= max(3.0 * apart.max(), 0.02)
    assert np.abs(np.array(list(found.error.values())) - log["error"]).max() < 2e-3
    assert np.linalg.norm(np.diff(log["pose"][:, :2], axis=0), axis=1).sum() > 5.0


def test_a_policy_knows_its_joints_and_observations():
    """And is refused for another task, in one line."""
    signature = Policy(FOLDER / "go2.onnx").signature
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
    graph = onnx.load(FOLDER / "go2.onnx")
    words = json.loads(graph.metadata_props[0].value)
    words[key] = {**words[key], "height_scan": 187} if key == "observations" else 13
    onnx.helper.set_model_props(graph, {"fajin": json.dumps(words)})
    onnx.save(graph, tmp_path / "other.onnx")
    with pytest.raises(InputError, match=rf"other.onnx, {word} = \['worlds', .*\]: must be \(worlds, ") as error:
        Policy(tmp_path / "other.onnx")
    assert "\n" not in str(error.value)
