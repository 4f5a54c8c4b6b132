"""Workers of a Dask cluster. Dask restarts shards of dead workers; the scheduler keeps the job."""

from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from .. import InvalidJob
from ..description.job import Job
from .payload import JobPayload, run_payload
from .silenced_logging import silence_logging
from .worker_pool import ExecutorError, ProgressCallback, WorkerPool

TIMEOUT = 10  # seconds to connect to the scheduler; seconds between checks for workers
NO_WORKER_TIMEOUT = 60  # seconds without a worker before the job ends


@contextmanager
def connect_dask(address: str) -> Iterator[WorkerPool]:
    """Connect to the scheduler at an address.

    Raises:
        InvalidJob: Dask is not installed.
        ExecutorError: no scheduler answers.
    """
    try:
        from distributed import Client
    except ImportError:
        raise InvalidJob(f"--cluster {address}: Dask must be installed; pip install distributed") from None
    with silence_logging("distributed"):
        try:
            client = Client(address, timeout=TIMEOUT, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ExecutorError(f"--cluster {address}: no Dask scheduler answers ({error})") from None
        try:
            check = _ConnectionCheck(client)
            yield WorkerPool(
                executor=lambda job: client.get_executor(pure=False),
                task=partial(_task, client),
                check=check,
                explain=partial(_explain, check),
            )
        finally:
            with suppress(Exception):  # the scheduler may be gone
                client.close(timeout=2)


def _task(client: Any, job: Job, folder: Path, report: ProgressCallback) -> tuple:
    """Return the task with the payload on the cluster, where every shard finds it."""
    return _run, client.submit(_keep, JobPayload.of(job), pure=False)


class _ConnectionCheck:
    """Checks that the scheduler is connected and, periodically, that it has workers."""

    def __init__(self, client: Any):
        self._client, self._address = client, client.scheduler.address
        self._asked = self._seen = monotonic()

    def __call__(self) -> None:
        """Raise ExecutorError if the connection is lost or there are no workers."""
        now = monotonic()
        if self._client.status != "running":
            raise ExecutorError(f"the connection to the Dask scheduler at {self._address} is lost")
        if now - self._asked < TIMEOUT:
            return
        self._asked = now
        with suppress(OSError):  # the status will change
            self._seen = now if self._client.nthreads() else self._seen
        if now - self._seen > NO_WORKER_TIMEOUT:
            raise ExecutorError(
                f"the Dask scheduler at {self._address} had no worker for {NO_WORKER_TIMEOUT} seconds; "
                f"start one: dask worker {self._address}"
            )


def _explain(check: _ConnectionCheck, error: Exception) -> Exception | None:
    from distributed import KilledWorker

    if isinstance(error, KilledWorker):
        return ExecutorError(
            "the Dask workers of a shard died repeatedly, killed or out of memory; "
            "reduce --shard-size, or use workers with more memory"
        )
    if isinstance(error, CancelledError):
        check()
        return ExecutorError("the Dask scheduler lost or dropped the job")
    if isinstance(error, ImportError):
        return ExecutorError(f"a Dask worker is missing packages ({error}); install fajin there")
    return None


def _keep(payload: JobPayload) -> JobPayload:
    """Return the payload; as a task, so that Dask recreates it when its worker dies."""
    return payload


def _run(payload: JobPayload, i: int) -> dict[str, bytes]:
    from distributed import get_worker

    return run_payload(payload, i, get_worker().state.nthreads)
