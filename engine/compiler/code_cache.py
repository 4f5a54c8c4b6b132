"""Cache of machine code: a file per kernel beside Taichi's kernels, compiled once by all processes of a user."""

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

from ..atomic_write import staged_file
from .kernel_cache import kernel_cache

UNUSED_SECONDS = 60 * 86400.0
"""Age after which machine code that nobody read is removed."""

SUFFIX = ".fajin"
"""End of the name of a file, which begins with that of its kernel."""

DIGEST = 32
"""Bytes of a checksum, which a file begins with."""


def cached_code(name: str, compile_code: Callable[[], bytes | None]) -> bytes | None:
    """Return the code of a name from the cache, or else what `compile_code` returns, which is kept unless it is None.

    Of processes that ask at the same time one compiles, and the others wait.
    """
    path = kernel_cache() / f"{name}{SUFFIX}"
    code = _read(path)
    if code is not None:
        return code
    with _only_compiler(path):
        code = _read(path)  # another process may have compiled it meanwhile
        if code is None:
            code = compile_code()
            if code is not None:
                _write(path, code)
        return code


def _read(path: Path) -> bytes | None:
    """Return the code of a file; None if the file is missing, damaged, or of another user, as code is executed."""
    try:
        if path.stat().st_uid not in (os.getuid(), 0):
            return None
        file = path.read_bytes()
    except OSError:
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # it is in use
    digest, code = file[:DIGEST], file[DIGEST:]
    return code if sha256(code).digest() == digest else None


def _write(path: Path, code: bytes) -> None:
    """Write code with its checksum, and remove files that nobody read for long."""
    with contextlib.suppress(OSError), staged_file(path) as file:
        file.write_bytes(sha256(code).digest() + code)
    for old in path.parent.glob(f"*{SUFFIX}"):
        with contextlib.suppress(OSError):
            if time.time() - old.stat().st_mtime > UNUSED_SECONDS:
                old.unlink()


@contextlib.contextmanager
def _only_compiler(path: Path) -> Iterator[None]:
    """Wait until no other process compiles the kernel of this file, and keep others waiting."""
    import fcntl

    lock = path.with_suffix(".lock")
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):  # a folder that cannot be written, or a file server without locks
            fcntl.flock(stack.enter_context(lock.open("w")), fcntl.LOCK_EX)
        try:
            yield
        finally:
            with contextlib.suppress(OSError):  # who waits has it open; who comes later finds the code
                lock.unlink()
