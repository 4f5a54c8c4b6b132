"""Delayed actions: every physics step has the values that were applied so many physics steps before."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import fajin  # noqa: E402
from fajin import envs  # noqa: E402
from fajin.envs import Term, mdp  # noqa: E402
from fajin.errors import InputError  # noqa: E402

WORLDS, STEPS, LONGEST = 5, 6, 7


def task(scenes, **delays) -> envs.Task:
    """A pendulum whose effort follows the actions, at three physics steps a control step."""
    return envs.Task(
        scene=scenes / "pendulum.usda",
        decimation=3,
        episode_seconds=100.0,
        actions={"effort": mdp.JointEffortAction(".*", scale=0.2, **delays)},
        observations={"q": Term(mdp.joint_pos)},
        rewards={"alive": Term(mdp.is_alive)},
    )


def run(env, actions: np.ndarray, delays: np.ndarray) -> None:
    """Compare an environment with single steps of a simulation, to the bit."""
    plain = fajin.Simulation(fajin.read(env.task.scene), env.worlds, "cpu", "f32", 1, sleeping=False, copies=False)
    n = env.task.decimation
    for control, values in enumerate(actions):
        env.step(torch.from_numpy(values))
        for step in range(control * n, control * n + n):
            row = np.maximum((step - delays) // n, 0)
            plain.effort = np.float32(0.2) * actions[row, np.arange(env.worlds)]
            plain.step()
        assert np.array_equal(env.sim.read("q"), plain.read("q"))
        assert np.array_equal(env.sim.read("effort"), plain.read("effort"))


def drawn(env) -> np.ndarray:
    return env.task.actions["effort"]._delayed._delays.numpy().astype(int)


def test_each_world_has_its_delay_in_one_launch(scenes):
    env = envs.make(task(scenes, min_delay=1, max_delay=LONGEST), WORLDS, seed=4, threads=1)
    delays = drawn(env)
    assert len(set(delays.tolist())) > 1
    assert ((delays >= 1) & (delays <= LONGEST)).all()
    rng = np.random.default_rng(0)
    run(env, rng.normal(size=(STEPS, WORLDS, 1)).astype(np.float32), delays)


def test_a_delay_begins_anew_with_an_episode(scenes):
    """A world that is reset has its first action at once, and a new delay; the others keep theirs."""
    env = envs.make(task(scenes, max_delay=LONGEST), WORLDS, seed=4, threads=1)
    actions = torch.from_numpy(np.random.default_rng(1).normal(size=(STEPS, WORLDS, 1)).astype(np.float32))
    for values in actions:
        env.step(values)
    before = drawn(env)
    env.reset(torch.arange(WORLDS) == 2)
    kept = np.arange(WORLDS) != 2
    assert (drawn(env)[kept] == before[kept]).all()
    env.step(actions[0])
    assert env.sim.effort[2, 0] == np.float32(0.2) * actions[0, 2, 0].numpy()


def test_a_world_alone_has_the_delays_of_the_batch(scenes):
    whole = envs.make(task(scenes, max_delay=LONGEST), WORLDS, seed=4, threads=1)
    alone = envs.make(task(scenes, max_delay=LONGEST), 1, seed=4, threads=1, first_world=3)
    assert drawn(alone)[0] == drawn(whole)[3]


def test_delays_against_their_rule_are_one_line(scenes):
    with pytest.raises(InputError, match="max_delay = 1: must be from min_delay = 2 on"):
        mdp.JointEffortAction(min_delay=2, max_delay=1)
    two = task(scenes, max_delay=2)
    two.actions["target"] = mdp.JointPositionAction(max_delay=2)
    with pytest.raises(InputError, match="max_delay = several actions: must be of one action"):
        envs.make(two, 1, threads=1)
