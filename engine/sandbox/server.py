"""The process that reads files for another: it forks a child with limits for each request and opens no file itself.

A request is one line of JSON on stdin: function ("module:name"), arguments, cwd and limits. The module's function
`prepare` loads what children inherit. The reply on stdout is one line of JSON, with how the child ended and the size
of its answer, and then the answer. On Windows, which has no fork, the process reads the file itself and serves one
request.
"""

import gc
import json
import os
import select
import signal
import sys
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

from ..atomic_write import OutputError
from ..scene import InvalidScene
from .limits import Limits
from .process_limits import highest_descriptor, limit_process
from .reply import IDLE_SECONDS, MARK

PIECE = 1 << 20  # bytes read at once


def main() -> None:
    """Serve requests until stdin closes, or none comes for a while."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    sys.dont_write_bytecode = True
    null = os.open(os.devnull, os.O_RDWR)
    while line := _next_line(requests):
        request = json.loads(line)
        with suppress(Exception):  # the child raises the error again
            import_module(request["function"].partition(":")[0]).prepare()
        for standard in (0, 1, 2):  # errors of the start are reported on stderr until here
            os.dup2(null, standard)
        if not hasattr(os, "fork"):
            answer = _answer(request)
            _reply(replies, {"end": "answer", "size": len(answer)}, answer)
            return
        gc.freeze()
        _serve(request, requests, replies)


def _next_line(requests: BinaryIO) -> bytes:
    """Return the next request; empty after a while without any, or when stdin closes."""
    if hasattr(os, "fork") and not select.select([requests], [], [], 2.0 * IDLE_SECONDS)[0]:
        return b""
    return requests.readline()


def _serve(request: dict[str, Any], requests: BinaryIO, replies: BinaryIO) -> None:
    """Fork a child for a request, and pass its answer on."""
    source, sink = os.pipe()
    server, child = os.getpid(), os.fork()
    if child == 0:
        _run(request, sink, server)
    os.close(sink)
    pieces, end = _collect(source, requests.fileno(), request["limits"])
    os.close(source)
    if end != "answer":
        os.kill(child, signal.SIGKILL)
    _, status, usage = os.wait4(child, 0)
    if end == "gone":
        os._exit(0)
    answer = b"".join(pieces) if end == "answer" else b""
    code, memory = os.waitstatus_to_exitcode(status), usage.ru_maxrss
    _reply(replies, {"end": end, "code": code, "memory": memory, "size": len(answer)}, answer)


def _collect(source: int, requests: int, limits: dict[str, Any]) -> tuple[list[bytes], str]:
    """Return what a child writes, and how that ended: answer, wall, output, or gone if nobody waits for it."""
    deadline, left, pieces = time.monotonic() + limits["wall"], limits["output"] * 1e9, []
    while True:
        ready, _, _ = select.select([source, requests], [], [], max(0.0, deadline - time.monotonic()))
        if requests in ready:  # nothing is sent before a reply: the other end is closed
            return [], "gone"
        if not ready:
            return [], "wall"
        piece = os.read(source, PIECE)
        if not piece:
            return pieces, "answer"
        pieces.append(piece)
        left -= len(piece)
        if left < 0:
            return [], "output"


def _reply(replies: BinaryIO, header: dict[str, Any], answer: bytes) -> None:
    with suppress(BrokenPipeError):
        replies.write(f"{MARK}{json.dumps(header)}\n".encode() + answer)
        replies.flush()


def _run(request: dict[str, Any], sink: int, server: int) -> None:
    """Limit this process, call the function of a request, write the answer and exit."""
    code = 1
    with suppress(BaseException):
        os.dup2(sink, 3)
        os.closerange(4, os.sysconf("SC_OPEN_MAX") if sys.platform != "linux" else highest_descriptor() + 1)
        limit_process(Limits(**request["limits"]), request["writable"], server)
        answer = memoryview(_answer(request))
        while answer:
            answer = answer[os.write(3, answer) :]
        code = 0
    os._exit(code)


def _answer(request: dict[str, Any]) -> bytes:
    """Return the JSON of a function's value or error."""
    try:
        os.chdir(request["cwd"] or ".")
        module, _, name = request["function"].partition(":")
        found = {"value": getattr(import_module(module), name)(**request["arguments"])}
    except InvalidScene as error:
        found = {"invalid": error.args}
    except OutputError as error:
        found = {"output": str(error)}
    except MemoryError:
        found = {"fault": "memory"}
    except Exception as error:
        last = error.__traceback__
        while last and last.tb_next:
            last = last.tb_next
        place = f"{Path(last.tb_frame.f_code.co_filename).name}:{last.tb_lineno}" if last else ""
        found = {"fault": f"{type(error).__name__} in {place}: {' '.join(str(error).split())[:200]}"}
    return json.dumps(found).encode()
