"""Commands of `fajin author` for joint axes: limits, friction, armature, initial state."""

from typing import Annotated, Any

import typer

from .author_common import Amount, Axis, EditTarget, Joints, add_target_options, edit_joints, option
from .cli_units import Degrees, parse_amount


@add_target_options
def limit(  # as above
    place: EditTarget,
    joint: Joints,
    lower: Annotated[
        Amount,
        option("--lower", "rad | m", "Set the lower position limit; -inf with --upper inf removes limits."),
    ] = None,
    upper: Annotated[Amount, option("--upper", "rad | m", "Set the upper position limit.")] = None,
    max_velocity: Annotated[Amount, option("--max-velocity", "rad/s | m/s", "Set the velocity limit.")] = None,
    cone: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="A B", help="Set the cone's half angles of a spherical joint [rad]."),
    ] = None,
    axis: Axis = None,
    degrees: Degrees = False,
) -> None:
    """Author joint limits: lower ≤ q ≤ upper, |q̇| ≤ max velocity."""
    from fajin import author

    def change(at: Any) -> list:
        if cone:
            angle0, angle1 = (parse_amount("--cone", angle, "position") for angle in cone)
            return author.cone(at.prim, angle0, angle1)
        return author.limit(
            at.prim,
            lower=parse_amount("--lower", lower, "position", at.rotational),
            upper=parse_amount("--upper", upper, "position", at.rotational),
            max_velocity=parse_amount("--max-velocity", max_velocity, "speed", at.rotational),
            axis=at.token,
        )

    edit_joints(place, joint, axis, change)


@add_target_options
def friction(  # as above
    place: EditTarget,
    joint: Joints,
    static: Annotated[Amount, option("--static", "N·m | N", "Set the static friction effort.")] = None,
    dynamic: Annotated[
        Amount, option("--dynamic", "N·m | N", "Set the dynamic friction effort, at most static.")
    ] = None,
    viscous: Annotated[
        Amount, option("--viscous", "N·m·s/rad | N·s/m", "Set the viscous friction, effort per speed.")
    ] = None,
    axis: Axis = None,
) -> None:
    """Author joint friction: static at rest, dynamic + viscous |q̇| in motion."""
    from fajin import author

    def change(at: Any) -> list:
        return author.friction(
            at.prim,
            static=parse_amount("--static", static, "effort", at.rotational),
            dynamic=parse_amount("--dynamic", dynamic, "effort", at.rotational),
            viscous=parse_amount("--viscous", viscous, "damping", at.rotational),
            axis=at.token,
        )

    edit_joints(place, joint, axis, change)


@add_target_options
def armature(  # as above
    place: EditTarget,
    joint: Joints,
    inertia: Annotated[str, option("--inertia", "kg·m² | kg", "Set the rotor inertia times the gear ratio squared.")],
    axis: Axis = None,
) -> None:
    """Author the inertia of geared rotors on joints."""
    from fajin import author

    def change(at: Any) -> list:
        return author.armature(at.prim, parse_amount("--inertia", inertia, "inertia", at.rotational), axis=at.token)

    edit_joints(place, joint, axis, change)


@add_target_options
def state(  # as above
    place: EditTarget,
    joint: Joints,
    position: Annotated[Amount, option("--position", "rad | m", "Set the initial position.")] = None,
    speed: Annotated[Amount, option("--speed", "rad/s | m/s", "Set the initial speed.")] = None,
    axis: Axis = None,
    degrees: Degrees = False,
) -> None:
    """Author the initial position and speed of joints."""
    from fajin import author

    def change(at: Any) -> list:
        return author.state(
            at.prim,
            q=parse_amount("--position", position, "position", at.rotational),
            qd=parse_amount("--speed", speed, "speed", at.rotational),
            axis=at.token,
        )

    edit_joints(place, joint, axis, change)
