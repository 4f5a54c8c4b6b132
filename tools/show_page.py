"""Showing of a page: its address is printed, and a browser opens where there is one."""

import sys
from pathlib import Path


def show_page(html: str, port: int, browser: bool, tell: str = "") -> None:
    """Serve a page to this machine until Ctrl-C.

    Raises:
        InputError: the port is taken.
    """
    import time

    from fajin.tools.signals import interruptible
    from fajin.visual.look.server import PageServer

    server = PageServer({"/": (html.encode(), "text/html; charset=utf-8")}, ("127.0.0.1", port))
    try:
        with interruptible() as wish:  # before the address is known: whoever reads it may end the page at once
            announce(server.url, server.port, browser, tell)
            while not wish.stop:
                time.sleep(0.1)
    finally:
        server.close()


def announce(url: str, port: int, browser: bool, tell: str = "") -> None:
    """Print the address of a page, and open it unless the user does not want that."""
    from fajin.visual.viewer.browser import has_display, open_browser

    print(f"{tell}{url}  (Ctrl-C ends)", flush=True)
    if not browser or open_browser(url):
        return
    way = "no browser is found; open the address in one"
    if not has_display():
        way = f"no display here; from another machine: ssh -L {port}:127.0.0.1:{port} HOST"
    print(way, file=sys.stderr, flush=True)


def write_page(html: str, path: Path) -> None:
    """Write a page atomically and print its size."""
    from fajin.atomic_write import staged_file

    with staged_file(path) as draft:
        draft.write_text(html, encoding="utf-8")
    print(f"wrote {path}: {path.stat().st_size / 1e6:.2f} MB, plays without a network")
