"""The first run of a kind of robot compiles kernels for seconds: a terminal shows why."""

import io
import logging
import sys

import pytest

from fajin.compiler import kernel_code
from fajin.compiler.kernel_compiler import KernelRequest
from fajin.device import compiled_kernel
from fajin.tools.progress import print_log


class Terminal(io.StringIO):
    """A stream that is a terminal, or not."""

    def __init__(self, shown: bool):
        super().__init__()
        self.shown = shown

    def isatty(self) -> bool:
        return self.shown


@pytest.fixture(autouse=True)
def _as_before():
    """Give the logger its handlers and level back."""
    logger = logging.getLogger("fajin")
    handlers, level = list(logger.handlers), logger.level
    yield
    logger.handlers, logger.level = handlers, level


@pytest.mark.parametrize("shown", [True, False])
def test_a_terminal_says_once_that_kernels_are_compiled(monkeypatch, shown):
    """Not for kernels of the cache; elsewhere than on a terminal nothing is printed."""
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
    line = "fajin: compiling the kernels for this kind of robot, once on this machine …\n"
    assert terminal.getvalue() == (line if shown else "")


def test_python_users_can_log_it(monkeypatch, caplog):
    monkeypatch.setattr(kernel_code, "cached_code", lambda name, compile_code: compile_code())
    monkeypatch.setattr(kernel_code, "compile_apart", lambda request: None)
    with caplog.at_level(logging.INFO, "fajin"):
        compiled_kernel.compiled_kernel.__wrapped__(KernelRequest("kernels", "step_kernel", 32, 16, ()))
    assert caplog.messages == ["compiling step_kernel of kernels for this kind of robot"]


def test_commands_print_warnings_and_the_device_of_auto(monkeypatch):
    """Also where no terminal is: each in one line."""
    stream = Terminal(False)
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(logging.getLogger("fajin"), "handlers", [])  # of commands that ran before in this process
    print_log()
    logging.getLogger("fajin.device").info("device %s: %s", "cpu", "1 world")
    logging.getLogger("fajin").warning("cannot compile %s", "step_kernel")
    assert stream.getvalue() == "fajin: device cpu: 1 world\nfajin: warning: cannot compile step_kernel\n"
