"""Functions that a child process of the sandbox runs in tests: each breaks another rule."""

import faulthandler
import os
import signal
import socket
import time
from pathlib import Path


def prepare() -> None:
    """Load nothing."""


def answer(path: str, value: object = 1) -> object:
    """Return a value."""
    return value


def crash(path: str) -> None:
    """Die like a library that writes to a wrong address."""
    faulthandler.disable()  # which pytest enables: its report of an intended crash would fill the log
    os.kill(os.getpid(), signal.SIGSEGV)


def leave(path: str) -> None:
    """End without an answer."""
    os._exit(7)


def spin(path: str) -> None:
    """Use processor time without end."""
    while True:
        pass


def read_misbehaving(path: str, **_: object) -> object:
    """Read as the environment says."""
    return globals()[os.environ["MISBEHAVIOUR"]](path)


def wait(path: str) -> None:
    """Wait without end."""
    time.sleep(1_000.0)


def fill(path: str) -> None:
    """Take memory without end."""
    held = []
    while True:
        held.append(bytearray(1 << 24))


def talk(path: str) -> str:
    """Answer with too much."""
    return "x" * 10_000_000


def stumble(path: str) -> float:
    """Raise an error of its own."""
    return 1 / 0


def forge(path: str) -> None:
    """Write an answer that is not JSON."""
    os.write(3, b"cos\nsystem\n(S'touch /tmp/x'\ntR.")
    os._exit(0)


def write_here(path: str) -> list[str]:
    """Return the descriptors that are open, and what became of writing a file."""
    found = sorted(entry.name for entry in Path("/proc/self/fd").iterdir())
    try:
        Path(path).write_text("x")
        found.append("written")
    except OSError as error:
        found.append(error.strerror or "")
    return found


def reach_out(path: str, folder: str) -> list[str]:
    """Try what a child that a file has taken over might: change files, start programs, connect."""
    place, outcomes = Path(folder), []

    def connect() -> None:
        with socket.socket() as line:
            line.settimeout(1.0)
            line.connect(("127.0.0.1", 9))

    acts = {
        "write": lambda: (place / "new").write_text("x"),
        "remove": lambda: (place / "old").unlink(),
        "rename": lambda: (place / "old").rename(place / "other"),
        "truncate": lambda: os.truncate(place / "old", 0),
        "folder": lambda: (place / "made").mkdir(),
        "start": lambda: os.posix_spawn("/bin/true", ["true"], {}),
        "connect": connect,
    }
    for name, act in acts.items():
        try:
            act()
            outcomes.append(name)
        except PermissionError:
            pass
        except OSError as error:
            outcomes.append(f"{name}: {error}")
    return outcomes


def hold(path: str) -> None:
    """Tell the process id on a socket, and wait."""
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(path)
        line.send(str(os.getpid()).encode())
    time.sleep(1_000.0)
