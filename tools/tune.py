"""`fajin tune SCENE`: gains that give joints a wanted motion, exact at the step."""

import json
import sys
from enum import Enum
from math import isfinite, pi
from pathlib import Path
from typing import Annotated, Any

import typer

from fajin.tools.cli_options import TimeStep

from .cli_options import DriveOutput, step_length
from .cli_units import ShownDegrees, angle_unit, shown_angle
from .drive_tables import file_unit
from .table import SPEED_UNIT, console, number, table
from .text_plot import text_plot


class Pose(str, Enum):
    """Pose in which joints are tuned."""

    INITIAL = "initial"
    WORST = "worst"


class Others(str, Enum):
    """State of the other joints during tuning."""

    HELD = "held"
    FREE = "free"


def tune(  # one parameter per option: typer reads the signature
    scene: Annotated[str, typer.Argument(metavar="SCENE", help="A .usda, .usdc, .usd or .usdz file.")],
    joint: Annotated[str, typer.Option(metavar="REGEX", help="Select joints, or axes such as elbow:rotZ.")],
    natural_frequency: Annotated[
        float, typer.Option("--natural-frequency", "-w", help="Set the natural frequency [rad/s].")
    ],
    damping_ratio: Annotated[
        float, typer.Option("--damping-ratio", "-z", help="Set the damping ratio; 1 is critical.")
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="LAYER", help="Write the gains to this layer. Default: print only."),
    ] = None,
    dt: TimeStep = None,
    pose: Annotated[
        Pose,
        typer.Option(help="Tune at the initial pose, or at the pose of largest inertia (worst)."),
    ] = Pose.INITIAL,
    others: Annotated[Others, typer.Option(help="Hold or free the other joints for the inertia.")] = Others.HELD,
    type: Annotated[
        DriveOutput | None, typer.Option(help="Set the drive output. Default: the scene's, else force.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Plot the step responses to this file.")] = None,
    degrees: ShownDegrees = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, in SI units and radians.")] = False,
) -> None:
    """Find gains that give joints a natural frequency and damping ratio, exact at the scene's step and solver.

    Prints the step responses by formula and, with all gains in the robot, by simulation.
    """
    import fajin
    from fajin.scene import DriveType
    from fajin.scene.overrides import with_settings
    from fajin.tuning import tuned
    from fajin.tuning.verify import verify_gains

    _check(scene, output, plot)
    source = fajin.read(scene)
    authored = source.dt
    source = with_settings(source, step_length(dt))
    wanted = DriveType[type.name] if type else None
    wish = tuned.TuningSpec(natural_frequency, damping_ratio, pose is Pose.WORST, others is Others.HELD, wanted)
    joints = tuned.tune(source, joint, wish)
    answers = verify_gains(source, joints)
    if as_json:
        print(json.dumps({"dt": source.dt, "joints": _records(joints, answers, wish)}, indent=2))
    else:
        _show(source, joints, answers, wish)
    if plot:
        _picture(joints, answers, plot)
    for note in _notes(source, authored, joints):
        print(f"fajin: note: {note}", file=sys.stderr)
    if output or not as_json:
        _write(scene, output, joints, type)


def _check(scene: str, output: Path | None, plot: Path | None) -> None:
    """Raise errors now that would otherwise occur at the end."""
    if output:
        from fajin.author.layer import check

        check(Path(scene), output, False)
    if plot:
        from .plots import check_picture

        check_picture(plot)


def _show(scene: Any, joints: list[Any], answers: list[Any], wish: Any) -> None:
    """Print tables of gains and responses, and a text plot of the first joint's response."""
    terminal = console()
    terminal.print(_gains(scene, joints, wish))
    terminal.print(_answers(joints, answers, wish))
    print(f"{joints[0].name} after a unit step of its target:\n")
    print(text_plot(_curves(joints[0], answers[0]), "time [s]"))
    print()


def _records(joints: list[Any], answers: list[Any], wish: Any) -> list[dict[str, Any]]:
    """Return an object per joint: gains, and the step response in the robot; null where there is none."""

    def plain(value: float) -> float | None:
        return value if isfinite(value) else None

    return [
        {
            "joint": item.name,
            "type": item.plant.type.name.lower(),
            "natural_frequency": wish.natural_frequency,
            "damping_ratio": wish.damping_ratio,
            "inertia": item.plant.inertia,
            "stiffness": item.gains.stiffness,
            "damping": item.gains.damping,
            "rise_time": plain(answer.rise_time),
            "overshoot": plain(answer.overshoot),
            "settling_time": plain(answer.settling_time),
        }
        for item, answer in zip(joints, answers, strict=True)
    ]


