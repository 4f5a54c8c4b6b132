"""A real browser for tests: Chromium without a window, driven over its DevTools protocol."""

import base64
import json
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
OPTIONS = (
    *("--headless=new", "--no-sandbox", "--no-first-run", "--hide-scrollbars", "--mute-audio"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions"),
    *("--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1", "--remote-debugging-port=0"),
)
SOFTWARE = ("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
NO_GRAPHICS = ("--disable-gpu", "--disable-software-rasterizer", "--disable-3d-apis")
PATIENCE = 120.0  # [s]


def need_browser() -> str:
    """Path of a browser; skips the test where there is none."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("needs a Chromium: apt-get install chromium")
    pytest.importorskip("websockets", reason="needs websockets: pip install websockets")
    return found


class Browser:
    """One browser with one page, whose motion begins by itself if it `plays`."""

    def __init__(self, *options: str, size: tuple[int, int] = (1280, 800), dark: bool = False, plays: bool = False):
        from websockets.sync.client import connect

        self.folder = tempfile.mkdtemp(prefix="browser-")
        command = [need_browser(), *OPTIONS, *(options or SOFTWARE), f"--user-data-dir={self.folder}", "about:blank"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        address = self._address()
        self.connection = connect(address, max_size=None, open_timeout=PATIENCE, ping_interval=None)
        self.socket = self.connection.__enter__()
        self.number, self.session = 0, None
        self.requests, self.errors, self.console = [], [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.resize(*size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        motion = {"name": "prefers-reduced-motion", "value": "no-preference" if plays else "reduce"}
        self.call("Emulation.setEmulatedMedia", features=[scheme, motion])

    def _address(self) -> str:
        for line in self.process.stderr:
            if found := re.search(r"DevTools listening on (ws://\S+)", line):
                return found[1]
        raise RuntimeError("the browser did not start")

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        """End the browser."""
        try:
            self.connection.__exit__(None, None, None)
        finally:
            self.process.terminate()
            self.process.wait(20)
            shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method: str, **parameters: Any) -> dict:
        """Call a method of the protocol; note what the page does meanwhile."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.socket.send(json.dumps(message))
        while True:
            answer = json.loads(self.socket.recv(PATIENCE))
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]
            self._note(answer.get("method"), answer.get("params", {}))

    def _note(self, method: str | None, about: dict) -> None:
        if method == "Network.requestWillBeSent" and not about["request"]["url"].startswith(("data:", "blob:")):
            self.requests.append(about["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.errors.append(about["exceptionDetails"].get("exception", {}).get("description", "error"))
        elif method == "Log.entryAdded" and about["entry"]["level"] == "error":
            self.errors.append(about["entry"]["text"])
        elif method == "Runtime.consoleAPICalled":
            text = " ".join(str(part.get("value", part.get("description", ""))) for part in about["args"])
            (self.errors if about["type"] == "error" else self.console).append(text)

    def resize(self, width: int, height: int) -> None:
        """Set the size of the window."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def open(self, address: str | Path, ready: str = "fajin.ready || fajin.error") -> None:
        """Open a page and wait until it is ready."""
        url = address.resolve().as_uri() if isinstance(address, Path) else address
        self.call("Page.navigate", url=url)
        self.wait(f"window.fajin && ({ready})")

    def run(self, code: str) -> Any:
        """Value of an expression; promises are awaited."""
        answer = self.call("Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, condition: str, patience: float = PATIENCE) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + patience
        while not self.run(f"Boolean({condition})"):
            assert time.monotonic() < end, f"{condition}: {self.errors or self.run('document.body.innerText')[:300]}"
            time.sleep(0.05)

    def key(self, key: str, text: str = "") -> None:
        """Press and release a key."""
        codes = {
            "Tab": 9,
            "Enter": 13,
            " ": 32,
            "ArrowLeft": 37,
            "ArrowRight": 39,
            "Home": 36,
            "End": 35,
            "Backspace": 8,
        }
        about = {"key": key, "code": {" ": "Space"}.get(key, key), "windowsVirtualKeyCode": codes.get(key, 0)}
        text = text or {"Enter": "\r", " ": " "}.get(key, key if len(key) == 1 else "")
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **about)
        self.call("Input.dispatchKeyEvent", type="keyUp", **about)

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        """Send an event of the mouse: mouseMoved, mousePressed, mouseReleased."""
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x: float, y: float) -> None:
        """Click."""
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)

    def picture(self) -> bytes:
        """PNG of the page."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
