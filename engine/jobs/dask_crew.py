"""The workers of a Dask cluster as a crew. Dask begins shards of dead workers again; the scheduler keeps the job."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from time import monotonic, sleep

from . import InvalidJob
from .crew import Crew, Look, LostCrew, silent
from .job import Job
from .parcel import Parcel, run, unload

PAUSE = 0.1  # seconds between looks
PATIENCE = 10  # seconds to find the scheduler; between looks at who is there
VACANCY = 60  # seconds without a worker before the job ends


@contextmanager
def join(address: str) -> Iterator[Crew]:
    """Be a client of the scheduler at an address.

    Raises:
        InvalidJob: Dask is not installed.
        LostCrew: nobody answers there.
    """
    try:
        from distributed import Client
    except ImportError:
        raise InvalidJob(f"--cluster {address} needs Dask: pip install 'fajin[dask]'") from None
    with silent("distributed"):
        try:
            client = Client(address, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError) as error:
            raise LostCrew(f"--cluster {address}: no Dask scheduler answers there ({error})") from None
        try:
            yield partial(_work, client)
        finally:
            with suppress(Exception):  # the scheduler may be gone
                client.close(timeout=2)


def _work(client, job: Job, shards: Sequence[int], folder: Path, look: Look) -> Iterator[int]:
    from distributed import as_completed

    parcel = client.submit(_keep, Parcel.of(job), pure=False)
    numbers = dict(zip(client.map(_run, shards, parcel=parcel, pure=False), shards, strict=True))
    watch = _Watch(client)
    done = as_completed(numbers, loop=client.loop, raise_errors=False)
    try:
        while numbers:
            look(0)
            watch()
            if not done.has_ready():
                sleep(PAUSE)
                continue
            future = next(done)
            unload(_result(future), folder)
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
        """Raise LostCrew if nobody is there."""
        now = monotonic()
        if self._client.status != "running":
            raise LostCrew(f"the connection to the Dask scheduler at {self._address} is lost")
        if now - self._asked < PATIENCE:
            return
        self._asked = now
        with suppress(OSError):  # the status will say it
            self._seen = now if self._client.nthreads() else self._seen
        if now - self._seen > VACANCY:
            raise LostCrew(
                f"the Dask scheduler at {self._address} has had no worker for {VACANCY} seconds; "
                f"start some: dask worker {self._address}"
            )


def _result(future) -> dict[str, bytes]:
    from distributed import CancelledError, KilledWorker

    try:
        return future.result()
    except KilledWorker:
        raise LostCrew(
            "the Dask workers that had a shard died one after the other, killed or out of memory; "
            "give a smaller --shard-size, or workers with more memory"
        ) from None
    except CancelledError:
        raise LostCrew("the Dask scheduler has lost the job or dropped it") from None
    except ImportError as error:
        raise LostCrew(f"a Dask worker has not all packages ({error}); install fajin there") from None


def _keep(parcel: Parcel) -> Parcel:
    """A task, so that the parcel is made again where the worker that has it dies."""
    return parcel


def _run(i: int, parcel: Parcel) -> dict[str, bytes]:
    from distributed import get_worker

    return run(parcel, i, get_worker().state.nthreads)
