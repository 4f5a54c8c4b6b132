"""One process compiles all kernels of a process, each in a fork; it ends with what it serves, and is started again."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from fajin.compiler import compiler_process as process_file
from fajin.compiler import kernel_code
from fajin.compiler.compiler_process import compiler_process
from fajin.compiler.kernel_compiler import KernelRequest, compile_apart, sources
from fajin.compiler.machine_code import runs_machine_code

if not runs_machine_code():
    pytest.skip("this machine runs Taichi's kernels in the process", allow_module_level=True)

SMALL = KernelRequest("link_state", "link_state_kernel", 32, 1, ())


def header(code: bytes | None) -> dict:
    """The header of a kernel."""
    assert code is not None
    return json.loads(code.partition(b"\n")[0])


def test_a_process_compiles_several_kernels():
    first = compiler_process()
    assert header(compile_apart(SMALL))["request"]["name"] == "link_state_kernel"
    assert compile_apart(SMALL) == compile_apart(SMALL)
    assert compiler_process() is first


def test_a_process_that_ended_is_started_again():
    first = compiler_process()
    os.kill(first.process.pid, signal.SIGKILL)
    assert compile_apart(SMALL) is not None
    assert compiler_process() is not first


def test_a_process_has_the_environment_of_the_one_it_compiles_for(monkeypatch):
    """Which may change, and with it the processor that code is made for."""
    first = compiler_process()
    monkeypatch.setenv("FAJIN_CPU", "x86-64-v2")
    assert compiler_process() is not first
    assert first.process.returncode == 0
    assert compile_apart(SMALL) is not None
    assert "FAJIN_CPU=x86-64-v2" in Path(f"/proc/{compiler_process().process.pid}/environ").read_text().split("\0")


def test_a_process_ends_of_idleness(monkeypatch):
    """And with it the memory of its imports; the next kernel starts another one."""
    monkeypatch.setenv("FAJIN_IDLE", "")  # another environment, so another process
    brief = f"import {process_file.__name__} as file; file.IDLE_SECONDS = 0.01; "
    monkeypatch.setattr(process_file, "SERVE", brief + process_file.SERVE)
    idle = compiler_process()
    assert idle.process.wait(60) == 0
    monkeypatch.undo()
    assert compile_apart(SMALL) is not None


def test_a_process_ends_with_the_one_that_started_it():
    code = """
        import os, sys
        from fajin.compiler.compiler_process import compiler_process

        print(compiler_process().process.pid, flush=True)
        os.kill(os.getpid(), 9)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True)
    end = time.monotonic() + 60
    while Path(f"/proc/{int(done.stdout)}/exe").exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert time.monotonic() < end


def test_a_process_is_started_ahead_where_no_kernel_of_these_sources_is_cached(monkeypatch, tmp_path):
    """While a scene is read; not beside kernels that this version has made."""
    started = []
    monkeypatch.setenv("TI_OFFLINE_CACHE_FILE_PATH", str(tmp_path))
    monkeypatch.setattr(kernel_code, "compiler_process", lambda: started.append(1))
    kernel_code.prepare_to_compile()
    assert len(started) == 1
    assert kernel_code.kernel_code(SMALL) is not None
    kernel_code.prepare_to_compile()
    assert len(started) == 1
    (file,) = tmp_path.glob("*.fajin")
    file.write_bytes(file.read_bytes().replace(sources().encode(), b"another version"))
    kernel_code.prepare_to_compile()
    assert len(started) == 2
