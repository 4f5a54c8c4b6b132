"""The switch FAJIN_DEBUG: kernels that check every access to an array and whose errors point at source lines."""

import os

DEBUG = "FAJIN_DEBUG"
"""Environment variable; 1 turns the checks on, 0 or nothing leaves them off."""


def debugging() -> bool:
    """Return whether kernels are to be compiled for debugging."""
    return os.environ.get(DEBUG, "0") not in ("", "0")
