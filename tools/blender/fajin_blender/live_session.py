# SPDX-License-Identifier: GPL-3.0-or-later
"""A running simulation: `fajin view` as a subprocess, whose states come and whose commands go over this machine's HTTP.

This file does not import Blender.
"""

import http.client
import json
import os
import shlex
import subprocess
import threading
from collections.abc import Iterator
from math import prod
from struct import unpack
from typing import Any
from urllib.parse import urlsplit

from .process import FajinError

PATIENCE = 600.0  # [s] until the first state: kernels may compile
ENDS = {"FAJIN_END": "stdin"}  # fajin ends with its standard input, so it does not outlive a Blender that crashes
FORMAT = {"format": "fajin-live", "version": 1}


class LiveSession:
    """A simulation that runs until `close`.

    Args:
        command: words that start fajin.
        scene: the file that runs.

    Raises:
        FajinError: fajin does not start; the message is its last line.
    """

    def __init__(self, command: str, scene: str):
        self.description: dict[str, Any] = {}
        self.state: dict[str, tuple[float, ...]] = {}
        self.error = ""
        self._address = ""
        words = [*map(os.path.expanduser, shlex.split(command)), "view", scene, "--no-browser"]
        try:
            pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
            self._process = subprocess.Popen(
                words, env={**os.environ, **ENDS}, text=True, encoding="utf-8", errors="replace", **pipes
            )
        except OSError as error:
            raise FajinError(f"fajin does not start: {error}; set its command in the preferences") from None
        self._said: list[str] = []
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._listener.start()
        self._reader.start()

    @property
    def running(self) -> bool:
        """Return whether the simulation still runs."""
        return self._reader.is_alive()

    def send(self, message: dict[str, Any]) -> str:
        """Send a command; return why it is refused, or ""."""
        if not self._address:
            return "the simulation has not begun"
        try:
            connection = http.client.HTTPConnection(self._address, timeout=5.0)
            body = json.dumps(message)
            connection.request("POST", "/set", body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read().decode("utf-8", "replace")
            connection.close()
        except OSError as error:
            return f"fajin does not answer: {error}"
        return "" if answer.status == 200 else text or f"status {answer.status}"

    def poses(self) -> Iterator[tuple[str, tuple[float, ...]]]:
        """Yield each link's prim with its newest pose: position [m], and rotation as x, y, z, w."""
        numbers = self.state.get("link_pose", ())
        for k, path in enumerate(self.description.get("link", ()) if numbers else ()):
            yield path, numbers[7 * k : 7 * k + 7]

    def targets(self) -> dict[str, float]:
        """Return the newest target of each degree of freedom [rad | m]."""
        return dict(zip(self.description.get("dof", ()), self.state.get("target_q", ()), strict=False))

    def close(self) -> None:
        """End the simulation."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(5.0)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._reader.join(5.0)

    def _listen(self) -> None:
        """Keep the last lines of the process's errors, so that its pipe never fills."""
        for line in self._process.stderr:
            self._said = [*self._said[-3:], line.strip()]

    def _read(self) -> None:
        """Receive states until the process ends."""
        try:
            line = self._process.stdout.readline().split()
            if not line:
                raise self._reason()
            address = urlsplit(line[0]).netloc
            self.description = self._described(address)
            self._address = address
            self._receive()
        except (OSError, ValueError, http.client.HTTPException, subprocess.TimeoutExpired) as error:
            self.error = self.error or f"the simulation ended: {error}"
        except FajinError as error:
            self.error = str(error)

    def _described(self, address: str) -> dict[str, Any]:
        connection = http.client.HTTPConnection(address, timeout=PATIENCE)
        connection.request("GET", "/description")
        answer = connection.getresponse()
        found = json.loads(answer.read()) if answer.status == 200 else {}
        connection.close()
        if {key: found.get(key) for key in FORMAT} != FORMAT:
            raise FajinError("fajin has no running simulations for other programs; install a newer fajin")
        return found

    def _receive(self) -> None:
        connection = http.client.HTTPConnection(self._address, timeout=PATIENCE)
        connection.request("GET", "/stream")
        answer = connection.getresponse()
        parts = self.description["parts"]
        count = sum(map(prod, parts.values()))
        while data := answer.read(4 * count):
            if len(data) < 4 * count:
                break
            numbers, at, state = unpack(f"<{count}f", data), 0, {}
            for name, shape in parts.items():
                state[name], at = numbers[at : at + prod(shape)], at + prod(shape)
            self.state = state
        if self._process.wait(5.0):
            raise self._reason()

    def _reason(self) -> FajinError:
        """Return the last line of the errors of a process that ended."""
        self._listener.join(5.0)
        return FajinError((self._said or ["fajin ended"])[-1].removeprefix("fajin: "))
