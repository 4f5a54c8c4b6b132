"""Ctrl-C and SIGTERM at any moment of a command: exit code 130, no traceback, nothing left, no child that goes on."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fajin.atomic_write import staging_directory
from fajin.tools import interrupts
from fajin.tools.interrupts import INTERRUPTED

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads Linux's /proc")
MOMENTS, EARLY, SECONDS = 25, 5, 4.0
"""Signals of both kinds in turn, those before Python's start is over, and seconds of the rest: a start takes 5 s."""
MARK = "FAJIN_TEST_MARK"

AT_IMPORT = """
import os, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), {number})
sys.meta_path.insert(0, Finder())
from fajin.tools.entry_point import run
run()
"""


def slow(*values):
    return pytest.param(*values, marks=pytest.mark.slow)


def python(code: str, *words, **options) -> subprocess.CompletedProcess:
    """Run code as the command `fajin` with words."""
    env = {name: value for name, value in os.environ.items() if name != "FAJIN_LIMITS"}
    command = [sys.executable, "-c", code, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=env, **options)


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("fajin.tools.cli", signal.SIGTERM), ("typer", signal.SIGINT), slow("fajin.errors", signal.SIGTERM),
        slow("numpy", signal.SIGTERM), ("numpy._core._multiarray_umath", signal.SIGINT),
        slow("fajin.sandbox.request", signal.SIGINT), slow("pxr", signal.SIGTERM), slow("pxr.Usd", signal.SIGINT),
    ],
)  # fmt: skip
def test_a_signal_within_an_import_ends_the_command(scenes, tmp_path, name, number):
    """Whatever the package makes of exceptions."""
    words = "--limits", "none", "simulate", scenes / "pendulum.usda", "-o", "out.usda", "--seconds", "1e6"
    done = python(AT_IMPORT.format(name=name, number=int(number)), *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (INTERRUPTED, "")
    assert done.stderr in ("", "fajin: interrupted; writing what was simulated\n")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("number", interrupts.SIGNALS)
def test_a_signal_at_exit_changes_no_exit_code(number):
    """The work is done; functions of atexit, and Python's end after them."""
    kill = f"os.kill(os.getpid(), {int(number)})"
    begin = "import atexit, os, sys; from fajin.tools import cli, entry_point\n"
    late = (
        f"class Late:\n    def __del__(self, os=os):\n        {kill}\nlate = Late()\ncli.main = lambda: sys.exit(3)\n"
    )
    assert python(f"{begin}{late}entry_point.run()").returncode == 3
    early = f"cli.main = lambda: [atexit.register(lambda: [{kill}, print('lost')]), sys.exit(3)]\n"
    done = python(f"{begin}{early}entry_point.run()")
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "")


