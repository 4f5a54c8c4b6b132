"""Outputs at fault: stdout closed or full, two runs into one name, what killed runs leave, SIGTERM."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fajin.atomic_write import LOCK, OutputError, remove_leftovers, staging_directory
from fajin.tools import cli

COMMAND = [sys.executable, "-m", "fajin"]
HOLD = (
    "import sys, time; from pathlib import Path; from fajin.atomic_write import staging_directory\n"
    "with staging_directory(Path(sys.argv[1]), exclusive=True): print('held', flush=True); time.sleep(100)"
)
pytestmark = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")


@pytest.fixture
def holder(tmp_path):
    """A process that writes out.usda."""
    process = subprocess.Popen([sys.executable, "-c", HOLD, tmp_path / "out.usda"], stdout=subprocess.PIPE)
    process.stdout.readline()
    yield process
    process.kill()
    process.wait()


def test_two_processes_do_not_write_one_file(tmp_path, holder):
    """The second one refuses, in one line."""
    with (
        pytest.raises(OutputError, match=r"out\.usda: is being written by another process; wait for it, or choose"),
        staging_directory(tmp_path / "out.usda", exclusive=True),
    ):
        pass
    with staging_directory(tmp_path / "out.usd", exclusive=True), staging_directory(tmp_path / "other.usda"):
        pass
    assert len(list(tmp_path.iterdir())) == 1


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path, holder):
    """And not while it lives."""
    assert remove_leftovers(tmp_path / "out.usda")
    holder.kill()
    holder.wait()
    (left,) = tmp_path.iterdir()
    assert (left / LOCK).exists()
    with staging_directory(tmp_path / "out.usda", exclusive=True) as folder:
        assert list(tmp_path.iterdir()) == [folder]
    assert not list(tmp_path.iterdir())


def test_a_folder_whose_process_was_killed_before_it_locked_it_is_removed_by_the_next(tmp_path):
    """Or after it removed the lock: the folder is empty then."""
    (tmp_path / ".out.usda.abcdefgh").mkdir()
    with staging_directory(tmp_path / "out.usda", exclusive=True):
        pass
    assert not list(tmp_path.iterdir())


def test_the_lock_is_removed_last(tmp_path, monkeypatch):
    """So that a process killed meanwhile leaves what the next one knows."""
    last = []
    rmtree = shutil.rmtree

    def record(folder, **options):
        last[:] = [file.name for file in folder.iterdir()]
        rmtree(folder, **options)

    monkeypatch.setattr(shutil, "rmtree", record)
    with staging_directory(tmp_path / "out.usda") as folder:
        for name in ("a", "z"):
            (folder / name).touch()
            (folder / f"folder_{name}").mkdir()
    assert last == [LOCK]


def test_who_removes_what_was_left_takes_no_new_folder_for_it(tmp_path):
    """A folder that is made meanwhile stays until its process removes it."""
    loop = (
        "import sys; from pathlib import Path; from fajin.atomic_write import remove_leftovers\n"
        "print('begun', flush=True)\nwhile True: remove_leftovers(Path(sys.argv[1]))"
    )
    removers = [
        subprocess.Popen([sys.executable, "-c", loop, tmp_path / "out.usda"], stdout=subprocess.PIPE) for _ in range(2)
    ]
    try:
        for remover in removers:
            remover.stdout.readline()
        for _ in range(300):
            with staging_directory(tmp_path / "out.usda") as folder:
                (folder / "out.usda").write_text("written")
    finally:
        for remover in removers:
            remover.kill()
            remover.wait()


def test_folders_of_others_stay(tmp_path):
    """A folder that holds files and no lock is not ours."""
    (tmp_path / ".out.usda.abcdefgh").mkdir()
    (tmp_path / ".out.usda.abcdefgh" / "file").touch()
    with staging_directory(tmp_path / "out.usda", exclusive=True):
        pass
    assert [file.name for file in tmp_path.iterdir()] == [".out.usda.abcdefgh"]


@pytest.fixture(scope="module")
def endings() -> dict[str, tuple[int, str]]:
    """Exit codes and errors of a command with a stdout that is full, closed, or closed by its reader."""
    code = "from fajin.tools import cli; cli.command_line = lambda _: lambda **_: print('x'); cli.main()"
    words = [sys.executable, "-c", code]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    found = {}
    for name, tail in (("full", "> /dev/full"), ("closed", ">&-"), ("both", "> /dev/full 2> /dev/full")):
        done = subprocess.run(["sh", "-c", f'"$@" {tail}', "sh", *words], capture_output=True, text=True, env=env)
        found[name] = done.returncode, done.stderr
    source, sink = os.pipe()
    os.close(source)
    done = subprocess.run(words, stdout=sink, stderr=subprocess.PIPE, text=True, env=env)
    os.close(sink)
    return {**found, "reader": (done.returncode, done.stderr)}


def test_output_that_goes_nowhere_is_said(endings):
    """In one line, where there is one who reads it."""
    assert endings == {
        "full": (2, "fajin: standard output: No space left on device\n"),
        "closed": (0, ""),
        "both": (2, ""),
        "reader": (cli.PIPE_CLOSED, ""),
    }


def test_sigterm_ends_a_command_as_ctrl_c_does(scenes, tmp_path):
    """Before the first step: exit code 130, no traceback, nothing left."""
    words = [*COMMAND, "simulate", str(scenes / "pendulum.usda"), "-o", str(tmp_path / "out.usda")]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    until = time.monotonic() + 60.0
    handled = 1 << (signal.SIGTERM - 1)
    while time.monotonic() < until:  # until the handler is there
        lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
        caught = int(next(line for line in lines if line.startswith("SigCgt")).split()[1], 16)
        if caught & handled:
            break
        time.sleep(0.01)
    process.terminate()
    _, error = process.communicate(timeout=60)
    assert (process.returncode, error) in ((130, ""), (130, "fajin: interrupted; writing what was simulated\n"))
    assert not list(tmp_path.glob(".*"))
