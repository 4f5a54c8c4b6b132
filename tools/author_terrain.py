"""`fajin author terrain`: writes a height field as a static triangle mesh."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .author_common import Amount, EditTarget, add_target_options, edit, option
from .cli_units import parse_amount

if TYPE_CHECKING:
    import numpy as np


@add_target_options
def terrain(  # one parameter per option: typer reads the signature
    place: EditTarget,
    heights: Annotated[
        Path, typer.Argument(metavar="HEIGHTS", help="A .npy or .csv file of heights [m]: a row per place along x.")
    ],
    spacing: Annotated[Amount, option("--spacing", "m", "Set the distance of the points. Default: 0.1.")] = None,
    slope_threshold: Annotated[
        float | None,
        typer.Option(help="Make rises vertical whose slope is above this one, as height fields of Isaac Lab are."),
    ] = None,
    static_friction: Annotated[
        float, typer.Option(show_default=False, help="Set the static friction. Default: 1.")
    ] = 1.0,
    dynamic_friction: Annotated[
        float, typer.Option(show_default=False, help="Set the dynamic friction. Default: 1.")
    ] = 1.0,
    restitution: Annotated[float, typer.Option(show_default=False, help="Set the restitution. Default: 0.")] = 0.0,
) -> None:
    """Author a terrain: a static triangle mesh of a height field about the origin, with a physics material."""
    from fajin import author

    field = read_heights(heights)
    apart = 0.1 if spacing is None else parse_amount("--spacing", spacing, "length")

    def change(stage: Any) -> list:
        return author.terrain(
            stage,
            field,
            apart,
            slope_threshold=slope_threshold,
            static_friction=static_friction,
            dynamic_friction=dynamic_friction,
            restitution=restitution,
        )

    edit(place, change)


def read_heights(path: Path) -> "np.ndarray":
    """Return the numbers of a .npy or .csv file, (rows, columns)."""
    import numpy as np

    from fajin.errors import reason_of
    from fajin.input_file import DAMAGED, check_input

    try:
        check_input(path)
        found = np.load(path, allow_pickle=False) if path.suffix == ".npy" else np.loadtxt(path, delimiter=",", ndmin=2)
        return np.asarray(found, float)
    except (OSError, *DAMAGED) as error:
        rule = "must be a .npy or .csv file of numbers, a row per place along x"
        raise typer.BadParameter(f"{path}: {rule}; {reason_of(error)}") from None
