"""Tasks: sizes and orders of Isaac Lab's, robots that stand, and their terms against lines of NumPy."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from fajin import envs  # noqa: E402
from fajin.envs import Term, mdp  # noqa: E402
from fajin.envs.playing import nominal  # noqa: E402
from fajin.errors import InputError  # noqa: E402

ROUND = 64 * np.finfo(np.float32).eps  # of sums of some dozen float32 numbers
TARGET = (1000.0, 0.0, 0.0)
SIZES = {
    "Cartpole-v0": (4, 1, 300),
    "Ant-v0": (60, 8, 960),
    "ReachFranka-v0": (32, 7, 360),
    "VelocityFlatGo2-v0": (48, 12, 1000),
    "VelocityRoughGo2-v0": (48 + 187, 12, 350),
    "VelocityFlatAnymalC-v0": (48, 12, 1000),
}  # observations, actions, control steps of an episode
LEGS = {
    "Ant-v0": "back_left_hip back_right_hip front_left_hip front_right_hip back_left_knee",
    "VelocityFlatAnymalC-v0": "LF_HAA LH_HAA RF_HAA RH_HAA LF_HFE LH_HFE RF_HFE RH_HFE LF_KFE LH_KFE RF_KFE RH_KFE",
    "ReachFranka-v0": "panda_joint1 panda_joint2 panda_joint3",
}


@pytest.fixture(scope="module")
def moved():
    """Each task in 20 worlds after 12 control steps of random actions, by name."""
    made = {}

    def get(name: str):
        if name not in made:
            made[name] = env = envs.make(name, 20)
            rng = np.random.default_rng(0)
            for _ in range(12):
                env.step(torch.from_numpy(rng.normal(size=(20, env.num_actions)).astype(np.float32) * 0.4))
        return made[name]

    return get


def test_every_task_is_checked_here():
    assert [name.removeprefix("fajin/") for name in envs.TASKS] == list(SIZES)


@pytest.mark.parametrize("name", SIZES)
def test_a_task_has_the_sizes_of_isaac_lab(moved, name):
    env = moved(name)
    assert (sum(env.observation_sizes["policy"].values()), env.num_actions, env.max_episode_length) == SIZES[name]
    assert " ".join(env.robot.joint_names).startswith(LEGS.get(name, ""))


@pytest.mark.parametrize(("name", "height"), [("VelocityFlatAnymalC-v0", 0.45), ("VelocityFlatGo2-v0", 0.25)])
def test_a_legged_robot_stands_for_two_seconds_without_a_policy(name, height):
    env = envs.make(nominal(envs.find_task(name)), 1, autoreset="disabled")
    for _ in range(100):
        found = env.step(torch.zeros(1, env.num_actions))
        assert not found.terminated.any()
    assert env.robot.root_pose_w[0, 2] > height
    assert env.robot.projected_gravity_b[0, 2] < -0.99


def state(env) -> dict[str, np.ndarray]:
    """State in double precision, joints in PhysX's order, and the rotation matrices of the roots."""
    order = env.sim.indexing[env.robot.path].dofs
    found = {key: env.sim.read(key)[:, order].astype(np.float64) for key in ("q", "qd", "lower", "upper")}
    found["root"] = env.sim.read("root_pose")[:, 0].astype(np.float64)
    found["R"] = matrices(found["root"][:, 3:])
    away = np.array(TARGET) - found["root"][:, :3]
    found["yaw"], found["to"] = np.arctan2(found["R"][:, 1, 0], found["R"][:, 0, 0]), np.arctan2(away[:, 1], away[:, 0])
    found["roll"] = np.arctan2(found["R"][:, 2, 1], found["R"][:, 2, 2])
    found["ahead"] = (found["R"][:, :2, 0] * away[:, :2]).sum(1) / np.hypot(away[:, 0], away[:, 1])
    found["p"] = (2.0 * found["q"] - found["upper"] - found["lower"]) / (found["upper"] - found["lower"])
    found["a"] = env.actions.numpy().astype(np.float64)
    return found


def matrices(quaternion: np.ndarray) -> np.ndarray:
    """Return rotation matrices of quaternions, (W, 4) → (W, 3, 3)."""
    x, y, z, w = quaternion.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.array(rows).transpose(2, 0, 1)


