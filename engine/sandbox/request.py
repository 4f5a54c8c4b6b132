"""Requests to a child process that opens files which may be hostile, and refusals where it fails."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from ..atomic_write import OutputError
from ..scene import InvalidScene
from .limits import Limits
from .refusals import broken_limit, death
from .reply import IDLE_SECONDS, MARK

GRACE = 5.0  # [s] start of a server, beside the wall time of a file
NOISE = 1 << 16  # bytes that a Python may print before its reply
START = "import sys, json; sys.path[:] = json.loads(sys.argv[1]); from {} import main; main()"

THREADS = ("PXR_WORK_THREAD_LIMIT", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")
"""Environment variables that keep a server without threads, which a fork would lose."""

_idle: list[tuple[float, subprocess.Popen]] = []
"""Servers that wait for a request since a time; they have loaded what their last request needed."""
_lock = Lock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # a server belongs to one process


class Request:
    """A call of a function in a child process with limits. The child begins at construction.

    Args:
        function: "module:name", called with `path` and `arguments`, that returns a value for JSON; the module has a
            function `prepare`.
        path: the file that it opens, named in refusals.
        arguments: further arguments, values for JSON.
        limits: limits of the child.
        writable: folder below which the child may write; "" for none.
    """

    def __init__(
        self, function: str, path: str | Path, arguments: dict[str, Any], limits: Limits, writable: str | Path = ""
    ):
        self._path, self._limits, self._began = str(path), limits, time.monotonic()
        self._header: dict[str, Any] = {"end": "silence"}
        self._answer = b""
        cwd = ""
        with suppress(OSError):  # the folder was removed
            cwd = str(Path.cwd())
        request = {"function": function, "arguments": {"path": self._path, **arguments}, "cwd": cwd}
        request["writable"] = str(writable and Path(writable).absolute())
        try:
            self._server = _take_server()
        except OSError as error:
            rule = f"a file that a child process reads, but none starts ({error.strerror})"
            raise InvalidScene(file=path, rule=rule, fix="read it with trusted=True if it is sound") from None
        line = json.dumps({**request, "limits": vars(limits)}).encode() + b"\n"
        self._thread = Thread(target=self._exchange, args=(line,), daemon=True)
        self._thread.start()

    def answer(self) -> Any:
        """Return the function's value; waits for it.

        Raises:
            InvalidScene: the function raised it; or the child broke a limit, died or failed.
            OutputError: the function raised it.
        """
        left = self._limits.wall + GRACE - (time.monotonic() - self._began)
        try:
            self._thread.join(max(0.0, left))
        finally:
            if not self._thread.is_alive() and self._header["end"] == "silence":
                with suppress(subprocess.TimeoutExpired):
                    self._server.wait(1.0)
            if self._thread.is_alive() or self._header["end"] == "silence" or not hasattr(os, "fork"):
                _end(self._server)
            else:
                with _lock:
                    _idle.append((time.monotonic(), self._server))
        if self._thread.is_alive():
            raise broken_limit(self._path, self._limits, "wall")
        return self._value()

    def _exchange(self, line: bytes) -> None:
        """Send the request and receive the reply, in a thread."""
        assert self._server.stdin
        assert self._server.stdout
        with suppress(OSError, ValueError):
            self._server.stdin.write(line)
            self._server.stdin.flush()
            noise = 0
            while (said := self._server.stdout.readline(NOISE)) and noise < NOISE:
                if said.startswith(MARK.encode()):
                    header = json.loads(said[len(MARK) :])
                    self._answer = self._server.stdout.read(min(header["size"], int(self._limits.output * 1e9)))
                    self._header = header
                    return
                noise += len(said)

    def _value(self) -> Any:
        """Return the value of the reply.

        Raises:
            InvalidScene, OutputError: as of `answer`.
        """
        end, code = self._header["end"], self._header.get("code", 0)
        if end in ("wall", "output"):
            raise broken_limit(self._path, self._limits, end)
        if end != "answer" or code:
            how = self._last_words() if end == "silence" else ""
            raise death(self._path, self._limits, code, self._header.get("memory", 0), how)
        try:
            ((kind, value),) = json.loads(self._answer).items()
        except (ValueError, AttributeError, RecursionError):
            kind, value = "fault", "its answer is not JSON"
        if kind == "value":
            return value
        if kind == "invalid" and isinstance(value, list):
            raise InvalidScene(*map(str, value[:6]))
        if kind == "output":
            raise OutputError(str(value))
        if value == "memory":
            raise broken_limit(self._path, self._limits, "memory")
        rule = f"a file that fajin reads ({str(value)[:300]})"
        raise InvalidScene(file=self._path, rule=rule, fix="report it with the file")

    def _last_words(self) -> str:
        """Return how a server ended: the signal, or the last line that it printed, which is the error of an import."""
        assert self._server.stderr
        if self._server.returncode < 0:
            return f"its server ended by signal {-self._server.returncode}"
        lines = self._server.stderr.read().decode(errors="replace").strip().splitlines()
        return lines[-1][:200] if lines else "it ended without a reply"


def _take_server() -> subprocess.Popen:
    """Return a server that waits for a request; start one if there is none.

    Raises:
        OSError: no process can be started.
    """
    with _lock:
        while _idle:
            since, server = _idle.pop()
            if server.poll() is None and time.monotonic() - since < IDLE_SECONDS:
                return server
            _end(server)
    words = [sys.executable, "-c", START.format(f"{__package__}.server"), json.dumps(sys.path)]
    return subprocess.Popen(
        words,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **dict.fromkeys(THREADS, "1")},
        start_new_session=True,  # Ctrl-C is for this process
    )


def _end(server: subprocess.Popen) -> None:
    """Kill a server with its children."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(server.pid, signal.SIGKILL)
        else:
            server.kill()
    server.wait()
