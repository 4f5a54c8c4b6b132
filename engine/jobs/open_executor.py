"""The executor of a command: this process, several processes, or a Dask or Ray cluster."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from . import InvalidJob
from .executor import Executor
from .local_executor import run_processes, run_serial


@contextmanager
def open_executor(cluster: str | None = None, processes: int = 1) -> Iterator[Executor]:
    """Yield an executor and close it at the end.

    Args:
        cluster: tcp://host:port or tls://host:port of a Dask scheduler; ray://host:port, or ray for a Ray cluster on
            this machine, started if there is none; None for processes of this machine.
        processes: number of processes on this machine.

    Raises:
        InvalidJob: unknown kind of cluster, or its package is not installed.
        ExecutorError: no cluster answers.
    """
    if cluster is None:
        yield run_serial if processes == 1 else partial(run_processes, processes=processes)
        return
    with _join(cluster) as crew:
        yield crew


def _join(cluster: str):
    kind = cluster.partition("://")[0]
    if kind in ("tcp", "tls", "ucx", "ws", "wss"):
        from .dask_executor import connect_dask as connect
    elif kind == "ray":
        from .ray_executor import connect_ray as connect
    else:
        raise InvalidJob(f"--cluster {cluster}: must be tcp://host:port (Dask), ray://host:port, or ray")
    return connect(cluster)
