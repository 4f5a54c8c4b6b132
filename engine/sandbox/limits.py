"""Limits of the child process that reads files: processor time, wall time, memory, size of the answer, root folder."""

import os
from dataclasses import dataclass, fields, replace
from math import inf
from pathlib import Path

from ..errors import InputError

VARIABLE = "FAJIN_LIMITS"
"""Environment variable with the limits of this process and its children, such as "cpu=600,memory=16"."""

NONE = "none"


@dataclass(frozen=True)
class Limits:
    """Limits for one file."""

    cpu: float = 240.0  # [s] processor time; cutting a mesh into convex parts takes up to 40
    wall: float = 300.0  # [s]
    memory: float = 4.0  # [GB] beyond that of the libraries
    output: float = 0.5  # [GB] answer as JSON
    root: str = ""  # folder that contains all layers; "": any folder

    @classmethod
    def parse(cls, text: str) -> "Limits | None":
        """Return the limits of a text such as "cpu=600,memory=16"; None for "none": files are read without a child.

        Raises:
            InputError: the text has another form.
        """
        if text.strip() == NONE:
            return None
        limits = cls()
        names = [field.name for field in fields(cls)]
        for part in filter(None, map(str.strip, text.split(","))):
            name, _, value = part.partition("=")
            if name not in names:
                raise InputError(f"limits = {part}: must be NAME=NUMBER with a name of {', '.join(names)}, or none")
            checked = str(Path(value).absolute()) if name == "root" else _positive(part, value)
            limits = replace(limits, **{name: checked})
        return limits


def _positive(part: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if not 0.0 < number < inf:
        raise InputError(f"limits = {part}: must be a positive number of seconds or gigabytes")
    return number


def current_limits() -> Limits | None:
    """Return the limits of the environment, by default those of `Limits`; None if files are read without a child.

    Raises:
        InputError: the environment variable has another form.
    """
    return Limits.parse(os.environ.get(VARIABLE, ""))
