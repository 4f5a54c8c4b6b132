"""Policies are trained within budgets of control steps."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("rsl_rl")
from fajin import envs  # noqa: E402


@pytest.mark.slow
def test_a_cartpole_is_balanced_within_250_000_control_steps():
    """Episodes of 4.7 of 5 s on average, with the settings of `fajin train`. Other seeds may take a little longer."""
    from fajin.envs.training import Training

    torch.set_num_threads(1)
    task = envs.find_task("Cartpole-v0")
    settings = task.learning
    env = envs.make(task, settings["worlds"], threads=1)
    training = Training(env, settings["hidden"], settings["steps"])
    curve = training.run(settings["iterations"])
    reached = next((row.control_steps for row in curve if row.episode_s >= 4.7), None)
    assert reached is not None
    assert reached <= 250_000
