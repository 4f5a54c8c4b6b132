"""The workers of a Ray cluster as a crew. Ray begins shards of dead workers again."""

import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from . import InvalidJob
from .crew import TRIES, Crew, Look, LostCrew, silent
from .job import Job
from .parcel import Parcel, run, unload

PAUSE = 0.2  # seconds between looks


@contextmanager
def join(address: str) -> Iterator[Crew]:
    """Be a client of the cluster at ray://host:port; of the one on this machine, or a new one, where it is "ray".

    Raises:
        InvalidJob: Ray is not installed, or not with its client.
        LostCrew: nobody answers there.
    """
    try:
        import ray
        import ray.util.client  # for its loggers
    except ImportError:
        raise InvalidJob(f"--cluster {address} needs Ray: pip install 'fajin[ray]'") from None
    if ray.is_initialized():  # by whoever called us, who ends it, too
        yield _work
        return
    with silent("ray"):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # they say again what the error says
                ray.init(None if address == "ray" else address, log_to_driver=False, logging_level=logging.CRITICAL)
        except ImportError as error:
            mend = "pip install 'fajin[ray]'"
            raise InvalidJob(f"--cluster {address} needs Ray with its client ({error}): {mend}") from None
        except (OSError, RuntimeError, ValueError) as error:
            raise LostCrew(f"--cluster {address}: no Ray answers there ({error})") from None
        try:
            yield _work
        finally:
            with suppress(Exception):  # the cluster may be gone
                ray.shutdown()


def _work(job: Job, shards: Sequence[int], folder: Path, look: Look) -> Iterator[int]:
    import ray

    cores = job.threads or 1
    task = ray.remote(run).options(num_cpus=cores, num_gpus=int(job.device == "cuda"), max_retries=TRIES)
    numbers = {}
    try:
        parcel = ray.put(Parcel.of(job))
        numbers |= {task.remote(parcel, i, cores): i for i in shards}
        while numbers:
            look(0)
            done, _ = ray.wait(list(numbers), timeout=PAUSE)
            for reference in done:
                unload(_result(reference), folder)
                yield numbers.pop(reference)
    except ConnectionError as error:
        raise LostCrew(f"the connection to Ray is lost ({error})") from None
    finally:
        for reference in numbers:
            with suppress(Exception):  # what is left is wanted no more, if anybody is there to hear it
                ray.cancel(reference)


def _result(reference) -> dict[str, bytes]:
    import ray

    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        raise (error.cause if isinstance(error.cause, Exception) else error) from None
    except (ray.exceptions.RaySystemError, ray.exceptions.WorkerCrashedError, ray.exceptions.OutOfMemoryError):
        raise LostCrew(
            f"Ray workers that had a shard died {TRIES + 1} times, killed or out of memory; "
            "give a smaller --shard-size, or workers with more memory"
        ) from None
    except ray.exceptions.RayError as error:
        raise LostCrew(f"Ray lost a shard ({error})") from None
