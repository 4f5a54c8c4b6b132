"""Ctrl-C as a wish to stop at the next good place."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

SIGNALS = (signal.SIGINT, signal.SIGTERM)  # the keyboard's, and a batch system's


@dataclass
class StopRequest:
    """Whether somebody has asked to stop."""

    stop: bool = False


@contextmanager
def interruptible() -> Iterator[StopRequest]:
    """Turn the first Ctrl-C into a wish that the loop looks at; the second one interrupts as usual."""
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
