"""Learners of other libraries run on the environments, and Stable-Baselines3 sees what gymnasium sees."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from fajin import envs  # noqa: E402
from fajin.errors import InputError  # noqa: E402

WORLDS = 4


def short():
    task = envs.find_task("Cartpole-v0")
    task.episode_seconds = 0.3
    return task


@pytest.mark.slow
def test_stable_baselines3_learns_for_an_iteration():
    sb3 = pytest.importorskip("stable_baselines3")
    from fajin.envs.adapters.sb3_env import Sb3VecEnv

    model = sb3.PPO("MlpPolicy", Sb3VecEnv(envs.make(short(), WORLDS)), n_steps=32, batch_size=32, device="cpu")
    model.learn(4 * 32)
    assert model.num_timesteps == 4 * 32
    assert all(torch.isfinite(weights).all() for weights in model.policy.parameters())


@pytest.mark.slow
def test_stable_baselines3_sees_the_ends_that_gymnasium_sees():
    """Observations, rewards, ends and last observations of SAME_STEP; times that are up are told apart from falls."""
    pytest.importorskip("stable_baselines3")
    from fajin.envs.adapters.sb3_env import Sb3VecEnv
    from fajin.envs.adapters.vector_env import VectorEnv

    ours, theirs = Sb3VecEnv(envs.make(short(), WORLDS, seed=3)), VectorEnv(short(), WORLDS, "SameStep", seed=3)
    assert np.array_equal(ours.reset(), theirs.reset()[0])
    rng, ends = np.random.default_rng(0), 0
    for _ in range(40):
        actions = rng.uniform(-1, 1, (WORLDS, 1)).astype(np.float32)
        observations, reward, over, infos = ours.step(actions)
        expected, gained, terminated, truncated, info = theirs.step(actions)
        assert np.array_equal(observations, expected)
        assert np.array_equal(reward, gained)
        assert np.array_equal(over, terminated | truncated)
        ends += over.sum()
        for world in np.flatnonzero(over):
            assert np.array_equal(infos[world]["terminal_observation"], info["final_obs"][world])
            assert infos[world]["TimeLimit.truncated"] == truncated[world]
        assert all(infos[world] == {} for world in np.flatnonzero(~over))
    assert ends >= 2 * WORLDS
    with pytest.raises(InputError, match="must be 'same_step' for Stable-Baselines3"):
        Sb3VecEnv(envs.make(short(), 1, autoreset="disabled"))


@pytest.mark.slow
def test_skrl_learns_for_an_iteration():
    gymnasium = pytest.importorskip("gymnasium")
    pytest.importorskip("skrl")
    from skrl.agents.torch.ppo import PPO, PPO_CFG
    from skrl.envs.wrappers.torch import wrap_env
    from skrl.memories.torch import RandomMemory
    from skrl.trainers.torch import SequentialTrainer
    from skrl.utils.model_instantiators.torch import deterministic_model, gaussian_model

    assert envs.TASKS  # which importing fajin.envs registers
    env = wrap_env(gymnasium.make_vec("fajin/Cartpole-v0", num_envs=WORLDS))
    spaces = {"observation_space": env.observation_space, "action_space": env.action_space, "device": env.device}
    network = [{"name": "net", "input": "OBSERVATIONS", "layers": [16], "activations": "elu"}]
    models = {
        "policy": gaussian_model(**spaces, network=network, output="ACTIONS"),
        "value": deterministic_model(**spaces, network=network, output="ONE"),
    }
    cfg = PPO_CFG()
    cfg.rollouts, cfg.learning_epochs, cfg.mini_batches = 16, 1, 1
    cfg.experiment.write_interval = cfg.experiment.checkpoint_interval = 0
    memory = RandomMemory(memory_size=16, num_envs=WORLDS, device=env.device)
    agent = PPO(models=models, memory=memory, cfg=cfg, **spaces)
    settings = {"timesteps": 16, "headless": True, "disable_progressbar": True}
    SequentialTrainer(env=env, agents=agent, cfg=settings).train()
    state = env.reset()[0]
    action, _ = models["policy"].act({"observations": state}, role="policy")
    assert action.shape == (WORLDS, 1)
    assert torch.isfinite(action).all()
