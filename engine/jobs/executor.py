"""Whoever does the shards of a job: this process, several beside it, or the workers of a cluster."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Protocol

from . import InvalidJob
from .job import Job

ProgressCallback = Callable[[int], None]
"""Told several times a second how many steps are done of the shard at hand, 0 where nobody knows; may raise to end."""

MAX_ATTEMPTS = 3
"""How often a shard is begun again whose worker died, before the job ends."""


class ExecutorError(OSError):
    """Nobody is there to do the shards; the message says why. What is done stays, and the job can be gone on with."""


class Executor(Protocol):
    """Does shards and puts their files in the folder, each whole or not at all; yields the number of each that is done.

    A worker that dies takes only its own shard with it, which another one begins again. Raises ExecutorError where that
    has no end, and what `run_shard` raises.
    """

    def __call__(self, job: Job, shards: Sequence[int], folder: Path, look: ProgressCallback) -> Iterator[int]:
        """Do these shards of a job."""


@contextmanager
def open_executor(cluster: str | None = None, processes: int = 1) -> Iterator[Executor]:
    """Have a crew ready as long as it is needed.

    Args:
        cluster: tcp://host:port or tls://host:port of a Dask scheduler; ray://host:port, or ray for the Ray that runs
            on this machine, or that is started on it; None for this machine.
        processes: on this machine.

    Raises:
        InvalidJob: no such kind of cluster, or its package is not installed.
        ExecutorError: nobody answers there.
    """
    from . import local_executor

    if cluster is None:
        yield (
            local_executor.run_serial if processes == 1 else partial(local_executor.run_processes, processes=processes)
        )
        return
    with _join(cluster) as crew:
        yield crew


@contextmanager
def silence_logging(package: str) -> Iterator[None]:
    """Keep what a package logs off the terminal: a lost connection is said once, by us."""
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == package]
    before = {logging.getLogger(name): logging.getLogger(name).disabled for name in names}
    for logger in before:
        logger.disabled = True
    try:
        yield
    finally:
        for logger, disabled in before.items():
            logger.disabled = disabled


def _join(cluster: str):
    kind = cluster.partition("://")[0]
    if kind in ("tcp", "tls", "ucx", "ws", "wss"):
        from .dask_executor import connect_dask as connect
    elif kind == "ray":
        from .ray_executor import connect_ray as connect
    else:
        raise InvalidJob(f"--cluster {cluster}: must be tcp://host:port of Dask, or ray://host:port, or ray")
    return connect(cluster)
