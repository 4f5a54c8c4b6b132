# SPDX-License-Identifier: GPL-3.0-or-later
"""The fajin of this machine: found where people install programs, or installed in an environment of its own.

This file does not import Blender.
"""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from .process import FajinError, run

PYTHONS = ((3, 10), (3, 13))  # first and last version that fajin runs on
SCRIPTS = ("Scripts", "fajin.exe") if os.name == "nt" else ("bin", "fajin")
VERSION = "import sys; print(*sys.version_info[:2])"


def candidates(own: Path, home: Path) -> Iterator[Path]:
    """Yield where fajin may be, the likeliest first: $FAJIN, the add-on's environment, the active one, PATH, home."""
    if os.environ.get("FAJIN"):
        yield Path(os.environ["FAJIN"]).expanduser()
    yield own.joinpath(*SCRIPTS)
    if os.environ.get("VIRTUAL_ENV"):
        yield Path(os.environ["VIRTUAL_ENV"]).joinpath(*SCRIPTS)
    if found := shutil.which("fajin"):
        yield Path(found)
    for folder in (home, home / ".virtualenvs", home / "envs", home / ".local" / "share" / "pipx" / "venvs"):
        for environment in sorted(folder.iterdir()) if folder.is_dir() else ():
            yield environment.joinpath(*SCRIPTS)
    yield home / ".local" / "bin" / SCRIPTS[1]


def find(own: Path, home: Path) -> str:
    """Return the command of the first fajin that starts.

    Args:
        own: folder of the add-on's own environment.
        home: the user's folder.

    Raises:
        FajinError: none starts.
    """
    for path in dict.fromkeys(candidates(own, home)):
        if path.is_file() and os.access(path, os.X_OK) and starts(quoted(path)):
            return quoted(path)
    raise FajinError("fajin is not found; install it by the button beside, or set its command in the preferences")


def starts(command: str) -> bool:
    """Return whether a command is fajin."""
    try:
        return run(command, "--version").startswith("fajin ")
    except FajinError:
        return False


def quoted(path: Path) -> str:
    """Return a path as a word of a command."""
    return shlex.quote(path.as_posix())


def pythons() -> Iterator[str]:
    """Yield Pythons that may run fajin: Blender's own, which runs this, and those on PATH."""
    yield sys.executable
    for minor in range(PYTHONS[1][1], PYTHONS[0][1] - 1, -1):
        if found := shutil.which(f"python3.{minor}"):
            yield found
    for name in ("python3", "python"):
        if found := shutil.which(name):
            yield found


def suitable_python(choices: Iterable[str]) -> str:
    """Return the first Python that fajin runs on.

    Raises:
        FajinError: there is none.
    """
    for python in choices:
        try:
            words = [python, "-c", VERSION]
            done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=20)
            version = tuple(map(int, done.stdout.split()))
        except (OSError, ValueError, subprocess.SubprocessError):
            continue
        if PYTHONS[0] <= version <= PYTHONS[1]:
            return python
    first, last = (".".join(map(str, version)) for version in PYTHONS)
    raise FajinError(f"no Python from {first} to {last} is found; install one, or set the command of a fajin")


def install(own: Path, package: str, choices: Iterable[str] | None = None) -> str:
    """Install fajin in an environment of its own; return its command.

    Args:
        own: folder of the environment; an incomplete one is replaced.
        package: what pip installs: a name, a wheel or a folder.
        choices: Pythons to try. Default: `pythons()`.

    Raises:
        FajinError: no Python suits, or pip fails; the message is its last line, and the folder is removed.
    """
    python = suitable_python(pythons() if choices is None else choices)
    shutil.rmtree(own, ignore_errors=True)
    inside = own.joinpath(SCRIPTS[0], "python" + Path(SCRIPTS[1]).suffix)
    wanted = str(Path(package).expanduser()) if package.startswith("~") else package
    steps = (
        [python, "-m", "venv", str(own)],
        [str(inside), "-m", "pip", "install", "--disable-pip-version-check", wanted],
    )
    try:
        for words in steps:
            done = subprocess.run(words, capture_output=True, text=True, encoding="utf-8", check=False)
            if done.returncode:
                lines = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()
                raise FajinError(f"fajin is not installed: {lines[-1]}")
        return find(own, own)
    except (FajinError, OSError) as error:
        shutil.rmtree(own, ignore_errors=True)
        raise FajinError(str(error)) from None
