"""Executors on this machine: serial in this process, or a process pool."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from .executor import MAX_ATTEMPTS, ExecutorError, ProgressCallback
from .job import Job
from .shard import path_of, run_shard


def run_serial(job: Job, shards: Sequence[int], folder: Path, look: ProgressCallback) -> Iterator[int]:
    """Run shards in this process, one after another."""
    for i in shards:
        run_shard(job, i, folder, look)
        yield i


def run_processes(
    job: Job, shards: Sequence[int], folder: Path, look: ProgressCallback, processes: int
) -> Iterator[int]:
    """Run shards in several processes, which share the job's threads (default: all cores).

    Raises:
        ExecutorError: workers died repeatedly.
    """
    threads = max(1, (job.threads or os.cpu_count() or 1) // processes)
    job, left = replace(job, threads=threads), list(shards)
    for _ in range(MAX_ATTEMPTS):
        try:
            for i in _pool(job, tuple(left), folder, processes, look):
                left.remove(i)
                yield i
            return
        except BrokenProcessPool:
            left = [i for i in left if not path_of(folder, i).exists()]
    raise ExecutorError(
        f"a worker died {MAX_ATTEMPTS} times, killed or out of memory; reduce --workers or --shard-size"
    )


def _pool(job: Job, shards: tuple, folder: Path, processes: int, look: ProgressCallback) -> Iterator[int]:
    context = multiprocessing.get_context("spawn")
    end = context.Event()
    with ProcessPoolExecutor(processes, context, _initialize_worker, (end,)) as pool:
        with _sigint_blocked():
            running = {pool.submit(_run, job.as_json(), i, str(folder)): i for i in shards}
        try:
            while running:
                done, _ = wait(running, timeout=0.2, return_when=FIRST_COMPLETED)
                look(0)
                for future in done:
                    i = running.pop(future)
                    future.result()
                    yield i
        finally:
            end.set()
            pool.shutdown(wait=True, cancel_futures=True)


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


_end = None  # in a worker: the event that requests its end


def _initialize_worker(end) -> None:
    """Initialise a worker; it exits with its parent."""
    global _end
    _end = end
    threading.Thread(target=_follow_parent, daemon=True).start()


def _follow_parent() -> None:
    multiprocessing.parent_process().join()
    os._exit(1)


def _run(job: str, i: int, folder: str) -> int:
    def halt(done: int) -> None:
        if _end.is_set():
            raise KeyboardInterrupt

    halt(0)  # before compiling
    run_shard(Job.of_json(job), i, Path(folder), halt)
    return i
