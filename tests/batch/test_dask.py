"""Jobs on a Dask cluster that is really there: the same bits as in one process, whoever dies on the way."""

import subprocess
import sys
from pathlib import Path

import pytest
from clusters import Job

pytestmark = pytest.mark.slow
pytest.importorskip("distributed", reason="Dask is not installed: pip install '.[dask]'")

CLUSTER = """
import sys
import dask
from distributed import LocalCluster

if __name__ == "__main__":
    dask.config.set({"distributed.scheduler.allowed-failures": 1})
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


@pytest.fixture(scope="module")
def job(tmp_path_factory) -> Job:
    """A job, whose policy kills whom it is told to."""
    return Job(tmp_path_factory.mktemp("home"))


def started(home: Path) -> tuple[subprocess.Popen, str]:
    """A scheduler with two workers, each a process of its own, and its address."""
    (home / "cluster.py").write_text(CLUSTER)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([sys.executable, home / "cluster.py"], text=True, **pipes)
    return process, process.stdout.readline().strip()


@pytest.fixture(scope="module")
def dask(job):
    """The address of a cluster."""
    process, address = started(job.home)
    yield address
    process.communicate()


def test_dask_gives_the_same_bits_though_a_worker_is_killed(job, dask):
    """Another one does its shard; own functions travel, and the workers see neither scene nor folder."""
    job.kill()
    done = job.run("dask", "--cluster", dask)
    assert (done.returncode, done.stderr) == (0, "")
    assert "20 of 20 worlds, 7 of 7 shards" in done.stdout
    assert job.killed
    assert job.same("dask")


def test_dask_workers_that_die_again_and_again_end_the_job(job, dask):
    """In a line; what is done is gone on with elsewhere."""
    job.kill(always=True)
    done = job.run("deadly", "--cluster", dask)
    job.spare()
    assert done.returncode == 2
    assert done.stderr.startswith("fajin: the Dask workers of a shard died repeatedly")
    assert done.stderr.count("\n") == 1
    assert job.resume("deadly").returncode == 0
    assert job.same("deadly")


def test_a_lost_scheduler_is_one_line_and_the_job_goes_on_here(job):
    """Killed in the middle of a shard."""
    process, address = started(job.home)
    job.kill(process.pid)
    done = job.run("lost", "--cluster", address)
    process.wait()
    assert (done.returncode, done.stderr) == (2, f"fajin: the connection to the Dask scheduler at {address} is lost\n")
    assert "continue with fajin batch -o lost --policy own:act --resume" in done.stdout
    again = job.run("lost", "--cluster", address)
    assert again.returncode == 2
    assert again.stderr.startswith(f"fajin: --cluster {address}: no Dask scheduler answers")
    assert job.resume("lost", "--workers", "2").returncode == 0
    assert job.same("lost")
