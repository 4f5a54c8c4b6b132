"""`fajin convert ROBOT`: converts URDF or MJCF to a USD scene with drives."""

import sys
import textwrap
from collections import Counter
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Annotated, Any

import typer

from .convert_placement import named, placed, plural, position
from .table import number

ROLES = {
    "wheel": "wheels, round about joints without limits: velocity drives, with the inertia of the robot that rolls",
    "leg": "between base and ground: gains of the inertia of the rest of the robot, as far as they share its weight",
}
MESSAGE_WIDTH = 80  # columns
BECAME: tuple[tuple[str, Callable[[Any], float], str], ...] = (  # quantity of a joint, its amount, its new form
    ("springs", lambda done: done.passive and done.passive.stiffness, "stiffness and target of the drive"),
    ("damping", lambda done: done.passive and done.passive.damping, "damping of the drive"),
    ("damping", lambda done: not done.passive and done.axis.friction.viscous, "viscous friction, as converted"),
    (
        "maximum force",
        lambda done: done.passive and done.passive.stiffness and done.motor and done.motor.max_force < inf,
        "of the actuators and of the spring within the joint's limits, together",
    ),
    ("armature", lambda done: done.axis.armature, "armature, as converted"),
    ("friction loss", lambda done: done.axis.friction.static, "static and dynamic friction, as converted"),
)


def convert(  # one parameter per option: typer reads the signature
    robot: Annotated[Path, typer.Argument(metavar="ROBOT", help="A URDF or MJCF file.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write to this file. Default: ROBOT's name with .usda.")
    ] = None,
    converter: Annotated[
        Path | None,
        typer.Option(help="Use this converter or its environment. Default: search for it, else install it once."),
    ] = None,
    package: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=FOLDER", help="Locate a ROS package that the URDF names; repeatable."),
    ] = None,
    natural_frequency: Annotated[
        float,
        typer.Option(min=0.0, help="Set the natural frequency of joints with an effort limit but no gains [rad/s]."),
    ] = 20.0,
    damping_ratio: Annotated[float, typer.Option(min=0.0, help="Set the damping ratio of these joints.")] = 1.0,
    drives: Annotated[bool, typer.Option("--drives/--no-drives", help="Author drives on the joints.")] = True,
    fixed_base: Annotated[
        bool | None,
        typer.Option(
            "--fixed-base/--floating-base",
            help="Fix the base to the world, or free it. Default: fixed for URDF, with --ground only if its root link"
            " is named world; as the file has it for MJCF.",
        ),
    ] = None,
    ground: Annotated[
        bool, typer.Option("--ground", help="Author a ground plane, and the height at which the robot touches it.")
    ] = False,
    stand: Annotated[
        bool, typer.Option("--stand", help="Begin in a pose in which the robot stands on its feet; implies --ground.")
    ] = False,
    self_collisions: Annotated[
        bool | None,
        typer.Option(
            "--self-collisions/--no-self-collisions",
            help="Let links of the robot collide, or not. Default: not with --ground, else as converted.",
        ),
    ] = None,
    cylinder_wheels: Annotated[
        bool,
        typer.Option(
            "--cylinder-wheels", help="Let wheels roll on cylinders in the place of hulls, which have corners."
        ),
    ] = False,
    colliders_from_visuals: Annotated[
        bool,
        typer.Option("--colliders-from-visuals", help="Give links without colliders the shapes that are drawn."),
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace existing files.")] = False,
) -> None:
    """Convert a URDF or MJCF robot to USD with drives from its springs, actuators or effort limits."""
    import fajin

    done = fajin.convert(
        robot,
        output,
        converter=converter,
        packages=package or (),
        natural_frequency=natural_frequency,
        damping_ratio=damping_ratio,
        drives=drives,
        fixed_base=fixed_base,
        ground=ground,
        stand=stand,
        self_collisions=self_collisions,
        cylinder_wheels=cylinder_wheels,
        colliders_from_visuals=colliders_from_visuals,
        overwrite=overwrite,
        say=lambda text: print(f"fajin: {text}", file=sys.stderr),
    )
    for line in lines(done):
        print(
            textwrap.fill(
                line, MESSAGE_WIDTH, subsequent_indent=6 * " ", break_long_words=False, break_on_hyphens=False
            )
        )


