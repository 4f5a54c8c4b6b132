"""Workers of a Ray cluster, and a `concurrent.futures.Executor` of Ray tasks. Ray restarts shards of dead workers."""

import logging
import socket
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from .. import InvalidJob
from ..description.job import Job
from .payload import JobPayload, run_payload
from .silenced_logging import silence_logging
from .worker_pool import ExecutorError, ProgressCallback, WorkerPool

CONNECT_TIMEOUT = 10  # seconds to connect to an address
CONNECTION_ATTEMPTS = 3
MAX_RETRIES = 3
"""Number of times that Ray restarts a shard whose worker dies."""


@contextmanager
def connect_ray(address: str) -> Iterator[WorkerPool]:
    """Connect to a Ray cluster: at ray://host:port, or with "ray" on this machine, started if there is none.

    Raises:
        InvalidJob: Ray is not installed, or lacks its client.
        ExecutorError: no cluster answers.
    """
    try:
        import ray
        from ray.util.client import ray as client
    except ImportError:
        raise InvalidJob(f"--cluster {address}: Ray must be installed; pip install 'ray[client]'") from None
    if ray.is_initialized():  # by the caller, who also shuts it down
        yield _ray_pool(client if client.is_connected() else ray, address)
        return
    with silence_logging("ray"):
        _connect(address)
        with silence_logging("ray"):  # loggers created while connecting
            try:
                yield _ray_pool(client if client.is_connected() else ray, address)
            finally:
                with suppress(Exception):  # the cluster may be gone
                    ray.shutdown()


def _connect(address: str) -> None:
    import ray

    where = None if address == "ray" else address
    _check_reachable(address)
    for left in reversed(range(CONNECTION_ATTEMPTS)):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # they repeat the error
                ray.init(where, log_to_driver=False, logging_level=logging.CRITICAL)
            return
        except ImportError as error:
            mend = "pip install 'ray[client]'"
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
            socket.create_connection((place.hostname, place.port), CONNECT_TIMEOUT).close()
    except (OSError, ValueError) as error:
        raise ExecutorError(f"--cluster {address}: no Ray cluster answers ({error})") from None


def _ray_pool(ray: Any, address: str) -> WorkerPool:
    """Return workers that run Ray tasks.

    Args:
        ray: the module, or its client. Calls go to the client's functions directly instead of the module: after a lost
            connection the module would search for another Ray cluster and start one.
        address: address of the cluster, for messages.
    """

    def executor(job: Job) -> RayExecutor:
        cores, gpus = job.threads or 1, int(job.device == "cuda")
        return RayExecutor(ray, num_cpus=cores, num_gpus=gpus, max_retries=MAX_RETRIES)

    def task(job: Job, folder: Path, report: ProgressCallback) -> tuple:
        return _run, ray.put(JobPayload.of(job)), job.threads or 1

    def check() -> None:
        if not ray.is_initialized():
            raise lost

    lost = ExecutorError(f"the connection to the Ray at {address} is lost")
    return WorkerPool(executor, task, check, lambda error: _explain(error) or (lost if _is_lost(ray, error) else None))


class RayExecutor(Executor):
    """An executor of one Ray task per call.

    Args:
        ray: the module, or its client.
        options: options of the tasks, such as num_cpus.
    """

    def __init__(self, ray: Any, **options: Any):
        self._ray, self._options = ray, options
        self._references: WeakKeyDictionary[Future, Any] = WeakKeyDictionary()  # Ray keeps a result while it is held

    def submit(self, fn: Callable, /, *args: Any, **kwargs: Any) -> Future:
        """Submit a call; its arguments may be references to objects on the cluster."""
        future: Future = Future()
        future.set_running_or_notify_cancel()  # only `shutdown` cancels: Ray does not know this future
        reference = self._ray.remote(fn).options(**self._options).remote(*args, **kwargs)
        self._references[future] = reference
        reference.future().add_done_callback(partial(_copy_outcome, future))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Wait for all calls, or cancel those that are not finished."""
        for future, reference in list(self._references.items()):
            if wait and not cancel_futures:
                future.exception()
            elif not future.done():
                self._ray.cancel(reference)


def _copy_outcome(future: Future, done: Future) -> None:
    error = done.exception()
    if error is None:
        future.set_result(done.result())
    else:
        future.set_exception(error)


def _is_lost(ray: Any, error: Exception) -> bool:
    return isinstance(error, ConnectionError) or not ray.is_initialized()


def _explain(error: Exception) -> Exception | None:
    from ray import exceptions

    if isinstance(error, exceptions.RayTaskError):
        cause = getattr(error, "cause", None)
        return cause if isinstance(cause, Exception) else error
    if isinstance(error, exceptions.RaySystemError | exceptions.WorkerCrashedError | exceptions.OutOfMemoryError):
        return ExecutorError(
            f"Ray workers of a shard died {MAX_RETRIES + 1} times, killed or out of memory; "
            "reduce --shard-size, or use workers with more memory"
        )
    return ExecutorError(f"Ray lost a shard ({error})") if isinstance(error, exceptions.RayError) else None


def _run(payload: JobPayload, threads: int, i: int) -> dict[str, bytes]:
    return run_payload(payload, i, threads)
