"""Slurm array scripts for sbatch from a command line."""

import shlex
import sys
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from .cli_options import is_given

if TYPE_CHECKING:
    from fajin.jobs.description.job import Job

CORES, MOST = 4, 1000  # default cores per task, and maximum default tasks per array

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
# Every task runs its shards of one job in one shared folder. A restarted task, also alone by sbatch --array=7,
# runs the remaining shards. Exit code 3: some worlds became non-finite; see their rows.
exec {command} \\
  --shard "$SLURM_ARRAY_TASK_ID/{tasks}" --threads "$SLURM_CPUS_PER_TASK"
"""


NOT_FOR_TASKS = {"slurm", "tasks", "shard", "shard_size", "threads", "resume"}
"""Options that a task does not get, or gets from the script."""


def sbatch(job: "Job", folder: Path, context: typer.Context, tasks: int) -> str:
    """Return the script of an array whose tasks run the shards of a job; by default one shard per task.

    Args:
        job: the job.
        folder: folder of its results.
        context: the command that would run the job here.
        tasks: number of tasks, 0 for the default.
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
    """Return the words of a command line, without options that the script sets."""
    arguments, options = [context.info_name or ""], []
    for parameter in context.command.params:
        name = parameter.name
        if name is None or name in NOT_FOR_TASKS or not is_given(context, name):
            continue
        given = context.params[name]
        for value in given if isinstance(given, list | tuple) else [given]:
            text = str(value.value if isinstance(value, Enum) else value)
            if parameter.param_type_name == "argument":
                arguments.append(text)
            else:
                options += [parameter.opts[0]] if value is True else [parameter.opts[0], text]
    return arguments + options
