"""Progress of commands on a terminal: a bar, and a line while kernels are compiled."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


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


def announce_compiling() -> None:
    """Print a line on a terminal when the first kernel is compiled, which takes seconds that nothing else explains."""
    if not sys.stderr.isatty():
        return
    import logging

    class Announcement(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            print("fajin: compiling the kernels for this kind of robot, once on this machine …", file=sys.stderr)
            logger.removeHandler(self)

    logger = logging.getLogger("fajin")
    logger.setLevel(logging.INFO)
    logger.addHandler(Announcement())
