"""Ctrl-C and SIGTERM as KeyboardInterrupt: once in a burst of signals, not within an import, never within llvmlite.

Commands begin with this file. It imports only what Python has loaded, or loads at once.
"""

import _thread
import signal
import sys
import time
from collections.abc import Callable, Iterator
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)  # from the keyboard, and from a batch system
INTERRUPTED = 130
"""Exit code after a signal, as a shell has it for Ctrl-C."""

BURST = 0.1
"""Time in which signals are one [s]: `timeout` and other launchers send theirs twice."""

PATIENCE = 1.0
"""Time after which a second signal does not wait for the end of an import [s]."""

POLL = 0.01  # [s]

Handler = Callable[[int, FrameType | None], None] | signal.Handlers


def handle_signals(handler: Handler) -> None:
    """Set the handler of the signals that this process does not ignore, as jobs in the background of a script do."""
    for number in SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, handler)


class Interrupts:
    """Handler that raises KeyboardInterrupt: once in a burst, after the import or call of llvmlite a signal comes in.

    Some packages swallow an exception within an import, or are broken by it. llvmlite frees a string and then notes
    that it has: an exception between the two lets `__del__` free the string again, and the process aborts.
    """

    def __init__(self):
        self._raised = -BURST  # time of the last interrupt
        self._waits = False  # whether a signal waits for the end of an import or a call of llvmlite
        self._since = 0.0  # time from which it waits

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal in the main thread, which executes a frame."""
        now = time.monotonic()
        if now - self._raised < BURST:
            return
        patient = not self._waits or now - self._since < PATIENCE
        if is_in_llvmlite(frame) or (patient and is_importing(frame)):
            if not self._waits:
                self._waits, self._since = True, now
                _thread.start_new_thread(self._repeat, (number, _thread.get_ident()))
            return
        self._raised, self._waits = now, False
        raise KeyboardInterrupt

    def _repeat(self, number: int, main_thread: int) -> None:
        """Repeat a signal until the main thread has been interrupted.

        Once would not do: a signal that comes just before a system call does not end the call.
        """
        while self._waits:
            if not is_importing(sys._current_frames().get(main_thread)):
                self._since = time.monotonic()
                interrupt_thread(main_thread, number)
            time.sleep(POLL)


def interrupt_thread(main_thread: int, number: int) -> None:
    """Send a signal to the main thread, which wakes it from a system call; from another thread."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(main_thread, number)
    else:  # Windows
        _thread.interrupt_main(signal.Signals(number))


def stack_of(frame: FrameType | None) -> Iterator[FrameType]:
    """Yield a frame and those that called it."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def is_importing(frame: FrameType | None) -> bool:
    """Return whether an import leads to a frame."""
    return any(each.f_code.co_filename == "<frozen importlib._bootstrap>" for each in stack_of(frame))


def is_in_llvmlite(frame: FrameType | None) -> bool:
    """Return whether a call of llvmlite leads to a frame."""
    return any(str(each.f_globals.get("__name__")).partition(".")[0] == "llvmlite" for each in stack_of(frame))
