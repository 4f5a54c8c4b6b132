"""Executor in several processes of this machine."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

from ..description.job import Job
from ..shards.shard import run_shard
from .worker_pool import ProgressCallback, WorkerPool


class SpawnExecutor(ProcessPoolExecutor):
    """A pool of new processes (a fork of a process that runs Taichi dies), which this process ends.

    The processes ignore Ctrl-C and exit with their parent. `shutdown(wait=False)` ends their shards after the present
    launch, and waits for that: afterwards no process writes files.
    """

    def __init__(self, processes: int):
        context = multiprocessing.get_context("spawn")
        self._end = context.Event()
        super().__init__(processes, context, _initialize_worker, (self._end,))

    def submit(self, fn: Callable, /, *args: Any, **kwargs: Any) -> Future:
        """Submit a call; this may start a process."""
        with _sigint_blocked():
            return super().submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes, `wait=False`: before their calls are finished."""
        if not wait:
            self._end.set()
        super().shutdown(wait=True, cancel_futures=cancel_futures)


def spawn_pool(processes: int) -> WorkerPool:
    """Return workers in several processes, which share the job's threads (default: all cores)."""

    def task(job: Job, folder: Path, report: ProgressCallback) -> tuple:
        threads = max(1, (job.threads or os.cpu_count() or 1) // processes)
        return _run, replace(job, threads=threads), folder

    return WorkerPool(lambda job: SpawnExecutor(processes), task)


@contextmanager
def _sigint_blocked() -> Iterator[None]:
    """Block SIGINT so that child processes inherit the mask; this process handles Ctrl-C."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows: child processes handle Ctrl-C and print errors
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_end: Event | None = None  # in a worker: the event that requests its end


def _initialize_worker(end: Event) -> None:
    """Initialise a worker; it exits with its parent."""
    global _end
    _end = end
    threading.Thread(target=_follow_parent, daemon=True).start()


def _follow_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)


def _run(job: Job, folder: Path, i: int) -> dict[str, bytes]:
    def halt(done: int) -> None:
        if _end is not None and _end.is_set():
            raise KeyboardInterrupt

    halt(0)  # before compiling
    run_shard(job, i, folder, halt)
    return {}
