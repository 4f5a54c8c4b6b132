"""Ctrl-C as a request to stop at the next suitable place."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

SIGNALS = (signal.SIGINT, signal.SIGTERM)  # from the keyboard, and from a batch system


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
