"""`fajin author actuator`: writes Newton's actuators, and converts them from and to drives."""

from typing import Annotated, Any

import typer

from .author_common import Amount, DryRun, EditTarget, InPlace, Joints, Output, SceneFile, edit_joints, option
from .cli_units import Degrees, parse_amount


def actuator(  # one parameter per option: typer reads the signature
    scene: SceneFile,
    joint: Joints,
    stiffness: Annotated[Amount, option("--stiffness", "N·m/rad | N/m", "Set the proportional gain.")] = None,
    damping: Annotated[Amount, option("--damping", "N·m·s/rad | N·s/m", "Set the derivative gain.")] = None,
    integral_gain: Annotated[
        float | None, typer.Option(metavar="X", help="Set the integral gain [N·m/(rad·s) | N/(m·s)]: PID control.")
    ] = None,
    max_force: Annotated[Amount, option("--max-force", "N·m | N", "Bound the effort.")] = None,
    saturation_effort: Annotated[
        Amount, option("--saturation-effort", "N·m | N", "Set the effort of a DC motor at rest.")
    ] = None,
    no_load_speed: Annotated[
        Amount, option("--no-load-speed", "rad/s | m/s", "Set the speed at which a DC motor has no effort.")
    ] = None,
    delay: Annotated[
        int | None, typer.Option(min=0, metavar="STEPS", help="Delay commands by this many steps.")
    ] = None,
    from_drive: Annotated[bool, typer.Option("--from-drive", help="Move the gains of a force drive to it.")] = False,
    to_drive: Annotated[bool, typer.Option("--to-drive", help="Replace it by a drive that equals it.")] = False,
    degrees: Degrees = False,
    output: Output = None,
    in_place: InPlace = False,
    dry_run: DryRun = False,
) -> None:
    """Author Newton's actuators on joints. PD control alone is an implicit drive, other laws are explicit."""
    from fajin import author

    amounts = (stiffness, damping, integral_gain, max_force, saturation_effort, no_load_speed, delay)
    if from_drive + to_drive + any(x is not None for x in amounts) != 1:
        raise typer.BadParameter("--from-drive, --to-drive, values: must be exactly one of them; remove the rest")

    def change(at: Any) -> list:
        if from_drive or to_drive:
            return author.actuator_from_drive(at.prim) if from_drive else author.drive_from_actuator(at.prim)
        return author.actuator(
            at.prim,
            stiffness=parse_amount("--stiffness", stiffness, "stiffness", at.rotational),
            damping=parse_amount("--damping", damping, "damping", at.rotational),
            integral_gain=integral_gain,
            max_force=parse_amount("--max-force", max_force, "effort", at.rotational),
            saturation_effort=parse_amount("--saturation-effort", saturation_effort, "effort", at.rotational),
            no_load_speed=parse_amount("--no-load-speed", no_load_speed, "speed", at.rotational),
            delay=delay,
        )

    edit_joints(EditTarget(scene, output, in_place, dry_run), joint, None, change)
