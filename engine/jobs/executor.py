"""Executors that run the shards of a job: in this process, in several processes, or on a cluster."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from .job import Job

ProgressCallback = Callable[[int], None]
"""Called several times per second with the steps done of the present shard (0 if unknown); may raise to stop."""

MAX_ATTEMPTS = 3
"""Number of attempts for a shard whose worker dies, before the job ends."""


class ExecutorError(OSError):
    """Raised if no worker can run the shards; the message gives the reason. Finished shards stay; a job can resume."""


class Executor(Protocol):
    """Runs shards, writes their files to the folder atomically, and yields the number of each finished shard.

    A shard of a dead worker is restarted on another worker. Raises ExecutorError after repeated deaths, and the
    exceptions of `run_shard`.
    """

    def __call__(self, job: Job, shards: Sequence[int], folder: Path, look: ProgressCallback) -> Iterator[int]:
        """Run these shards of a job."""


@contextmanager
def silence_logging(package: str) -> Iterator[None]:
    """Silence the loggers of a package; a lost connection is reported once, by fajin."""
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == package]
    before = {logging.getLogger(name): logging.getLogger(name).disabled for name in names}
    for logger in before:
        logger.disabled = True
    try:
        yield
    finally:
        for logger, disabled in before.items():
            logger.disabled = disabled
