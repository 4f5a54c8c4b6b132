"""Rough ground: stairs, the scan of their heights, and starts in the middle of each pyramid."""

import re

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import fajin  # noqa: E402
from fajin import envs  # noqa: E402
from fajin.envs import Term, mdp  # noqa: E402
from fajin.envs.tasks import SCENES  # noqa: E402
from fajin.envs.tasks.velocity import COMMAND  # noqa: E402
from fajin.envs.tasks.velocity_rough_go2 import ORIGINS, STEPS  # noqa: E402

WORLDS = 12


def ground(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Heights of the stairs: seven treads of 30 cm around the middle of each tile of 6 m."""
    column = np.clip(((y + 15.0) // 6.0).astype(int), 0, 4)
    edge = np.maximum(np.abs(np.abs(x) - 3.0), np.abs(y - (6.0 * column - 12.0)))
    level = np.clip(np.floor((3.0 - edge) / 0.3 + 1e-9), 0, 7)
    return -np.sign(x) * np.array(STEPS)[column] * level


@pytest.fixture(scope="module")
def env():
    return envs.make("VelocityRoughGo2-v0", WORLDS, threads=1, noise=False)


@pytest.mark.slow
def test_the_scan_has_the_heights_of_the_stairs(env):
    """At 187 points about the heading, less 0.5 m, from -1 to 1 m; within 1 mm of a riser both heights are right."""
    assert env.observation_sizes["policy"]["height_scan"] == 187
    seen = env.reset()["policy"][:, -187:].numpy().astype(np.float64)
    pose = env.robot.root_pose_w.numpy().astype(np.float64)
    x, y, z, w = pose[:, 3:].T
    yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))[:, None]
    ahead, aside = (grid.ravel() for grid in np.meshgrid(np.linspace(-0.8, 0.8, 17), np.linspace(-0.5, 0.5, 11)))
    place = [
        pose[:, :1] + np.cos(yaw) * ahead - np.sin(yaw) * aside,
        pose[:, 1:2] + np.sin(yaw) * ahead + np.cos(yaw) * aside,
    ]
    near = [ground(place[0] + dx, place[1] + dy) for dx in (-1e-3, 1e-3) for dy in (-1e-3, 1e-3)]
    heights = np.clip(pose[:, 2:3] - np.array(near) - 0.5, -1.0, 1.0)
    assert (np.abs(heights - seen).min(0) < 1e-5).all()
    assert np.ptp(near[0]) > 0.3


@pytest.mark.slow
def test_a_robot_starts_and_stands_in_the_middle_of_a_pyramid(env):
    env.reset()
    pose = env.robot.root_pose_w.numpy()
    origins = np.array(ORIGINS).reshape(-1, 3)
    apart = np.abs(pose[:, None, :2] - origins[:, :2]).max(-1)
    nearest = apart.argmin(1)
    assert (apart.min(1) <= 0.3 + 1e-5).all()
    assert len(set(nearest.tolist())) > 3
    over = pose[:, 2] - origins[nearest, 2]
    assert ((over >= 0.34 - 1e-5) & (over <= 0.37 + 1e-5)).all()
    for _ in range(25):
        ended = env.step(torch.zeros(WORLDS, env.num_actions))
    assert not ended.terminated.any()
    assert (env.robot.root_pose_w[:, 2].numpy() - origins[nearest, 2] > 0.2).all()


def test_levels_follow_how_far_a_robot_came():
    """Up beyond the end of its pyramid, down below half the commanded way, else as before; from the last level, any."""
    task = envs.find_task("VelocityRoughGo2-v0")
    task.observations = {"gravity": Term(mdp.projected_gravity)}  # without rays
    env = envs.make(task, 60, threads=1, autoreset="disabled")
    start = task.resets["base"]._object
    env.reset()
    before, column = start.levels.copy(), np.arange(60) % 3
    assert set(before) == set(range(5))
    place = env.robot.root_pose_w.clone()
    origins = np.array(ORIGINS)[before, (place[:, 0] > 0.0).long().numpy()]
    assert np.abs(place[:, :2].numpy() - origins[:, :2]).max() <= 0.3 + 1e-5
    env.episode_length[:] = 100  # 2 s
    env.command(COMMAND)[:, :2] = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.5, 0.0]])[column]
    place[:, 1] = torch.from_numpy(origins[:, 1] + np.array([3.5, 0.5, 0.9])[column]).float()
    place[:, 0] = torch.from_numpy(origins[:, 0]).float()
    env.robot.write_root("root_pose", place.numpy(), torch.arange(60))
    env.reset()
    wanted = np.maximum(before + np.array([1, -1, 0])[column], 0)
    known = wanted < 5
    assert np.array_equal(start.levels[known], wanted[known])
    assert len(set(start.levels[~known])) > 1
    again = np.abs(env.robot.root_pose_w[:, 1].numpy() - np.array(ORIGINS)[start.levels, 0, 1])
    assert again.max() <= 0.3 + 1e-5
    env.seed(0)
    env.reset()
    assert np.array_equal(task.resets["base"]._object.levels, before)


def test_hips_head_and_lower_shanks_pass_through_the_terrain_of_the_light_scene():
    """Feet, upper shanks, thighs and the trunk's box and front meet it in both scenes."""
    pairs = [
        set(fajin.Simulation(fajin.read(SCENES / f"{name}.usda")).pair) for name in ("go2_rough", "go2_rough_light")
    ]
    passing = re.compile(r".*(_hip/Capsule|base/Sphere|_calf/Box_[12])\|.*/terrain")
    assert pairs[0] - pairs[1] == {pair for pair in pairs[0] if passing.fullmatch(pair)}
    assert pairs[1] < pairs[0]
    assert len(pairs[1]) == 2 + 4 * 3
