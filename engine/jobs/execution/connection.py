"""The workers of a command: this process, several processes, or a Dask or Ray cluster."""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .. import InvalidJob
from ..description.job import Job
from ..shards.shard import run_shard
from .spawn_executor import spawn_pool
from .worker_pool import ProgressCallback, WorkerPool


@contextmanager
def open_worker_pool(cluster: str | None = None, processes: int = 1) -> Iterator[WorkerPool]:
    """Yield workers and disconnect from them at the end.

    Args:
        cluster: tcp://host:port or tls://host:port of a Dask scheduler; ray://host:port, or ray for a Ray cluster on
            this machine, started if there is none; None for processes of this machine.
        processes: number of processes on this machine.

    Raises:
        InvalidJob: unknown kind of cluster, or its package is not installed.
        ExecutorError: no cluster answers.
    """
    if cluster is None:
        yield serial_pool() if processes == 1 else spawn_pool(processes)
        return
    with _connect(cluster) as workers:
        yield workers


def _connect(cluster: str):
    kind = cluster.partition("://")[0]
    if kind in ("tcp", "tls", "ucx", "ws", "wss"):
        from .dask_executor import connect_dask as connect
    elif kind == "ray":
        from .ray_executor import connect_ray as connect
    else:
        raise InvalidJob(f"--cluster {cluster}: must be tcp://host:port (Dask), ray://host:port, or ray")
    return connect(cluster)


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
