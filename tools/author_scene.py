"""The commands of `fajin author` that are not about one joint at a time: tendons, the scene, taking things out."""

from enum import Enum
from typing import Annotated, Any

import typer

from .author_common import (
    JOINT,
    Amount,
    Axis,
    DryRun,
    EditTarget,
    InPlace,
    Output,
    SceneFile,
    edit,
    edit_joints,
    option,
)
from .cli_options import Solver, step_length
from .cli_units import parse_amount


class ScenePrecision(str, Enum):
    """Of all numbers."""

    SINGLE = "single"
    DOUBLE = "double"


class Thing(str, Enum):
    """What can be taken off a joint."""

    DRIVE = "drive"
    ENVELOPE = "envelope"
    MIMIC = "mimic"
    LIMIT = "limit"
    FRICTION = "friction"
    ARMATURE = "armature"
    STATE = "state"
    TENDON = "tendon"


def tendon(  # one parameter an option: typer reads them off the signature
    scene: SceneFile,
    name: Annotated[str, typer.Option(help="Of the tendon.")],
    joint: Annotated[
        list[str] | None, typer.Option(metavar="JOINT", help="Joints of a fixed tendon, the root first; repeat.")
    ] = None,
    through: Annotated[
        list[str] | None, typer.Option(metavar="LINK=X,Y,Z", help="Points of links of a spatial tendon [m]; repeat.")
    ] = None,
    gearing: Annotated[
        list[str] | None,
        typer.Option(metavar="G", help="One a joint: length per position [m/rad | 1]; or one a piece."),
    ] = None,
    stiffness: Annotated[Amount, option("--stiffness", "N/m", "Force per length.")] = None,
    damping: Annotated[Amount, option("--damping", "N·s/m", "Force per rate of the length.")] = None,
    limit_stiffness: Annotated[Amount, option("--limit-stiffness", "N/m", "Beyond the limits.")] = None,
    rest_length: Annotated[Amount, option("--rest-length", "m", "Length without force.")] = None,
    offset: Annotated[Amount, option("--offset", "m", "Added to the length.")] = None,
    lower: Annotated[Amount, option("--lower", "m", "Least length.")] = None,
    upper: Annotated[Amount, option("--upper", "m", "Largest length.")] = None,
    force_coefficient: Annotated[
        list[float] | None, typer.Option(metavar="C", help="Multiplies the force, one a joint; 1.")
    ] = None,
    output: Output = None,
    in_place: InPlace = False,
    dry_run: DryRun = False,
) -> None:
    """Run a tendon over joints or through points: F = -stiffness (l - rest length) - damping l̇.

    Its length l is Σ gearing q + offset over joints (fixed), Σ gearing |piece| + offset through points (spatial).
    """
    from fajin import author

    if bool(joint) == bool(through) or (through and force_coefficient):
        raise typer.BadParameter("a tendon runs over joints (--joint, --gearing) or through points (--through)")
    spring = {
        "stiffness": parse_amount("--stiffness", stiffness, "tendon stiffness"),
        "damping": parse_amount("--damping", damping, "tendon damping"),
        "limit_stiffness": parse_amount("--limit-stiffness", limit_stiffness, "tendon stiffness"),
        "rest_length": parse_amount("--rest-length", rest_length, "length"),
        "offset": parse_amount("--offset", offset, "length"),
        "lower": parse_amount("--lower", lower, "length"),
        "upper": parse_amount("--upper", upper, "length"),
    }

    def fixed(stage: Any) -> list:
        along = [at for pattern in joint for at in author.select(stage, pattern)]
        if len(gearing or ()) != len(along):
            names = ", ".join(at.name for at in along)
            raise typer.BadParameter(f"{len(gearing or ())} gearings for the joints {names}; give one for each")
        pairs = zip(gearing, along, strict=True)
        lengths = [parse_amount("--gearing", text, "gearing of a tendon", at.rotational) for text, at in pairs]
        prims = [at.prim for at in along]
        return author.tendon(prims, name, gearing=lengths, force_coefficient=force_coefficient, **spring)

    def spatial(stage: Any) -> list:
        pieces = [parse_amount("--gearing", text, "gearing of a tendon", False) for text in gearing or ()]
        return author.spatial_tendon([point(stage, text) for text in through], name, gearing=pieces, **spring)

    edit(EditTarget(scene, output, in_place, dry_run), fixed if joint else spatial)


