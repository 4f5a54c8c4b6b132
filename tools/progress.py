"""Progress of commands: a bar on a terminal, or lines for a program that runs fajin; and lines of the log."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

COMPILING, DURATION = "compiling kernels", "5 to 60 s"
HANDLER = "fajin.lines"  # name of the handler


VARIABLE, AS_LINES = "FAJIN_PROGRESS", "lines"
"""Variable of the environment, and its value that asks for lines."""

INTERVAL = 0.2
"""Least time between lines [s]."""


@contextmanager
def progress(total: int, unit: str) -> Iterator[Callable[[float], None]]:
    """Show a progress bar on a terminal; the yielded function takes the number of finished units.

    With FAJIN_PROGRESS=lines it is lines of the standard error instead: "progress DONE TOTAL UNIT".
    """
    if os.environ.get(VARIABLE) == AS_LINES:
        yield line_printer(total, unit)
        return
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    text = TextColumn("{task.completed:,.0f} of {task.total:,.0f} " + unit)
    with Progress(text, BarColumn(), TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda done: bar.update(task, completed=done)


def line_printer(total: int, unit: str) -> Callable[[float], None]:
    """Return a function that prints the number of finished units: the first, the last, and few between."""
    printed = -INTERVAL

    def show(done: float) -> None:
        nonlocal printed
        now = time.monotonic()
        if now - printed >= INTERVAL or done >= total:
            printed = now
            print(f"progress {done:.0f} {total} {unit}", file=sys.stderr, flush=True)

    return show


def print_log() -> None:
    """Print what fajin logs: warnings, the device that `auto` chose, and that kernels are compiled, with the reason.

    Compiling takes seconds that nothing else explains; the first kernel is announced.
    """
    import logging

    class Lines(logging.Handler):
        announced = False

        def emit(self, record: logging.LogRecord) -> None:
            if record.levelno >= logging.WARNING:
                print(f"fajin: warning: {record.getMessage()}", file=sys.stderr)
            elif record.name == "fajin.device":
                print(f"fajin: {record.getMessage()}", file=sys.stderr)
            elif (reason := getattr(record, "reason", "")) and not self.announced:  # of a compilation
                self.announced = True
                print(_compiling_line(reason, getattr(record, "repeats", False)), file=sys.stderr)

    logger = logging.getLogger("fajin")
    logger.setLevel(logging.INFO)
    for handler in [one for one in logger.handlers if one.get_name() == HANDLER]:  # of a command before in this process
        logger.removeHandler(handler)
    lines = Lines()
    lines.set_name(HANDLER)
    logger.addHandler(lines)


def _compiling_line(reason: str, repeats: bool) -> str:
    """Return the line that announces a compilation, with as much of the reason as a terminal's line holds.

    repeats: whether each process compiles.
    """
    from textwrap import shorten

    columns, end = 80, " …"  # of a terminal
    often = "in each run" if repeats else "once"
    return shorten(f"fajin: {COMPILING} {often}, {DURATION}: {reason}", columns - len(end), placeholder="") + end
