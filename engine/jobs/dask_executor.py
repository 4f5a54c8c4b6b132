"""Executor on the workers of a Dask cluster. Dask restarts shards of dead workers; the scheduler keeps the job."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from time import monotonic, sleep

from . import InvalidJob
from .executor import Executor, ExecutorError, ProgressCallback, silence_logging
from .job import Job
from .payload import JobPayload, run_payload, write_outputs

POLL_INTERVAL = 0.1  # seconds between polls
TIMEOUT = 10  # seconds to connect to the scheduler; seconds between checks for workers
NO_WORKER_TIMEOUT = 60  # seconds without a worker before the job ends


@contextmanager
def connect_dask(address: str) -> Iterator[Executor]:
    """Connect to the scheduler at an address.

    Raises:
        InvalidJob: Dask is not installed.
        ExecutorError: no scheduler answers.
    """
    try:
        from distributed import Client
    except ImportError:
        raise InvalidJob(f"--cluster {address}: Dask must be installed; pip install 'fajin[dask]'") from None
    with silence_logging("distributed"):
        try:
            client = Client(address, timeout=TIMEOUT, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ExecutorError(f"--cluster {address}: no Dask scheduler answers ({error})") from None
        try:
            yield partial(_work, client)
        finally:
            with suppress(Exception):  # the scheduler may be gone
                client.close(timeout=2)


def _work(client, job: Job, shards: Sequence[int], folder: Path, look: ProgressCallback) -> Iterator[int]:
    from distributed import as_completed

    parcel = client.submit(_keep, JobPayload.of(job), pure=False)
    numbers = dict(zip(client.map(_run, shards, parcel=parcel, pure=False), shards, strict=True))
    watch = _Watch(client)
    done = as_completed(numbers, loop=client.loop, raise_errors=False)
    try:
        while numbers:
            look(0)
            watch()
            if not done.has_ready():
                sleep(POLL_INTERVAL)
                continue
            future = next(done)
            write_outputs(_result(future), folder)
            yield numbers.pop(future)
    finally:
        with suppress(Exception):  # cancel remaining shards if the scheduler is still there
            client.cancel([*numbers, parcel], force=True)


class _Watch:
    """Checks that the scheduler is connected and, periodically, that it has workers."""

    def __init__(self, client):
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


def _result(future) -> dict[str, bytes]:
    from distributed import CancelledError, KilledWorker

    try:
        return future.result()
    except KilledWorker:
        raise ExecutorError(
            "the Dask workers of a shard died repeatedly, killed or out of memory; "
            "reduce --shard-size, or use workers with more memory"
        ) from None
    except CancelledError:
        raise ExecutorError("the Dask scheduler lost or dropped the job") from None
    except ImportError as error:
        raise ExecutorError(f"a Dask worker is missing packages ({error}); install fajin there") from None


def _keep(parcel: JobPayload) -> JobPayload:
    """Return the payload; as a task, so that Dask recreates it when its worker dies."""
    return parcel


def _run(i: int, parcel: JobPayload) -> dict[str, bytes]:
    from distributed import get_worker

    return run_payload(parcel, i, get_worker().state.nthreads)
