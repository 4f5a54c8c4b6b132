"""A server of pages for this machine: the standard library's, bound to a loopback address.

A browser sends requests of any page that it shows, also to this server. A request is therefore refused unless its
`Host` is this server, and its `Origin`, if it has one, is this server's page.
"""

import json
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ...errors import InputError

LOOPBACK = "127.0.0.1"
MOST_BYTES = 65536  # of a request's body
MOST_STREAMS = 8
HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass
class Stream:
    """The newest state; readers wait for the next one and skip what came between."""

    changed: threading.Condition = field(default_factory=threading.Condition)
    state: bytes = b""
    number: int = 0
    ended: bool = False

    def publish(self, state: bytes) -> None:
        """Replace the state."""
        with self.changed:
            self.state = state
            self.number += 1
            self.changed.notify_all()

    def next(self, seen: int) -> tuple[bytes, int]:
        """Return a state newer than `seen` and its number; wait for it, at most a second."""
        with self.changed:
            self.changed.wait_for(lambda: self.number != seen or self.ended, 1.0)
            return (self.state, self.number) if self.number != seen else (b"", seen)


class PageServer:
    """A server in threads of its own.

    Args:
        pages: {path: (content, type)}.
        address: host and port; port 0 is any free one.
        take: is called with each JSON object that a page posts, in a thread of the server; it returns the reason to
            refuse it, or "".
        stream: states for the page, or None.

    Raises:
        InputError: the port is taken, or the address is not one of this machine.
    """

    def __init__(
        self,
        pages: dict[str, tuple[bytes, str]],
        address: tuple[str, int] = (LOOPBACK, 0),
        take: Callable[[Any], str] | None = None,
        stream: Stream | None = None,
    ):
        self.pages, self.take, self.stream = pages, take, stream
        self.host = address[0]
        self.token = "" if self.is_loopback else secrets.token_urlsafe(16)
        self.streams = threading.BoundedSemaphore(MOST_STREAMS)
        try:
            self._server = _Server(address, self)
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise InputError(
                f"--port {address[1]}: must be a free port of {address[0]} ({reason}); leave it out for any"
            ) from None
        threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True).start()

    @property
    def is_loopback(self) -> bool:
        """Return whether only this machine reaches the server."""
        return self.host in (LOOPBACK, "localhost", "::1")

    @property
    def port(self) -> int:
        """Return the port."""
        return self._server.server_address[1]

    @property
    def url(self) -> str:
        """Return the address of the page."""
        return f"http://{self.host}:{self.port}/" + (f"?token={self.token}" if self.token else "")

    def close(self) -> None:
        """End the server and its streams."""
        if self.stream:
            with self.stream.changed:
                self.stream.ended = True
                self.stream.changed.notify_all()
        self._server.shutdown()
        self._server.server_close()

    def refusal(self, handler: BaseHTTPRequestHandler) -> bool:
        """Return whether a request is not of this server's own page."""
        host, origin = handler.headers.get("Host", ""), handler.headers.get("Origin")
        names = {f"{name}:{self.port}" for name in (LOOPBACK, "localhost")}
        if not self.is_loopback:
            query = parse_qs(urlsplit(handler.path).query)
            if not secrets.compare_digest(query.get("token", [""])[0].encode(), self.token.encode()):
                return True
            names.add(host)  # a name of this machine that is not known here
        return host not in names or (origin is not None and origin != f"http://{host}")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = False

    def __init__(self, address: tuple[str, int], owner: PageServer):
        self.owner = owner
        super().__init__(address, _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore connections that a browser has dropped."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server  # pyright: ignore[reportIncompatibleVariableOverride]  # the standard library declares its base
    timeout = 30.0

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""

    def do_GET(self) -> None:
        """Send a page or the stream of states; 403 for a foreign Host or Origin, 404 for other paths."""
        owner = self.server.owner
        if owner.refusal(self):
            return self._answer(403)
        path = urlsplit(self.path).path
        if path in owner.pages:
            return self._answer(200, *owner.pages[path])
        if path == "/stream" and owner.stream and owner.streams.acquire(blocking=False):
            try:
                return self._send_states(owner.stream)
            finally:
                owner.streams.release()
        return self._answer(404)

    def do_POST(self) -> None:
        """Pass a JSON body on to the owner; 403 for a foreign Host or Origin, 404, 411, 413 or 400 for bad requests."""
        owner, length = self.server.owner, self.headers.get("Content-Length", "")
        self.close_connection = True  # a body that is not read must not become the next request
        if owner.refusal(self):
            return self._answer(403)
        if not owner.take or urlsplit(self.path).path != "/set":
            return self._answer(404)
        if not length.isdecimal():
            return self._answer(411)
        if int(length) > MOST_BYTES:
            return self._answer(413)
        try:
            refused = owner.take(json.loads(self.rfile.read(int(length)), parse_constant=_refuse))
        except (ValueError, RecursionError) as error:
            refused = str(error) or "invalid"
        self.close_connection = bool(refused)
        return self._answer(400 if refused else 200, refused.encode(), "text/plain; charset=utf-8")

    def _answer(self, status: int, content: bytes = b"", kind: str = "text/plain") -> None:
        self.send_response(status)
        for name, value in {**HEADERS, "Content-Type": kind, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)

    def _send_states(self, stream: Stream) -> None:
        """Send states until the page or the server ends."""
        self.close_connection = True
        self.send_response(200)
        for name, value in {**HEADERS, "Content-Type": "application/octet-stream", "Connection": "close"}.items():
            self.send_header(name, value)
        self.end_headers()
        seen = -1
        try:
            while not stream.ended:
                state, seen = stream.next(seen)
                if state:
                    self.wfile.write(state)
                    self.wfile.flush()
        except OSError:  # the page was closed
            pass


def _refuse(name: str) -> float:
    raise ValueError(f"{name}: must be a finite number")
