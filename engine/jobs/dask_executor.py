"""The workers of a Dask cluster as a crew. Dask begins shards of dead workers again; the scheduler keeps the job."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from time import monotonic, sleep

from . import InvalidJob
from .executor import Executor, ExecutorError, ProgressCallback, silence_logging
from .job import Job
from .payload import JobPayload, run_payload, write_outputs

POLL_INTERVAL = 0.1  # seconds between looks
TIMEOUT = 10  # seconds to find the scheduler; between looks at who is there
NO_WORKER_TIMEOUT = 60  # seconds without a worker before the job ends


@contextmanager
def connect_dask(address: str) -> Iterator[Executor]:
    """Be a client of the scheduler at an address.

    Raises:
        InvalidJob: Dask is not installed.
        ExecutorError: nobody answers there.
    """
    try:
        from distributed import Client
    except ImportError:
        raise InvalidJob(f"--cluster {address} needs Dask: pip install 'fajin[dask]'") from None
    with silence_logging("distributed"):
        try:
            client = Client(address, timeout=TIMEOUT, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ExecutorError(f"--cluster {address}: no Dask scheduler answers there ({error})") from None
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
        with suppress(Exception):  # what is left is wanted no more, if anybody is there to hear it
            client.cancel([*numbers, parcel], force=True)


class _Watch:
    """Looks whether the scheduler is there, and now and then whether it has workers."""

    def __init__(self, client):
        self._client, self._address = client, client.scheduler.address
        self._asked = self._seen = monotonic()

    def __call__(self) -> None:
        """Raise ExecutorError if nobody is there."""
        now = monotonic()
        if self._client.status != "running":
            raise ExecutorError(f"the connection to the Dask scheduler at {self._address} is lost")
        if now - self._asked < TIMEOUT:
            return
        self._asked = now
        with suppress(OSError):  # the status will say it
            self._seen = now if self._client.nthreads() else self._seen
        if now - self._seen > NO_WORKER_TIMEOUT:
            raise ExecutorError(
                f"the Dask scheduler at {self._address} has had no worker for {NO_WORKER_TIMEOUT} seconds; "
                f"start some: dask worker {self._address}"
            )


def _result(future) -> dict[str, bytes]:
    from distributed import CancelledError, KilledWorker

    try:
        return future.result()
    except KilledWorker:
        raise ExecutorError(
            "the Dask workers that had a shard died one after the other, killed or out of memory; "
            "give a smaller --shard-size, or workers with more memory"
        ) from None
    except CancelledError:
        raise ExecutorError("the Dask scheduler has lost the job or dropped it") from None
    except ImportError as error:
        raise ExecutorError(f"a Dask worker has not all packages ({error}); install fajin there") from None


def _keep(parcel: JobPayload) -> JobPayload:
    """A task, so that the parcel is made again where the worker that has it dies."""
    return parcel


def _run(i: int, parcel: JobPayload) -> dict[str, bytes]:
    from distributed import get_worker

    return run_payload(parcel, i, get_worker().state.nthreads)
