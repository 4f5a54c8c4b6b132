"""The first run of a kind of robot compiles kernels for seconds: a terminal shows why."""

import io
import json
import logging
import sys
from dataclasses import fields, replace

import pytest

from fajin.compiler import kernel_code, kernel_compiler
from fajin.compiler.cached_kernels import cached_kernels
from fajin.compiler.device import Device
from fajin.compiler.kernel_compiler import KernelRequest
from fajin.device import compiled_kernel
from fajin.tables.features import Features
from fajin.tools.progress import print_log


class Terminal(io.StringIO):
    """A stream that is a terminal, or not."""

    def __init__(self, shown: bool):
        super().__init__()
        self.shown = shown

    def isatty(self) -> bool:
        return self.shown


@pytest.mark.parametrize("shown", [True, False])
def test_a_command_prints_once_that_kernels_are_compiled(monkeypatch, shown):
    """How long it takes, and why, on a terminal or not; nothing for kernels of the cache."""
    codes = iter([b"code", None, None])
    monkeypatch.setattr(kernel_code, "cached_code", lambda name, compile_code: next(codes) or compile_code())
    monkeypatch.setattr(kernel_code, "compile_apart", lambda request: b"code")
    monkeypatch.setattr(compiled_kernel, "CompiledKernel", lambda code: code)
    terminal = Terminal(shown)
    monkeypatch.setattr(sys, "stderr", terminal)
    print_log()
    request = KernelRequest("kernels", "step_kernel", 32, 16, ())
    find = compiled_kernel.compiled_kernel.__wrapped__
    find(request)
    assert terminal.getvalue() == ""
    find(request)
    find(request)
    line = terminal.getvalue()
    assert line.startswith("fajin: compiling kernels once, 5 to 60 s: ")
    assert line.endswith(" …\n")
    assert line.count("\n") == 1


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        ("", ""),
        ("FAJIN_MACHINE_CODE = 0", "FAJIN_MACHINE_CODE = 0"),
        ("Windows on AMD64 must be Linux on x86_64", "Windows on AMD64"),
        ("llvmlite is not installed; pip install 'llvmlite>=0.44,<0.45'", "llvmlite is not installed"),
        ("llvmlite 0.45.1 has LLVM 20, must have 15; pip install llvmlite", "llvmlite 0.45.1 has LLVM 20"),
    ],
)
def test_a_command_prints_that_each_run_compiles(monkeypatch, reason, shown):
    """Where no machine code is kept, and why: once a process, in 80 columns."""
    terminal = Terminal(True)
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(compiled_kernel, "lack", lambda: reason)
    print_log()
    compiled_kernel._announce.__wrapped__()
    line = f"fajin: compiling kernels in each run, 5 to 60 s: {shown} …\n"
    assert terminal.getvalue() == line * bool(reason)
    assert len(line) <= 80 + 1


@pytest.mark.parametrize(
    ("device", "kernel", "announced"),
    [
        (Device("cpu", 1, True, 32, 1), "step_kernel", True),
        (Device("cpu", 1, True, 32, 1), "forward_kinematics_kernel", False),
        (Device("vulkan", 1, False, 32, 0), "step_kernel", False),
    ],
)
def test_taichi_announces_the_kernel_that_takes_seconds(monkeypatch, device, kernel, announced):
    """Poses are compiled within a second, in silence; a GPU's code is another compiler's."""
    said = []

    def load(device, file):
        raise InterruptedError  # before Taichi compiles

    monkeypatch.setattr(compiled_kernel, "_announce", lambda: said.append(kernel))
    monkeypatch.setattr(compiled_kernel, "load_physics", load)
    with pytest.raises(InterruptedError):
        compiled_kernel.launch(device, "kernels", kernel)
    assert bool(said) == announced


