"""Command of `fajin author` for surfaces of bodies: conveyor belts, turntables, contact slop."""

from typing import Annotated, Any

import typer

from .author_common import Amount, EditTarget, add_target_options, edit, option
from .cli_units import Degrees, parse_amount


@add_target_options
def surface(  # one parameter per option: typer reads the signature
    place: EditTarget,
    body: Annotated[str, typer.Option(metavar="REGEX", help="Edit rigid bodies whose path or name this matches.")],
    velocity: Annotated[
        str | None, typer.Option(metavar="X,Y,Z", help="Set the velocity of the surface. Default unit: m/s.")
    ] = None,
    angular_velocity: Annotated[
        str | None,
        typer.Option(
            metavar="X,Y,Z",
            help="Set the angular velocity of the surface, about the origin of the body. Default unit: rad/s.",
        ),
    ] = None,
    local: Annotated[
        bool | None, typer.Option("--local/--world", help="Take velocities in axes of the body, or of the world.")
    ] = None,
    contact_slop: Annotated[
        Amount, option("--contact-slop", "m", "Set the length below which lever arms of contacts do not count.")
    ] = None,
    speculative: Annotated[
        bool | None,
        typer.Option("--speculative/--not-speculative", help="Find contacts of free bodies ahead of their motion."),
    ] = None,
    degrees: Degrees = False,
) -> None:
    """Author surfaces of rigid bodies that move what touches them, as conveyor belts and turntables do."""
    from fajin import author

    values: dict[str, Any] = {
        "linear": parse_vector("--velocity", velocity, False),
        "angular": parse_vector("--angular-velocity", angular_velocity, True),
        "local": local,
        "contact_slop": parse_amount("--contact-slop", contact_slop, "length"),
        "speculative_ccd": speculative,
    }
    if all(value is None for value in values.values()):
        raise typer.BadParameter(
            "--velocity, --angular-velocity, --contact-slop, --speculative: must be at least one of them; add one"
        )

    def change(stage: Any) -> list:
        bodies = author.select_bodies(stage, body)
        return [line for prim in bodies for line in author.surface(prim, **values)]

    edit(place, change)


def parse_vector(name: str, text: str | None, rotational: bool) -> tuple[float, ...] | None:
    """Return three speeds in SI units; None for None."""
    if text is None:
        return None
    parts = text.split(",")
    if len(parts) != 3:
        raise typer.BadParameter(f"{name} {text}: must be X,Y,Z; separate three numbers by commas")
    return tuple(parse_amount(name, part.strip(), "speed", rotational) for part in parts)
