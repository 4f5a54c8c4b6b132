"""`fajin author actuator`: writes Newton's actuators, and converts them from and to drives."""

from typing import Annotated, Any

import typer

from .author_common import Amount, EditTarget, Joints, add_target_options, edit_joints, option
from .cli_units import Degrees, parse_amount


@add_target_options
def actuator(  # one parameter per option: typer reads the signature
    place: EditTarget,
    joint: Joints,
    stiffness: Annotated[Amount, option("--stiffness", "N·m/rad | N/m", "Set the proportional gain.")] = None,
    damping: Annotated[Amount, option("--damping", "N·m·s/rad | N·s/m", "Set the derivative gain.")] = None,
    integral_gain: Annotated[
        float | None, typer.Option(metavar="X", help="Set the integral gain [N·m/(rad·s) | N/(m·s)]: PID control.")
    ] = None,
    integral_max: Annotated[
        float | None, typer.Option(metavar="X", help="Bound the integral of the error [rad·s | m·s].")
    ] = None,
    constant_effort: Annotated[Amount, option("--constant-effort", "N·m | N", "Add a constant effort.")] = None,
    max_force: Annotated[Amount, option("--max-force", "N·m | N", "Bound the effort.")] = None,
    saturation_effort: Annotated[
        Amount, option("--saturation-effort", "N·m | N", "Set the effort of a DC motor at rest.")
    ] = None,
    max_motor_effort: Annotated[
        Amount, option("--max-motor-effort", "N·m | N", "Bound the effort of a DC motor at any speed.")
    ] = None,
    no_load_speed: Annotated[
        Amount, option("--no-load-speed", "rad/s | m/s", "Set the speed at which a DC motor has no effort.")
    ] = None,
    bounds: Annotated[
        str | None,
        typer.Option(metavar="POSITION:EFFORT,…", help="Bound the effort by position, linear between these points."),
    ] = None,
    delay: Annotated[
        int | None, typer.Option(min=0, metavar="STEPS", help="Delay commands by this many steps.")
    ] = None,
    from_drive: Annotated[bool, typer.Option("--from-drive", help="Move the gains of a force drive to it.")] = False,
    to_drive: Annotated[bool, typer.Option("--to-drive", help="Replace it by a drive that equals it.")] = False,
    degrees: Degrees = False,
) -> None:
    """Author Newton's actuators on joints. PD control alone is an implicit drive, other laws are explicit."""
    from fajin import author

    efforts = {
        "--constant-effort": constant_effort,
        "--max-force": max_force,
        "--saturation-effort": saturation_effort,
        "--max-motor-effort": max_motor_effort,
    }
    plain = {"integral_gain": integral_gain, "integral_max": integral_max, "delay": delay}
    given = (stiffness, damping, no_load_speed, bounds, *efforts.values(), *plain.values())
    if from_drive + to_drive + any(x is not None for x in given) != 1:
        raise typer.BadParameter("--from-drive, --to-drive, values: must be exactly one of them; remove the rest")

    def change(at: Any) -> list:
        if from_drive or to_drive:
            return author.actuator_from_drive(at.prim) if from_drive else author.drive_from_actuator(at.prim)
        return author.actuator(
            at.prim,
            stiffness=parse_amount("--stiffness", stiffness, "stiffness", at.rotational),
            damping=parse_amount("--damping", damping, "damping", at.rotational),
            no_load_speed=parse_amount("--no-load-speed", no_load_speed, "speed", at.rotational),
            **{_field(name): parse_amount(name, text, "effort", at.rotational) for name, text in efforts.items()},
            **_points(bounds, at.rotational),
            **plain,
        )

    edit_joints(place, joint, None, change)


def _field(name: str) -> str:
    """Return the argument of an option."""
    return name.removeprefix("--").replace("-", "_")


def _points(text: str | None, rotational: bool) -> dict[str, list[float]]:
    """Return positions and efforts of the points of a bound; {} for None.

    Raises:
        typer.BadParameter: a point is not a position and an effort.
    """
    if text is None:
        return {}
    points = [part.split(":") for part in text.split(",")]
    if any(len(point) != 2 for point in points):
        raise typer.BadParameter(f"--bounds {text}: must be positions and efforts; write -0.5:3,0:8,0.5:3")
    return {
        "bound_positions": [parse_amount("--bounds", q.strip(), "position", rotational) for q, _ in points],
        "bound_efforts": [parse_amount("--bounds", effort.strip(), "effort", rotational) for _, effort in points],
    }
