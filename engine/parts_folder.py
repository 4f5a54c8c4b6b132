"""Folder of the user's cache with convex parts of meshes: a child that reads files writes only there."""

import os
from pathlib import Path


def parts_folder() -> Path | None:
    """Return the folder, which is made if it is missing; None if it cannot be."""
    try:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fajin" / "parts"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):  # RuntimeError: neither HOME nor an entry in the password database
        return None
    return folder
