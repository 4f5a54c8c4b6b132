"""Ctrl-C as a request to stop at the next suitable place, and as an interrupt that is never lost; ends of input."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from .interrupts import BURST, SIGNALS, Interrupts, interrupt_thread

LATER = 2.0 * BURST  # seconds
END_VARIABLE, INPUT = "FAJIN_END", "stdin"
"""Variable of the environment, and its value that ends a command with its standard input."""


@dataclass
class StopRequest:
    """State of a request to stop."""

    stop: bool = False


@contextmanager
def interruptible() -> Iterator[StopRequest]:
    """Turn the first Ctrl-C into a request that the loop checks; a second one, not of its burst, interrupts."""
    wish, first = StopRequest(), 0.0
    before = {int(number): signal.getsignal(number) for number in SIGNALS}

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal first
        if not wish.stop:
            wish.stop, first = True, time.monotonic()
        elif time.monotonic() - first >= BURST:
            interrupt = before[number]
            if not isinstance(interrupt, Interrupts):
                raise KeyboardInterrupt
            interrupt(number, frame)

    try:
        for number in SIGNALS:
            signal.signal(number, note)
        yield wish
    finally:
        for number in SIGNALS:
            signal.signal(number, before[number])


def end_of_input() -> Callable[[], bool]:
    """Return a function that returns whether the standard input has ended; with FAJIN_END=stdin, else always False.

    So a command does not outlive a program that started it and was killed.
    """
    if os.environ.get(END_VARIABLE) != INPUT:
        return lambda: False
    ended = threading.Event()

    def wait() -> None:
        while os.read(0, 4096):  # `sys.stdin` would hold a lock that Python's end needs
            continue
        ended.set()

    threading.Thread(target=wait, daemon=True).start()
    return ended.is_set


@contextmanager
def no_interrupt_lost() -> Iterator[None]:
    """Raise KeyboardInterrupt again if it came while an object was finalised, where Python prints and ignores it."""

    def hook(unraisable: "sys.UnraisableHookArgs") -> None:
        if not issubclass(unraisable.exc_type, KeyboardInterrupt):
            before(unraisable)
            return
        main_thread = threading.main_thread().ident
        # now it would be ignored in this function
        again = threading.Timer(LATER, interrupt_thread, (main_thread, signal.SIGINT))
        again.daemon = True
        again.start()

    before, sys.unraisablehook = sys.unraisablehook, hook
    try:
        yield
    finally:
        sys.unraisablehook = before
