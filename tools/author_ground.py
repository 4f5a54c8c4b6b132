"""Commands of `fajin author` that put robots on a ground: ground, base, self-collisions."""

from math import radians
from typing import Annotated, Any

import typer

from .author_common import Amount, EditTarget, add_target_options, edit, option
from .cli_units import parse_amount

TOUCH = "touch"
Robot = Annotated[
    str,
    typer.Option(
        "--robot",
        metavar="REGEX",
        show_default=False,
        help="Edit robots whose name or path this regular expression matches. Default: all.",
    ),
]


@add_target_options
def ground(  # one parameter per option: typer reads the signature
    place: EditTarget,
    height: Annotated[Amount, option("--height", "m", "Set the height along the up axis. Default: 0.")] = None,
    static_friction: Annotated[float | None, typer.Option(help="Set the static friction. Default: 1.")] = None,
    dynamic_friction: Annotated[float | None, typer.Option(help="Set the dynamic friction. Default: 1.")] = None,
    restitution: Annotated[float | None, typer.Option(help="Set the restitution. Default: 0.")] = None,
) -> None:
    """Author a ground: a plane with a physics material, level to the up axis of the stage."""
    from fajin import author

    def change(stage: Any) -> list:
        return author.ground(
            stage,
            height=parse_amount("--height", height, "length"),
            static_friction=static_friction,
            dynamic_friction=dynamic_friction,
            restitution=restitution,
        )

    edit(place, change)


@add_target_options
def base(  # as above
    place: EditTarget,
    fixed: Annotated[
        bool | None, typer.Option("--fixed/--floating", help="Fix the roots of all robots to the world, or free them.")
    ] = None,
    height: Annotated[
        str | None,
        typer.Option(
            metavar="X|touch",
            help="Set the height of the base [m], or let the lowest collider touch the ground, a plane or height 0.",
        ),
    ] = None,
    pose: Annotated[
        str | None,
        typer.Option(
            metavar="X,Y,Z[,ROLL,PITCH,YAW]", help="Set the position [m] and the angles about x, y and z [degrees]."
        ),
    ] = None,
    robot: Robot = ".*",
) -> None:
    """Fix the bases of robots to the world or free them, and move robots to a height or pose."""
    from fajin import author

    if fixed is None and height is None and pose is None:
        raise typer.BadParameter("--fixed, --floating, --height, --pose: must be at least one of them; add one")
    position, rotation = parse_pose(pose)
    touch = height == TOUCH
    level = None if touch else parse_amount("--height", height, "length")

    def change(stage: Any) -> list:
        changes = [] if fixed is None else author.base(stage, fixed)
        if height is not None or pose is not None:
            changes += author.base_pose(
                stage, height=level, touch=touch, position=position, rotation=rotation, robot=robot
            )
        return changes

    edit(place, change)


@add_target_options
def self_collisions(  # as above
    place: EditTarget,
    on: Annotated[bool, typer.Option("--on/--off", help="Let links of one robot collide, or not.")],
    robot: Robot = ".*",
) -> None:
    """Author whether links of one robot collide that no joint connects."""
    from fajin import author

    edit(place, lambda stage: author.self_collisions(stage, on, robot))


def parse_pose(text: str | None) -> tuple[list[float] | None, list[float] | None]:
    """Return position [m] and quaternion (x, y, z, w) of X,Y,Z[,ROLL,PITCH,YAW]; None for what is left out."""
    if text is None:
        return None, None
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (3, 6):
        raise typer.BadParameter(f"--pose {text}: must be X,Y,Z or X,Y,Z,ROLL,PITCH,YAW; separate numbers by commas")
    return numbers[:3], quaternion(numbers[3:]) if numbers[3:] else None


def quaternion(angles: list[float]) -> list[float]:
    """Return the rotation by roll, pitch and yaw [degrees], about x, then y, then z of the world."""
    from numpy import array, eye

    from fajin.quaternion import from_rotation_vector, multiply

    turn = array((0.0, 0.0, 0.0, 1.0))
    for axis, angle in zip(eye(3), angles, strict=True):
        turn = multiply(from_rotation_vector(axis * radians(angle)), turn)
    return turn.tolist()
