"""`fajin batch` as a user runs it: a folder of results, whole or to be gone on with, whatever happens on the way."""

import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from batches import COMMAND, fajin_batch, results

import fajin
from fajin.jobs import memory
from fajin.jobs.metrics import METRICS
from fajin.tools.cli import main

SHARDS = 12
JOB = ("--grid", "shoulder:stiffness=1,10", "--random", "elbow:q+=normal(0,0.3)", "--worlds", "96", "--seconds", "20")
JOB = (*JOB, "--shard-size", "8", "--threads", "1", "--device", "cpu")


def refused(monkeypatch, capsys, *options) -> str:
    """The one line with which the command refuses to start."""
    monkeypatch.setattr(sys, "argv", ["fajin", "batch", *map(str, options)])
    with pytest.raises(SystemExit) as end:
        main()
    said = capsys.readouterr()
    assert end.value.code == 2
    assert (said.out, said.err.count("\n")) == ("", 1)
    return said.err


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
    done = fajin_batch(scene, "-o", folder, *JOB)
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


def test_a_job_goes_on_after_a_kill_without_losing_or_repeating_a_shard(scene, whole, tmp_path):
    """Killed twice at random moments; what is there stays as it is, what is not is done, and all is as without it."""
    killed_and_resumed(scene, whole, tmp_path / "out", 2)


@pytest.mark.slow
def test_a_job_goes_on_after_ten_kills(scene, whole, tmp_path):
    """Also with several workers, which do not outlive the command."""
    killed_and_resumed(scene, whole, tmp_path / "one", 10)
    killed_and_resumed(scene, whole, tmp_path / "several", 10, "--workers", "2")


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
    last = fajin_batch("-o", folder, *options, "--resume")
    assert last.returncode == 0, last.stderr
    now = {path: path.stat().st_mtime_ns for path in folder.glob("metrics/*.parquet")}
    assert done.items() <= now.items()
    assert results(folder) == whole
    assert not list(folder.rglob(".*"))


def test_workers_change_no_bit_and_a_dead_one_is_replaced(scene, whole, tmp_path):
    """The shard it had is done by another."""
    process = begun(scene, tmp_path / "out", "--workers", "2")
    assert process.poll() is None, process.communicate()
    os.kill(children(process.pid)[0], signal.SIGKILL)
    out, err = process.communicate()
    assert (process.returncode, err) == (0, "")
    assert "12 of 12 shards" in out
    assert results(tmp_path / "out") == whole


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
        out == f"{folder}: {8 * done} of 96 worlds, {done} of 12 shards; go on with fajin batch -o {folder} --resume\n"
    )
    assert not list(folder.rglob(".*"))


def test_a_job_is_interrupted_while_its_workers_begin(scene, tmp_path):
    """They are importing what they need, and say nothing of it."""

    def importing(pid: int) -> bool:
        return any("numpy" in Path(f"/proc/{child}/maps").read_text() for child in children(pid))

    folder = tmp_path / "out"
    process = begun(scene, folder, "--workers", 2, until=importing)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, err) == (130, "fajin: interrupted\n")
    assert out.startswith(f"{folder}: 0 of 96 worlds, 0 of 12 shards; go on with")


