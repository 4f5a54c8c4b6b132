"""Landlock: a Linux process gives up writing files, starting programs and network connections; no privileges needed."""

import ctypes
import os
import struct
import sys
from contextlib import suppress
from pathlib import Path

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # system calls, the same on all processors
VERSION = 1  # flag that asks for the version of Landlock
PATH_BENEATH = 1  # type of a rule
NO_NEW_PRIVILEGES = 38  # option of prctl
EXECUTE, WRITE_FILE, REMOVE_AND_MAKE, REFER, TRUNCATE = 1, 1 << 1, 0b1_1111_1111 << 4, 1 << 13, 1 << 14
TCP = 0b11  # bind, connect
SCOPES = 0b11  # abstract UNIX sockets, signals


def confine(writable: str = "") -> bool:
    """Let this process write only below a folder, start no programs, and open no TCP connections.

    Args:
        writable: the folder; "" for none.

    Returns:
        Whether the system has Landlock.
    """
    if sys.platform != "linux":
        return False
    call = ctypes.CDLL(None, use_errno=True).syscall
    version = call(CREATE_RULESET, None, ctypes.c_size_t(0), VERSION)
    if version < 1:
        return False
    writing = WRITE_FILE | REMOVE_AND_MAKE | (REFER if version >= 2 else 0) | (TRUNCATE if version >= 3 else 0)
    parts = (writing | EXECUTE, *((TCP,) if version >= 4 else ()), *((SCOPES,) if version >= 6 else ()))
    attributes = struct.pack(f"={len(parts)}Q", *parts)
    rules = call(CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    if rules < 0:
        return False
    with suppress(OSError):
        if writable:
            folder = os.open(Path(writable), os.O_PATH | os.O_CLOEXEC)
            call(ADD_RULE, rules, PATH_BENEATH, struct.pack("=Qi", writing, folder), 0)
            os.close(folder)
    ctypes.CDLL(None).prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    restricted = call(RESTRICT_SELF, rules, 0) == 0
    os.close(rules)
    return restricted
