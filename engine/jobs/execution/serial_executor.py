"""Executor in this process."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

from ..description.job import Job
from ..shards.shard import run_shard
from .worker_pool import ProgressCallback, WorkerPool


class SerialExecutor(Executor):
    """An executor that makes each call when it is submitted, in the present thread."""

    def submit(self, fn: Callable, /, *args: Any, **kwargs: Any) -> Future:
        """Make a call; return its finished future. KeyboardInterrupt is raised here."""
        future: Future = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


def serial_pool() -> WorkerPool:
    """Return a worker that is this process; its progress is reported after every launch."""

    def task(job: Job, folder: Path, report: ProgressCallback) -> tuple:
        return _run, job, folder, report

    return WorkerPool(lambda job: SerialExecutor(), task, limit=1)


def _run(job: Job, folder: Path, report: ProgressCallback, i: int) -> dict[str, bytes]:
    run_shard(job, i, folder, report)
    return {}
