"""`fajin batch` cut short by a kill, Ctrl-C or a full disk: nothing half-written, and the rest on request."""

import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from batches import COMMAND, fajin_batch, fajin_batch_here, results

SHARDS = 12
JOB = ("--grid", "shoulder:stiffness=1,10", "--random", "elbow:q+=normal(0,0.3)", "--worlds", "96", "--seconds", "20")
JOB = (*JOB, "--shard-size", "8", "--threads", "1", "--device", "cpu")


def shards(folder: Path) -> int:
    """How many are done."""
    return len(list(folder.glob("metrics/?????.parquet")))


@pytest.fixture(scope="module")
def scene(request) -> Path:
    """A double pendulum."""
    return request.config.rootpath / "scenes" / "double_pendulum.usda"


@pytest.fixture(scope="module")
def whole(scene, tmp_path_factory) -> dict[str, list]:
    """The results of the job, run without a break."""
    folder = tmp_path_factory.mktemp("whole") / "out"
    done = fajin_batch_here(scene, "-o", folder, *JOB)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{folder}: 96 of 96 worlds, 12 of 12 shards; ")
    assert done.stdout.count("\n") == 1
    return results(folder)


def begun(scene: Path, folder: Path, *options, until=lambda pid: False) -> subprocess.Popen:
    """The job in a process of its own, once the first shard is done, or something is true of its pid."""
    process = subprocess.Popen(
        [*COMMAND, *map(str, (scene, "-o", folder, *JOB, *options))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while process.poll() is None and not shards(folder) and not until(process.pid):
        time.sleep(0.01)
    return process


def children(pid: int) -> list[int]:
    """Processes that simulate for this one."""
    found = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return [child for child in found if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]


@pytest.mark.slow
def test_a_job_goes_on_after_kills_without_losing_or_repeating_a_shard(scene, whole, tmp_path):
    """Killed at random moments: what is done stays, the rest is done; several workers do not outlive the command."""
    killed_and_resumed(scene, whole, tmp_path / "one", 4)
    killed_and_resumed(scene, whole, tmp_path / "several", 3, "--workers", "2")


def killed_and_resumed(scene: Path, whole: dict, folder: Path, kills: int, *options) -> None:
    """Kill -9 so many times at random moments, then go on to the end."""
    moments, resume, done = random.Random(kills), (), {}
    for _ in range(kills):
        process = begun(scene, folder, *options, *resume)
        time.sleep(moments.uniform(0.0, 1.0) if resume else 0.0)
        workers = children(process.pid) if options and process.poll() is None else []
        process.kill()
        process.communicate()
        resume = ("--resume",)
        now = {path: path.stat().st_mtime_ns for path in folder.glob("metrics/?????.parquet")}
        assert done.items() <= now.items()
        done = now
        end = time.monotonic() + 60
        while any(Path(f"/proc/{worker}").exists() for worker in workers):
            assert time.monotonic() < end
            time.sleep(0.05)
    last = fajin_batch_here("-o", folder, *options, "--resume")
    assert last.returncode == 0, last.stderr
    now = {path: path.stat().st_mtime_ns for path in folder.glob("metrics/*.parquet")}
    assert done.items() <= now.items()
    assert results(folder) == whole
    assert not list(folder.rglob(".*"))


@pytest.mark.slow
def test_workers_change_no_bit_and_a_dead_one_is_replaced(scene, whole, tmp_path):
    """The shard it had is done by another."""
    process = begun(scene, tmp_path / "out", "--workers", "2")
    assert process.poll() is None, process.communicate()
    os.kill(children(process.pid)[0], signal.SIGKILL)
    out, err = process.communicate()
    assert (process.returncode, err) == (0, "")
    assert "12 of 12 shards" in out
    assert results(tmp_path / "out") == whole


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupted_job_says_how_to_go_on(scene, tmp_path, workers):
    """Ctrl-C, heard by the workers as well: 130, no half-written file, and the rest on request."""
    folder = tmp_path / "out"
    process = begun(scene, folder, "--workers", workers, *(("--seconds", "2000") if workers == 1 else ()))
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, err) == (130, "fajin: interrupted\n")
    done = shards(folder)
    assert 0 < done < SHARDS
    assert (
        out
        == f"{folder}: {8 * done} of 96 worlds, {done} of 12 shards; continue with fajin batch -o {folder} --resume\n"
    )
    assert not list(folder.rglob(".*"))


@pytest.mark.slow
def test_a_job_is_interrupted_while_its_workers_begin(scene, tmp_path):
    """They are importing what they need, and say nothing of it."""

    def importing(pid: int) -> bool:
        return any("numpy" in Path(f"/proc/{child}/maps").read_text() for child in children(pid))

    folder = tmp_path / "out"
    process = begun(scene, folder, "--workers", 2, until=importing)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, err) == (130, "fajin: interrupted\n")
    assert out.startswith(f"{folder}: 0 of 96 worlds, 0 of 12 shards; continue with")


def limit() -> None:
    """Let no file of this process grow beyond 5 kB."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, 5_000))


def test_a_full_disk_leaves_no_half_table(tmp_path):
    """And the error names file, cause and mend."""
    code = "import sys, numpy as np; from pathlib import Path\n"
    code += "from fajin.jobs.shards import result_table, shard\n"
    code += "numbers = {'x': np.random.rand(9999)}\n"
    code += "shard.write_atomically(Path('a/t.parquet'), lambda path: result_table.write_table(numbers, path, {}))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, preexec_fn=limit, capture_output=True, text=True, check=False
    )
    line = "OutputError: a/t.parquet: cannot be written (File too large); free disk space or choose another folder\n"
    assert done.stderr.endswith(line)
    assert not list((tmp_path / "a").iterdir())


@pytest.mark.slow
def test_a_full_disk_is_one_line_and_the_job_goes_on_afterwards(scene, whole, tmp_path):
    """Nothing is half-written."""
    environment = {**os.environ, "TI_OFFLINE_CACHE": "0"}
    folder = tmp_path / "out"
    done = fajin_batch(scene, "-o", folder, *JOB, preexec_fn=limit, env=environment)
    assert done.returncode == 2
    assert done.stderr.startswith(f"fajin: {folder}/metrics/00000.parquet: cannot be written (File too large)")
    assert done.stderr.count("\n") == 1
    assert not list(folder.rglob(".*"))
    assert not shards(folder)
    assert fajin_batch_here("-o", folder, "--resume").returncode == 0
    assert results(folder) == whole


def test_workers_begin_where_no_signal_can_be_blocked(monkeypatch):
    """As on Windows, where they hear Ctrl-C, too."""
    from fajin.jobs.execution import spawn_executor

    monkeypatch.delattr(signal, "pthread_sigmask")
    begun = []
    with spawn_executor._sigint_blocked():
        begun.append(1)
    assert begun