def test_the_reason_is_printed(cache, monkeypatch):
    """Nothing is in an empty cache; later it is what the robot needs that no other one did."""
    for first, reason in ((True, "none is cached yet"), (False, "new: contacts")):
        terminal = Terminal(False)
        monkeypatch.setattr(sys, "stderr", terminal)
        monkeypatch.setattr(logging.getLogger("fajin"), "handlers", [])
        print_log()
        kernel_code.kernel_code(step_kernel() if first else step_kernel(contacts=True))
        assert terminal.getvalue().endswith(f"once, 5 to 60 s: {reason} …\n")


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty folder of kernels, which are requests and nothing else."""
    monkeypatch.setenv("TI_OFFLINE_CACHE_FILE_PATH", str(tmp_path))
    header = lambda request: json.dumps({"request": request.words()}).encode() + b"\ncode"  # noqa: E731
    monkeypatch.setattr(kernel_code, "compile_apart", header)
    return tmp_path


def step_kernel(bits=32, lanes=16, architecture="", **features) -> KernelRequest:
    """A request of a kernel with these features, roots that move, and nothing else."""
    return KernelRequest(
        "kernels", "step_kernel", bits, lanes, (Features(**{"results": False} | features), 1), architecture
    )


@pytest.mark.parametrize(
    ("first", "news"),
    [
        ({"mimics": True}, "new: contacts, capsules"),
        ({"bits": 64, "lanes": 8, "contacts": True, "capsules": True}, "new: f32, 16 lanes"),
        ({"architecture": "sm_86", "contacts": True, "capsules": True}, "new: cpu"),
        ({"contacts": True, "capsules": True, "mimics": True}, "a new combination of laws"),
    ],
)
def test_the_log_says_what_makes_a_kernel_new(cache, caplog, first, news):
    kernel_code.kernel_code(step_kernel(**first))
    with caplog.at_level(logging.INFO, "fajin"):
        kernel_code.kernel_code(step_kernel(contacts=True, capsules=True))
    assert caplog.messages[-1:] == [f"compiling step_kernel f32x16 cpu {{floats, contacts, capsules}}: {news}"]


def test_a_kernel_of_changed_laws_is_no_new_combination(cache, caplog, monkeypatch):
    kernel_code.kernel_code(step_kernel())
    monkeypatch.setattr(kernel_compiler, "sources", lambda: "another")
    with caplog.at_level(logging.INFO, "fajin"):
        kernel_code.kernel_code(step_kernel())
    assert caplog.messages[-1].endswith("{floats}: another law, compiler or processor")


def test_a_first_kernel_of_its_name_is_named(cache, caplog):
    """Where others are cached, `none is cached yet` would be wrong."""
    kernel_code.kernel_code(step_kernel())
    with caplog.at_level(logging.INFO, "fajin"):
        kernel_code.kernel_code(replace(step_kernel(), name="reset_kernel"))
    assert caplog.messages[-1].endswith(": no reset_kernel is cached yet")


ALL_FEATURES = {field.name: True for field in fields(Features)}


@pytest.mark.parametrize(
    ("before", "now", "end"),
    [
        (None, {}, "none is cached yet …"),
        ({}, {}, "another law, compiler or processor …"),
        ({"contacts": True}, {"contacts": True, "convexes": True, "polyhedra": True}, "new: convexes, polyhedra …"),
        ({}, ALL_FEATURES, ", …"),
        ({"lanes": 8, "bits": 64, "architecture": "sm_86"}, ALL_FEATURES, ", …"),
        ({"mimics": True, "contacts": True}, {"contacts": True}, "a new combination of laws …"),
    ],
)
def test_the_line_of_a_compilation_fits_80_columns(cache, monkeypatch, before, now, end):
    """Whatever the reason is; features that do not fit are left out."""
    if before is not None:
        kernel_code.kernel_code(step_kernel(**before))
        monkeypatch.setattr(kernel_compiler, "sources", lambda: "another")
    terminal = Terminal(True)
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(logging.getLogger("fajin"), "handlers", [])
    print_log()
    kernel_code.kernel_code(step_kernel(**now))
    (line,) = terminal.getvalue().splitlines()
    assert line.startswith("fajin: compiling kernels once, 5 to 60 s: ")
    assert line.endswith(end)
    assert len(line) <= 80


def test_cached_kernels_are_listed(cache, capsys):
    """Those of older versions, and damaged files, by name and size alone."""
    kernel_code.kernel_code(step_kernel(contacts=True))
    (cache / "evaluate-123.fajin").write_bytes(b"x" * 100)
    found = {kernel.name: kernel for kernel in cached_kernels()}
    step, old = found["step_kernel"], found["evaluate"]
    assert (step.bits, step.lanes, step.device, step.features) == (32, 16, "cpu", ("floats", "contacts"))
    assert (old.bits, old.lanes, old.features, old.bytes) == (None, None, (), 100)


def test_a_table_of_kernels_fits_a_terminal(cache, run, monkeypatch):
    """With as many features as there are."""
    code, output, _ = run("doctor", "--kernels")
    assert (code, output) == (0, f"no compiled kernels in {cache}\n")
    names = [field.name for field in fields(Features)]
    kernel_code.kernel_code(KernelRequest("kernels", "step_kernel", 32, 16, (Features(**dict.fromkeys(names, True)),)))
    kernel_code.kernel_code(KernelRequest("kernels", "forward_kinematics_kernel", 64, 8, ()))
    monkeypatch.setattr("fajin.tools.table.PIPE_WIDTH", 80)
    code, output, _ = run("doctor", "--kernels")
    assert code == 0
    assert max(map(len, output.splitlines()[1:])) <= 80
    assert all(name in output for name in ("step", "f32x16", "f64x8", "cpu", *names))
    heads = ["kernel", "type", "device", "features", "size", "unused"]
    assert heads in [line.split() for line in output.splitlines()]
    code, output, _ = run("doctor", "--kernels", "--json")
    assert names in [kernel["features"] for kernel in json.loads(output)]


def test_python_users_can_log_it(cache, monkeypatch, caplog):
    monkeypatch.setattr(kernel_code, "cached_code", lambda name, compile_code: compile_code())
    monkeypatch.setattr(kernel_code, "compile_apart", lambda request: None)
    with caplog.at_level(logging.INFO, "fajin"):
        compiled_kernel.compiled_kernel.__wrapped__(KernelRequest("kernels", "step_kernel", 32, 16, ()))
    assert caplog.messages == ["compiling step_kernel f32x16 cpu {}: none is cached yet"]


def test_commands_print_warnings_and_the_device_of_auto(monkeypatch):
    """Also where no terminal is: each in one line."""
    stream = Terminal(False)
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(logging.getLogger("fajin"), "handlers", [])  # of commands that ran before in this process
    print_log()
    logging.getLogger("fajin.device").info("device %s: %s", "cpu", "1 world")
    logging.getLogger("fajin").warning("cannot compile %s", "step_kernel")
    assert stream.getvalue() == "fajin: device cpu: 1 world\nfajin: warning: cannot compile step_kernel\n"
