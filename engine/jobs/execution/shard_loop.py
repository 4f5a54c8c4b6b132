"""Running of shards on an executor: progress, repetition after a worker's death, and cancellation."""

from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path

from ..description.job import Job
from .payload import write_outputs
from .worker_pool import ExecutorError, ProgressCallback, WorkerPool

POLL_INTERVAL = 0.2
"""Seconds between calls of the progress callback."""

MAX_ATTEMPTS = 3
"""Number of executors that may break before a job ends."""


def run_shards(
    job: Job, shards: Iterable[int], folder: Path, workers: WorkerPool, report: ProgressCallback = lambda steps: None
) -> Iterator[int]:
    """Run shards of a job, write their files to the folder atomically, and yield the number of each finished shard.

    If the generator is closed, or `report` raises, the remaining shards are cancelled.

    Raises:
        ExecutorError: executors broke repeatedly, or no worker can be reached.
        InvalidScene, InvalidJob, OutputError: as of `run_shard`.
    """
    left = dict.fromkeys(shards)
    with _explained(workers):
        task = workers.task(job, folder, report)
    for _ in range(MAX_ATTEMPTS):
        running: dict[Future, int] = {}
        executor = workers.executor(job)
        try:
            for future in _finished(executor, workers, task, iter(tuple(left)), running, report):
                with _explained(workers):
                    files = future.result()
                write_outputs(files, folder)
                i = running.pop(future)
                del left[i], future, files  # Ray holds a result as long as its future lives
                yield i
            return
        except BrokenExecutor:
            continue
        finally:
            with suppress(Exception):  # the cluster may be gone
                for future in running:
                    future.cancel()
                executor.shutdown(wait=False)
    raise ExecutorError(
        f"a worker died {MAX_ATTEMPTS} times, killed or out of memory; reduce --workers or --shard-size"
    )


def _finished(
    executor: Executor,
    workers: WorkerPool,
    task: tuple,
    waiting: Iterator[int],
    running: dict[Future, int],
    report: ProgressCallback,
) -> Iterator[Future]:
    """Submit the waiting shards, at most `workers.limit` at once; yield the future of each finished one."""
    while True:
        with _explained(workers):
            for i in islice(waiting, workers.limit - len(running)):
                running[executor.submit(*task, i)] = i
        if not running:
            return
        done, _ = wait(running, POLL_INTERVAL, FIRST_COMPLETED)
        if not done:
            report(0)
        workers.check()
        while done:
            yield done.pop()


@contextmanager
def _explained(workers: WorkerPool) -> Iterator[None]:
    """Raise what an exception of the executor means."""
    try:
        yield
    except BrokenExecutor:
        raise
    except Exception as error:
        known = workers.explain(error)
        if known is None:
            raise
        raise known from None