def limit() -> None:
    """Let no file of this process grow beyond 5 kB."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, 5_000))


def test_a_full_disk_leaves_no_half_table(tmp_path):
    """And the error names file, cause and mend."""
    code = "import sys, numpy as np; from pathlib import Path; from fajin.jobs import shard, table\n"
    code += "shard.place(Path('a/t.parquet'), lambda path: table.write_table({'x': np.random.rand(9999)}, path, {}))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, preexec_fn=limit, capture_output=True, text=True, check=False
    )
    line = "UnwritableOutput: a/t.parquet: cannot be written (File too large); make room or choose another folder\n"
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
    assert fajin_batch("-o", folder, "--resume").returncode == 0
    assert results(folder) == whole


def test_a_folder_keeps_to_its_job(scene, tmp_path, monkeypatch, capsys):
    """Results are not written over, nor mixed with those of another job; a changed scene is another job."""
    copy, folder = tmp_path / "scene.usda", tmp_path / "out"
    copy.write_text(scene.read_text())
    job = (copy, "-o", folder, "--worlds", "2", "--seconds", "0.1", "--device", "cpu")
    assert fajin_batch(*job).returncode == 0
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert "--resume" in refused(monkeypatch, capsys, *job)
    assert "seconds, seed" in refused(monkeypatch, capsys, *job, "--seconds", "0.2", "--seed", "1", "--resume")
    copy.write_text(scene.read_text().replace("timeStepsPerSecond = 480", "timeStepsPerSecond = 240"))
    assert "what the scene's files say" in refused(monkeypatch, capsys, *job, "--resume")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("mine")
    assert "other files" in refused(monkeypatch, capsys, scene, "-o", tmp_path / "other")
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--grid", "shoulder:stiffness"), ("--grid", "NAME:quantity=")),
        (("--grid", "shoulder:stiffness=1,x"), ("shoulder:stiffness=1,x",)),
        (("--grid", "shoulder:stifness=1"), ("stifness", "stiffness")),
        (("--grid", "nowhere:stiffness=1"), ("nowhere", "elbow")),
        (("--grid", "elbow:damping=1,-1"), ("elbow:damping", "-1")),
        (("--grid", "elbow:damping=1,nan"), ("elbow:damping", "nan")),
        (("--random", "elbow:q=uniform(0,1)"), ("--worlds",)),
        (("--random", "elbow:q=gauss(0,1)", "--worlds", "3"), ("gauss(0,1)", "uniform")),
        (("--random", ".*:mass*=uniform(-1,1)", "--worlds", "30"), ("mass*", "more than 0")),
        (("--grid", "elbow:q=1,2", "--worlds", "3"), ("--worlds 3", "multiple of the 2")),
        (("--table", "no.csv"), ("no.csv", "no such file")),
        (("--table", "bad.csv"), ("bad.csv, row 1, elbow:q = nan",)),
        (("--metrics", "speed"), ("speed", "peak_speed")),
        (("--metrics", "nomodule:height"), ("nomodule:height",)),
        (("--record", "worlds=3:1"), ("worlds=3:1",)),
        (("--animate", "7"), ("--animate 7",)),
        (("--controls", "no.npz"), ("no.npz",)),
        (("--initial", "no.npz"), ("no.npz",)),
        (("--worlds", "1000000000", "--shard-size", "1000000000"), ("--shard-size", "GB are free", "or fewer")),
        (("--drive", "nowhere=1,2"), ("nowhere", "elbow")),
        (("--dt", "0"), ("dt",)),
        (("--seconds", "nan"), ("--seconds",)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_what_cannot_be_is_one_line_before_anything_starts(scene, tmp_path, monkeypatch, capsys, options, words):
    """It names option and value, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.csv").write_text("elbow:q\n1\nnan\n")
    line = refused(monkeypatch, capsys, scene, "-o", "out", *options)
    assert all(word in line for word in words), line
    assert [path.name for path in tmp_path.iterdir()] == ["bad.csv"]


def test_help_and_page_name_every_metric(request, monkeypatch, capsys):
    """And no other."""
    monkeypatch.setattr(sys, "argv", ["fajin", "batch", "--help"])
    with pytest.raises(SystemExit):
        main()
    said = " ".join(capsys.readouterr().out.split())
    assert f"Metrics: {', '.join(METRICS)}; each" in said
    page = (request.config.rootpath / "docs" / "batch.md").read_text()
    assert all(f"`{name}" in page for name in METRICS)


def test_without_a_scene_only_a_folders_job_can_be_gone_on_with(tmp_path, monkeypatch, capsys):
    """Options that would change it need one."""
    assert "manifest" in refused(monkeypatch, capsys, "-o", tmp_path / "none", "--resume")
    assert "--worlds needs a SCENE" in refused(monkeypatch, capsys, "-o", tmp_path, "--worlds", "3")


def test_worlds_are_not_more_than_memory_holds(monkeypatch):
    """Neither of the machine, nor of several processes at once."""
    monkeypatch.setattr(memory, "free", lambda: 1_000_000)
    memory.check(800, 1000, 1)
    with pytest.raises(fajin.InvalidJob, match="give 900 or fewer"):
        memory.check(1000, 1000, 1)
    with pytest.raises(fajin.InvalidJob, match="2 processes"):
        memory.check(800, 1000, 2)
