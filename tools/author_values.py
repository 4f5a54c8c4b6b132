"""`fajin author values`: writes the values of a document of `fajin inspect --json` to a layer over the scene."""

from pathlib import Path
from typing import Annotated, Any

import typer

from .author_common import EditTarget, add_target_options, edit


@add_target_options
def values(
    place: EditTarget,
    document: Annotated[
        Path,
        typer.Argument(help="A file of `fajin inspect SCENE --json`, edited; it may be a part.", metavar="DOCUMENT"),
    ],
) -> None:
    """Author the values of a document that differ from those of the scene, in SI units and radians."""
    from fajin import author
    from fajin.errors import InputError
    from fajin.input_file import UnreadableFile, read_json

    try:
        edited = read_json(document)
    except UnreadableFile as error:
        raise InputError(f"{error}; print it: fajin inspect SCENE --json > {document.name}") from None

    def change(stage: Any) -> list:
        changes = author.values(stage, edited)
        if not changes:
            print("no value differs from the scene's; nothing is written")
            raise typer.Exit
        return changes

    edit(place, change)
