"""The workers of a Ray cluster as a crew. Ray begins shards of dead workers again."""

import logging
import socket
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from . import InvalidJob
from .executor import MAX_ATTEMPTS, Executor, ExecutorError, ProgressCallback, silence_logging
from .job import Job
from .payload import JobPayload, run_payload, write_outputs

PAUSE = 0.2  # seconds between looks
PATIENCE = 10  # seconds to find somebody at an address


@contextmanager
def connect_ray(address: str) -> Iterator[Executor]:
    """Be a client of the cluster at ray://host:port; of the one on this machine, or a new one, where it is "ray".

    Raises:
        InvalidJob: Ray is not installed, or not with its client.
        ExecutorError: nobody answers there.
    """
    try:
        import ray
        from ray.util.client import ray as client
    except ImportError:
        raise InvalidJob(f"--cluster {address} needs Ray: pip install 'fajin[ray]'") from None
    if ray.is_initialized():  # by whoever called us, who ends it, too
        yield _Tasks(client if client.is_connected() else ray, address)
        return
    with silence_logging("ray"):
        _connect(address)
        with silence_logging("ray"):  # now that there is more that might log
            try:
                yield _Tasks(client if client.is_connected() else ray, address)
            finally:
                with suppress(Exception):  # the cluster may be gone
                    ray.shutdown()


def _connect(address: str) -> None:
    import ray

    where = None if address == "ray" else address
    _check_reachable(address)
    for left in reversed(range(MAX_ATTEMPTS)):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # they say again what the error says
                ray.init(where, log_to_driver=False, logging_level=logging.CRITICAL)
            return
        except ImportError as error:
            mend = "pip install 'fajin[ray]'"
            raise InvalidJob(f"--cluster {address} needs Ray with its client ({error}): {mend}") from None
        except ConnectionAbortedError as error:  # of the servers that Ray forks, one a client, some are born dead
            if not left:
                reason = str(error).strip().rpartition("\n")[2]
                raise ExecutorError(f"--cluster {address}: Ray answers there and takes no client ({reason})") from None
        except (OSError, RuntimeError, ValueError) as error:
            reason = " ".join(str(error).split())
            raise ExecutorError(f"--cluster {address}: no Ray answers there ({reason})") from None


def _check_reachable(address: str) -> None:
    """Say at once that nobody is there; Ray's client would try for half a minute."""
    try:
        place = urlsplit(address)
        if place.hostname and place.port:
            socket.create_connection((place.hostname, place.port), PATIENCE).close()
    except (OSError, ValueError) as error:
        raise ExecutorError(f"--cluster {address}: no Ray answers there ({error})") from None


@dataclass(frozen=True)
class _Tasks:
    """A crew: each shard a task of Ray.

    The functions of Ray's client are called by name, not through the module: that one, when the connection is lost,
    would look for another Ray, and start one.
    """

    ray: Any  # the module, or its client
    address: str

    def __call__(self, job: Job, shards: Sequence[int], folder: Path, look: ProgressCallback) -> Iterator[int]:
        """Do shards; as of `Executor`."""
        ray, cores, numbers = self.ray, job.threads or 1, {}
        task = ray.remote(run_payload).options(
            num_cpus=cores, num_gpus=int(job.device == "cuda"), max_retries=MAX_ATTEMPTS
        )
        try:
            parcel = ray.put(JobPayload.of(job))
            numbers |= {task.remote(parcel, i, cores): i for i in shards}
            while numbers:
                look(0)
                done, _ = ray.wait(list(numbers), timeout=PAUSE)
                for reference in done:
                    write_outputs(self._result(reference), folder)
                    yield numbers.pop(reference)
        except Exception as error:
            if isinstance(error, ConnectionError) or not ray.is_initialized():
                raise ExecutorError(f"the connection to the Ray at {self.address} is lost") from None
            raise
        finally:
            for reference in numbers:
                with suppress(Exception):  # what is left is wanted no more, if anybody is there to hear it
                    ray.cancel(reference)

    def _result(self, reference) -> dict[str, bytes]:
        from ray import exceptions

        try:
            return self.ray.get(reference)
        except exceptions.RayTaskError as error:
            raise (error.cause if isinstance(error.cause, Exception) else error) from None
        except (exceptions.RaySystemError, exceptions.WorkerCrashedError, exceptions.OutOfMemoryError):
            raise ExecutorError(
                f"Ray workers that had a shard died {MAX_ATTEMPTS + 1} times, killed or out of memory; "
                "give a smaller --shard-size, or workers with more memory"
            ) from None
        except exceptions.RayError as error:
            raise ExecutorError(f"Ray lost a shard ({error})") from None
