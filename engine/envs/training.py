"""Training by rsl_rl's PPO: iterations of collected steps and updates, with a curve."""

from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, NamedTuple

import torch
from rsl_rl.runners import OnPolicyRunner

from .adapters.rsl_rl_env import RslRlEnv
from .env import Env
from .policy import export


class Progress(NamedTuple):
    """A row of the curve, after an iteration."""

    iteration: int
    control_steps: int
    seconds: float  # of wall time
    cpu_seconds: float
    reward_per_s: float  # mean over the iteration
    episode_s: float  # mean length of the last 200 episodes, or of those under way before the first one ends
    action_std: float


def settings(hidden: tuple[int, ...], steps: int) -> dict[str, Any]:
    """Return rsl_rl's configuration of PPO: Isaac Lab's, with networks of these layers and normalised observations.

    Args:
        hidden: widths of the hidden layers of actor and critic.
        steps: control steps of an iteration.
    """
    network = {"class_name": "MLPModel", "hidden_dims": list(hidden), "activation": "elu", "obs_normalization": True}
    noise = {"class_name": "GaussianDistribution", "init_std": 1.0, "std_type": "scalar"}
    return {
        "num_steps_per_env": steps, "save_interval": 100, "check_for_nan": False, "multi_gpu": None,
        "obs_groups": {"actor": ["policy"], "critic": ["policy"]},
        "actor": network | {"distribution_cfg": noise}, "critic": dict(network),
        "algorithm": {
            "class_name": "PPO", "num_learning_epochs": 4, "num_mini_batches": 4, "clip_param": 0.2, "gamma": 0.99,
            "lam": 0.95, "value_loss_coef": 1.0, "entropy_coef": 0.005, "learning_rate": 1e-3, "max_grad_norm": 1.0,
            "use_clipped_value_loss": True, "schedule": "adaptive", "desired_kl": 0.01,
        },
    }  # fmt: skip


class Training:
    """PPO on an environment.

    Args:
        env: environment with autoreset "same_step".
        hidden: widths of the hidden layers.
        steps: control steps of an iteration.
        seed: seed of networks and actions.
    """

    def __init__(self, env: Env, hidden: tuple[int, ...], steps: int, seed: int = 0):
        torch.manual_seed(seed)
        self._steps, self._env = steps, RslRlEnv(env)
        config = settings(hidden, steps)
        if "critic" in env.observation_sizes:
            config["obs_groups"]["critic"] = ["critic"]
        self._runner = OnPolicyRunner(self._env, config, log_dir=None, device=str(env.device))
        spread = torch.randint(env.max_episode_length, (env.worlds,), device=env.device)
        self._env.episode_length_buf = spread  # so that not all episodes end at once
        self._lengths: list[float] = []
        self._length = torch.zeros(env.worlds, device=env.device)

    def run(self, iterations: int) -> Iterator[Progress]:
        """Yield the progress after each iteration."""
        env, algorithm = self._env, self._runner.alg
        began, cpu, observations = perf_counter(), process_time(), self._env.get_observations()
        for iteration in range(1, iterations + 1):
            algorithm.train_mode()
            total = 0.0
            with torch.inference_mode():
                for _ in range(self._steps):
                    observations, rewards, dones, extras = env.step(algorithm.act(observations))
                    algorithm.process_env_step(observations, rewards, dones, extras)
                    total += float(rewards.mean())
                    self._count(dones)
                algorithm.compute_returns(observations)
            algorithm.update()
            lengths = self._lengths or self._length.tolist()
            yield Progress(
                iteration,
                iteration * self._steps * env.num_envs,
                round(perf_counter() - began, 2),
                round(process_time() - cpu, 2),
                round(total / self._steps / env.env.dt, 4),
                round(sum(lengths) / len(lengths) * env.env.dt, 3),
                round(float(algorithm.get_policy().output_std.detach().mean()), 4),
            )

    def _count(self, dones: torch.Tensor) -> None:
        """Count the lengths of episodes."""
        self._length += 1
        if dones.any():
            self._lengths = [*self._lengths, *self._length[dones].tolist()][-200:]
            self._length[dones] = 0.0

    def save(self, folder: Path) -> None:
        """Write checkpoint.pt (networks and optimiser) and policy.onnx."""
        self._runner.save(str(folder / "checkpoint.pt"))
        export(self._runner.alg.get_policy(), self._env.env, folder / "policy.onnx")
