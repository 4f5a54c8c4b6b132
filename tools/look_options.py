"""Options of commands that draw motions, and the reading of their values."""

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .table import print_message

if TYPE_CHECKING:
    from fajin.visual.look.choices import LookChoices
    from fajin.visual.motion.motion import Motion

NOTES = 5  # lines


class Layout(str, Enum):
    """Places of several worlds."""

    GRID = "grid"
    OVER = "over"


SceneOfLog = Annotated[Path | None, typer.Option("--scene", help="Name the scene of a joint log.")]
ContactLogOption = Annotated[
    Path | None, typer.Option("--contact-log", metavar="LOG.npz", help="Draw the contacts of this log.")
]
DrawnTargets = Annotated[
    Path | None, typer.Option(metavar="EVENTS.json", help="Draw the targets that these events set.")
]
Start = Annotated[float | None, typer.Option("--from", help="Start here [s]. Default: the start.")]
End = Annotated[float | None, typer.Option("--to", help="End here [s]. Default: the end.")]
CameraFields = Annotated[
    str,
    typer.Option(
        metavar="FIELDS", help="Place the camera: azimuth=-55,elevation=22,distance=3,field=35,target=LINK|X,Y,Z."
    ),
]
Follow = Annotated[
    str,
    typer.Option(
        metavar="LINK", help="Move the camera with a link. Default: the base of a robot that travels; or none."
    ),
]
Show = Annotated[
    str,
    typer.Option(metavar="NAMES", help="Draw colliders, frames, joints, com, inertia, tendons, contacts or bones."),
]
Hide = Annotated[str, typer.Option(metavar="NAMES", help="Leave out visuals, floor or shadow.")]
WorldLayout = Annotated[Layout, typer.Option(help="Place worlds side by side or over each other.")]


def read_choices(camera: str, follow: str, show: str, hide: str) -> "LookChoices":
    """Return the choices that options name.

    Raises:
        InputError: a name of --show or --hide is unknown.
    """
    from fajin.visual.look.choices import HIDE, OVERLAYS, LookChoices

    return LookChoices(camera, follow, _names("--show", show, OVERLAYS), _names("--hide", hide, HIDE))


def _names(option: str, text: str, known: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names in a list such as "frames,joints"."""
    from fajin.errors import InputError

    names = tuple(name.strip() for name in text.split(",") if name.strip())
    for name in names:
        if name not in known:
            raise InputError(f"{option} {name}: must be {', '.join(known)}; correct the name")
    return names


def select_worlds(text: str) -> slice:
    """Return the worlds that a text selects: FIRST:LAST, one number, or all."""
    from fajin.errors import InputError

    first, colon, last = text.partition(":")
    if text == "all":
        return slice(None)
    if not (first.isdecimal() and (last.isdecimal() if colon else True)) or (colon and int(last) <= int(first)):
        raise InputError(f"--worlds {text}: must be FIRST:LAST, one number, or all; write 0:16")
    return slice(int(first), int(last) if colon else int(first) + 1)


def read_shown(source: Path, scene: Path | None, worlds: str, contacts: Path | None) -> "Motion":
    """Return the motion to look at, up to its last finite frame, and print its notes.

    Raises:
        InputError, InvalidScene: the motion or its contacts cannot be read, or are of another robot.
    """
    from fajin.visual.motion.motion import read_motion, with_contacts
    from fajin.visual.picture import finite_frames

    motion = finite_frames(read_motion(source, scene, select_worlds(worlds) if source.is_dir() else None))
    print_notes(motion)
    return with_contacts(motion, contacts) if contacts else motion


def print_notes(motion: "Motion") -> None:
    """Print the first notes of a motion, on what cannot be drawn."""
    for note in motion.notes[:NOTES]:
        print_message(f"note: {note}")
    if len(motion.notes) > NOTES:
        print_message(f"note: … and {len(motion.notes) - NOTES} more")


def shown_names(motion: "Motion", names: tuple[str, ...]) -> tuple[str, ...]:
    """Return what to show; contacts that were read are shown.

    Raises:
        InputError: contacts or tendons are wanted, and there are none.
    """
    from fajin.errors import InputError

    if "contacts" in names and motion.contacts is None:
        raise InputError("--show contacts: must have the contacts of the motion; add --contact-log LOG.npz")
    if "tendons" in names and not motion.look.tendons:
        raise InputError("--show tendons: must be of a scene with tendons; leave it out")
    return names if motion.contacts is None or "contacts" in names else (*names, "contacts")


def cut(motion: "Motion", start: float | None, end: float | None) -> "Motion":
    """Return the frames of a motion between two times [s].

    Raises:
        InputError: the times do not lie in the motion in this order.
    """
    from dataclasses import replace

    from fajin.errors import InputError

    if start is None and end is None:
        return motion
    time = motion.track.time
    first, last = float(time[0]), float(time[-1])
    low, high = first if start is None else start, last if end is None else end
    if not first - 1e-9 <= low < high <= last + 1e-9:
        raise InputError(
            f"--from {low:g} --to {high:g}: must lie in the motion, from {first:g} to {last:g}, in this order"
        )
    rows = (time >= low - 1e-9) & (time <= high + 1e-9)
    series = {name: values[: len(rows)][rows[: len(values)]] for name, values in motion.series.items()}
    track = replace(motion.track, time=time[rows], pose=motion.track.pose[rows])
    if not rows.any():
        raise InputError(f"--from {low:g} --to {high:g}: must contain a frame of the motion; write times further apart")
    return replace(motion, track=track, series=series)
