"""Progress of commands on a terminal, a bar; and lines of the log."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

COMPILING, DURATION = "compiling kernels", "5 to 60 s"
HANDLER = "fajin.lines"  # name of the handler


@contextmanager
def progress(total: int, unit: str) -> Iterator[Callable[[float], None]]:
    """Show a progress bar on a terminal; the yielded function takes the number of finished units."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    text = TextColumn("{task.completed:,.0f} of {task.total:,.0f} " + unit)
    with Progress(text, BarColumn(), TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda done: bar.update(task, completed=done)


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
            elif (reason := getattr(record, "reason", "")) and not self.announced:  # of a compilation: `kernel_code`
                self.announced = True
                print(f"fajin: {COMPILING} once per kind of robot, {DURATION}: {reason} …", file=sys.stderr)

    logger = logging.getLogger("fajin")
    logger.setLevel(logging.INFO)
    for handler in [one for one in logger.handlers if one.get_name() == HANDLER]:  # of a command before in this process
        logger.removeHandler(handler)
    lines = Lines()
    lines.set_name(HANDLER)
    logger.addHandler(lines)
