"""Kernels are kept as machine code: compiled once, checked when read, and compiled anew where anything differs."""

import hashlib
import json
import os
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from fajin.compiler import kernel_code, kernel_compiler
from fajin.compiler.kernel_compiler import KernelRequest, compile_apart
from fajin.compiler.machine_code import runs_machine_code
from fajin.device import compiled_kernel
from fajin.tables.features import Features

if not runs_machine_code():
    pytest.skip("this machine runs Taichi's kernels in the process", allow_module_level=True)

REQUEST = KernelRequest("kernels", "step_kernel", 32, 16, (Features(), 1))


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty folder of kernels, in which a compiler writes its number of calls."""
    calls = []

    def compile_slowly(request):
        calls.append(request)
        time.sleep(0.1)
        return b"[]\n%d" % len(calls)

    monkeypatch.setenv("TI_OFFLINE_CACHE_FILE_PATH", str(tmp_path))
    monkeypatch.setattr(kernel_code, "compile_apart", compile_slowly)
    monkeypatch.setattr(compiled_kernel, "CompiledKernel", lambda *codes: b"".join(codes))
    return SimpleNamespace(folder=tmp_path, calls=calls, load=compiled_kernel.compiled_kernel.__wrapped__)


def test_simulations_on_the_cpu_do_not_import_taichi(scenes):
    code = "import sys, fajin; sim = fajin.Simulation(fajin.read(sys.argv[1]), device='cpu', threads=1); sim.step(2)"
    code += "; print('taichi' in sys.modules)"
    command = [sys.executable, "-c", code, str(scenes / "pendulum.usda")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "False\n"


def test_a_kernel_is_compiled_once(cache):
    """By callers one after the other, and by callers at the same time."""
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(cache.load, [REQUEST] * 4)) == {b"[]\n1"}
    assert cache.load(REQUEST) == b"[]\n1"
    assert [file.suffix for file in cache.folder.iterdir()] == [".fajin"]


def test_kernels_that_differ_in_other_laws_share_the_function_of_contacts(cache):
    """Compiled at the same time as the first of them."""
    touching = Features(contacts=True, planes=True)
    with_contacts = replace(REQUEST, templates=(touching, 1))
    cache.load(with_contacts)
    assert {request.name for request in cache.calls} == {"step_kernel", "contact_kernel"}
    cache.load(replace(REQUEST, templates=(replace(touching, mimics=True, statistics=True), 1)))
    assert [request.name for request in cache.calls[2:]] == ["step_kernel"]
    cache.load(replace(REQUEST, templates=(replace(touching, sleeps=True), 1)))
    assert {request.name for request in cache.calls[3:]} == {"step_kernel", "contact_kernel"}
    assert replace(with_contacts, architecture="sm_86").parts() == (replace(with_contacts, architecture="sm_86"),)


def test_a_kernel_without_the_function_of_its_contacts_is_left_to_taichi(cache, monkeypatch):
    monkeypatch.setattr(kernel_code, "compile_apart", lambda request: b"[]" if request.name == "step_kernel" else None)
    assert cache.load(replace(REQUEST, templates=(Features(contacts=True), 1))) is None


def with_digest(code: bytes) -> bytes:
    """The content of a file with this code."""
    return hashlib.sha256(code).digest() + code


@pytest.mark.parametrize("kept", [slice(-1), slice(0), slice(1, None)])
def test_a_damaged_file_is_compiled_anew(cache, kept):
    cache.load(REQUEST)
    (file,) = cache.folder.iterdir()
    file.write_bytes(with_digest(b"x" * 100)[kept])
    assert cache.load(REQUEST) == b"[]\n2"
    assert file.read_bytes() == with_digest(b"[]\n2")


def test_code_of_another_user_is_not_executed(cache, monkeypatch):
    cache.load(REQUEST)
    stat = Path.stat

    def of_another(path, **options):
        found = list(stat(path, **options))
        found[4] = os.getuid() + 1  # st_uid
        return os.stat_result(found)

    monkeypatch.setattr(Path, "stat", of_another)
    assert cache.load(REQUEST) == b"[]\n2"


def test_what_nobody_reads_is_removed(cache):
    cache.load(REQUEST)
    (old,) = cache.folder.iterdir()
    os.utime(old, (0, 0))
    cache.load(replace(REQUEST, bits=64))
    assert not old.exists()
    (new,) = cache.folder.iterdir()
    os.utime(new, (0, 0))
    cache.load(replace(REQUEST, bits=64))  # reads it
    cache.load(REQUEST)
    assert new.exists()


def test_whatever_decides_the_code_is_part_of_its_name(monkeypatch):
    changes = {"file": "profiling", "name": "other", "bits": 64, "lanes": 1, "templates": (Features(mimics=True),)}
    keys = {REQUEST.key(), *(replace(REQUEST, **{name: value}).key() for name, value in changes.items())}
    for function in ("sources", "processor", "version"):
        with monkeypatch.context() as other:
            other.setattr(kernel_compiler, function, lambda *_: "another")
            keys.add(REQUEST.key())
    assert len(keys) == 1 + len(changes) + 3


def test_a_kernel_that_does_not_compile_is_left_to_taichi_in_this_process(caplog):
    """The reason is logged."""
    assert compile_apart(replace(REQUEST, name="no_such_kernel")) is None
    (message,) = caplog.messages
    assert "cannot compile no_such_kernel of kernels in a child process" in message
    assert message.endswith("has no attribute 'no_such_kernel'")


def test_without_child_processes_kernels_are_left_to_taichi(monkeypatch, caplog):
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    assert compile_apart(REQUEST) is None
    assert caplog.messages[0].endswith("No such file or directory: '/no/such/python'")


SMALL = KernelRequest("link_state", "link_state_kernel", 32, 16, ())


def test_a_compiler_that_ends_badly_after_its_work_has_done_it(monkeypatch, tmp_path, caplog):
    """Libraries of C++ that are taken down with threads alive may end the process with a signal."""
    script = tmp_path / "python"
    script.write_text(f'#!/bin/sh\n{sys.executable} "$@"\nkill -SEGV $$\n')
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))
    assert compile_apart(SMALL) is not None
    assert caplog.messages == []


def test_parts_of_a_kernel_are_compiled_one_after_the_other(tmp_path):
    """Taichi numbers their files in the order in which they are done, and the loop is taken for the last."""
    code = """
        import json, sys
        from pathlib import Path
        from fajin.compiler import kernel_compiler

        def show(*_):
            from taichi.lang import impl

            print(impl.get_runtime().prog.config().num_compile_threads, flush=True)

        kernel_compiler._compile = show
        kernel_compiler.write_kernel(Path(sys.argv[1]), json.loads(sys.argv[2]))
    """
    command = [sys.executable, "-c", textwrap.dedent(code), str(tmp_path), json.dumps(SMALL.words())]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("1\n", 1)
    assert done.stderr.endswith("0001.ll: must be written; nothing was\n")


def test_arguments_of_a_launch_are_those_of_the_kernel():
    """In the order of its signature, whatever the order of the call; none is missing or unknown."""
    assert compiled_kernel.in_order(("states", "steps"), {"steps": 3, "states": 1}) == (1, 3)
    for given in ({"steps": 3}, {"states": 1, "steps": 3, "every": 0}):
        with pytest.raises(TypeError, match="must be those of the kernel"):
            compiled_kernel.in_order(("states", "steps"), given)
