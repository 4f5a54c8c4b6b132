"""A command as a Slurm array: the file for sbatch."""

import shlex
import sys
from enum import Enum
from pathlib import Path

import typer

CORES, MOST = 4, 1000  # of a task, and tasks of an array, where the command does not say

SBATCH = """\
#!/bin/bash
#SBATCH --job-name={name}
#SBATCH --chdir={folder}
#SBATCH --array=0-{last}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task={cores}{gpu}
#SBATCH --time=04:00:00
#SBATCH --requeue
#SBATCH --signal=B:TERM@60
# Every task does its shards of one job into one folder, which all see. A task that is begun again, also alone by
# sbatch --array=7, does what is left of them. Exit code 3: worlds left the finite numbers, as their rows say.
exec {command} \\
  --shard "$SLURM_ARRAY_TASK_ID/{tasks}" --threads "$SLURM_CPUS_PER_TASK"
"""


NOT_FOR_TASKS = {"slurm", "tasks", "shard", "shard_size", "threads", "resume"}
"""Options that a task is not given, or is given in its own way."""


def sbatch(job, folder: Path, context: typer.Context, tasks: int) -> str:
    """The file for an array of so many tasks that do the shards of a job; by default each does one.

    Args:
        job: what is to be done.
        folder: of its results.
        context: the command that would do it here.
        tasks: how many, 0 where nobody says.
    """
    tasks = min(tasks or MOST, job.shards)
    words = [sys.executable, "-m", "fajin", *_words(context), "--shard-size", str(job.shard)]
    return SBATCH.format(
        name=shlex.quote(folder.name),
        folder=shlex.quote(str(Path.cwd())),
        last=tasks - 1,
        tasks=tasks,
        cores=job.threads or CORES,
        gpu="\n#SBATCH --gpus-per-task=1" if job.device == "cuda" else "",
        command=shlex.join(words),
    )


def _words(context: typer.Context) -> list[str]:
    """The words that were given to a command, but for what a task is given in its own way."""
    arguments, options = [context.info_name], []
    for parameter in context.command.params:
        name = parameter.name
        if name in NOT_FOR_TASKS or context.get_parameter_source(name).name != "COMMANDLINE":
            continue
        given = context.params[name]
        for value in given if isinstance(given, list | tuple) else [given]:
            text = str(value.value if isinstance(value, Enum) else value)
            if parameter.param_type_name == "argument":
                arguments.append(text)
            else:
                options += [parameter.opts[0]] if value is True else [parameter.opts[0], text]
    return arguments + options
