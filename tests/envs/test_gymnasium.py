"""gymnasium: its own vector environments, wrappers and checker."""

import warnings

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")
pytest.importorskip("torch")
from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402

from fajin import envs  # noqa: E402
from fajin.envs.adapters.single_env import SingleEnv  # noqa: E402
from fajin.envs.adapters.vector_env import VectorEnv  # noqa: E402
from fajin.errors import InputError  # noqa: E402

WORLDS = 3


def short():
    task = envs.find_task("Cartpole-v0")
    task.episode_seconds = 0.3
    return task


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_a_batch_does_what_gymnasium_makes_of_single_environments(mode):
    """SyncVectorEnv of one world each: the same bits, ends and last observations, over 3 episodes; masks are given."""
    ours = VectorEnv(short(), WORLDS, mode)
    single = [lambda i=i: SingleEnv(short(), first_world=i) for i in range(WORLDS)]
    theirs = SyncVectorEnv(single, autoreset_mode=mode)
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"]
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    first, _ = ours.reset(seed=5)
    assert np.array_equal(first, theirs.reset(seed=[5] * WORLDS)[0])
    rng, ends = np.random.default_rng(0), 0
    for _ in range(60):
        actions = rng.uniform(-1, 1, (WORLDS, 1)).astype(np.float32)
        mine, their = ours.step(actions), theirs.step(actions)
        for a, b in zip(mine[:4], their[:4], strict=True):
            assert np.array_equal(a, b)
        over = mine[2] | mine[3]
        ends += over.any()
        if mode == AutoresetMode.SAME_STEP and over.any():
            assert np.array_equal(mine[4]["_final_obs"], their[4]["_final_obs"])
            last = np.stack(list(their[4]["final_obs"][over]))
            assert np.array_equal(mine[4]["final_obs"][over], last)
        if mode == AutoresetMode.DISABLED and over.any():
            mine, their = (env.reset(options={"reset_mask": over})[0] for env in (ours, theirs))
            assert np.array_equal(mine, their)
    assert ends >= 3


def test_gymnasium_makes_the_registered_tasks_and_wraps_them():
    envs_ = gymnasium.make_vec("fajin/Cartpole-v0", num_envs=WORLDS)
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs_)
    wrapped = gymnasium.wrappers.vector.NormalizeObservation(wrapped)
    observations, _ = wrapped.reset(seed=1)
    assert observations.shape == (WORLDS, 4)
    for _ in range(envs_.unwrapped.env.max_episode_length):
        _, _, _, truncated, infos = wrapped.step(np.zeros((WORLDS, 1)))
    assert truncated.all()
    assert infos["episode"]["l"].tolist() == [envs_.unwrapped.env.max_episode_length] * WORLDS


def test_the_checker_of_gymnasium_finds_nothing():
    """But that spaces are without bounds, as in Isaac Lab."""
    env = gymnasium.make("fajin/Cartpole-v0").unwrapped
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".*(-infinity|infinity|recommend using a symmetric|not having render).*")
        warnings.filterwarnings("ignore", ".*render.*")
        check_env(env)


@pytest.mark.parametrize("mask", [np.zeros(WORLDS, bool), np.ones(WORLDS + 1, bool), np.ones(WORLDS)])
def test_a_mask_of_another_shape_or_type_is_refused(mask):
    env = VectorEnv(short(), WORLDS)
    with pytest.raises(InputError, match="reset_mask"):
        env.reset(options={"reset_mask": mask})


def test_an_unknown_mode_is_refused_with_the_list():
    with pytest.raises(InputError, match="NextStep, SameStep, Disabled"):
        VectorEnv(short(), WORLDS, "Never")
