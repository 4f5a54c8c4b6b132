# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands of fajin as subprocesses, so that Blender's Python, NumPy and USD and those of fajin never meet.

This file does not import Blender.
"""

import json
import os
import shlex
import subprocess
import threading
from collections.abc import Sequence
from typing import Any

CHECKED = 2  # exit status of `fajin check` for a scene with errors, and of any command for bad input
RAN_AWAY = 3  # exit status of `fajin simulate` for a motion that is not finite; it is written
INTERRUPTED = 130  # exit status of a command that is cancelled; `fajin simulate` writes the motion until then
PROGRESS = {"FAJIN_PROGRESS": "lines"}  # fajin prints "progress DONE TOTAL UNIT" on its standard error
PATIENCE = 10.0  # [s] from a cancellation until the process is killed


class FajinError(Exception):
    """One line for the user."""


class Job:
    """A command of fajin that runs beside Blender.

    Args:
        command: words that start fajin, as "~/venv/bin/fajin".
        arguments: arguments of fajin.
        accepted: exit statuses that do not mean an error.

    Raises:
        FajinError: fajin does not start.
    """

    cancellable = True

    def __init__(self, command: str, *arguments: object, accepted: Sequence[int] = (0,)):
        self.accepted = accepted
        self.done, self.total, self.unit = 0.0, 0.0, ""
        self.cancelled = False
        self._errors: list[str] = []
        self._output: list[str] = []
        try:
            words = [*map(os.path.expanduser, shlex.split(command)), *map(str, arguments)]
            pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
            text = {"text": True, "encoding": "utf-8", "errors": "replace"}
            self._process = subprocess.Popen(words, env={**os.environ, **PROGRESS}, **pipes, **text)
        except (OSError, ValueError) as error:
            raise FajinError(
                f"fajin does not start: {error}; set its command in the preferences of the add-on"
            ) from None
        self._readers = [threading.Thread(target=one, daemon=True) for one in (self._read_errors, self._read_output)]
        for reader in self._readers:
            reader.start()

    @property
    def running(self) -> bool:
        """Return whether the command still runs."""
        return self._process.poll() is None

    @property
    def share(self) -> float:
        """Return the finished share of the work, 0 to 1; 0 before the first report."""
        return self.done / self.total if self.total else 0.0

    def cancel(self) -> None:
        """Ask the command to end; one that does not is killed."""
        self.cancelled = True
        if self.running:
            self._process.terminate()
            killer = threading.Timer(PATIENCE, self._process.kill)
            killer.daemon = True
            killer.start()

    def kill(self) -> None:
        """End the command at once, and wait for its end."""
        self.cancelled = True
        self._process.kill()
        self._process.wait()

    def result(self) -> str:
        """Wait for the end, and return the output.

        Raises:
            FajinError: the command failed; the message is its last line.
        """
        status = self._process.wait()
        for reader in self._readers:
            reader.join()
        output = "".join(self._output)
        if status not in self.accepted:
            lines = ("\n".join(self._errors) or output.strip() or f"exit status {status}").splitlines()
            raise FajinError(lines[-1].removeprefix("fajin: "))
        return output

    @property
    def status(self) -> int | None:
        """Return the exit status; None while the command runs."""
        return self._process.poll()

    def _read_errors(self) -> None:
        """Keep the lines of the standard error, apart from reports of progress."""
        for line in self._process.stderr:
            words = line.split()
            if words[:1] == ["progress"] and len(words) >= 3:
                self.done, self.total, self.unit = float(words[1]), float(words[2]), " ".join(words[3:])
            elif words:
                self._errors.append(line.rstrip())

    def _read_output(self) -> None:
        self._output.append(self._process.stdout.read())


def run(command: str, *arguments: object, accepted: Sequence[int] = (0,)) -> str:
    """Run fajin to its end and return its output; arguments and errors are those of `Job`."""
    return Job(command, *arguments, accepted=accepted).result()


def run_json(command: str, *arguments: object, accepted: Sequence[int] = (0,)) -> Any:
    """Run fajin and return the JSON that it prints; errors are those of `run`."""
    text = run(command, *arguments, accepted=accepted)
    try:
        return json.loads(text)
    except ValueError:
        raise FajinError(f"fajin {arguments[0]} answered without JSON: install fajin 0.1 or later") from None
