"""`fajin author`: writes edits to a layer over the scene; this file has drives, envelopes and mimic joints."""

from typing import Annotated, Any

import typer

from .author_actuator import actuator
from .author_axis import armature, friction, limit, state
from .author_common import (
    Amount,
    Axis,
    EditTarget,
    Joints,
    add_target_options,
    edit,
    edit_joints,
    option,
)
from .author_copies import copies
from .author_ground import base, ground, self_collisions
from .author_scene import remove, scene, tendon
from .author_surface import surface
from .author_terrain import terrain
from .author_values import values
from .cli_options import DriveOutput
from .cli_units import Degrees, parse_amount
from .table import print_message

app = typer.Typer(
    help="Author drives, mimic joints, motors, limits, friction and states of joints in a layer over the scene.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@add_target_options
def drive(  # one parameter per option: typer reads the signature
    place: EditTarget,
    joint: Joints,
    stiffness: Annotated[
        Amount, option("--stiffness", "N·m/rad | N/m", "Set the stiffness; [1/s²] for an acceleration drive.")
    ] = None,
    damping: Annotated[
        Amount, option("--damping", "N·m·s/rad | N·s/m", "Set the damping; [1/s] for an acceleration drive.")
    ] = None,
    natural_frequency: Annotated[
        float | None,
        typer.Option(
            metavar="W",
            help="Compute the gains for this natural frequency of the joint alone at the initial pose [rad/s].",
        ),
    ] = None,
    damping_ratio: Annotated[
        float | None, typer.Option(metavar="Z", help="Set the damping ratio for --natural-frequency.")
    ] = None,
    max_force: Annotated[Amount, option("--max-force", "N·m | N", "Bound the sum of drive and user effort.")] = None,
    type: Annotated[
        DriveOutput | None, typer.Option(help="Set the drive output. Default: the drive's, else force.")
    ] = None,
    target: Annotated[Amount, option("--target", "rad | m", "Set the target position.")] = None,
    target_speed: Annotated[Amount, option("--target-speed", "rad/s | m/s", "Set the target speed.")] = None,
    axis: Axis = None,
    degrees: Degrees = False,
) -> None:
    """Author a drive on joints: τ = stiffness (target - q) + damping (target speed - q̇), |τ| ≤ max force.

    Gains from a natural frequency are exact in continuous time; `fajin tune` finds gains exact at the scene's step.
    """
    from fajin import author
    from fajin.author.drive import drive_type

    moved: dict[str, float] = {}

    def change(at: Any) -> list:
        if natural_frequency is not None and not moved:
            moved.update(author.inertias(at.prim.GetStage()))  # once for all joints
        kind = type.value if type else drive_type(at)
        gain = "acceleration " if kind == "acceleration" else ""
        changes = author.drive(
            at.prim,
            stiffness=parse_amount("--stiffness", stiffness, f"{gain}stiffness", at.rotational),
            damping=parse_amount("--damping", damping, f"{gain}damping", at.rotational),
            natural_frequency=natural_frequency,
            damping_ratio=damping_ratio,
            inertia=moved.get(at.name),
            max_force=parse_amount("--max-force", max_force, "effort", at.rotational),
            type=type.value if type else None,
            target_q=parse_amount("--target", target, "position", at.rotational),
            target_qd=parse_amount("--target-speed", target_speed, "speed", at.rotational),
            axis=at.token,
        )
        if target is not None and not at.prim.GetAttribute(f"drive:{at.instance}:physics:stiffness").Get():
            print_message(f"note: {at.name} has a target but no stiffness, so it does not go there")
        return changes

    edit_joints(place, joint, axis, change)


@add_target_options
def envelope(  # as above
    place: EditTarget,
    joint: Joints,
    max_force: Annotated[Amount, option("--max-force", "N·m | N", "Set the effort at rest, of the drive.")] = None,
    no_load_speed: Annotated[
        Amount,
        option("--no-load-speed", "rad/s | m/s", "Set the speed without effort; a load may be faster."),
    ] = None,
    resistance: Annotated[Amount, option("--resistance", "N·m·s/rad | N·s/m", "Set the effort lost per speed.")] = None,
    gradient: Annotated[Amount, option("--gradient", "rad/s/(N·m) | m/s/N", "Set the speed lost per effort.")] = None,
    axis: Axis = None,
    degrees: Degrees = False,
) -> None:
    """Author motor envelopes: |τ| ≤ max force - resistance |q̇| and |q̇| ≤ no-load speed - gradient |τ|."""
    from fajin import author

    def change(at: Any) -> list:
        return author.envelope(
            at.prim,
            max_force=parse_amount("--max-force", max_force, "effort", at.rotational),
            max_actuator_velocity=parse_amount("--no-load-speed", no_load_speed, "speed", at.rotational),
            velocity_dependent_resistance=parse_amount("--resistance", resistance, "damping", at.rotational),
            speed_effort_gradient=parse_amount("--gradient", gradient, "gradient", at.rotational),
            axis=at.token,
        )

    edit_joints(place, joint, axis, change)


@add_target_options
def mimic(  # as above
    place: EditTarget,
    joint: Joints,
    reference: Annotated[
        list[str], typer.Option(metavar="JOINT", help="Follow this joint (name or path); repeatable.")
    ],
    gearing: Annotated[
        list[float] | None,
        typer.Option(metavar="G", help="Set the gearing of each reference [rad or m, per rad or m]. Default: 1."),
    ] = None,
    offset: Annotated[Amount, option("--offset", "rad | m", "Set the offset of the equation. Default: 0.")] = None,
    natural_frequency: Annotated[
        float,
        typer.Option(
            metavar="W", show_default=False, help="Set the frequency of a soft mimic joint [rad/s]. Default: 0, hard."
        ),
    ] = 0.0,
    damping_ratio: Annotated[
        float,
        typer.Option(metavar="Z", show_default=False, help="Set the damping ratio of a soft mimic joint. Default: 0."),
    ] = 0.0,
    axis: Axis = None,
    degrees: Degrees = False,
) -> None:
    """Make joints follow others: q + Σ gearing q_reference + offset = 0, with PhysX's and Newton's attributes."""
    from fajin import author

    def change(stage: Any) -> list:
        leaders = [only(author.select(stage, name), name) for name in reference]
        lines = []
        for at in author.select(stage, joint, axis):
            lines += author.mimic(
                at.prim,
                [leader.prim for leader in leaders],
                gearing=gearing or [1.0] * len(leaders),
                offset=parse_amount("--offset", offset or "0", "position", at.rotational),
                natural_frequency=natural_frequency,
                damping_ratio=damping_ratio,
                axis=at.token,
                reference_axis=[leader.token for leader in leaders],
            )
        return lines

    edit(place, change)
    factors = gearing or [1.0] * len(reference)
    terms = "".join(
        f" {'-' if g > 0.0 else '+'} {abs(g):g} · {name}" for g, name in zip(factors, reference, strict=False)
    )
    shift = f" - ({offset})" if offset else ""
    print(f"{joint} = {terms.removeprefix(' + ').lstrip()}{shift}")


def only(found: list, name: str) -> Any:
    """Return the only joint axis that matches a name; raise BadParameter otherwise."""
    if len(found) != 1:
        raise typer.BadParameter(
            f"--reference {name}: must match one axis, not {', '.join(at.name for at in found) or 'none'}; name one"
        )
    return found[0]


SHORT_HELP = {  # of lines that a list of commands does not cut at 80 columns
    drive: "Author drives: gains, largest force, target.",
    envelope: "Author motor envelopes: effort by speed.",
    mimic: "Make joints follow others.",
    actuator: "Author Newton's actuators: PD, PID, DC motor, delay.",
    limit: "Author limits of position and velocity, and cones.",
    friction: "Author joint friction: static, dynamic, viscous.",
    armature: "Author the inertia of geared rotors on joints.",
    state: "Author the initial position and speed of joints.",
    tendon: "Author a tendon over joints or through points.",
    base: "Fix bases or free them; move robots.",
    ground: "Author a ground: a plane with a physics material.",
    terrain: "Author a terrain: a mesh of a height field.",
    self_collisions: "Author whether links of one robot collide.",
    surface: "Author surfaces that move what touches them.",
    copies: "Write a stage with copies of the scene side by side.",
    scene: "Author step, solver, gravity and recording defaults.",
    values: "Author the values of an edited JSON document.",
    remove: "Remove attributes from joints, or a tendon.",
}
for command, summary in SHORT_HELP.items():
    app.command(short_help=summary)(command)
