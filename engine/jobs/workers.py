"""Shards one after the other in this process, or side by side in several."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path

from .job import Job
from .shard import path_of, run_shard

TRIES = 3
"""Pools that are started before a shard that its worker does not survive ends the job."""


class DeadWorker(RuntimeError):
    """A worker died: killed, or out of memory."""


def here(job: Job, shards: Iterable[int], folder: Path, halt: Callable[[float], None]) -> Iterator[int]:
    """Run shards in this process; yield the number of each that is done. `halt` hears the share of a shard done."""
    for i in shards:
        run_shard(job, i, folder, halt)
        yield i


def side_by_side(
    job: Job, shards: Iterable[int], folder: Path, processes: int, look: Callable[[], None]
) -> Iterator[int]:
    """Run shards in so many processes; yield the number of each that is done.

    A worker that dies takes only its own shard with it, which is tried again.

    Args:
        job: the job; its threads, all cores by default, are shared by the processes.
        shards: numbers of shards.
        folder: of the results.
        processes: how many.
        look: called several times a second; what it raises ends all, and no file is left half-written.

    Raises:
        DeadWorker: workers died again and again.
    """
    threads = max(1, (job.threads or os.cpu_count() or 1) // processes)
    job, left = replace(job, threads=threads), list(shards)
    for _ in range(TRIES):
        try:
            for i in _pool(job, tuple(left), folder, processes, look):
                left.remove(i)
                yield i
            return
        except BrokenProcessPool:
            left = [i for i in left if not path_of(folder, i).exists()]
    raise DeadWorker(f"a worker died {TRIES} times, killed or out of memory; fewer --workers or a smaller --shard-size")


def _pool(job: Job, shards: tuple, folder: Path, processes: int, look: Callable[[], None]) -> Iterator[int]:
    context = multiprocessing.get_context("spawn")
    end = context.Event()
    with ProcessPoolExecutor(processes, context, _begin, (end,)) as pool:
        running = {pool.submit(_run, job.as_json(), i, str(folder)): i for i in shards}
        try:
            while running:
                done, _ = wait(running, timeout=0.2, return_when=FIRST_COMPLETED)
                look()
                for future in done:
                    i = running.pop(future)
                    future.result()
                    yield i
        finally:
            end.set()
            pool.shutdown(wait=True, cancel_futures=True)


_end = None  # in a worker: whether it shall stop


def _begin(end) -> None:
    """A worker begins: Ctrl-C is its parent's affair, and it does not outlive its parent."""
    global _end
    _end = end
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow_parent, daemon=True).start()


def _follow_parent() -> None:
    multiprocessing.parent_process().join()
    os._exit(1)


def _run(job: str, i: int, folder: str) -> int:
    def halt(done: int) -> None:
        if _end.is_set():
            raise KeyboardInterrupt

    run_shard(Job.of_json(job), i, Path(folder), halt)
    return i