def _gains(scene: Any, joints: list[Any], wish: Any) -> Any:
    """Return one row per joint: its gains, and the motion with textbook gains."""
    from fajin.tuning.gains import continuous_gains
    from fajin.tuning.plant import oscillation

    plant = joints[0].plant
    hertz = wish.natural_frequency / (2.0 * pi)
    step = f"step {number(scene.dt)} s, {scene.solver.name}" + (f" {plant.substeps}" if plant.tgs else "")
    title = f"Gains for {number(wish.natural_frequency)} rad/s ({hertz:.3g} Hz), ratio {wish.damping_ratio:g}; {step}"
    where = "largest inertia" if wish.worst else "inertia"
    columns = ("joint", "type", f"{where}\n[kg·m² | kg]", "stiffness\n[N·m/rad | N/m]\n[1/s²] if acceleration")
    columns += (f"damping\n{SPEED_UNIT}\n[1/s] if acceleration", "stiffness\nas in the file", "damping\nas in the file")
    columns += ("textbook's:\n[rad/s]", "textbook's:\nratio")
    columns += ("at the smallest\n[kg·m² | kg]", "[rad/s]", "ratio") if wish.worst else ()
    result = table(title, 2, *columns)
    for item in joints:
        unit = file_unit(scene, item.axis.rotational, item.plant.type.name)
        values = (item.plant.inertia, item.gains.stiffness, item.gains.damping)
        values += (item.gains.stiffness / unit, item.gains.damping / unit)
        naive = continuous_gains(item.plant, wish.natural_frequency, wish.damping_ratio)
        values += oscillation(item.plant, naive)
        values += (item.lightest.inertia, *item.at_lightest) if wish.worst else ()
        result.add_row(item.name, item.plant.type.name.lower(), *map(number, values))
    return result.with_units_of({item.axis.rotational for item in joints})


def _answers(joints: list[Any], answers: list[Any], wish: Any) -> Any:
    """Return one row per joint: its step response, alone and in the robot."""
    from fajin.tuning.step_response import largest_jump, step_response

    others = "held" if wish.held else "free"
    columns = ["joint"]
    for name in (f"others {others}:", "in the robot:"):
        columns += [f"{name}\nrise 10–90 %\n[s]", "overshoot\n[%]", "settled to 2 %\n[s]"]
    columns += [f"largest step within\nmax effort [{angle_unit()} | m]"]
    result = table("Step responses, without gravity and dry friction", 1, *columns)
    for item, answer in zip(joints, answers, strict=True):
        alone = step_response(item.plant, item.gains)
        values = [x for r in (alone, answer) for x in (r.rise_time, 100.0 * r.overshoot, r.settling_time)]
        jump = largest_jump(item.plant, item.gains, item.axis.drive.max_force if item.axis.drive else float("inf"))
        values.append(shown_angle(jump, item.axis.rotational))
        result.add_row(item.name, *(f"{x:.4g}" if x == x else "–" for x in values))
    return result.with_units_of({item.axis.rotational for item in joints})


def _curves(item: Any, answer: Any) -> dict[str, tuple]:
    """Return the responses of a joint until the response by formula is settled."""
    from fajin.tuning.step_response import step_response

    alone = step_response(item.plant, item.gains)
    shown = answer.time <= alone.time[-1]
    return {
        "by the formula": (alone.time, alone.position),
        "in the robot, simulated": (answer.time[shown], answer.position[shown]),
    }


def _picture(joints: list[Any], answers: list[Any], path: Path) -> None:
    from .plots import draw_answers

    draw_answers({item.name: _curves(item, answer) for item, answer in zip(joints, answers, strict=True)}, path)


def _notes(scene: Any, authored: float, joints: list[Any]) -> list[str]:
    """Return notes on the limits of these gains."""
    notes = []
    if abs(scene.dt - authored) > 1e-9 * authored:
        notes.append(
            f"the gains are for a step of {scene.dt:.6g} s, but the scene's is {authored:.6g} s; simulate with --dt"
        )
    dry = [item.name for item in joints if max(item.axis.friction.static, item.axis.friction.dynamic) > 0.0]
    if dry:
        notes.append(f"dry friction is not included: {', '.join(dry)}")
    off = [item.name for item in joints if item.axis.drive and item.axis.drive.max_force == 0.0]
    if off:
        notes.append(f"max force is 0 and disables the drive: {', '.join(off)}; use fajin author drive --max-force")
    return notes


def _write(scene: str, output: Path | None, joints: list[Any], type: DriveOutput | None) -> None:
    """Author the gains, and print the changes."""
    if output is None:
        print("nothing is written; add -o LAYER")
        return
    from fajin.author.confined_edits import write_edits

    edits = []
    for item in joints:
        path, _, token = item.name.rpartition(":")
        gains = {"stiffness": float(item.gains.stiffness), "damping": float(item.gains.damping)}
        edits.append(("drive", path, {**gains, "type": type and type.value, "axis": token}))
    for change in write_edits(scene, output, edits):
        print(change)
    print(f"wrote {output}: {len(joints)} drive{'s' if len(joints) > 1 else ''}, a layer over {scene}")