def lines(done: Any) -> list[str]:
    """Return the report: converted objects, drives, joints without drives, and the findings of `fajin check`."""
    robots = done.scene.articulations
    counts = {
        "articulation": sum(not robot.free for robot in robots),
        "link": sum(len(robot.links) for robot in robots),
        "degree of freedom": sum(len(joint.axes) for robot in robots for joint in robot.joints),
        "drive": sum(axis.drive is not None for robot in robots for joint in robot.joints for axis in joint.axes),
    }
    told = ", ".join(plural(count, noun) for noun, count in counts.items())
    result = [f"wrote {done.path}, {done.folder}/: {done.format}, {told}"]
    result += grouped(done.drives)
    result += became(done)
    if done.shown:
        result.append(f"  {named(done.shown)}: materials of opacity 0, made opaque")
    if done.endless:
        result.append(
            f"  {named(done.endless)}: revolute without limits in the file: turn freely, as continuous joints"
        )
    if done.joined:
        result.append(f"  {named(done.joined)}: hold the children of the root link, which does not have mass, together")
    result += [f"  {path} has the articulation root that the converter left out" for path in done.rooted]
    result += (
        [f"  the articulation root is moved to {done.root}, so that PhysX fixes the base, too"] if done.root else []
    )
    result += placed(done)
    found = Counter(finding.severity.value for finding in done.findings)
    problems = ", ".join(plural(found[kind], kind) for kind in ("error", "warning") if found[kind])
    result.append(f"fajin check {done.path}: {problems or 'no errors, no warnings'}")
    return [*result, f"see it move: fajin simulate {done.path}{'' if 'height' in done.placed else ' --wave'}"]


def grouped(outcomes: Any) -> list[str]:
    """Return one line per group of joints with equal drives."""
    groups: dict[str, list[str]] = {}
    for outcome in outcomes:
        groups.setdefault(motor(outcome), []).append(outcome.joint)
    lines = [f"  {named(joints)}: {said}" for said, joints in groups.items()]
    for role, why in ROLES.items():
        if joints := [outcome.joint for outcome in outcomes if outcome.role == role]:
            lines.append(f"  {named(joints)}: {why}")
    return lines


def became(done: Any) -> list[str]:
    """Return one line per converted quantity of joints besides actuators."""
    joints = [outcome for outcome in done.drives if outcome.axis]
    lines = []
    for what, amount, now in BECAME:
        if having := [outcome.joint for outcome in joints if amount(outcome)]:
            lines.append(f"  {what} of {named(having)}: {now}")
    if done.refs:
        lines.append(
            f"  limits of {named(done.refs)}: reduced by MuJoCo's ref because positions count from the file's pose"
        )
    notes: dict[str, list[str]] = {}
    for outcome in joints:
        for note in outcome.notes:
            notes.setdefault(note, []).append(outcome.joint)
    return lines + [f"  {named(having)}: {note}" for note, having in notes.items()]


def motor(outcome: Any) -> str:
    """Return the drive of a joint as text, or why it has none."""
    if outcome.motor is None:
        return f"no drive: {outcome.reason}"
    gains = outcome.motor.stiffness, outcome.motor.damping
    angular = outcome.axis.rotational
    unit = ("N·m/rad", "N·m·s/rad", "N·m") if angular else ("N/m", "N·s/m", "N")
    bound = f"up to {number(outcome.motor.max_force)} {unit[2]}" if outcome.motor.max_force < inf else "unbounded"
    if not any(gains):
        return f"effort {bound}, no gains"
    target = position(outcome.motor.target_q)
    to = f" to {target} {'rad' if angular else 'm'}"
    return f"{number(gains[0])} {unit[0]}{to if target != '0' else ''}, {number(gains[1])} {unit[1]}, {bound}"
