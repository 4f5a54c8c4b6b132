"""Policies are trained within budgets of control steps, from nothing or from another policy."""

import os
from collections.abc import Iterator
from dataclasses import replace

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("rsl_rl")
from fajin import envs  # noqa: E402
from fajin.envs import Term, mdp  # noqa: E402
from fajin.envs.training import Progress, Training  # noqa: E402
from fajin.errors import InputError  # noqa: E402

SEEDS = range(int(os.environ.get("FAJIN_SEEDS", "1")))
"""Seeds of what takes a minute each."""


def curve(name: str, seed: int) -> Iterator[Progress]:
    """The progress of a task's own training."""
    torch.set_num_threads(1)
    task = envs.find_task(name)
    settings = dict(task.learning)
    env, count = envs.make(task, settings.pop("worlds"), seed=seed, threads=1), settings.pop("iterations")
    return Training(env, seed, **settings).run(count)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_a_cartpole_is_balanced_within_250_000_control_steps(seed):
    """Episodes of 4.7 of 5 s on average, with the settings of `fajin train`."""
    reached = next((row.control_steps for row in curve("Cartpole-v0", seed) if row.episode_s >= 4.7), None)
    assert reached is not None
    assert reached <= 250_000


BUDGETS = {
    "VelocityFlatGo2-v0": (1.5, 3_500_000),  # one that stands has less than 1 /s
    "VelocityFlatAnymalC-v0": (0.9, 3_500_000),  # one that stands has 0.66 /s
    "Ant-v0": (2.5, 2_600_000),  # one that stands has 0.75 /s
    "ReachFranka-v0": (-0.05, 1_700_000),  # one that does not move has -0.2 /s
}
"""Reward [1/s] that a task's training reaches within a number of control steps."""


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", BUDGETS)
def test_a_training_reaches_a_reward_within_a_budget(name, seed):
    """With the settings of `fajin train`; from five seeds where `FAJIN_SEEDS=5`."""
    reward, budget = BUDGETS[name]
    reached = next((row.control_steps for row in curve(name, seed) if row.reward_per_s >= reward), None)
    assert reached is not None
    assert reached <= budget


def cartpole(hidden: tuple[int, ...], **more: Term) -> Training:
    """Training of a cartpole that has these observations, too."""
    task = envs.find_task("Cartpole-v0")
    task = replace(task, observations={**task.observations, **more})
    return Training(envs.make(task, 8, threads=1), seed=1, hidden=hidden, steps=4)


def policies(training: Training) -> tuple:
    algorithm = training._runner.alg
    return algorithm._raw_actor, algorithm._raw_critic


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A training of some updates, and the folder of its checkpoint."""
    folder, training = tmp_path_factory.mktemp("trained"), cartpole((8, 6))
    for _ in training.run(3):
        pass
    training.save(folder)
    return training, folder


def test_a_policy_that_starts_from_another_one_acts_as_that(trained):
    """Its further observations and hidden units have no effect at first; both networks are taken over."""
    training, folder = trained
    wide = cartpole((16, 12), more=Term(mdp.joint_pos, gain=3.0))
    wide.start_from(folder / "checkpoint.pt")
    seen = torch.randn(50, 6, generator=torch.Generator().manual_seed(0))
    for own, other in zip(policies(wide), policies(training), strict=True):
        found, wanted = (net.eval()({"policy": x}) for net, x in ((own, seen), (other, seen[:, :4])))
        assert torch.allclose(found, wanted, atol=1e-6)
        assert wanted.std() > 0.01
    for _ in wide.run(1):
        pass
    grown = policies(wide)[0].state_dict()["mlp.0.weight"][:8, 4:]
    assert grown.abs().max() > 0.0  # what had no effect learns


@pytest.mark.parametrize("hidden", [(4, 6), (8,)])
def test_a_checkpoint_that_does_not_fit_is_refused_in_one_line(trained, hidden):
    with pytest.raises(InputError, match=r"checkpoint.pt, mlp.* = .*: must be at most .*, as of this task"):
        cartpole(hidden).start_from(trained[1] / "checkpoint.pt")


def test_a_file_that_is_not_a_checkpoint_is_refused_in_one_line(tmp_path):
    (tmp_path / "text.pt").write_text("no checkpoint")
    torch.save({"weights": torch.zeros(2)}, tmp_path / "other.pt")
    for name in ("text.pt", "other.pt", "none.pt"):
        with pytest.raises(InputError, match=f"{name}: must be a checkpoint that fajin train wrote; ") as error:
            cartpole((4,)).start_from(tmp_path / name)
        assert "\n" not in str(error.value)