GEARS = {".*_hip": 30.0, ".*_knee": 15.0}
G = np.repeat([1.0, 0.5], 4)
ANT = {
    "base_yaw_roll": ({}, lambda f: np.stack([f["yaw"], f["roll"]], 1)),
    "base_angle_to_target": ({"target_pos": TARGET}, lambda f: (f["to"] - f["yaw"])[:, None]),
    "base_up_proj": ({}, lambda f: f["R"][:, 2, 2:]),
    "base_heading_proj": ({"target_pos": TARGET}, lambda f: f["ahead"][:, None]),
    "joint_pos_limit_normalized": ({}, lambda f: f["p"]),
    "upright_posture_bonus": ({"threshold": 0.999}, lambda f: f["R"][:, 2, 2] > 0.999),
    "move_to_target_bonus": (
        {"threshold": 0.999, "target_pos": TARGET},
        lambda f: np.where(f["ahead"] > 0.999, 1.0, f["ahead"] / 0.999),
    ),
    "power_consumption": ({"gear_ratio": GEARS}, lambda f: np.abs(f["a"] * f["qd"] * G).sum(1)),
    "joint_pos_limits_penalty_ratio": (
        {"threshold": 0.6, "gear_ratio": GEARS},
        lambda f: (np.where(np.abs(f["p"]) > 0.6, (np.abs(f["p"]) - 0.6) / 0.4, 0.0) * G).sum(1),
    ),
}


@pytest.mark.parametrize("name", ANT)
def test_a_term_of_the_ant_is_its_formula(moved, name):
    env = moved("Ant-v0")
    parameters, law = ANT[name]
    found, expected = getattr(mdp, name)(env, **parameters).numpy(), np.asarray(law(state(env)), float)
    assert found.shape == expected.shape
    assert np.ptp(expected) > 0.0
    assert np.abs(found - expected).max() <= ROUND * max(1.0, np.abs(expected).max())


def test_wrenches_are_those_of_the_bodies(moved):
    env = moved("Ant-v0")
    columns = [env.sim.link.index(f"/ant/{leg}_shank") for leg in ("back_left", "back_right", "front_left")]
    found = mdp.body_incoming_wrench(env, ".*_shank").numpy().reshape(20, 4, 6)
    assert np.array_equal(found[:, :3], env.sim.read("link_incoming_force")[:, columns])


def test_progress_is_the_speed_of_approach_and_starts_anew_at_a_reset():
    """Over a step, distances are those of the end and the start; of a world that was reset, of its new start."""
    task = envs.find_task("Ant-v0")
    task.rewards = {"progress": Term(mdp.progress_reward, target_pos=TARGET)}
    env = envs.make(task, 6, autoreset="disabled")
    mdp.push_by_setting_velocity(env, torch.arange(6), velocity_range={"x": (0.5, 1.0)})
    for k in range(4):
        if k == 3:
            env.reset(torch.arange(6) == 2)
        before = state(env)["root"]
        reward = env.step(torch.zeros(6, 8)).reward.numpy()
        away = [np.linalg.norm(np.array(TARGET[:2]) - pose[:, :2], axis=1) for pose in (before, state(env)["root"])]
        assert np.allclose(reward, away[0] - away[1], atol=1e-6)
        assert np.array_equal(away[0] - away[1] > 1e-3, np.arange(6) != 2 if k == 3 else np.ones(6, bool))


def test_the_hand_of_an_arm_is_as_far_as_numpy_says_from_its_command(moved):
    """Position, tanh, and the angle of the rotation between the orientations; poses are drawn within their ranges."""
    env = moved("ReachFranka-v0")
    names = {"body_name": "panda_hand", "command_name": "ee_pose"}
    pose = env.sim.read("link_pose")[:, env.sim.link.index("/panda/panda_hand")].astype(np.float64)
    wanted = env.command("ee_pose").numpy().astype(np.float64)
    low, high = np.array([0.35, -0.2, 0.15]), np.array([0.65, 0.2, 0.5])
    assert ((wanted[:, :3] >= low) & (wanted[:, :3] < high)).all()
    distance = np.linalg.norm(pose[:, :3] - wanted[:, :3], axis=1)
    turned = np.einsum("wji,wjk->wik", matrices(wanted[:, 3:]), matrices(pose[:, 3:]))
    angle = np.arccos((np.trace(turned, axis1=1, axis2=2) - 1.0) / 2.0)
    assert np.allclose(matrices(wanted[:, 3:])[:, 2, 2], -1.0)  # the hand points down
    assert np.allclose(mdp.position_command_error(env, **names).numpy(), distance, atol=ROUND)
    assert np.allclose(
        mdp.position_command_error_tanh(env, std=0.1, **names).numpy(), 1 - np.tanh(distance / 0.1), atol=10 * ROUND
    )
    assert np.allclose(mdp.orientation_command_error(env, **names).numpy(), angle, atol=4.0 * ROUND**0.5)


def test_a_range_of_another_name_is_refused():
    task = envs.find_task("ReachFranka-v0")
    task.commands["ee_pose"] = mdp.UniformPoseCommand({"heading": (0.0, 1.0)})
    with pytest.raises(InputError, match="range = 'heading': must be among x, y, z, roll, pitch, yaw"):
        envs.make(task)
