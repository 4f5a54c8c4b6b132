"""`fajin tune SCENE`: the gains that give joints the motion that is wanted, exactly at the step."""

import sys
from enum import Enum
from math import degrees, pi
from pathlib import Path
from typing import Annotated, Any

import typer

from .cli_options import step_length
from .drive_tables import file_unit
from .table import SPEED_UNIT, console, number, table
from .text_plot import text_plot


class Pose(str, Enum):
    """Where joints are tuned."""

    INITIAL = "initial"
    WORST = "worst"


class Others(str, Enum):
    """What the other joints do meanwhile."""

    HELD = "held"
    FREE = "free"


class Type(str, Enum):
    """What gains multiply to."""

    FORCE = "force"
    ACCELERATION = "acceleration"


def tune(  # one parameter an option: typer reads them off the signature
    scene: Annotated[str, typer.Argument(metavar="SCENE", help="A .usda, .usdc, .usd or .usdz file.")],
    joint: Annotated[str, typer.Option(metavar="REGEX", help="Names of joints, or of their axes: elbow:rotZ.")],
    natural_frequency: Annotated[float, typer.Option("--natural-frequency", "-w", help="[rad/s]")],
    damping_ratio: Annotated[float, typer.Option("--damping-ratio", "-z", help="1 is critical.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="LAYER", help="Takes the gains; without it none are kept.")
    ] = None,
    dt: Annotated[str | None, typer.Option(help="Length of a step [s], also 1/120; by default the file's.")] = None,
    pose: Annotated[Pose, typer.Option(help="worst: where a joint moves most, in the range of all.")] = Pose.INITIAL,
    others: Annotated[Others, typer.Option(help="What the other joints do, for the inertia.")] = Others.HELD,
    type: Annotated[Type | None, typer.Option(help="Of the drive; by default the file's, or force.")] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE.png", help="The step responses as a picture.")] = None,
) -> None:
    """Find the gains that give joints a natural frequency and damping ratio, exactly at the scene's step and solver.

    Shows how they answer a step of the target, by the formula and, with all of them in the robot, by simulation.
    """
    import fajin
    from fajin.scene import DriveType, overrides
    from fajin.tuning import tuned
    from fajin.tuning.verify import verify_gains

    _check(scene, output, plot)
    source = fajin.read(scene)
    authored = source.dt
    source = overrides.with_dt(source, step_length(dt)) if dt else source
    wanted = DriveType[type.name] if type else None
    wish = tuned.TuningSpec(natural_frequency, damping_ratio, pose is Pose.WORST, others is Others.HELD, wanted)
    joints = tuned.tune(source, joint, wish)
    answers = verify_gains(source, joints)
    _show(source, joints, answers, wish)
    if plot:
        _picture(joints, answers, plot)
    for note in _notes(source, authored, joints):
        print(f"fajin: note: {note}", file=sys.stderr)
    _write(scene, output, joints, type)


def _check(scene: str, output: Path | None, plot: Path | None) -> None:
    """Raise now what would otherwise go wrong at the end."""
    if output:
        from fajin.author.layer import check

        check(Path(scene), output, False)
    if plot:
        from .plots import check_picture

        check_picture(plot)


def _show(scene: Any, joints: list[Any], answers: list[Any], wish: Any) -> None:
    """Tables of gains and answers, and the answer of the first joint as a plot."""
    terminal = console()
    terminal.print(_gains(scene, joints, wish))
    terminal.print(_answers(joints, answers, wish))
    print(f"{joints[0].name} after a step of its target by 1:\n")
    print(text_plot(_curves(joints[0], answers[0]), "time [s]"))
    print()


def _gains(scene: Any, joints: list[Any], wish: Any) -> Any:
    """One row a joint: its gains, and what those of the textbook would do."""
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
    return result


def _answers(joints: list[Any], answers: list[Any], wish: Any) -> Any:
    """One row a joint: how it answers a step of its target, alone and in the robot."""
    from fajin.tuning.step_response import largest_jump, step_response

    others = "held" if wish.held else "free"
    columns = ["joint"]
    for name in (f"others {others}:", "in the robot:"):
        columns += [f"{name}\nrise 10–90 %\n[s]", "overshoot\n[%]", "settled to 2 %\n[s]"]
    columns += ["largest step within\nmax effort [deg | m]"]
    result = table("Answers to a step of the target, without gravity and dry friction", 1, *columns)
    for item, answer in zip(joints, answers, strict=True):
        alone = step_response(item.plant, item.gains)
        values = [x for r in (alone, answer) for x in (r.rise_time, 100.0 * r.overshoot, r.settling_time)]
        jump = largest_jump(item.plant, item.gains, item.axis.drive.max_force if item.axis.drive else float("inf"))
        values.append(degrees(jump) if item.axis.rotational else jump)
        result.add_row(item.name, *(f"{x:.4g}" if x == x else "–" for x in values))
    return result


def _curves(item: Any, answer: Any) -> dict[str, tuple]:
    """The answers of a joint, over the time until the formula's is settled."""
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
    """What a user should know of these gains."""
    notes = []
    if abs(scene.dt - authored) > 1e-9 * authored:
        notes.append(
            f"the gains hold at steps of {scene.dt:.6g} s, and the file has {authored:.6g} s; simulate with --dt"
        )
    dry = [item.name for item in joints if max(item.axis.friction.static, item.axis.friction.dynamic) > 0.0]
    if dry:
        notes.append(f"dry friction, which no gains undo, comes on top: {', '.join(dry)}")
    off = [item.name for item in joints if item.axis.drive and item.axis.drive.max_force == 0.0]
    if off:
        notes.append(
            f"max force is 0, so that the drive does nothing: {', '.join(off)}; see fajin author drive --max-force"
        )
    return notes


def _write(scene: str, output: Path | None, joints: list[Any], type: Type | None) -> None:
    """Author the gains, and say what changed."""
    if output is None:
        print("nothing is written; give -o LAYER")
        return
    from fajin import author

    with author.layer(scene, output) as stage:
        for item in joints:
            path, _, token = item.name.rpartition(":")
            for change in author.drive(
                stage.GetPrimAtPath(path),
                stiffness=item.gains.stiffness,
                damping=item.gains.damping,
                type=type and type.value,
                axis=token,
            ):
                print(change)
    print(f"wrote {output}: {len(joints)} drive{'s' if len(joints) > 1 else ''}, a layer over {scene}")
