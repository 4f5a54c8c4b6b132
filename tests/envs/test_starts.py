"""Starts of episodes: events that draw alike in each reset are not called again, and nothing else changes."""

import pytest

torch = pytest.importorskip("torch")
from fajin import envs  # noqa: E402
from fajin.envs import Term, mdp  # noqa: E402
from fajin.errors import InputError  # noqa: E402

WORLDS = 20
CALLS = []


def counted(env, worlds, position_range, velocity_range):
    """An event of a user, which is called in each reset."""
    CALLS.append(len(worlds))
    mdp.reset_joints_by_offset(env, worlds, position_range, velocity_range)


counted.staged = True
OFFSETS = {"position_range": (-0.2, 0.2), "velocity_range": (-1.0, 1.0)}


def made(name: str, function, **parameters) -> envs.Env:
    task = envs.find_task(name)
    task.resets["joints"] = Term(function, **parameters)
    return envs.make(task, WORLDS, seed=5, threads=1)


def states(env: envs.Env, resets: int) -> list[torch.Tensor]:
    """Positions, speeds and roots after resets of some worlds, and a step after each."""
    found = []
    for k in range(resets):
        env.start_episodes(torch.tensor([k % 3, 7, 19]))
        robot = env.robot
        found += [torch.cat([robot.joint_pos, robot.joint_vel, robot.root_pose_w, robot.root_vel_w], 1).clone()]
        found += [robot.body_pose_w.flatten(1).clone()]
        found += [env.step(torch.full((WORLDS, env.num_actions), 0.1 * k)).observations["policy"]]
    return found


@pytest.mark.parametrize("name", ["Cartpole-v0", "VelocityFlatGo2-v0"])
def test_starts_have_the_bits_that_they_have_where_each_event_is_called(name):
    CALLS.clear()
    own, users = (made(name, function, **OFFSETS) for function in (mdp.reset_joints_by_offset, counted))
    for one, two in zip(states(own, 5), states(users, 5), strict=True):
        assert torch.equal(one, two)
    assert CALLS.count(3) >= 5


def test_ranges_that_change_act_at_the_next_start():
    """As those of a curriculum do."""
    env, worlds = made("Cartpole-v0", mdp.reset_joints_by_offset, **OFFSETS), torch.arange(WORLDS)
    for limit in (0.2, 0.2, 0.01, 0.3):
        env.task.resets["joints"].parameters["position_range"] = (limit / 2.0, limit)
        for _ in range(3):
            env.start_episodes(worlds)
            offsets = env.robot.joint_pos - env.robot.default_joint_pos
            assert (offsets >= limit / 2.0 - 1e-6).all()
            assert (offsets <= limit + 1e-6).all()


def test_an_event_that_joins_the_resets_is_called():
    env = made("Cartpole-v0", mdp.reset_joints_by_offset, **OFFSETS)
    env.start_episodes(torch.tensor([1]))
    CALLS.clear()
    env.task.resets["more"] = Term(counted, **OFFSETS)
    for _ in range(3):
        env.start_episodes(torch.tensor([1, 2]))
    assert CALLS == [2, 2, 2]


def test_ranges_may_be_lists():
    lists = {name: list(pair) for name, pair in OFFSETS.items()}
    own, other = (made("Cartpole-v0", mdp.reset_joints_by_offset, **ranges) for ranges in (OFFSETS, lists))
    for one, two in zip(states(own, 3), states(other, 3), strict=True):
        assert torch.equal(one, two)


@pytest.mark.parametrize("pair", ["ab", 0.1, (0.1,), (0.2, 0.1), (0.0, float("nan")), torch.tensor([0.0, 1.0]), None])
def test_a_range_against_its_rule_is_refused_in_one_line(pair):
    with pytest.raises(InputError, match=r"range = .*: must be two finite numbers, the lower one first") as error:
        made("Cartpole-v0", mdp.reset_joints_by_offset, position_range=pair, velocity_range=(0.0, 0.0))
    assert "\n" not in str(error.value)
