"""Environments: bits, autoreset, ends, and what is refused."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from fajin import envs  # noqa: E402
from fajin.envs import Task, Term, mdp  # noqa: E402
from fajin.errors import InputError  # noqa: E402

WORLDS = 20


def cartpole(**changes) -> Task:
    task = envs.find_task("Cartpole-v0")
    for name, value in changes.items():
        setattr(task, name, value)
    return task


def actions(steps: int, worlds: int = WORLDS, seed: int = 0) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).uniform(-1, 1, (steps, worlds, 1)).astype(np.float32))


def rollout(env, given) -> list[torch.Tensor]:
    """Observations, rewards and ends of all steps."""
    found = [env.reset()["policy"]]
    for action in given:
        step = env.step(action)
        found += [step.observations["policy"], step.reward, step.terminated.float(), step.truncated.float()]
    return found


def equal(first, second) -> bool:
    return all(torch.equal(a, b) for a, b in zip(first, second, strict=True))


def test_one_seed_gives_one_result():
    """Bit by bit, over ends and resets; another seed gives another."""
    short = cartpole(episode_seconds=0.5)
    runs = [rollout(envs.make(short, WORLDS, seed=seed), actions(70)) for seed in (3, 3, 4)]
    assert equal(runs[0], runs[1])
    assert not equal(runs[0], runs[2])


def test_a_world_alone_equals_itself_in_a_batch():
    """With its number it draws its random numbers; its rewards and observations have its bits."""
    short, world, given = cartpole(episode_seconds=0.5), 13, actions(70)
    batch = rollout(envs.make(short, WORLDS), given)
    alone = rollout(envs.make(short, 1, first_world=world), given[:, world : world + 1])
    assert equal([value[world : world + 1] for value in batch], alone)


def test_the_end_of_time_truncates_and_a_termination_terminates():
    """A pole that falls freely does not end an episode, the end of the rail does."""
    env = envs.make(cartpole(episode_seconds=1.0), WORLDS)
    env.reset()
    for step in range(1, env.max_episode_length + 1):
        found = env.step(torch.zeros(WORLDS, 1))
        assert not (found.terminated & found.truncated).any()
        assert found.truncated.any() == (step == env.max_episode_length)
    assert found.info["log"]["Episode_Termination/time_out"] == 1.0
    for _ in range(60):
        found = env.step(torch.full((WORLDS, 1), 2.0))
        if found.terminated.any():
            break
    assert found.terminated.any()
    assert found.info["log"]["Episode_Termination/cart_out_of_bounds"] == 1.0
    assert (found.reward[found.terminated] < 0.0).all()


def test_a_world_with_an_action_that_is_not_finite_ends_and_others_go_on():
    env, twin = (envs.make("Cartpole-v0", WORLDS, autoreset="disabled") for _ in range(2))
    env.reset(), twin.reset()
    action = actions(1)[0]
    broken = action.clone()
    broken[3], broken[7] = float("nan"), float("inf")
    found, expected = env.step(broken), twin.step(action)
    assert found.terminated.nonzero()[:, 0].tolist() == [3, 7]
    assert found.info["log"]["Episode_Termination/not_finite"] == 1.0
    others = [i for i in range(WORLDS) if i not in (3, 7)]
    assert torch.equal(found.observations["policy"][others], expected.observations["policy"][others])
    assert torch.isfinite(found.observations["policy"]).all()
    env.reset(found.terminated)
    assert torch.isfinite(env.step(action).observations["policy"]).all()


def test_a_mask_resets_its_worlds_only():
    env = envs.make("Cartpole-v0", WORLDS, autoreset="disabled")
    env.reset()
    before = env.step(actions(1)[0]).observations["policy"]
    mask = torch.zeros(WORLDS, dtype=torch.bool)
    mask[[2, 5]] = True
    after = env.reset(mask)["policy"]
    assert torch.equal(before[~mask], after[~mask])
    assert (before[mask] != after[mask]).any(1).all()
    assert env.episode_length.tolist() == [0 if i in (2, 5) else 1 for i in range(WORLDS)]


def test_groups_of_observations_have_their_own_terms_and_noise():
    groups = {
        "policy": {"q": Term(mdp.joint_pos, noise=0.25), "qd": Term(mdp.joint_vel, gain=0.5)},
        "critic": {
            "q": Term(mdp.joint_pos),
            "z": Term(lambda env, power: env.robot.joint_pos[:, :1] ** power, power=2),
        },
    }
    env = envs.make(cartpole(observations=groups), WORLDS)
    found = env.reset()
    assert {name: tuple(values.shape) for name, values in found.items()} == {"policy": (20, 4), "critic": (20, 3)}
    noise = found["policy"][:, :2] - found["critic"][:, :2]
    assert 0.1 < noise.abs().max() < 0.25 + 1e-6
    assert torch.equal(found["policy"][:, 2:], env.robot.joint_vel * 0.5)
    assert torch.equal(found["critic"][:, 2], found["critic"][:, 0] ** 2)


def refused(action, *words: str) -> None:
    """The action gives one line with these words."""
    with pytest.raises((InputError, KeyError)) as error:
        action()
    text = str(error.value)
    assert "\n" not in text
    for word in words:
        assert word in text, text


def offsets(positions: tuple[float, ...]) -> Term:
    return Term(mdp.reset_joints_by_offset, position_range=positions, velocity_range=(0.0, 0.0))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rewards": {"x": Term(mdp.joint_vel_l1, joint_names="slidr")}}, ["slidr", "did you mean 'slider'"]),
        ({"rewards": {"x": Term(mdp.joint_vel_l1, joints="slider")}}, ["rewards.x", "joints", "joint_names"]),
        ({"rewards": {"x": Term(mdp.track_ang_vel_z_exp, std=1.0, command_name="v")}}, ["'v'", "none"]),
        ({"rewards": {"x": Term(mdp.joint_pos_target_l2)}}, ["rewards.x", "target", "must be set"]),
        ({"rewards": {"x": Term(mdp.joint_pos)}}, ["rewards.x", "(2, 2)", "a number for each world"]),
        ({"terminations": {"x": Term(mdp.illegal_contact, colliders="foot")}}, ["'foot'", "must match a collider"]),
        ({"observations": {"x": Term(mdp.is_alive)}}, ["observations.policy.x", "a row for each world"]),
        ({"actions": {"x": mdp.JointEffortAction("cart")}}, ["cart", "slider"]),
        ({"intervals": {"x": Term(mdp.reset_joints_by_scale)}}, ["intervals.x", "must be set"]),
        ({"decimation": 0}, ["decimation = 0", "above 0"]),
        ({"decimation": 1.5}, ["decimation = 1.5", "a whole number above 0"]),
        ({"episode_seconds": float("inf")}, ["episode_seconds = inf", "finite"]),
        ({"actions": {}}, ["actions = {}", "at least one"]),
        ({"observations": {}}, ["observations = {}", "at least one"]),
        ({"rewards": [Term(mdp.is_alive)]}, ["rewards = list", "a mapping from names to terms"]),
        ({"rewards": {"x": mdp.is_alive}}, ["rewards.x = <function is_alive", "must be a Term"]),
        ({"observations": {"x": 3}}, ["observations.x = 3", "must be a Term"]),
        ({"observations": {"policy": {"x": 3}}}, ["observations.x = 3", "must be a Term"]),
        ({"rewards": {"x": Term(3)}}, ["rewards.x = 3", "a function"]),  # pyright: ignore[reportArgumentType]  # wrong
        ({"rewards": {"x": Term(mdp.is_alive, float("nan"))}}, ["rewards.x, weight = nan", "must be finite"]),
        ({"rewards": {"x": Term(lambda env: 1.0)}}, ["rewards.x = float", "as a tensor"]),
        ({"observations": {"x": Term(lambda env: np.zeros((2, 1)))}}, ["observations.policy.x = ndarray", "tensor"]),
        ({"resets": {"x": offsets((1.0, -1.0))}}, ["range = (1.0, -1.0)", "the lower one first"]),
        ({"resets": {"x": offsets((0.0, 1.0, 2.0))}}, ["range = (0.0, 1.0, 2.0)", "two finite numbers"]),
        ({"resets": {"x": offsets((float("nan"), 0.0))}}, ["range = (nan, 0.0)", "two finite numbers"]),
    ],
)
def test_a_wrong_name_fails_when_the_environment_is_made(changes, words):
    refused(lambda: envs.make(cartpole(**changes), 2), *words)


def test_wrong_arguments_are_refused_in_one_line():
    env = envs.make("Cartpole-v0", 2)
    refused(lambda: envs.make("Cartpol-v0"), "'Cartpol-v0'", "did you mean 'Cartpole-v0'")
    refused(lambda: envs.make("Cartpole-v0", autoreset="never"), "autoreset = 'never'", "next_step")
    refused(lambda: env.step(torch.zeros(3, 1)), "actions = (3, 1)", "(2, 1)")
    refused(lambda: env.step([[0.0], [0.0]]), "actions = list", "(2, 1)")
    refused(lambda: env.step(np.zeros((2, 1))), "actions = ndarray", "must be a tensor (2, 1)")
    refused(lambda: env.reset([True, False]), "mask = list", "torch.bool")
    refused(lambda: envs.make(3), "task = 3", "the name of one")
    refused(lambda: mdp.JointEffortAction("slider", scale=float("nan")), "scale = nan", "must be finite")
    refused(lambda: env.step(torch.zeros(2, 1, dtype=torch.int32)), "torch.int32", "actions.float()")
    refused(lambda: env.step(torch.zeros(2, 1, requires_grad=True)), "gradient", "actions.detach()")
    refused(lambda: env.reset(torch.tensor([1, 0])), "mask = (2,) of torch.int64", "torch.bool")
    assert env.episode_length.tolist() == [0, 0]


def test_writing_a_joint_in_mid_episode_keeps_the_others():
    """A reset draws both joints; an interval event that writes one must not return the other to an older value."""
    env = envs.make(cartpole(), 4)
    env.step(torch.ones(4, 1))
    before, chosen = env.robot.joint_pos.clone(), torch.tensor([1, 2])
    columns = env.robot.find_joints("hinge")
    env.robot.write_joints("q", torch.full((2, 1), 0.3), chosen, columns)
    expected = before.clone()
    expected[chosen[:, None], columns] = 0.3
    torch.testing.assert_close(env.robot.joint_pos, expected, rtol=0.0, atol=0.0)


@pytest.mark.parametrize("name", ["VelocityFlatGo2-v0", "Ant-v0", "Cartpole-v0"])
def test_what_is_kept_of_a_state_is_what_the_simulation_has(name):
    """After resets and pushes of some worlds, a robot that reads everything anew finds the same, to rounding."""
    env = envs.make(name, 6, autoreset="disabled")
    env.reset()
    for k in range(5):
        env.step(0.3 * torch.ones(6, env.num_actions))
        env.observe()
        env.start_episodes(torch.tensor([1, 4]))
        if k % 2 and "Cartpole" not in name:
            mdp.push_by_setting_velocity(env, torch.tensor([0, 4]), velocity_range={"x": (0.5, 1.0), "yaw": (1.0, 2.0)})
        kept = env.observe()["policy"]
        env.robot.change()
        assert torch.allclose(env.observe()["policy"], kept, rtol=0.0, atol=4e-6)


def test_a_reset_event_in_mid_episode_changes_what_it_draws_only():
    """In its worlds, by numbers that the same worlds draw alone; joints that it does not name keep their motion."""
    env = envs.make("VelocityFlatGo2-v0", 6, autoreset="disabled")
    for _ in range(4):
        env.step(0.3 * torch.ones(6, 12))
    before, chosen = [env.robot.joint_pos.clone(), env.robot.root_pose_w.clone()], torch.tensor([1, 4])
    mdp.reset_joints_by_offset(env, chosen, (0.5, 0.5), (0.0, 0.0), joint_names=".*calf_joint")
    mdp.reset_root_state_uniform(env, chosen, {"x": (2.0, 2.0), "yaw": (1.0, 1.0)})
    moved = env.robot.find_joints(".*calf_joint")
    joints, roots = before[0].clone(), before[1].clone()
    joints[chosen[:, None], moved] = env.robot.default_joint_pos[0, moved] + 0.5
    roots[chosen] = env.robot.default_root_pose[chosen]
    roots[chosen, 0] += 2.0
    roots[chosen, 3:] = torch.tensor([0.0, 0.0, np.sin(0.5), np.cos(0.5)], dtype=torch.float32)
    torch.testing.assert_close(env.robot.joint_pos, joints, rtol=0.0, atol=1e-6)
    torch.testing.assert_close(env.robot.root_pose_w, roots, rtol=0.0, atol=1e-6)
    env.robot.change()
    torch.testing.assert_close(env.robot.root_pose_w, roots, rtol=0.0, atol=1e-6)


def test_states_of_a_reset_that_are_not_finite_are_refused():
    env = envs.make(cartpole(), 4)
    with pytest.raises(ValueError, match="q = nan: must be finite"):
        env.robot.write_joints("q", torch.full((1, 1), torch.nan), torch.tensor([1]), env.robot.find_joints("hinge"))
    assert torch.isfinite(env.robot.joint_pos).all()


def pulls(env) -> torch.Tensor:
    """A reward that reads contacts from the simulation itself."""
    return torch.from_numpy(env.sim.read("contact_force").sum((1, 2)))


@pytest.mark.parametrize(
    ("name", "more", "writes"),
    [
        ("Cartpole-v0", {}, False),
        ("VelocityFlatGo2-v0", {}, False),  # net forces and times in the air are of the read-out
        ("Ant-v0", {}, True),  # whose policy sees wrenches of joints
        ("Cartpole-v0", {"reward": pulls}, True),
        ("Cartpole-v0", {"results": True}, True),
    ],
)
def test_steps_write_the_results_that_a_term_reads(name, more, writes):
    task, more = envs.find_task(name), dict(more)
    if reward := more.pop("reward", None):
        task.rewards["pulls"] = Term(reward)
    env = envs.make(task, 2, threads=1, **more)
    assert env.sim.results == writes
    env.step(torch.zeros(2, env.num_actions))
    if writes:
        assert env.sim.read("link_incoming_force").any()
    else:
        with pytest.raises(ValueError, match="must be True to read link_incoming_force"):
            env.sim.read("link_incoming_force")
