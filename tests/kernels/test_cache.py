"""Where compiled kernels cannot be kept: a run ends as any other does, with one line that says so."""

import atexit
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from fajin.compiler.kernel_cache import take_turns_in_cache

PROGRAM = """
from fajin import compiler
compiler.start_taichi("cpu")
import taichi as ti
@ti.kernel
def double(x: ti.types.ndarray(ti.f32, 1)):
    for i in x:
        x[i] *= 2.0
x = ti.ndarray(ti.f32, 1)
x.fill(21.0)
double(x)
print(x[0])
"""
"""Starts Taichi and compiles a kernel, which Taichi wants to keep at the end."""


def ended(folder: Path, **changed: str | None) -> subprocess.CompletedProcess:
    """The program in a process with these variables, None for unset, and its own folder for temporary files."""
    (folder / "tmp").mkdir()
    (folder / "program.py").write_text(PROGRAM)
    gone = dict.fromkeys(("XDG_CACHE_HOME", "TI_OFFLINE_CACHE_FILE_PATH"))
    variables = {**os.environ, **gone, "HOME": str(folder), "TMPDIR": str(folder / "tmp"), **changed}
    variables = {name: value for name, value in variables.items() if value is not None}
    command = [sys.executable, str(folder / "program.py")]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=variables, cwd=folder)


@pytest.mark.parametrize(
    "kind",
    ["a file", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("below a file", "proc", "home", "caches"))],
)
def test_kernels_that_cannot_be_kept_are_said_once(tmp_path, kind):
    """Exit code 0, and nothing left; Taichi alone would die at its end, after all work."""
    (tmp_path / "file").touch()
    changed = {
        "a file": {"TI_OFFLINE_CACHE_FILE_PATH": str(tmp_path / "file")},
        "below a file": {"TI_OFFLINE_CACHE_FILE_PATH": str(tmp_path / "file" / "kernels")},
        "proc": {"TI_OFFLINE_CACHE_FILE_PATH": "/proc/kernels"},
        "home": {"HOME": "/proc/home"},
        "caches": {"XDG_CACHE_HOME": str(tmp_path / "file")},
    }[kind]
    done = ended(tmp_path, **changed)
    assert (done.returncode, done.stdout.strip()) == (0, "42.0"), done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"fajin: kernel cache {next(iter(changed.values()))}")
    assert "cannot be written" in done.stderr
    assert not list((tmp_path / "tmp").iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("changed", [{"HOME": None}, {"HOME": ""}, {"HOME": None, "XDG_CACHE_HOME": ""}])
def test_a_process_without_a_home_runs(tmp_path, changed):
    """Taichi alone aborts at its start."""
    done = ended(tmp_path, **changed)
    assert (done.returncode, done.stdout.strip()) == (0, "42.0"), done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", ["HOME", "XDG_CACHE_HOME", "TI_OFFLINE_CACHE_FILE_PATH"])
def test_kernels_are_kept_where_the_variables_say(tmp_path, name):
    """And nothing is said."""
    place = {"HOME": ".cache/taichi/ticache", "XDG_CACHE_HOME": "taichi/ticache"}.get(name, "")
    done = ended(tmp_path, **{name: str(tmp_path / "kept")})
    assert (done.returncode, done.stderr) == (0, "")
    assert list((tmp_path / "kept" / place).glob("*.tic"))


@pytest.mark.slow
@pytest.mark.parametrize("age", [0.0, 3600.0], ids=["of a process that ends", "of a process that was killed"])
def test_a_lock_of_another_process_keeps_no_kernel_out(tmp_path, age):
    """A new lock is waited for, an old one removed; Taichi alone would keep nothing, now and in all later runs."""
    kept = tmp_path / "kept"
    kept.mkdir()
    lock = kept / "ticache.lock"
    lock.touch()
    os.utime(lock, times=(time.time() - age,) * 2)
    if not age:
        threading.Timer(4.0, lock.unlink).start()
    done = ended(tmp_path, TI_OFFLINE_CACHE_FILE_PATH=str(kept))
    assert (done.returncode, done.stderr) == (0, "")
    assert list(kept.glob("*.tic"))
    assert not lock.exists()


def test_processes_that_end_together_write_their_kernels_in_turn(tmp_path):
    """One waits for the other, however long that writes; Taichi alone would give up and keep nothing."""
    fcntl = pytest.importorskip("fcntl")
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-u", str(tmp_path / "program.py")]
    kept = tmp_path / "kept"
    kept.mkdir()
    with (kept / "fajin.lock").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        process = subprocess.Popen(
            command, env={**os.environ, "TI_OFFLINE_CACHE_FILE_PATH": str(kept)}, stdout=subprocess.PIPE, text=True
        )
        while process.stdout.readline() != "42.0\n":
            assert process.poll() is None
        time.sleep(1.0)
        assert process.poll() is None
        assert not list(kept.glob("*.tic"))
    process.communicate()
    assert process.returncode == 0
    assert list(kept.glob("*.tic"))


def test_a_process_waits_once_however_often_it_starts_a_device(tmp_path, monkeypatch):
    """Its second wait would be for itself."""
    monkeypatch.setenv("TI_OFFLINE_CACHE_FILE_PATH", str(tmp_path))
    before = atexit._ncallbacks()
    take_turns_in_cache()
    take_turns_in_cache()
    assert atexit._ncallbacks() == before + 1


def test_the_cache_has_room_for_the_kernels_of_many_scenes(tmp_path):
    """A gibibyte; in Taichi's 100 MB a few dozen scenes drive each other out."""
    check = PROGRAM + "print(ti.lang.impl.get_runtime().prog.config().offline_cache_max_size_of_files)"
    (tmp_path / "program.py").write_text(check)
    done = subprocess.run([sys.executable, str(tmp_path / "program.py")], capture_output=True, text=True, check=False)
    assert done.stdout.split()[-1] == str(2**30), done.stderr


@pytest.mark.parametrize("threads", ["0", "-1", "many", "1000000"])
def test_threads_that_no_machine_has_are_refused(tmp_path, threads):
    """By Taichi's own variable: it would abort, or start them all."""
    done = ended(tmp_path, TI_CPU_MAX_NUM_THREADS=threads)
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert last.endswith(
        f"TI_CPU_MAX_NUM_THREADS = {threads}: must be a whole number from 1 to 4096; unset it for all cores"
    )
