"""Read the first text that a function writes to a file, and end the function with it."""

import os
import select
import signal
import sys
import traceback
from collections.abc import Callable


def first_text(name: str, write: Callable[[], object]) -> str:
    """Return what a function writes to a file of the working folder the first time.

    The function runs in a fork, and the file is a named pipe, at whose end the fork is killed. This process must have
    one thread. If the fork ends without a text, this process ends; stderr has the reason.
    """
    os.mkfifo(name)
    ended, alive = os.pipe()  # the fork alone has its other end
    fork = os.fork()
    if not fork:
        os.close(ended)
        _run(write)
    os.close(alive)
    text = os.open(name, os.O_RDONLY | os.O_NONBLOCK)
    ready, _, _ = select.select([text, ended], [], [])
    os.set_blocking(text, True)
    with os.fdopen(text) as file:
        found = file.read() if text in ready else ""
    os.close(ended)
    os.kill(fork, signal.SIGKILL)
    _, status = os.waitpid(fork, 0)
    return found or sys.exit(os.waitstatus_to_exitcode(status) or f"{name}: must be written; nothing was")


def _run(write: Callable[[], object]) -> None:
    """Call a function and end this process."""
    code = 1
    try:
        write()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)
