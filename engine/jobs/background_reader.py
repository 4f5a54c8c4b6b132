"""A scene read by a process of its own, while this one starts Taichi: neither needs the other, and both take time."""

import gc
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ..scene import InvalidScene, Scene


class BackgroundReader:
    """Begins to read a USD file as soon as it is made, and to find out what files it is made of.

    Args:
        path: as of `reading.read`.
        overrides: as of `reading.read`.
    """

    def __init__(self, path: str | Path, overrides: Sequence[str] = ()):
        self._path, self._overrides, self._child = str(path), tuple(overrides), None
        words = [sys.executable, "-c", f"from {__name__} import main; main()", self._path, *self._overrides]
        with suppress(OSError):  # no more processes: it is read here
            self._child = subprocess.Popen(words, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)

    def take(self) -> tuple[Scene, dict[str, str]]:
        """The scene and {path: SHA-256} of its files, once they are known.

        Raises:
            InvalidScene: the file cannot be simulated.
        """
        found = None
        if self._child:
            with suppress(Exception):  # it is no answer
                found = pickle.loads(self._child.communicate()[0])
        if isinstance(found, InvalidScene):
            raise found
        return found or _read(self._path, self._overrides)  # whatever ended the other ends this one, too, and says so


def _read(path: str, overrides: Sequence[str]) -> tuple[Scene, dict[str, str]]:
    from ..usd.dependencies import used_files
    from ..usd.read import read

    return read(path, overrides), used_files(path)


def main() -> None:
    """What the process does: read what the command line names, and write to stdout what came of it."""
    gc.disable()
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C is for its parent to tell
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever USD's plug-ins print
    try:
        found = _read(sys.argv[1], sys.argv[2:])
    except InvalidScene as error:
        found = error
    except BaseException:
        os._exit(1)
    with suppress(BrokenPipeError):
        pickle.dump(found, answer)
        answer.flush()
    os._exit(0)
