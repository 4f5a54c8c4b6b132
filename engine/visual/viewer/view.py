"""`fajin.view`: a simulation or a recording in a browser."""

import html
from pathlib import Path
from typing import TYPE_CHECKING, overload

from ..look.page import Page
from ..motion.motion import motion_of
from .motion_page import MotionPageOptions, motion_page

if TYPE_CHECKING:
    from ...recording.recorder import Recording
    from ...simulation import Simulation
    from .live import LiveViewer


class RecordingView:
    """A recording as a page; Jupyter and marimo show it in a cell."""

    def __init__(self, page: Page):
        self._page = page

    def html(self) -> str:
        """Return the page, which plays without a network."""
        return self._page.html()

    def _repr_html_(self) -> str:
        text = html.escape(self.html(), quote=True)
        return (
            f'<iframe srcdoc="{text}" sandbox="allow-scripts" width="100%" height="560" '
            'style="border:1px solid #8884" title="robot"></iframe>'
        )


@overload
def view(motion: "Simulation", *, port: int = 0, browser: bool = True) -> "LiveViewer": ...
@overload
def view(motion: "Recording", *, port: int = 0, browser: bool = True) -> RecordingView: ...
def view(motion: "Simulation | Recording", *, port: int = 0, browser: bool = True) -> "LiveViewer | RecordingView":
    """Show a simulation that you step, or a recording, in a browser.

    A simulation's viewer is passive: `while viewer.is_running(): sim.step(); viewer.sync()`. Its page sets targets,
    pulls at links and pauses; `sync` applies that and shows the state. A recording's view is for notebooks.

    Args:
        motion: a simulation, or a recording of any number of worlds.
        port: of the viewer's server, which only this machine reaches; 0 for any free one.
        browser: open the page; its address is the viewer's `url`.

    Raises:
        InvalidScene: the scene's USD file is missing.
        InputError: the port is taken.
    """
    from ...recording.recorder import Recording

    if isinstance(motion, Recording):
        title = Path(motion.scene.source).stem
        return RecordingView(motion_page(motion_of(motion), MotionPageOptions(title)))
    from .live import LiveViewer

    viewer = LiveViewer(motion, address=("127.0.0.1", port), passive=True)
    if browser:
        from .browser import open_browser

        open_browser(viewer.url)
    return viewer
