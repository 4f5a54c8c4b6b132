"""`fajin demo`: a robot that moves in a browser, from the scenes that fajin brings."""

import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fajin.tools.cli_options import Browser, Port

if TYPE_CHECKING:
    from fajin import Recording

SCENES = Path(__file__).parents[1] / "scenes"
"""Folder of the scenes, in a checkout and in an installed wheel."""


@dataclass(frozen=True)
class Demo:
    """A scene, what it shows, and its simulated time [s]."""

    scene: str
    about: str
    seconds: float


DEMOS = {
    "quadruped": Demo("anymal_c_trot", "An ANYmal C trots on the ground: contacts, and animated drive targets", 4.0),
    "arm": Demo("ur10", "A UR10 moves from one pose to another: acceleration drives", 3.0),
    "dominoes": Demo("dominoes", "Ten dominoes fall in turn: contacts of free bodies", 3.0),
}


def demo(  # one parameter per option: typer reads the signature
    name: Annotated[str, typer.Argument(metavar="NAME", help=f"Select a demo: {', '.join(DEMOS)}.")] = "quadruped",
    list_: Annotated[bool, typer.Option("--list", help="List the demos, and simulate nothing.")] = False,
    scenes: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Copy the scenes of the documentation to this new folder, and simulate none."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE.html", help="Write the page, and open nothing."),
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="Set the simulated time [s]. Default: the demo's.")] = None,
    port: Port = 0,
    browser: Browser = True,
) -> None:
    """Simulate a robot and play its motion in a browser; without a display, write the page to a file."""
    if list_:
        print_demos()
    elif scenes is not None:
        copy_scenes(scenes)
    else:
        chosen = find_demo(name)
        length = check_seconds(chosen.seconds if seconds is None else seconds)
        page = page_file(output, name, port, browser)
        show_demo(name, run_demo(chosen, length), page, port, browser)


def print_demos() -> None:
    """Print names and contents of the demos, and how to get all scenes."""
    for name, shown in DEMOS.items():
        print(f"{name:<10} {shown.about}.")
    print(f"All {len(list(SCENES.glob('*.usda')))} scenes of the documentation: fajin demo --scenes scenes")


def copy_scenes(folder: Path) -> None:
    """Copy the scenes to a new folder.

    Raises:
        InputError: the folder exists.
    """
    from fajin.atomic_write import commit, make_folder, staging_directory
    from fajin.errors import InputError

    if folder.exists():
        raise InputError(f"--scenes {folder}: must be a new folder; choose another name")
    make_folder(folder)
    with staging_directory(folder) as staged:
        commit(Path(shutil.copytree(SCENES, staged / "scenes")), folder)
    print(f"wrote {folder}: {len(list(folder.glob('*.usda')))} scenes; {folder}/README.md has a command for each")


def find_demo(name: str) -> Demo:
    """Return the demo of a name.

    Raises:
        InputError: there is none.
    """
    from fajin.errors import InputError
    from fajin.selection import suggestion

    if name not in DEMOS:
        near = suggestion(name, DEMOS) or f"; there are {', '.join(DEMOS)}"
        raise InputError(f"NAME = {name}: must be the name of a demo{near}")
    return DEMOS[name]


def check_seconds(seconds: float) -> float:
    """Return a time to simulate.

    Raises:
        InputError: the time is not from 0.01 to 60 s, of which a page plays every frame.
    """
    from fajin.errors import InputError

    if not 0.01 <= seconds <= 60.0:
        raise InputError(f"--seconds {seconds:g}: must be from 0.01 to 60; write 4")
    return seconds


def page_file(output: Path | None, name: str, port: int, browser: bool) -> Path | None:
    """Return the file to write; None if the page is served, to a browser here or at an address that the user wants.

    Raises:
        InputError, OutputError: the file cannot be written.
    """
    from fajin.atomic_write import make_folder
    from fajin.errors import InputError
    from fajin.visual.viewer.browser import has_display

    if output is None:
        return None if port or not browser or has_display() else Path(f"{name}.html")
    if output.suffix != ".html":
        raise InputError(f"{output}: must have a suffix of .html; rename it")
    make_folder(output)
    return output


def run_demo(chosen: Demo, seconds: float) -> "Recording":
    """Simulate a demo and print its speed; return its frames."""
    import fajin

    sim = fajin.Simulation(fajin.read(SCENES / f"{chosen.scene}.usda"))
    sim.step(0)  # compile before the clock runs
    began = time.perf_counter()
    recording = sim.run(seconds=seconds)
    pace = sim.steps / (time.perf_counter() - began)
    print(f"{chosen.about}.")
    print(f"{sim.steps * sim.dt:g} s simulated, {sim.steps} steps, {pace:,.0f} steps/s on {sim.device}")
    return recording


def show_demo(name: str, recording: "Recording", output: Path | None, port: int, browser: bool) -> None:
    """Write the page of a motion, or serve it until Ctrl-C."""
    from fajin.tools.show_page import show_page, write_page
    from fajin.visual.motion.motion import motion_of
    from fajin.visual.viewer.motion_page import MotionPageOptions, motion_page

    html = motion_page(motion_of(recording), MotionPageOptions(name)).html()
    if output is None:
        show_page(html, port, browser)
    else:
        write_page(html, output)
        print(f"open {output} in a browser; fajin demo {name} --port 8000 serves it")
