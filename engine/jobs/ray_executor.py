"""Executor on the workers of a Ray cluster. Ray restarts shards of dead workers."""

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

PAUSE = 0.2  # seconds between polls
PATIENCE = 10  # seconds to connect to an address


@contextmanager
def connect_ray(address: str) -> Iterator[Executor]:
    """Connect to a Ray cluster: at ray://host:port, or with "ray" on this machine, started if there is none.

    Raises:
        InvalidJob: Ray is not installed, or lacks its client.
        ExecutorError: no cluster answers.
    """
    try:
        import ray
        from ray.util.client import ray as client
    except ImportError:
        raise InvalidJob(f"--cluster {address}: Ray must be installed; pip install 'fajin[ray]'") from None
    if ray.is_initialized():  # by the caller, who also shuts it down
        yield _Tasks(client if client.is_connected() else ray, address)
        return
    with silence_logging("ray"):
        _connect(address)
        with silence_logging("ray"):  # loggers created while connecting
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
                warnings.simplefilter("ignore")  # they repeat the error
                ray.init(where, log_to_driver=False, logging_level=logging.CRITICAL)
            return
        except ImportError as error:
            mend = "pip install 'fajin[ray]'"
            raise InvalidJob(f"--cluster {address}: Ray with its client must be installed ({error}); {mend}") from None
        except ConnectionAbortedError as error:  # Ray forks one server per client; some fail to start
            if not left:
                reason = str(error).strip().rpartition("\n")[2]
                raise ExecutorError(f"--cluster {address}: Ray answers but accepts no client ({reason})") from None
        except (OSError, RuntimeError, ValueError) as error:
            reason = " ".join(str(error).split())
            raise ExecutorError(f"--cluster {address}: no Ray cluster answers ({reason})") from None


def _check_reachable(address: str) -> None:
    """Raise ExecutorError at once if the address does not answer; Ray's client would try for half a minute."""
    try:
        place = urlsplit(address)
        if place.hostname and place.port:
            socket.create_connection((place.hostname, place.port), PATIENCE).close()
    except (OSError, ValueError) as error:
        raise ExecutorError(f"--cluster {address}: no Ray cluster answers ({error})") from None


@dataclass(frozen=True)
class _Tasks:
    """An executor with one Ray task per shard.

    Calls go to the client's functions directly instead of the module: after a lost connection the module would search
    for another Ray cluster and start one.
    """

    ray: Any  # the module, or its client
    address: str

    def __call__(self, job: Job, shards: Sequence[int], folder: Path, look: ProgressCallback) -> Iterator[int]:
        """Run shards; as of `Executor`."""
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
                with suppress(Exception):  # cancel remaining shards if the cluster is still there
                    ray.cancel(reference)

    def _result(self, reference) -> dict[str, bytes]:
        from ray import exceptions

        try:
            return self.ray.get(reference)
        except exceptions.RayTaskError as error:
            raise (error.cause if isinstance(error.cause, Exception) else error) from None
        except (exceptions.RaySystemError, exceptions.WorkerCrashedError, exceptions.OutOfMemoryError):
            raise ExecutorError(
                f"Ray workers of a shard died {MAX_ATTEMPTS + 1} times, killed or out of memory; "
                "reduce --shard-size, or use workers with more memory"
            ) from None
        except exceptions.RayError as error:
            raise ExecutorError(f"Ray lost a shard ({error})") from None
