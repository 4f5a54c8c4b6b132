"""Jobs on clusters that are really there: the same bits as in one process, whoever dies on the way."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from batches import fajin_batch, results

pytestmark = pytest.mark.slow
needs_dask = pytest.mark.skipif(not find_spec("distributed"), reason="Dask is not installed: pip install '.[dask]'")
needs_ray = pytest.mark.skipif(not find_spec("ray"), reason="Ray is not installed: pip install '.[ray]'")

JOB = ("--random", "elbow:q+=normal(0,0.3)", "--worlds", "20", "--seconds", "1", "--shard-size", "3", "--device", "cpu")
JOB = (*JOB, "--policy", "own:act", "--every", "10", "--record", "worlds=0:5 every=10")

OWN = """
import os, signal
from pathlib import Path

HERE = Path({here!r})

def act(sim):
    sim.write("target_q", 0.9 * sim.read("q"))
    if sim.steps == 30 and (HERE / "kill").exists():  # the pid of a victim, 0 for whoever is here
        victim = int((HERE / "kill").read_text())
        if not (HERE / "always").exists():
            try:
                (HERE / "kill").rename(HERE / "killed")
            except FileNotFoundError:
                return
        os.kill(victim or os.getpid(), signal.SIGKILL)
"""

DASK = """
import sys
import dask
from distributed import LocalCluster

if __name__ == "__main__":
    dask.config.set({"distributed.scheduler.allowed-failures": 1})
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""

RAY = """
import ray
from fajin.tools.cli import main

ray.init("local", num_cpus=2, object_store_memory=100 * 2**20, include_dashboard=False, log_to_driver=False)
main()
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Path:
    """A folder with a policy, which kills whom the file `kill` names."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "own.py").write_text(OWN.format(here=str(folder)))
    (folder / "dask_cluster.py").write_text(DASK)
    (folder / "ray_batch.py").write_text(RAY)
    return folder


@pytest.fixture(autouse=True)
def calm(home):
    """Nobody is killed unless a test says so."""
    for name in ("kill", "killed", "always"):
        (home / name).unlink(missing_ok=True)


@pytest.fixture(scope="module")
def scene(request) -> Path:
    """A double pendulum."""
    return request.config.rootpath / "scenes" / "double_pendulum.usda"


@pytest.fixture(scope="module")
def whole(scene, home) -> dict[str, list]:
    """The results of the job, done in one process."""
    done = fajin_batch(scene, "-o", "whole", *JOB, cwd=home)
    assert done.returncode == 0, done.stderr
    return results(home / "whole")


def dask_cluster(home: Path) -> tuple[subprocess.Popen, str]:
    """A scheduler with two workers, each a process of its own, and its address."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([sys.executable, home / "dask_cluster.py"], text=True, **pipes)
    return process, process.stdout.readline().strip()


@pytest.fixture(scope="module")
def dask(home):
    """The address of a Dask cluster."""
    process, address = dask_cluster(home)
    yield address
    process.communicate()


def on_dask(scene: Path, home: Path, folder: str, address: str) -> subprocess.CompletedProcess:
    """Do the job there."""
    return fajin_batch(scene, "-o", folder, *JOB, "--cluster", address, cwd=home)


def on_ray(scene: Path, home: Path, folder: str) -> subprocess.CompletedProcess:
    """Do the job on a Ray of its own."""
    command = [sys.executable, "ray_batch.py", "batch", str(scene), "-o", folder, *JOB, "--cluster", "ray"]
    environment = {**os.environ, "RAY_AUTH_MODE": "disabled"}
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=home, env=environment)


def same(home: Path, folder: str, whole: dict[str, list]) -> bool:
    """Whether a folder holds the results and trajectories of the job, to the bit, and nothing half-written."""
    here, there = trajectories(home / folder), trajectories(home / "whole")
    assert not list((home / folder).rglob(".*"))
    return results(home / folder) == whole and here == there and len(here) > 0


def trajectories(folder: Path) -> dict[Path, bytes]:
    """Contents of all files."""
    paths = (path for path in (folder / "trajectories").rglob("*") if path.is_file())
    return {path.relative_to(folder): path.read_bytes() for path in paths}


@needs_dask
def test_dask_gives_the_same_bits_though_a_worker_is_killed(scene, home, dask, whole):
    """Another one does its shard; own functions travel, and the workers see neither scene nor folder."""
    (home / "kill").write_text("0")
    done = on_dask(scene, home, "dask", dask)
    assert (done.returncode, done.stderr) == (0, "")
    assert "20 of 20 worlds, 7 of 7 shards" in done.stdout
    assert (home / "killed").exists()
    assert same(home, "dask", whole)


@needs_dask
def test_dask_workers_that_die_again_and_again_end_the_job(scene, home, dask, whole):
    """In a line; what is done is gone on with elsewhere."""
    (home / "kill").write_text("0")
    (home / "always").touch()
    done = on_dask(scene, home, "deadly", dask)
    assert done.returncode == 2
    assert done.stderr.startswith("fajin: the Dask workers that had a shard died one after the other")
    assert done.stderr.count("\n") == 1
    (home / "kill").unlink()
    assert fajin_batch("-o", "deadly", "--resume", cwd=home).returncode == 0
    assert same(home, "deadly", whole)


@needs_dask
def test_a_lost_scheduler_is_one_line_and_the_job_goes_on_here(scene, home, whole):
    """Killed in the middle of a shard."""
    process, address = dask_cluster(home)
    (home / "kill").write_text(str(process.pid))
    done = on_dask(scene, home, "lost", address)
    process.wait()
    assert (done.returncode, done.stderr) == (2, f"fajin: the connection to the Dask scheduler at {address} is lost\n")
    assert "go on with fajin batch -o lost --resume" in done.stdout
    again = on_dask(scene, home, "lost", address)
    assert again.returncode == 2
    assert again.stderr.startswith(f"fajin: --cluster {address}: no Dask scheduler answers there")
    assert fajin_batch("-o", "lost", "--resume", "--workers", "2", cwd=home).returncode == 0
    assert same(home, "lost", whole)


@needs_ray
def test_ray_gives_the_same_bits_though_a_worker_is_killed(scene, home, whole):
    """Another one does its shard."""
    (home / "kill").write_text("0")
    done = on_ray(scene, home, "ray")
    assert done.returncode == 0, done.stderr
    assert "20 of 20 worlds, 7 of 7 shards" in done.stdout
    assert (home / "killed").exists()
    assert same(home, "ray", whole)


@needs_ray
def test_ray_workers_that_die_again_and_again_end_the_job(scene, home, whole):
    """In a line; what is done is gone on with elsewhere."""
    (home / "kill").write_text("0")
    (home / "always").touch()
    done = on_ray(scene, home, "deadly ray")
    assert done.returncode == 2
    assert "fajin: Ray workers that had a shard died 4 times" in done.stderr
    (home / "kill").unlink()
    assert fajin_batch("-o", "deadly ray", "--resume", cwd=home).returncode == 0
    assert same(home, "deadly ray", whole)
