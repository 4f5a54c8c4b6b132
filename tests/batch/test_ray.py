"""Jobs on Ray that is really there: the same bits as in one process, whoever dies on the way."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from clusters import JOB, SCENE, Job

pytestmark = pytest.mark.slow
pytest.importorskip("ray", reason="Ray is not installed: pip install '.[ray]'")

RAY = {"RAY_AUTH_MODE": "disabled", "RAY_CLIENT_RECONNECT_GRACE_PERIOD": "2", "RAY_USAGE_STATS_ENABLED": "0"}

OF_ITS_OWN = """
import ray
from fajin.tools.cli import main

ray.init("local", num_cpus=2, object_store_memory=100 * 2**20, include_dashboard=False, log_to_driver=False)
main()
"""

BORN_DEAD = """
import os, sys
from pathlib import Path

if "--mode=specific-server" in sys.orig_argv:  # what Ray forks for each client
    try:
        Path({file!r}).unlink()
        os._exit(1)
    except FileNotFoundError:
        pass
"""


@dataclass(frozen=True)
class Head:
    """A Ray of two workers that serves clients at an address; all its processes run in a folder of their own."""

    folder: Path
    address: str

    def processes(self) -> Iterator[psutil.Process]:
        """All that run."""
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                if process.cwd() == str(self.folder):
                    yield process

    @property
    def server(self) -> int:
        """The process that clients speak with."""
        return next(process.pid for process in self.processes() if "--mode=proxy" in process.cmdline())


@contextmanager
def ray_head(**environment: str) -> Iterator[Head]:
    """Ray as `ray start` starts it, on loopback, until it is needed no more."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    head = Head(Path(tempfile.mkdtemp(prefix="ray")).resolve(), f"ray://127.0.0.1:{port}")  # sockets want a short path
    options = (
        f"--node-ip-address 127.0.0.1 --port 0 --ray-client-server-port {port} --num-cpus 2 --temp-dir {head.folder}"
    )
    options += " --object-store-memory 100000000 --include-dashboard=false --block"
    # Ray forks a server for each client while gRPC runs, whose own handlers of forks may crash the child
    environment = {**os.environ, **RAY, "GRPC_ENABLE_FORK_SUPPORT": "0", "PYTHONUNBUFFERED": "1", **environment}
    more = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "env": environment, "cwd": head.folder}
    ray = subprocess.Popen([sys.executable, "-m", "ray.scripts.scripts", "start", "--head", *options.split()], **more)
    try:
        assert any(b"runtime started" in line for line in ray.stdout)
        wait_for_server(port)
        yield head
    finally:
        left = list(head.processes())
        for process in left:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(left)
        ray.communicate()
        shutil.rmtree(head.folder, ignore_errors=True)


def wait_for_server(port: int) -> None:
    """Wait until Ray's server of clients listens: it starts after Ray says that all is started."""
    end = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            assert time.monotonic() < end
            time.sleep(0.1)


@pytest.fixture(scope="module")
def job(tmp_path_factory) -> Job:
    """A job, whose policy kills whom it is told to."""
    job = Job(tmp_path_factory.mktemp("home"))
    (job.home / "ray_batch.py").write_text(OF_ITS_OWN)
    return job


@pytest.fixture(scope="module")
def head(tmp_path_factory) -> Iterator[tuple[Head, Path]]:
    """A Ray whose next server of a client is born dead if a file is there, and the file."""
    folder = tmp_path_factory.mktemp("head")
    dead = folder / "dead"
    (folder / "sitecustomize.py").write_text(BORN_DEAD.format(file=str(dead)))
    with ray_head(PYTHONPATH=str(folder), RAY_CLIENT_SERVER_CHECK_CHANNEL_TIMEOUT_S="5") as head:
        yield head, dead


def of_its_own(job: Job, folder: str) -> subprocess.CompletedProcess:
    """Do the job on a Ray that ends with it."""
    return job.command("ray_batch.py", "batch", SCENE, "-o", folder, *JOB, "--cluster", "ray", **RAY)


def test_ray_gives_the_same_bits_though_a_worker_is_killed(job):
    """Another one does its shard."""
    job.kill()
    done = of_its_own(job, "ray")
    assert done.returncode == 0, done.stderr
    assert "20 of 20 worlds, 7 of 7 shards" in done.stdout
    assert job.killed
    assert job.same("ray")


def test_ray_workers_that_die_again_and_again_end_the_job(job):
    """In a line; what is done is gone on with elsewhere."""
    job.kill(always=True)
    done = of_its_own(job, "deadly")
    job.spare()
    assert done.returncode == 2
    assert "fajin: Ray workers of a shard died 4 times" in done.stderr
    assert job.resume("deadly").returncode == 0
    assert job.same("deadly")


def test_a_client_of_ray_gets_the_same_bits_though_a_worker_and_its_first_server_die(job, head):
    """From another machine, as it were: the server is born dead, as happens, and asked for again."""
    ray, dead = head
    dead.touch()
    job.kill()
    done = job.run("client", "--cluster", ray.address, **RAY)
    assert (done.returncode, done.stderr) == (0, "")
    assert job.killed
    assert not dead.exists()
    assert job.same("client")


def test_a_lost_ray_is_one_line_and_the_job_goes_on_here(job, head):
    """The server of its clients is killed in the middle of a shard: the last that is asked of this Ray."""
    ray, _ = head
    job.kill(ray.server)
    done = job.run("lost", "--cluster", ray.address, **RAY)
    assert job.killed
    assert (done.returncode, done.stderr) == (2, f"fajin: the connection to the Ray at {ray.address} is lost\n")
    assert "continue with fajin batch -o lost --policy own:act --resume" in done.stdout
    again = job.run("lost", "--cluster", ray.address, **RAY)
    assert again.returncode == 2
    assert again.stderr.startswith(f"fajin: --cluster {ray.address}: no Ray cluster answers")
    assert "Connection refused" in again.stderr
    assert again.stderr.count("\n") == 1
    assert job.resume("lost").returncode == 0
    assert job.same("lost")
