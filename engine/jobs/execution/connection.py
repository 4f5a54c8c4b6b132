"""The workers of a command: this process, several processes, or a Dask or Ray cluster."""

from collections.abc import Iterator
from contextlib import contextmanager

from .. import InvalidJob
from .serial_executor import serial_pool
from .spawn_executor import spawn_pool
from .worker_pool import WorkerPool


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
