"""`fajin play POLICY`: a policy closed loop in many worlds, or beside PhysX."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fajin.tools.device_options import Threads

if TYPE_CHECKING:
    from fajin.envs import Env, Task
    from fajin.envs.playing import Played
    from fajin.envs.policy import Policy, Signature

FELL = 1
"""Exit code after a world was terminated."""


def play(  # one parameter per option: typer reads the signature
    policy: Annotated[Path, typer.Argument(metavar="POLICY", help="An .onnx file that fajin train wrote.")],
    place: Annotated[
        str | None,
        typer.Argument(metavar="TASK|SCENE", help="A task, or a USD file for its robot. Default: the policy's task."),
    ] = None,
    worlds: Annotated[
        int | None,
        typer.Option(min=1, help="Set the number of worlds, each with its events. Default: 64; 1 with PhysX."),
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="Set the duration [s].")] = 10.0,
    command: Annotated[
        list[str] | None,
        typer.Option(metavar="[TIME:]X,Y,YAW", help="Command velocities from a time on [m/s, rad/s]. Default: random."),
    ] = None,
    engine: Annotated[
        str, typer.Option(metavar="fajin|physx", help="Run the worlds, from the scene's state, in PhysX as well.")
    ] = "fajin",
    python: Annotated[
        Path, typer.Option(metavar="FILE", help="Set the Python that has ovphysx, for --engine physx.")
    ] = Path("python"),
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the motion of world 0, .anim.usda.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed the worlds.")] = 0,
    threads: Threads = 0,
) -> None:
    """Play a policy without noise of its observations; the exit code is 1 if a world is terminated."""
    from fajin.envs.policy import Policy
    from fajin.errors import InputError
    from fajin.tools.play_table import print_played

    if engine not in ("fajin", "physx"):
        raise InputError(f"--engine = {engine!r}: must be fajin or physx")
    _check_installed()
    commands = [_command(text) for text in command or ()]
    loaded = Policy(policy)
    task = _task(place, loaded.signature.task)
    in_physx = engine == "physx"
    if in_physx:
        from fajin.envs.playing import nominal

        task = nominal(task)
    env = _env(task, worlds or (1 if in_physx else 64), seed, threads)
    loaded.signature.check(_signature(env), str(policy))
    steps = round(seconds / env.dt)
    runs = {"fajin": _run(env, loaded, steps, commands, output)}
    if in_physx:
        target = output and output.with_name(f"physx_{output.name}")
        envs = _batches(task, env, seed)
        runs["physx"] = _run_in_physx(envs, python, loaded, steps, commands, target)
    print_played(task.name, runs)
    if not all(run.survived.all() for run in runs.values()):
        raise SystemExit(FELL)


def _check_installed() -> None:
    """Raise InputError without the packages that play policies."""
    from fajin.errors import InputError

    try:
        import onnxruntime  # noqa: F401
        import torch  # noqa: F401
    except ImportError as error:
        raise InputError(f"{error.name}: must be installed to play; run pip install fajin[rl]") from None


def _task(place: str | None, name: str) -> "Task":
    """Return the task of a policy, with another scene, or another task."""
    from dataclasses import replace

    from fajin.envs import find_task

    if place is None or not place.endswith((".usda", ".usd", ".usdc", ".usdz")):
        return find_task(place or name)
    return replace(find_task(name), scene=place)


def _command(text: str) -> tuple[float, tuple[float, ...]]:
    """Return time and values of TIME:X,Y,YAW.

    Raises:
        typer.BadParameter: the text has another form.
    """
    time, _, values = text.rpartition(":")
    try:
        return float(time or 0.0), tuple(float(value) for value in values.split(","))
    except ValueError:
        raise typer.BadParameter(f"--command {text}: must be as 0.5,0,0 or 2.0:0.5,0,0.3") from None


def _env(task: "Task", worlds: int, seed: int, threads: int, first: int = 0) -> "Env":
    import torch

    from fajin.envs import make

    torch.set_num_threads(1)
    return make(task, worlds, seed=seed, threads=threads, first_world=first, autoreset="disabled", noise=False)


def _batches(task: "Task", env: "Env", seed: int) -> Iterator["Env"]:
    """Yield environments with the worlds of an environment, as many in each as PhysX steps together."""
    from fajin.envs.physx import most_worlds

    most = most_worlds(env.sim) if env.worlds > 1 else 1
    for first in range(0, env.worlds, most):
        yield _env(task, min(most, env.worlds - first), seed, 1, first)


def _signature(env: "Env") -> "Signature":
    from fajin.envs.policy import Signature

    return Signature.of(env)


def _run(env: "Env", policy: "Policy", steps: int, commands: list, output: Path | None) -> "Played":
    """Play a policy, and write the motion of world 0 if there is an output."""
    import fajin
    from fajin.envs.playing import play as run

    env.reset()
    env.sim.step(1)  # PhysX has a state after a first step only
    env.robot.change()
    frames = []

    def film() -> None:
        frames.append(env.sim.frame())

    played = run(env, policy, steps, commands, film if output else lambda: None)
    if output:
        fajin.write(fajin.concatenate([frame.world(0) for frame in frames]), output)
    return played


def _run_in_physx(
    envs: Iterable["Env"], python: Path, policy: "Policy", steps: int, commands: list, output: Path | None
) -> "Played":
    """Play a policy in PhysX, one environment after the other, as `_run`; write the first motion."""
    from fajin.envs.physx import in_physx
    from fajin.envs.playing import join

    runs: list[Played] = []
    for env in envs:
        with in_physx(env, python):
            runs.append(_run(env, policy, steps, commands, None if runs else output))
    return join(runs)
