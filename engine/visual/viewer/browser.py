"""Opening of pages in the user's browser."""

import os
import sys
import webbrowser


def has_display() -> bool:
    """Return whether a browser could show something here."""
    return sys.platform in ("win32", "darwin") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_browser(url: str) -> bool:
    """Open a page; return False where there is no display or no browser."""
    if not has_display():
        return False
    try:
        return webbrowser.open(url)
    except webbrowser.Error:
        return False