def point(stage: Any, text: str) -> tuple[Any, list[float]]:
    """A link and a point of it: LINK=X,Y,Z, the link by its name or path."""
    name, _, numbers = text.partition("=")
    found = [prim for prim in stage.Traverse() if name in (prim.GetName(), str(prim.GetPath()))]
    if len(found) != 1:
        said = f"{len(found)} prims are called {name}"
        raise typer.BadParameter(f"--through {text}: {said}; write LINK=X,Y,Z with the path of a link")
    try:
        x, y, z = map(float, numbers.split(","))
    except ValueError:
        raise typer.BadParameter(f"--through {text}: write LINK=X,Y,Z with three numbers of metres") from None
    return found[0], [x, y, z]


def scene(  # as above
    scene: SceneFile,
    dt: Annotated[str | None, typer.Option(help="Length of a step [s], also 1/240.")] = None,
    solver: Annotated[Solver | None, typer.Option(help="How rows are iterated.")] = None,
    gravity: Annotated[float | None, typer.Option(help="Down the up axis [m/s²]")] = None,
    gravity_vector: Annotated[tuple[float, float, float] | None, typer.Option(help="In world axes [m/s²]")] = None,
    position_iterations: Annotated[int | None, typer.Option(help="Of every articulation.")] = None,
    velocity_iterations: Annotated[int | None, typer.Option(help="Of every articulation.")] = None,
    duration: Annotated[float | None, typer.Option(help="Of the motion, where the command says none [s]")] = None,
    fps: Annotated[float | None, typer.Option(help="Frames a second, likewise.")] = None,
    precision: Annotated[ScenePrecision | None, typer.Option(help="Of all numbers, likewise.")] = None,
    output: Output = None,
    in_place: InPlace = False,
    dry_run: DryRun = False,
) -> None:
    """Say how a scene is stepped, solved and recorded."""
    from fajin import author

    if gravity is not None and gravity_vector is not None:
        raise typer.BadParameter("--gravity and --gravity-vector both say it; give one of them")

    def change(stage: Any) -> list:
        return author.scene(
            stage,
            dt=step_length(dt) if dt else None,
            solver=solver.value if solver else None,
            gravity=gravity_vector if gravity is None else gravity,
            position_iterations=position_iterations,
            velocity_iterations=velocity_iterations,
            duration=duration,
            fps=fps,
            precision=precision.value if precision else None,
        )

    edit(EditTarget(scene, output, in_place, dry_run), change)


def remove(  # as above
    scene: SceneFile,
    what: Annotated[list[Thing], typer.Argument(help="What to take off.")],
    joint: Annotated[str | None, JOINT] = None,
    name: Annotated[str | None, typer.Option(help="Of a tendon, which goes as a whole, whatever it runs over.")] = None,
    axis: Axis = None,
    output: Output = None,
    in_place: InPlace = False,
    dry_run: DryRun = False,
) -> None:
    """Take things off joints; what lies in the scene below the layer is blocked there and stays in the scene."""
    from fajin import author

    if bool(joint) == bool(name) or (name and what != [Thing.TENDON]):
        raise typer.BadParameter("give --joint, or of a tendon its --name")
    place = EditTarget(scene, output, in_place, dry_run)
    if name:
        edit(place, lambda stage: author.remove_tendon(stage, name))
        return

    def change(at: Any) -> list:
        return [line for thing in what for line in author.remove(at.prim, thing.value, at.token)]

    edit_joints(place, joint, axis, change)