def test_an_import_swallows_no_signal(tmp_path):
    """As some packages do that try what is installed; their exceptions are none of ours."""
    kill = f"os.kill(os.getpid(), {int(signal.SIGTERM)})"
    swallowing = f"import os\ntry:\n    {kill}\n    list(map(str, range(9)))\nexcept BaseException:\n    pass\n"
    (tmp_path / "swallowing.py").write_text(swallowing)
    code = "import sys, time; from fajin.tools import cli, entry_point\n"
    code += "cli.main = lambda: [__import__('swallowing'), time.sleep(60.0), sys.exit(3)]\n"
    done = python(f"{code}entry_point.run()", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (INTERRUPTED, "")


def test_an_interrupt_through_exec_is_exit_code_130(tmp_path):
    """Python remembers it, and a module would end by SIGINT although it was caught."""
    interrupted = f"import os; os.kill(os.getpid(), {int(signal.SIGINT)}); list(map(str, range(9)))"
    code = f"from fajin.tools import cli, entry_point\ncli.main = lambda: exec({interrupted!r})\nentry_point.run()\n"
    (tmp_path / "interrupted.py").write_text(code)
    done = subprocess.run([sys.executable, "-m", "interrupted"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (INTERRUPTED, "")


def test_a_signal_that_a_process_ignores_stays_ignored():
    """As Ctrl-C in jobs that a script starts in the background."""
    code = "import os, signal, sys; from fajin.tools import cli, entry_point\n"
    code += f"signal.signal({int(signal.SIGINT)}, signal.SIG_IGN)\n"
    code += f"cli.main = lambda: [os.kill(os.getpid(), {int(signal.SIGINT)}), sys.exit(3)]\n"
    assert python(f"{code}entry_point.run()").returncode == 3


def test_no_signal_interrupts_what_frees_memory():
    """A string of LLVM would be freed once more by its `__del__`, and the process would abort."""
    pytest.importorskip("llvmlite")
    name, kill = "LLVMPY_DisposeString", f"os.kill(os.getpid(), {int(signal.SIGINT)})"
    code = "import os, sys, time; from llvmlite import binding; from llvmlite.binding import ffi\n"
    code += f"from fajin.tools import cli, entry_point\ndispose = ffi.lib.{name}\n"
    code += f"ffi.lib._fntab[{name!r}] = lambda held: [dispose(held), {kill}, list(map(str, range(9)))]\n"
    code += "cli.main = lambda: [binding.get_default_triple(), time.sleep(60.0), sys.exit(3)]\nentry_point.run()\n"
    done = python(code)
    assert (done.returncode, done.stdout, done.stderr) == (INTERRUPTED, "", "")


def test_an_interrupt_leaves_no_staging_directory(tmp_path, monkeypatch):
    """Not even in the instant after it is made."""
    make = os.mkdir

    def interrupted(*args, **options) -> None:
        make(*args, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "mkdir", interrupted)
    with pytest.raises(KeyboardInterrupt), staging_directory(tmp_path / "out.usda"):
        pass
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("number", "group"), [(signal.SIGTERM, False), slow(signal.SIGINT, True)])
def test_an_interrupted_edit_leaves_nothing(tmp_path, number, group):
    """What the child has begun to write is removed, a file that may be hostile is the scene of the edit."""
    slow_disk, folder = tmp_path / "slow_disk", tmp_path / "folder"
    slow_disk.mkdir()
    folder.mkdir()
    code = "import os, time\nos.fsync = lambda file: time.sleep(60.0)\n"
    (slow_disk / "sitecustomize.py").write_text(code)  # also of the child
    robot = Path(__file__).parents[1] / "recorded" / "authored" / "robot.usda"
    words = "author", "drive", robot, "--joint", ".*", "--stiffness", "10", "-o", "edits.usda"
    env = {name: value for name, value in os.environ.items() if name != "FAJIN_LIMITS"}
    process = subprocess.Popen(
        [sys.executable, "-m", "fajin", *map(str, words)], cwd=folder, env={**env, "PYTHONPATH": str(slow_disk)},
        start_new_session=True, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    while process.poll() is None and not list(folder.glob(".edits.usda.*/edits.usda")):
        time.sleep(0.01)
    (os.killpg if group else os.kill)(process.pid, number)
    _, error = process.communicate(timeout=60)
    assert (process.returncode, error) == (INTERRUPTED, "")
    assert not list(folder.iterdir())


def test_a_second_interrupt_does_not_end_the_removal_of_files(tmp_path, monkeypatch):
    """Ctrl-C of a terminal reaches the child of an edit twice."""
    remove, calls = shutil.rmtree, []

    def interrupted(*args, **options) -> None:
        calls.append(args)
        if len(calls) < 3:
            raise KeyboardInterrupt
        remove(*args, **options)

    monkeypatch.setattr(shutil, "rmtree", interrupted)
    with pytest.raises(KeyboardInterrupt), staging_directory(tmp_path / "out.usda"):
        raise KeyboardInterrupt
    assert not list(tmp_path.iterdir())


def handles(pid: int, number: int) -> bool:
    """Whether a process has a handler of a signal."""
    status = Path(f"/proc/{pid}/status").read_text().splitlines()
    return bool(int(next(line for line in status if line.startswith("SigCgt")).split()[1], 16) >> (number - 1) & 1)


def marked(mark: str) -> list[str]:
    """Processes that live with a mark in their environment."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if f"{MARK}={mark}\0".encode() in (place / "environ").read_bytes():
                found.append((place / "cmdline").read_text())
        except OSError:  # it has ended, or is another user's
            pass
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("first", "number"), enumerate(interrupts.SIGNALS))
def test_a_signal_at_any_moment_of_a_cold_start(scenes, tmp_path, first, number):
    """No bytecode, no kernel, the sandbox as users have it: 130 as soon as SIGTERM has a handler.

    Before its first line fajin can do nothing: there SIGTERM kills, and Python reports a KeyboardInterrupt.
    """
    for moment in range(first, MOMENTS, len(interrupts.SIGNALS)):
        folder = tmp_path / str(moment)
        folder.mkdir()
        env = {name: value for name, value in os.environ.items() if name != "FAJIN_LIMITS"} | {
            "PYTHONPYCACHEPREFIX": str(tmp_path / "bytecode"), "PYTHONDONTWRITEBYTECODE": "1", MARK: str(folder),
            "XDG_CACHE_HOME": str(tmp_path / f"cache{moment}"), "TI_OFFLINE_CACHE_FILE_PATH": "",
        }  # fmt: skip
        words = "simulate", str(scenes / "pendulum.usda"), "-o", "out.usda", "--seconds", "1e6"
        process = subprocess.Popen(
            [sys.executable, "-m", "fajin", *words], cwd=folder, env=env, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        while moment >= EARLY and not handles(process.pid, signal.SIGTERM):
            time.sleep(0.005)
        time.sleep(moment * 0.05 if moment < EARLY else (moment - EARLY) * SECONDS / (MOMENTS - EARLY))
        ready = handles(process.pid, signal.SIGTERM)
        process.send_signal(number)
        _, error = process.communicate(timeout=120)
        if ready:
            lines = [line for line in error.splitlines() if not line.startswith("fajin: compiling")]
            assert (process.returncode, len(lines) <= 1) == (INTERRUPTED, True), (moment, error)
        assert not list(folder.glob(".*")), moment
        until = time.monotonic() + 20.0
        while marked(str(folder)) and time.monotonic() < until:
            time.sleep(0.05)
        assert not marked(str(folder)), moment
