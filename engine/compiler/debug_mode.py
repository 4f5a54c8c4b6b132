"""The switch FAJIN_DEBUG: kernels that check every access to an array and whose errors point at source lines."""

import os

DEBUG = "FAJIN_DEBUG"
"""Environment variable; 1 turns the checks on, 0 or nothing leaves them off."""

DEBUG_OPTIONS = {
    "debug": True,  # bounds checks
    "offline_cache": False,  # a kernel without the checks must not take the place of one with them
}
"""Arguments of `ti.init` for debugging. Without them the environment decides, as Taichi documents."""


def debugging() -> bool:
    """Return whether kernels are to be compiled for debugging."""
    return os.environ.get(DEBUG, "0") not in ("", "0")
