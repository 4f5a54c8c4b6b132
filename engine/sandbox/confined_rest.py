"""The rest of a program in a child process with limits, for a program that edits a file which may be hostile."""

import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

from .limits import NONE, VARIABLE, Limits
from .process_limits import limit_process
from .refusals import broken_limit, death

POLL = 0.005  # [s]
CHILD_GRACE = 5.0  # [s] for a child to end after an interrupt


def continue_in_child(path: str | Path, limits: Limits, writable: str | Path) -> None:
    """Return in a child process with limits, which writes only below a folder; this process ends as the child does.

    Args:
        path: the file that the child opens, named in refusals.
        limits: limits of the child.
        writable: the folder.

    Raises:
        SystemExit: in this process, when the child has ended, with its exit code.
        InvalidScene: in this process: the child broke a limit or died.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    parent, child = os.getpid(), os.fork()
    if child == 0:
        os.setsid()  # Ctrl-C reaches the parent alone, which sends one signal: two at once may go to a thread of USD
        os.environ[VARIABLE] = NONE  # it starts no further child
        limit_process(limits, str(Path(writable).absolute()), parent)
        return
    try:
        code, memory = _wait(child, limits.wall)
    except BaseException:
        with suppress(ProcessLookupError, ChildProcessError):
            os.kill(child, signal.SIGTERM)  # it removes what it has begun to write
            _wait(child, CHILD_GRACE)
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        raise
    if code is None:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise broken_limit(path, limits, "wall")
    if code < 0:
        raise death(path, limits, code, memory)
    raise SystemExit(code)


def _wait(child: int, seconds: float) -> tuple[int | None, int]:
    """Return exit code of a child, None if it does not end in time, and the most memory that it used [KB]."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        ended, status, usage = os.wait4(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status), usage.ru_maxrss
        time.sleep(POLL)
    return None, 0
