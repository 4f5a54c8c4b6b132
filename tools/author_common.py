"""An edit from the command line: which joints, where it is written, and what is said about it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

SceneFile = Annotated[Path, typer.Argument(metavar="SCENE", help="A .usda, .usdc, .usd or .usdz file.")]
JOINT = typer.Option("--joint", metavar="REGEX", help="Joints whose name, path or NAME:AXIS it fits as a whole.")
Joints = Annotated[str, JOINT]
Axis = Annotated[
    str | None,
    typer.Option("--axis", metavar="rotX|…|transZ", help="Of joints with several; by default all that move."),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="LAYER", help="[SCENE's name].edits.usda beside it; added to if it is there."
    ),
]
InPlace = Annotated[bool, typer.Option("--in-place", help="Edit SCENE itself, not a layer over it.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would change; write nothing.")]
Amount = str | None


def option(name: str, unit: str, help: str) -> Any:
    """An option that takes an amount; the unit is what goes without saying."""
    return typer.Option(name, metavar="X", help=f"{help} [{unit}]")


@dataclass(frozen=True)
class EditTarget:
    """Where an edit goes."""

    scene: Path
    output: Path | None
    in_place: bool
    dry_run: bool

    @property
    def target(self) -> Path | None:
        """The layer of edits; None is the scene itself."""
        if self.in_place and self.output is not None:
            raise typer.BadParameter("--in-place and -o both say where to write; give one of them")
        return None if self.in_place else self.output or self.scene.with_name(f"{self.scene.stem}.edits.usda")


def edit(place: EditTarget, change: Callable[[Any], list]) -> None:
    """Make the changes on the stage of a scene, show them and write them, all or none."""
    from fajin import author

    with author.layer(place.scene, place.target) as stage:
        changes = change(stage)
        if not changes:
            raise typer.BadParameter("nothing is asked for, or nothing of it is there; --help lists what can be said")
        if place.dry_run:
            show_changes(changes)
            print(f"would change {len(changes)} things; nothing is written")
            raise typer.Exit
    show_changes(changes)
    print(f"wrote {place.target or place.scene}: {len(changes)} changes")


def show_changes(changes: list) -> None:
    """One line a change, in the units of the file and in SI."""
    for change in changes:
        print(change)


def edit_joints(place: EditTarget, pattern: str, axis: str | None, change: Callable[[Any], list]) -> None:
    """The same for every joint axis that a pattern fits."""
    from fajin import author

    edit(place, lambda stage: [line for at in author.select(stage, pattern, axis) for line in change(at)])
