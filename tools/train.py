"""`fajin train TASK`: a policy by rsl_rl's PPO, its checkpoint and its curve."""

import csv
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Annotated

import typer

from fajin.tools.device_options import Threads

SAVE_EVERY = 20
"""Iterations between two checkpoints."""


def train(  # one parameter per option: typer reads the signature
    task: Annotated[str, typer.Argument(metavar="TASK", help="A task, such as VelocityFlatGo2-v0.")],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="DIR", help="Write policy.onnx, checkpoint.pt and curve.csv there."),
    ],
    worlds: Annotated[int | None, typer.Option(min=1, help="Set the number of worlds. Default: the task's.")] = None,
    iterations: Annotated[
        int | None, typer.Option(min=1, help="Set the number of updates. Default: the task's.")
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Start with a checkpoint.pt, of this task or one with fewer observations. Default: none.",
        ),
    ] = None,
    scene: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Set a USD file that has the task's robot. Default: the task's."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed worlds, networks and actions.")] = 0,
    threads: Threads = 0,
) -> None:
    """Train a policy on the CPU; Ctrl-C keeps what the last checkpoint has."""
    from fajin.atomic_write import make_folder
    from fajin.envs import find_task, make
    from fajin.errors import InputError
    from fajin.tools.progress import progress

    try:
        import torch

        from fajin.envs.training import Progress, Training
    except ImportError as error:
        raise InputError(f"{error.name}: must be installed to train; run pip install fajin[rl]") from None

    found = find_task(task)
    found.scene = scene or found.scene
    torch.set_num_threads(1)  # of two threads that spin, one waits
    learning = dict(found.learning)
    sizes = {name: learning.pop(name) for name in ("worlds", "iterations")}
    env = make(found, worlds or sizes["worlds"], seed=seed, threads=threads)
    with redirect_stdout(StringIO()):  # rsl_rl prints its networks
        training = Training(env, seed, **learning)
    if start is not None:
        training.start_from(start)
    make_folder(output / "policy.onnx")
    count = iterations or sizes["iterations"]
    with (output / "curve.csv").open("w", newline="") as file, progress(count, "iterations") as show:
        table = csv.writer(file)
        table.writerow(Progress._fields)
        for row in training.run(count):
            table.writerow(row)
            show(row.iteration)
            if row.iteration % SAVE_EVERY == 0 or row.iteration == count:
                file.flush()
                training.save(output)
                print(
                    f"{row.iteration:5} of {count}: {row.control_steps:>10,} control steps, {row.seconds:7.1f} s, "
                    f"reward {row.reward_per_s:7.3f} /s, episode {row.episode_s:5.2f} s",
                    flush=True,
                )
    print(f"{output / 'policy.onnx'}: {found.name}; play it by fajin play {output / 'policy.onnx'}")
