"""Shards run on any `concurrent.futures.Executor`: progress, dead workers and cancellation are those of one loop."""

import multiprocessing
import subprocess
import sys
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from types import SimpleNamespace
from weakref import WeakSet

import pytest
from batches import results
from endless_shard import run_until_ended

import fajin
from fajin.jobs.description.job import Job
from fajin.jobs.execution.connection import SerialExecutor, serial_pool
from fajin.jobs.execution.ray_executor import RayExecutor
from fajin.jobs.execution.shard_loop import MAX_ATTEMPTS, run_shards
from fajin.jobs.execution.spawn_executor import SpawnExecutor
from fajin.jobs.execution.worker_pool import ExecutorError, WorkerPool

JOB = Job("unused.usda", worlds=20, seconds=1.0, shard=2)


@pytest.fixture(scope="module")
def job(request) -> Job:
    """A small job of three shards."""
    scene = request.config.rootpath / "scenes" / "double_pendulum.usda"
    return Job(str(scene), 8, 0.2, 3, random=("elbow:q+=normal(0,0.3)",), device="cpu", threads=1)


@pytest.fixture(scope="module")
def serial(job, tmp_path_factory) -> dict[str, list]:
    """The results in this process."""
    folder = tmp_path_factory.mktemp("serial")
    assert list(run_shards(job, range(3), folder, serial_pool())) == [0, 1, 2]
    return results(folder)


def of(executor) -> WorkerPool:
    """Workers whose shards are one file each."""
    return WorkerPool(lambda job: executor, lambda job, folder, report: (write_number, "metrics"))


def write_number(place: str, i: int) -> dict[str, bytes]:
    """The files of a shard."""
    return {f"{place}/{i}": str(i).encode()}


@pytest.mark.parametrize(
    "executor",
    [
        partial(ThreadPoolExecutor, 2),
        pytest.param(partial(ProcessPoolExecutor, 2, multiprocessing.get_context("spawn")), marks=pytest.mark.slow),
    ],
    ids=["threads", "processes"],
)
def test_any_executor_gives_the_same_bits(job, serial, tmp_path, executor):
    """Those of Python's library know nothing of fajin."""
    assert sorted(run_shards(job, range(3), tmp_path, WorkerPool(lambda job: executor()))) == [0, 1, 2]
    assert results(tmp_path) == serial


def test_files_of_shards_come_back_to_the_folder(tmp_path):
    """Each shard is written before it counts as finished."""
    with ThreadPoolExecutor(2) as executor:
        for i in run_shards(JOB, [3, 1, 7], tmp_path, of(executor)):
            assert (tmp_path / "metrics" / str(i)).read_text() == str(i)
    assert sorted(path.name for path in (tmp_path / "metrics").iterdir()) == ["1", "3", "7"]


class Flaky(SerialExecutor):
    """An executor that breaks at a shard, as a process pool does whose worker is killed."""

    def __init__(self, broken: set[int]):
        self.broken = broken

    def submit(self, fn, /, *args, **kwargs) -> Future:
        """Break the future at these shards."""
        future = super().submit(fn, *args, **kwargs)
        if args[-1] in self.broken:
            future = Future()
            future.set_exception(BrokenExecutor("killed"))
        return future


def test_the_shard_of_a_dead_worker_is_run_again_by_a_new_executor(tmp_path):
    """And no finished one."""
    opened, seen = [{4}, {5}, set()], []
    workers = WorkerPool(lambda job: Flaky(opened.pop(0)), lambda job, folder, report: (partial(run, seen),), limit=1)
    assert list(run_shards(JOB, range(3, 7), tmp_path, workers)) == [3, 4, 5, 6]
    assert seen == [3, 4, 4, 5, 5, 6]


def run(seen: list, i: int) -> dict[str, bytes]:
    """Note the shard."""
    seen.append(i)
    return {}


def test_workers_that_die_again_and_again_end_the_job(tmp_path):
    """What is done is done."""
    opened = []
    workers = WorkerPool(lambda job: opened.append(1) or Flaky({4}), lambda job, folder, report: (partial(run, []),))
    done = []
    with pytest.raises(ExecutorError, match=f"a worker died {MAX_ATTEMPTS} times"):
        done += run_shards(JOB, [4], tmp_path, workers)
    assert len(opened) == MAX_ATTEMPTS


