"""A child process that reads a scene while this process starts Taichi; both take time and are independent."""

import gc
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ...scene import InvalidScene, Scene


class BackgroundReader:
    """Reads a USD file and the list of its source files in a child process, started at construction.

    Args:
        path: as of `load.read`.
        overrides: as of `load.read`.
    """

    def __init__(self, path: str | Path, overrides: Sequence[str] = ()):
        self._path, self._overrides, self._child = str(path), tuple(overrides), None
        words = [sys.executable, "-c", f"from {__name__} import main; main()", self._path, *self._overrides]
        with suppress(OSError):  # no process can be started: the scene is read here
            self._child = subprocess.Popen(words, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)

    def take(self) -> tuple[Scene, dict[str, str]]:
        """Return the scene and {path: SHA-256} of its files; waits until they are read.

        Raises:
            InvalidScene: the file cannot be simulated.
        """
        found = None
        if self._child:
            with suppress(Exception):  # the child wrote no result
                found = pickle.loads(self._child.communicate()[0])
        if isinstance(found, InvalidScene):
            raise found
        # the child failed: read here, and raise any error in this process
        return found or _read(self._path, self._overrides)


def _read(path: str, overrides: Sequence[str]) -> tuple[Scene, dict[str, str]]:
    from ...usd.read.reader import read
    from ...usd.stage.dependencies import used_files

    return read(path, overrides), used_files(path)


def main() -> None:
    """Run the child process: read the scene of the command line and write the result to stdout."""
    gc.disable()
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the parent handles Ctrl-C
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of USD's plug-ins
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
