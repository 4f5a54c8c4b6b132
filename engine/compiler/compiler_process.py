"""A process that compiles kernels in forks of itself, so that Taichi and the laws are imported once for all of them.

It is started where the first kernel is asked for, or ahead, while a scene is read. A request is a folder and the words
of a kernel, with a pipe for its messages, whose end is that of the fork. The process ends with the one that started
it, with the environment that it was started in, or of idleness.
"""

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any

IDLE_SECONDS = 60.0
"""Time after which a process without requests ends, which gives the memory of its imports back."""

SERVE = f"from {__package__}.kernel_compiler import serve_kernels; serve_kernels()"
"""Program of the process."""

MOST_BYTES = 1 << 17
"""Most bytes of a request."""


class CompilerProcess:
    """A process that compiles kernels, with the environment of this one."""

    def __init__(self):
        self.origin = _origin()
        self._socket, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command, nowhere = [sys.executable, "-c", SERVE], subprocess.DEVNULL
        with other:
            self.process = subprocess.Popen(command, stdin=other.fileno(), stdout=nowhere, stderr=nowhere)

    def serves(self) -> bool:
        """Return whether the process runs, and in the environment that this process has now."""
        return self.process.poll() is None and self.origin == _origin()

    def compile(self, folder: str, words: dict[str, Any]) -> str:
        """Have a fork write the code of a kernel to a file of a folder; return what it wrote to stderr.

        Raises:
            OSError: the process has ended.
        """
        reading, writing = os.pipe()
        with os.fdopen(reading, errors="replace") as messages:
            try:
                socket.send_fds(self._socket, [json.dumps([folder, words]).encode()], [writing])
            finally:
                os.close(writing)
            return messages.read()

    def close(self) -> None:
        """End the process, once it has handed its requests to forks."""
        self._socket.close()
        self.process.wait()


def _origin() -> tuple[int, str, dict[str, str]]:
    """Return what a process must share with the one it compiles for: a fork of that has its own."""
    return os.getpid(), sys.executable, dict(os.environ)


_running: list[CompilerProcess] = []
_lock = Lock()


def compiler_process() -> CompilerProcess:
    """Return the process that compiles for this one, started if need be.

    Raises:
        OSError: no child process can run.
    """
    with _lock:
        if not _running or not _running[0].serves():
            _close()
            _running.append(CompilerProcess())
        return _running[0]


def _close() -> None:
    """End the process that compiles for this one; a fork leaves that of its parent alone."""
    while _running:
        process = _running.pop()
        if process.origin[0] == os.getpid():
            process.close()


atexit.register(_close)


def serve(write_kernel: Callable[[Path, dict[str, Any]], None]) -> None:
    """Answer requests of the socket at stdin, each in a fork, until nobody is at its other end.

    write_kernel: writes the code of a kernel to a file `kernel` of a folder.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C is for the process that waits
    with socket.socket(fileno=0) as requests:
        requests.settimeout(IDLE_SECONDS)
        while True:
            try:
                request, pipes, _, _ = socket.recv_fds(requests, MOST_BYTES, 1)
            except TimeoutError:
                return
            _reap()
            if not request:
                return
            if not os.fork():
                _answer(write_kernel, json.loads(request), pipes[0])
            os.close(pipes[0])


def _reap() -> None:
    """Take note of forks that have ended; their processor time counts as this process's."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _answer(write_kernel: Callable, request: tuple[str, dict[str, Any]], messages: int) -> None:
    """Write a kernel, and messages to a pipe; end this process."""
    os.dup2(messages, sys.stderr.fileno())
    os.close(messages)
    try:
        write_kernel(Path(request[0]), request[1])
    except SystemExit as error:  # of `first_text`; a number says that the reason is written
        print(error.code if isinstance(error.code, str) else "", file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(0)