class Idle(Executor):
    """An executor that finishes no call."""

    def __init__(self):
        self.futures, self.waited = [], None

    def submit(self, fn, /, *args, **kwargs) -> Future:
        """Begin nothing."""
        self.futures.append(Future())
        return self.futures[-1]

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Note it."""
        self.waited = wait


def test_an_interrupted_job_cancels_its_shards(tmp_path):
    """The progress callback may raise."""
    executor, polls = Idle(), []

    def report(steps: int) -> None:
        polls.append(steps)
        if len(polls) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(run_shards(JOB, range(5), tmp_path, of(executor), report))
    assert polls == [0, 0]
    assert [future.cancelled() for future in executor.futures] == [True] * 5
    assert executor.waited is False


def test_an_executor_holds_a_bounded_number_of_shards(tmp_path):
    """A job may have a million."""
    executor = Idle()
    workers = WorkerPool(lambda job: executor, lambda job, folder, report: (run,), limit=3)

    def report(steps: int) -> None:
        if len(executor.futures) == 5:
            raise KeyboardInterrupt
        next(future for future in executor.futures if not future.done()).set_result({})

    with pytest.raises(KeyboardInterrupt):
        list(run_shards(JOB, range(100), tmp_path, workers, report))
    assert sum(future.cancelled() for future in executor.futures) == 3


def test_what_an_executor_reports_is_explained(tmp_path):
    """Errors of the job itself stay."""

    def fail(i: int) -> dict[str, bytes]:
        raise KeyError(i) if i == 1 else fajin.InvalidJob("--worlds 0: must be at least 1")

    def explain(error: Exception) -> Exception | None:
        return ExecutorError("gone") if isinstance(error, KeyError) else None

    workers = WorkerPool(lambda job: SerialExecutor(), lambda job, folder, report: (fail,), explain=explain, limit=1)
    for i, error, words in ((1, ExecutorError, "gone"), (2, fajin.InvalidJob, "at least 1")):
        with pytest.raises(error, match=words):
            list(run_shards(JOB, [i], tmp_path, workers))


def test_progress_in_this_process_is_reported_after_every_launch(job, tmp_path):
    """In steps of the present shard."""
    seen = []
    list(run_shards(job, [0], tmp_path, serial_pool(), seen.append))
    assert seen[-1] > 0
    assert seen == sorted(seen)


@pytest.mark.slow
def test_processes_end_their_shards_before_the_job_goes_on(tmp_path):
    """Nothing writes to the folder after the loop."""

    def report(steps: int) -> None:
        if (tmp_path / "begun").exists():
            raise KeyboardInterrupt

    workers = WorkerPool(lambda job: SpawnExecutor(1), lambda job, folder, report: (run_until_ended, folder))
    with pytest.raises(KeyboardInterrupt):
        list(run_shards(JOB, range(3), tmp_path, workers, report))
    assert (tmp_path / "ended").exists()


FORK = """
import multiprocessing, sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
import fajin
from fajin.jobs.description.job import Job
from fajin.jobs.execution.ray_executor import RayExecutor
from fajin.jobs.execution.shard_loop import run_shards
from fajin.jobs.execution.worker_pool import WorkerPool

scene = sys.argv[1]
from fajin.device import start_device
start_device.runs_machine_code = lambda: False  # kernels run in Taichi, as on other platforms
fajin.Simulation(fajin.read(scene), device="cpu").step(1)
fork = WorkerPool(lambda job: ProcessPoolExecutor(1, multiprocessing.get_context("fork")))
try:
    list(run_shards(Job(scene, 2, 0.1, 1, device="cpu"), range(2), Path(sys.argv[2]), fork))
except fajin.DeviceError as error:
    print(error)
"""


@pytest.mark.slow
@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
def test_a_fork_of_a_process_that_ran_taichi_is_refused_with_the_way_out(request, tmp_path, monkeypatch):
    """Its kernels would hang or crash: Taichi's threads are not in the copy."""
    scene = request.config.rootpath / "scenes" / "double_pendulum.usda"
    monkeypatch.delenv("PYTHONPATH")  # the small kernel of this scene instead of a shared one
    command = [sys.executable, "-c", FORK, scene, tmp_path / "out"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.stdout == (
        "device cpu: must not be used in a fork of a process that runs Taichi; "
        "start processes with multiprocessing.get_context('spawn')\n"
    ), done.stderr


class Reference:
    """A reference to a result on a cluster, which keeps the result as long as the reference lives."""

    def __init__(self):
        self._future = Future()

    def future(self) -> Future:
        """The future that Ray makes."""
        return self._future


class FakeRay:
    """What an executor needs of Ray: tasks, which are finished when they are submitted unless they are `endless`."""

    def __init__(self, endless: tuple[int, ...] = ()):
        self.endless, self.kept, self.cancelled = endless, WeakSet(), []
        self.cancel = self.cancelled.append

    def remote(self, fn):
        """Return a task."""

        def submit(*args) -> Reference:
            reference = Reference()
            self.kept.add(reference)
            if args[-1] not in self.endless:
                reference.future().set_result(fn(*args))
            return reference

        task = SimpleNamespace(remote=submit)
        task.options = lambda **options: task
        return task


def test_results_on_ray_are_released_once_they_are_written(tmp_path):
    """A cluster holds no more of a job than what is under way."""
    ray, kept = FakeRay(), []
    for _ in run_shards(JOB, range(5), tmp_path, of(RayExecutor(ray))):
        kept.append(len(ray.kept))
    assert kept == [4, 3, 2, 1, 0]


def test_tasks_of_ray_are_cancelled_with_the_job(tmp_path):
    """Only those that are not finished."""
    ray = FakeRay(endless=(1, 3))

    def report(steps: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(run_shards(JOB, range(5), tmp_path, of(RayExecutor(ray)), report))
    assert len(ray.cancelled) == 2
