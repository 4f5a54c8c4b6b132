"""The library of the X Window System, where the system has none: Taichi is linked to it, though fajin opens no window.

Containers have none, as a rule. Python's import binds all functions of Taichi's library, so that one is enough that has
their names. A call of them would end the process.
"""

import ctypes
import os
import platform
import struct
import sys
from contextlib import suppress

NAME = "libX11.so.6"
"""Name of the library, by which Taichi's own library requires it."""

X_FUNCTIONS = (
    *("XChangeProperty", "XCloseDisplay", "XCreateImage", "XCreateSimpleWindow", "XInternAtom", "XKeysymToString"),
    *("XLookupKeysym", "XMapWindow", "XNextEvent", "XOpenDisplay", "XPending", "XPutImage", "XSelectInput"),
    *("XSetWMProtocols", "XStoreName"),
)
"""Functions of the library that Taichi's is linked to."""

HEADER, PROGRAM, FUNCTION_ROW = "<16s2HI3QI6H", "<2I6Q", "<I2BH2Q"
"""ELF's header of a file and of a segment, and a symbol, for 64 bits."""

LOAD, DYNAMIC, STACK = 1, 2, 0x6474E551
"""Kinds of segments."""

HASHES, STRINGS, SYMBOLS, STRINGS_SIZE, SYMBOL_SIZE, OWN_NAME = 4, 5, 6, 10, 11, 14
"""Tags of a library's dynamic section."""


def provide_window_library() -> None:
    """Load a library of X's name and functions on Linux on x86-64, if the system has none."""
    if sys.platform == "linux" and platform.machine() == "x86_64":
        with suppress(OSError):  # Taichi's import then names the library
            try:
                ctypes.CDLL(NAME)
            except OSError:
                load_empty_library(NAME, X_FUNCTIONS)


def load_empty_library(name: str, functions: tuple[str, ...] = ()) -> None:
    """Load a library whose functions must not be called; it stands for the one of this name from now on.

    Its file stays open: the loader would take the next library that is loaded under the file's number for this one.

    Raises:
        OSError: the system takes no such library.
    """
    file = os.memfd_create(name)
    try:
        os.write(file, empty_library(name, functions))
        ctypes.CDLL(f"/proc/self/fd/{file}")
    except OSError:
        os.close(file)
        raise


def empty_library(name: str, functions: tuple[str, ...]) -> bytes:
    """Return an ELF shared library of this name for x86-64, with functions that must not be called."""
    kind = b"\x7fELF" + bytes((2, 1, 1)) + bytes(9)  # 64 bits, little endian, version 1
    segments, entries, count = 3, 7, len(functions) + 1
    text, places = b"\0" + name.encode() + b"\0", []
    for function in functions:
        places.append(len(text))
        text += function.encode() + b"\0"
    dynamic = struct.calcsize(HEADER) + segments * struct.calcsize(PROGRAM)
    symbols = dynamic + 16 * entries
    hashes = symbols + count * struct.calcsize(FUNCTION_ROW)
    strings = hashes + 4 * (3 + count)
    size = strings + len(text)
    table = {STRINGS: strings, SYMBOLS: symbols, STRINGS_SIZE: len(text), SYMBOL_SIZE: 24, OWN_NAME: 1, HASHES: hashes}
    chain = (
        1,
        count,
        count - 1,
        *(max(i - 1, 0) for i in range(count)),
    )  # one bucket, from the last symbol on
    return b"".join(
        (
            struct.pack(HEADER, kind, 3, 62, 1, 0, 64, 0, 0, 64, 56, segments, 64, 0, 0),
            struct.pack(PROGRAM, LOAD, 6, 0, 0, 0, size, size, 4096),  # writable: the loader places addresses in it
            struct.pack(PROGRAM, DYNAMIC, 6, dynamic, dynamic, dynamic, 16 * entries, 16 * entries, 8),
            struct.pack(PROGRAM, STACK, 6, 0, 0, 0, 0, 0, 16),  # not executable
            *(struct.pack("<2Q", *entry) for entry in (*table.items(), (0, 0))),
            bytes(24),  # the symbol that every table begins with
            *(struct.pack(FUNCTION_ROW, place, 0x12, 0, 1, strings, 1) for place in places),  # global functions
            struct.pack(f"<{len(chain)}I", *chain),
            text,
        )
    )
