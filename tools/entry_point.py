"""Entry point of `fajin`: from its first line on, Ctrl-C and SIGTERM end a command with exit code 130, no traceback.

Python and the package start before that line. A signal there has its default action, which leaves nothing behind: no
command has begun.
"""

import atexit
import os
import signal
import sys

from .interrupts import INTERRUPTED, Interrupts, handle_signals


def run() -> None:
    """Run the command line; exit with its code, or with 130 after Ctrl-C or SIGTERM."""
    code: object = INTERRUPTED
    try:
        handle_signals(Interrupts())
        atexit.register(handle_signals, signal.SIG_IGN)  # called last, before Python restores the default actions
        from . import cli

        cli.main()
    except SystemExit as end:
        code = end.code
    except KeyboardInterrupt:
        exec("")  # else Python, which remembers an interrupt that went through exec, ends by SIGINT
    handle_signals(lambda *_: os._exit(code if isinstance(code, int) else 0))  # all is written
    sys.exit(code)
