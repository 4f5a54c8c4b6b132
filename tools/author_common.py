"""Common part of `fajin author`: joint selection, output layer, and the printed changes."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from inspect import Signature, signature
from pathlib import Path
from typing import Annotated, Any

import typer

from .cli_options import SceneFile

JOINT = typer.Option(
    "--joint", metavar="REGEX", help="Regular expression that must match a joint's full name, path or NAME:AXIS."
)
Joints = Annotated[str, JOINT]
Axis = Annotated[
    str | None,
    typer.Option(
        "--axis", metavar="rotX|…|transZ", help="Select the axis of joints with several. Default: all free axes."
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="LAYER",
        help="Write to this layer, or add to an existing one. Default: SCENE's name with .edits.usda.",
    ),
]
InPlace = Annotated[bool, typer.Option("--in-place", help="Edit SCENE itself instead of a layer.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the changes without writing.")]
Amount = str | None


SHORT = {"--stiffness": ("--kp",), "--damping": ("--kd",)}  # short forms of options


def option(name: str, unit: str, help: str) -> Any:
    """Return an option for an amount; `unit` is the default unit."""
    return typer.Option(name, *SHORT.get(name, ()), metavar="X", help=f"{help} Default unit: {unit}.")


@dataclass(frozen=True)
class EditTarget:
    """Destination of an edit."""

    scene: SceneFile
    output: Output = None
    in_place: InPlace = False
    dry_run: DryRun = False

    @property
    def target(self) -> Path | None:
        """Path of the edit layer; None edits the scene itself."""
        if self.in_place and self.output is not None:
            raise typer.BadParameter("--in-place, -o: must not be combined; remove one of them")
        return None if self.in_place else self.output or self.scene.with_name(f"{self.scene.stem}.edits.usda")


def add_target_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with an option for each field of its first parameter, which is an `EditTarget`."""
    scene, *ends = signature(EditTarget).parameters.values()
    _, *own = signature(command).parameters.values()
    parameters = scene, *own, *ends

    @wraps(command)
    def run(**options: Any) -> None:
        command(EditTarget(*(options.pop(field.name) for field in fields(EditTarget))), **options)

    run.__dict__["__signature__"] = Signature(parameters)  # typer reads it, and the annotations
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def edit(place: EditTarget, change: Callable[[Any], list]) -> None:
    """Edit the stage of a scene, print the changes and write them, all or none."""
    from fajin import author

    from .confined_command import confine_command

    confine_command("author", place.scene, place.target)
    with author.layer(place.scene, place.target) as stage:
        changes = change(stage)
        if not changes:
            raise typer.BadParameter("no change requested, or nothing matched; see --help")
        if place.dry_run:
            show_changes(changes)
            print(f"dry run: {len(changes)} change{'s' * (len(changes) != 1)}, nothing is written")
            raise typer.Exit
    show_changes(changes)
    from fajin.html import count

    print(f"wrote {place.target or place.scene}: {count(len(changes), 'change')}")


def show_changes(changes: list) -> None:
    """Print one line per change, in units of the file and in SI."""
    for change in changes:
        print(change)


def edit_joints(place: EditTarget, pattern: str, axis: str | None, change: Callable[[Any], list]) -> None:
    """Edit every joint axis that matches a pattern; see `edit`."""
    from fajin import author

    edit(place, lambda stage: [line for at in author.select(stage, pattern, axis) for line in change(at)])
