"""Ctrl-C as a request to stop at the next suitable place, and as an interrupt that is never lost."""

import _thread
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

SIGNALS = (signal.SIGINT, signal.SIGTERM)  # from the keyboard, and from a batch system
LATER = 0.01  # seconds


@dataclass
class StopRequest:
    """State of a request to stop."""

    stop: bool = False


@contextmanager
def interruptible() -> Iterator[StopRequest]:
    """Turn the first Ctrl-C into a request that the loop checks; the second one interrupts as usual."""
    wish = StopRequest()

    def note(*_) -> None:
        wish.stop = True
        for number in SIGNALS:
            signal.signal(number, before[number])

    before = {number: signal.signal(number, note) for number in SIGNALS}
    try:
        yield wish
    finally:
        for number in SIGNALS:
            signal.signal(number, before[number])


@contextmanager
def no_interrupt_lost() -> Iterator[None]:
    """Raise KeyboardInterrupt again if it came while an object was finalised, where Python prints and ignores it."""

    def hook(unraisable: "sys.UnraisableHookArgs") -> None:
        if not issubclass(unraisable.exc_type, KeyboardInterrupt):
            before(unraisable)
            return
        again = threading.Timer(LATER, _thread.interrupt_main)  # now it would be ignored in this function
        again.daemon = True
        again.start()

    before, sys.unraisablehook = sys.unraisablehook, hook
    try:
        yield
    finally:
        sys.unraisablehook = before
