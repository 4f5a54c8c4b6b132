"""Training by rsl_rl's PPO: iterations of collected steps and updates, with a curve."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from pickle import UnpicklingError
from time import perf_counter, process_time
from typing import Any, NamedTuple

import torch
from rsl_rl.runners import OnPolicyRunner

from ..errors import InputError, reason_of
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


def settings(hidden: tuple[int, ...], steps: int, init_std: float = 1.0, **algorithm: float) -> dict[str, Any]:
    """Return rsl_rl's configuration of PPO: Isaac Lab's, with networks of these layers and normalised observations.

    Args:
        hidden: widths of the hidden layers of actor and critic.
        steps: control steps of an iteration.
        init_std: standard deviation of the actions at first.
        algorithm: further settings of rsl_rl's PPO.
    """
    network = {"class_name": "MLPModel", "hidden_dims": list(hidden), "activation": "elu", "obs_normalization": True}
    noise = {"class_name": "GaussianDistribution", "init_std": init_std, "std_type": "scalar"}
    return {
        "num_steps_per_env": steps, "save_interval": 100, "check_for_nan": False, "multi_gpu": None,
        "obs_groups": {"actor": ["policy"], "critic": ["policy"]},
        "actor": network | {"distribution_cfg": noise}, "critic": dict(network),
        "algorithm": {
            "class_name": "PPO", "num_learning_epochs": 4, "num_mini_batches": 4, "clip_param": 0.2, "gamma": 0.99,
            "lam": 0.95, "value_loss_coef": 1.0, "entropy_coef": 0.005, "learning_rate": 1e-3, "max_grad_norm": 1.0,
            "use_clipped_value_loss": True, "schedule": "adaptive", "desired_kl": 0.01,
            **algorithm,
        },
    }  # fmt: skip


class Training:
    """PPO on an environment.

    Args:
        env: environment with autoreset "same_step".
        seed: seed of networks and actions.
        learning: settings of its task, `Task.learning`, as of `settings`.
    """

    def __init__(self, env: Env, seed: int = 0, **learning: Any):
        torch.manual_seed(seed)
        self._env, config = RslRlEnv(env), settings(**learning)
        self._steps: int = config["num_steps_per_env"]
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

    def start_from(self, path: Path) -> None:
        """Start with the networks of a checkpoint, of this task or of one with fewer observations and hidden units.

        What the networks have beside those of the checkpoint has no effect at first, so that the policy acts as before.

        Raises:
            InputError: the file is not a checkpoint, or its networks do not fit into these.
        """
        try:
            given = torch.load(path, weights_only=True)
            parts = [given["actor_state_dict"], given["critic_state_dict"]]
        except (OSError, KeyError, TypeError, UnpicklingError, RuntimeError) as error:
            raise InputError(f"{path}: must be a checkpoint that fajin train wrote; {reason_of(error)}") from None
        algorithm = self._runner.alg
        for network, part in zip((algorithm._raw_actor, algorithm._raw_critic), parts, strict=True):
            network.load_state_dict(_widened(network.state_dict(), part, path))

    def save(self, folder: Path) -> None:
        """Write checkpoint.pt (networks and optimiser) and policy.onnx."""
        self._runner.save(str(folder / "checkpoint.pt"))
        export(self._runner.alg.get_policy(), self._env.env, folder / "policy.onnx")


def _widened(own: Mapping[str, torch.Tensor], given: Mapping[str, torch.Tensor], path: Path) -> dict[str, torch.Tensor]:
    """Return the tensors of a network whose first rows and columns are those of a given one.

    Where a given row has further columns, which are inputs that the given network lacks, they are 0; further rows stay.
    """
    found = {}
    for name, tensor in own.items():
        other = given.get(name)
        fits = other is not None and other.ndim == tensor.ndim
        if other is None or not fits or any(a > b for a, b in zip(other.shape, tensor.shape, strict=True)):
            seen = "missing" if other is None else tuple(other.shape)
            raise InputError(f"{path}, {name} = {seen}: must be at most {tuple(tensor.shape)}, as of this task")
        found[name] = wide = tensor.clone()
        if tensor.ndim == 2 and "weight" in name:
            wide[: len(other)] = 0.0
        wide[tuple(slice(size) for size in other.shape)] = other
    return found
