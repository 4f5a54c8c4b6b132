"""The handler of Ctrl-C and SIGTERM: one interrupt per burst, after imports, and not within what frees memory."""

import os
import signal
import sys
import time

import pytest

from fajin.tools import interrupts
from fajin.tools.interrupts import BURST, PATIENCE, Interrupts
from fajin.tools.signals import interruptible


@pytest.fixture
def clock(monkeypatch) -> list[float]:
    """Time of the handler, which a test sets."""
    now = [0.0]
    monkeypatch.setattr(interrupts.time, "monotonic", lambda: now[0])
    return now


def test_signals_of_a_burst_interrupt_once(clock):
    handler = Interrupts()
    for begin in (0.0, 5.0):
        clock[0] = begin
        with pytest.raises(KeyboardInterrupt):
            handler(signal.SIGTERM, None)
        clock[0] = begin + 0.9 * BURST
        handler(signal.SIGTERM, None)


def test_a_signal_that_a_wait_does_not_hear_is_repeated(monkeypatch):
    """A signal that comes between the last line and the system call of a wait would not end the wait."""
    imports, sent = iter([True]), []
    monkeypatch.setattr(interrupts, "is_importing", lambda frame: next(imports, False))
    send = interrupts.interrupt_thread
    monkeypatch.setattr(interrupts, "interrupt_thread", lambda *to: sent.append(to) or (len(sent) > 3 and send(*to)))
    before = signal.signal(signal.SIGTERM, Interrupts())
    try:
        os.kill(os.getpid(), signal.SIGTERM)
        with pytest.raises(KeyboardInterrupt):
            time.sleep(5.0)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert len(sent) == 4


def test_a_second_signal_interrupts_an_import_that_does_not_end(clock, monkeypatch):
    """A policy of a user may be one."""
    repeats = []
    monkeypatch.setattr(interrupts, "is_importing", lambda frame: True)
    monkeypatch.setattr(interrupts._thread, "start_new_thread", lambda *call: repeats.append(call))
    handler = Interrupts()
    for clock[0] in (0.0, 0.9 * PATIENCE):
        handler(signal.SIGINT, None)
    clock[0] = 1.1 * PATIENCE
    with pytest.raises(KeyboardInterrupt):
        handler(signal.SIGINT, None)
    assert len(repeats) == 1


def test_a_call_of_llvmlite_is_never_interrupted(clock, monkeypatch):
    """Neither by a second signal, nor by one after a wish to stop."""
    monkeypatch.setattr(interrupts._thread, "start_new_thread", lambda *call: None)
    inside = eval("sys._getframe()", {"sys": sys, "__name__": "llvmlite.binding.ffi"})
    before = signal.signal(signal.SIGINT, Interrupts())
    try:
        with interruptible():
            handler = signal.getsignal(signal.SIGINT)
            for clock[0] in (0.0, 1.1 * BURST, 2.0 * PATIENCE, 4.0 * PATIENCE):
                handler(signal.SIGINT, inside)
            with pytest.raises(KeyboardInterrupt):
                handler(signal.SIGINT, sys._getframe())
    finally:
        signal.signal(signal.SIGINT, before)
