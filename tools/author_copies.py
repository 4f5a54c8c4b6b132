"""`fajin author copies`: a stage of many copies of a scene."""

from math import inf
from pathlib import Path
from typing import Annotated

import typer

from .author_common import SceneFile
from .table import print_message


def copies(
    scene: SceneFile,
    count: Annotated[int, typer.Option(min=1, help="Set the number of copies.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="OUT", help="Write this stage. Default: SCENE's name with .copies.usda."
        ),
    ] = None,
    spacing: Annotated[
        float, typer.Option(show_default=False, help="Set the distance of neighbours [m]. Default: 2.")
    ] = 2.0,
    filter: Annotated[
        bool, typer.Option("--filter/--no-filter", help="Keep copies from colliding with each other, by groups.")
    ] = True,
) -> None:
    """Write a stage with copies of the scene side by side: by reference, on one ground, in collision groups."""
    from fajin import author

    if not (0.0 < spacing < inf or (filter and spacing == 0.0)):
        least = "at least" if filter else "above"
        raise typer.BadParameter(f"--spacing = {spacing}: must be finite and {least} 0 [m]")
    path = output or scene.with_name(f"{scene.stem}.copies.usda")
    extent = author.copies(scene, path, count, spacing, filter)
    if spacing < max(extent) and count > 1:
        wide, deep = extent
        print_message(
            f"note: copies overlap: their colliders span {wide:.3g} m × {deep:.3g} m, more than"
            f" --spacing = {spacing:g}; they {'pass through each other' if filter else 'collide at the start'}"
        )
    said = "filtered" if filter else "not filtered"
    noun = "copy" if count == 1 else "copies"
    print(f"wrote {path}: {count:,} {noun} of {scene}, {spacing:g} m apart, {said}")
