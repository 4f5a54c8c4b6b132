"""Workers that run the shards of a job on a `concurrent.futures.Executor`."""

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

from ..description.job import Job
from .payload import JobPayload, run_payload

ProgressCallback = Callable[[int], None]
"""Called several times per second with the steps done of the present shard (0 if unknown); may raise to stop."""

MAX_SUBMITTED = 4096
"""Default maximum number of shards that an executor holds at once; bounds the memory of a scheduler."""


class ExecutorError(OSError):
    """Raised if no worker can run the shards; the message gives the reason. Finished shards stay; a job can resume."""


def payload_task(job: Job, folder: Path, report: ProgressCallback) -> tuple:
    """Return a task that any machine can run: it needs none of the job's files, and no folder of this machine."""
    return run_payload, JobPayload.of(job)


@dataclass(frozen=True)
class WorkerPool:
    """Workers that run shards: a source of executors, and the few things that executors do differently.

    `WorkerPool(lambda job: MyExecutor())` runs shards on any `concurrent.futures.Executor` whose workers have fajin.
    """

    executor: Callable[[Job], Executor]
    """Returns a new executor for a job; called again after `concurrent.futures.BrokenExecutor`."""

    task: Callable[[Job, Path, ProgressCallback], tuple] = payload_task
    """Returns a function and its first arguments; its last argument is the number of a shard. The function returns
    {relative path: content} of the files of the shard that it has not written itself."""

    check: Callable[[], None] = lambda: None
    """Raises ExecutorError if the workers cannot be reached; called between polls."""

    explain: Callable[[Exception], Exception | None] = lambda error: None
    """Returns the exception to raise for an exception of the executor, None for that exception itself."""

    limit: int = MAX_SUBMITTED
    """Maximum number of shards that the executor holds at once."""
