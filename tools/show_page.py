"""Showing of a page: its address is printed, and a browser opens where there is one."""

import sys
from pathlib import Path

PORT_HELP = "Serve the page at this port. Default: any free one."


def show_page(html: str, port: int, browser: bool, tell: str = "") -> None:
    """Serve a page to this machine until Ctrl-C.

    Raises:
        InputError: the port is taken.
    """
    from fajin.look.server import PageServer

    server = PageServer({"/": (html.encode(), "text/html; charset=utf-8")}, ("127.0.0.1", port))
    announce(server.url, server.port, browser, tell)
    try:
        wait_for_interrupt()
    finally:
        server.close()


def announce(url: str, port: int, browser: bool, tell: str = "") -> None:
    """Print the address of a page, and open it unless the user does not want that."""
    from fajin.viewer.browser import has_display, open_browser

    print(f"{tell}{url}  (Ctrl-C ends)", flush=True)
    if browser and not open_browser(url) and not has_display():
        print(
            f"no display here; from another machine: ssh -L {port}:127.0.0.1:{port} HOST", file=sys.stderr, flush=True
        )


def wait_for_interrupt() -> None:
    """Return after Ctrl-C or a request to end."""
    import time

    from fajin.tools.signals import interruptible

    with interruptible() as wish:
        try:
            while not wish.stop:
                time.sleep(0.1)
        except KeyboardInterrupt:
            return


def write_page(html: str, path: Path) -> None:
    """Write a page atomically and print its size."""
    from fajin.atomic_write import commit, staging_directory

    with staging_directory(path) as folder:
        (folder / path.name).write_text(html, encoding="utf-8")
        commit(folder / path.name, path)
    print(f"wrote {path}: {path.stat().st_size / 1e6:.2f} MB, plays without a network")
