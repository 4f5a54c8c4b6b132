# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands of fajin as subprocesses, so that Blender's Python, NumPy and USD and those of fajin never meet."""

import json
import os
import shlex
import subprocess
from collections.abc import Sequence
from typing import Any

CHECKED = 2  # exit status of `fajin check` for a scene with errors, and of any command for bad input
RAN_AWAY = 3  # exit status of `fajin simulate` for a motion that is not finite; it is written


class FajinError(Exception):
    """One line for the user."""


def run(command: str, *arguments: object, accepted: Sequence[int] = (0,)) -> str:
    """Run fajin and return its output.

    Args:
        command: words that start fajin, as "~/venv/bin/fajin".
        arguments: arguments of fajin.
        accepted: exit statuses that do not mean an error.

    Raises:
        FajinError: fajin does not start, or fails; the message is its last line.
    """
    try:
        words = [*map(os.path.expanduser, shlex.split(command)), *map(str, arguments)]
        done = subprocess.run(words, capture_output=True, text=True, encoding="utf-8", check=False)
    except (OSError, ValueError) as error:
        raise FajinError(f"fajin does not start: {error}; set its command in the preferences of the add-on") from None
    if done.returncode not in accepted:
        lines = (done.stderr.strip() or done.stdout.strip() or f"exit status {done.returncode}").splitlines()
        raise FajinError(lines[-1].removeprefix("fajin: "))
    return done.stdout


def run_json(command: str, *arguments: object, accepted: Sequence[int] = (0,)) -> Any:
    """Run fajin and return the JSON that it prints; errors are those of `run`."""
    text = run(command, *arguments, accepted=accepted)
    try:
        return json.loads(text)
    except ValueError:
        raise FajinError(f"fajin {arguments[0]} answered without JSON: install fajin 0.1 or later") from None
