"""`fajin convert ROBOT`: URDF or MJCF in, a USD scene with drives out."""

import sys
from collections import Counter
from math import inf
from pathlib import Path
from typing import Annotated, Any

import typer

from .table import number

NAMED = 3  # joints named of those that got the same


def convert(  # one parameter an option: typer reads them off the signature
    robot: Annotated[Path, typer.Argument(metavar="ROBOT", help="A URDF or MJCF file.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="[ROBOT's name].usda beside it.")] = None,
    converter: Annotated[
        Path | None, typer.Option(help="The converter, or its environment; else found, or installed once.")
    ] = None,
    package: Annotated[
        list[str] | None, typer.Option(metavar="NAME=FOLDER", help="A ROS package that a URDF names; repeatable.")
    ] = None,
    natural_frequency: Annotated[
        float, typer.Option(min=0.0, help="Of joints with an effort limit and no gains [rad/s].")
    ] = 20.0,
    damping_ratio: Annotated[float, typer.Option(min=0.0, help="Of the same.")] = 1.0,
    drives: Annotated[bool, typer.Option("--drives/--no-drives", help="Drive the joints.")] = True,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace files of that name.")] = False,
) -> None:
    """Convert a URDF or MJCF robot to USD and put drives on its joints, from its actuators or effort limits."""
    import fajin

    done = fajin.convert(
        robot,
        output,
        converter=converter,
        packages=package or (),
        natural_frequency=natural_frequency,
        damping_ratio=damping_ratio,
        drives=drives,
        overwrite=overwrite,
        say=lambda text: print(f"fajin: {text}", file=sys.stderr),
    )
    for line in lines(done):
        print(line)


def lines(done: Any) -> list[str]:
    """What was converted, what drives it, what does not, and what `fajin check` says."""
    robots = done.scene.articulations
    counts = {
        "articulation": sum(not robot.free for robot in robots),
        "link": sum(len(robot.links) for robot in robots),
        "degree of freedom": sum(len(joint.axes) for robot in robots for joint in robot.joints),
        "drive": sum(outcome.motor is not None for outcome in done.drives),
    }
    told = ", ".join(plural(count, noun) for noun, count in counts.items())
    result = [f"wrote {done.path}, {done.folder}/: {done.format}, {told}"]
    result += grouped(done.drives)
    result += [f"  the articulation root is on {done.root} now, so that PhysX fixes the base too"] if done.root else []
    found = Counter(finding.severity.value for finding in done.findings)
    problems = ", ".join(plural(found[kind], kind) for kind in ("error", "warning") if found[kind])
    return [*result, f"fajin check {done.path}: {problems or 'no errors, no warnings'}"]


def grouped(outcomes: Any) -> list[str]:
    """One line for joints that got the same."""
    groups: dict[str, list[str]] = {}
    for outcome in outcomes:
        groups.setdefault(motor(outcome), []).append(outcome.joint.rpartition("/")[2])
    lines = []
    for said, joints in groups.items():
        names = ", ".join(joints) if len(joints) <= NAMED else f"{joints[0]} and {len(joints) - 1} more"
        lines.append(f"  {names}: {said}")
    return lines


def plural(count: int, noun: str) -> str:
    """A number of things."""
    first, _, rest = noun.partition(" ")
    return f"{count} {noun if count == 1 else f'{first}s {rest}'.rstrip()}"


def motor(outcome: Any) -> str:
    """What drives a joint, or why nothing does."""
    if outcome.motor is None:
        return f"no drive: {outcome.reason}"
    gains = outcome.motor.stiffness, outcome.motor.damping
    unit = ("N·m/rad", "N·m·s/rad", "N·m") if angular(outcome) else ("N/m", "N·s/m", "N")
    bound = f"up to {number(outcome.motor.max_force)} {unit[2]}" if outcome.motor.max_force < inf else "unbounded"
    if not any(gains):
        return f"effort {bound}, no gains"
    return f"{number(gains[0])} {unit[0]}, {number(gains[1])} {unit[1]}, {bound}"


def angular(outcome: Any) -> bool:
    """Whether what was driven turns."""
    return any(change.attribute.startswith("drive:angular") for change in outcome.changes)
