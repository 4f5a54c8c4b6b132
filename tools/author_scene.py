"""Commands of `fajin author` for tendons, the scene, and removing attributes."""

from enum import Enum
from typing import Annotated, Any

import typer

from .author_common import (
    JOINT,
    Amount,
    Axis,
    EditTarget,
    add_target_options,
    edit,
    edit_joints,
    option,
)
from .cli_options import Solver, step_length
from .cli_units import parse_amount


class ScenePrecision(str, Enum):
    """Floating-point precision as an attribute of the scene."""

    SINGLE = "single"
    DOUBLE = "double"


class Thing(str, Enum):
    """Kinds of attributes that can be removed from a joint."""

    DRIVE = "drive"
    ENVELOPE = "envelope"
    MIMIC = "mimic"
    LIMIT = "limit"
    FRICTION = "friction"
    ARMATURE = "armature"
    STATE = "state"
    TENDON = "tendon"


@add_target_options
def tendon(  # one parameter per option: typer reads the signature
    place: EditTarget,
    name: Annotated[str, typer.Option(help="Name the tendon.")],
    joint: Annotated[
        list[str] | None,
        typer.Option(metavar="JOINT", help="Add a joint of a fixed tendon, the root first; repeatable."),
    ] = None,
    through: Annotated[
        list[str] | None,
        typer.Option(metavar="LINK=X,Y,Z", help="Add a point on a link for a spatial tendon [m]; repeatable."),
    ] = None,
    gearing: Annotated[
        list[str] | None,
        typer.Option(metavar="G", help="Set the gearing per joint [m/rad | 1], or per piece of a spatial tendon."),
    ] = None,
    stiffness: Annotated[Amount, option("--stiffness", "N/m", "Set the force per length.")] = None,
    damping: Annotated[Amount, option("--damping", "N·s/m", "Set the force per rate of length.")] = None,
    limit_stiffness: Annotated[
        Amount, option("--limit-stiffness", "N/m", "Set the stiffness beyond the limits.")
    ] = None,
    rest_length: Annotated[Amount, option("--rest-length", "m", "Set the length without force.")] = None,
    offset: Annotated[Amount, option("--offset", "m", "Add to the length.")] = None,
    lower: Annotated[Amount, option("--lower", "m", "Set the lower length limit.")] = None,
    upper: Annotated[Amount, option("--upper", "m", "Set the upper length limit.")] = None,
    force_coefficient: Annotated[
        list[float] | None, typer.Option(metavar="C", help="Scale the force on each joint. Default: 1.")
    ] = None,
) -> None:
    """Author a tendon over joints or through points: F = -stiffness (l - rest length) - damping l̇.

    Length l = Σ gearing q + offset over joints (fixed), or Σ gearing |piece| + offset through points (spatial).
    """
    from fajin import author

    if bool(joint) == bool(through) or (through and force_coefficient):
        raise typer.BadParameter(
            "--joint, --through: must be exactly one of them; use --joint and --gearing, or --through"
        )
    spring: dict[str, Any] = {
        "stiffness": parse_amount("--stiffness", stiffness, "tendon stiffness"),
        "damping": parse_amount("--damping", damping, "tendon damping"),
        "limit_stiffness": parse_amount("--limit-stiffness", limit_stiffness, "tendon stiffness"),
        "rest_length": parse_amount("--rest-length", rest_length, "length"),
        "offset": parse_amount("--offset", offset, "length"),
        "lower": parse_amount("--lower", lower, "length"),
        "upper": parse_amount("--upper", upper, "length"),
    }

    def fixed(stage: Any) -> list:
        along = [at for pattern in joint or () for at in author.select(stage, pattern)]
        lengths = parse_gearing(gearing or [], along)
        prims = [at.prim for at in along]
        return author.tendon(prims, name, gearing=lengths, force_coefficient=force_coefficient, **spring)

    def spatial(stage: Any) -> list:
        pieces = [parse_amount("--gearing", text, "gearing of a tendon", False) for text in gearing or ()]
        return author.spatial_tendon([point(stage, text) for text in through or ()], name, gearing=pieces, **spring)

    edit(place, fixed if joint else spatial)


def parse_gearing(texts: list[str], along: list) -> list[float]:
    """Return the gearing of each joint axis of a fixed tendon [m/rad | 1]."""
    if len(texts) != len(along):
        names = ", ".join(at.name for at in along)
        raise typer.BadParameter(f"--gearing: {len(texts)} values; must be one for each of {names}")
    unit = "gearing of a tendon"
    return [parse_amount("--gearing", text, unit, at.rotational) for text, at in zip(texts, along, strict=True)]


def point(stage: Any, text: str) -> tuple[Any, list[float]]:
    """Return a link and a point on it from LINK=X,Y,Z, with the link's name or path."""
    name, _, numbers = text.partition("=")
    found = [prim for prim in stage.Traverse() if name in (prim.GetName(), str(prim.GetPath()))]
    if len(found) != 1:
        rule = f"must match one prim, not {len(found)} prims; use the path of a link"
        raise typer.BadParameter(f"--through {text}: {name} {rule}")
    try:
        x, y, z = map(float, numbers.split(","))
    except ValueError:
        raise typer.BadParameter(f"--through {text}: must be LINK=X,Y,Z with three numbers in metres") from None
    return found[0], [x, y, z]


@add_target_options
def scene(  # as above
    place: EditTarget,
    dt: Annotated[str | None, typer.Option(help="Set the step, such as 1/240 [s].")] = None,
    solver: Annotated[Solver | None, typer.Option(help="Set the solver.")] = None,
    gravity: Annotated[
        float | None, typer.Option(help="Set the magnitude of gravity, down the up axis [m/s²].")
    ] = None,
    gravity_vector: Annotated[
        tuple[float, float, float] | None, typer.Option(help="Set gravity in world axes [m/s²].")
    ] = None,
    position_iterations: Annotated[
        int | None, typer.Option(help="Set position iterations of every articulation.")
    ] = None,
    velocity_iterations: Annotated[
        int | None, typer.Option(help="Set velocity iterations of every articulation.")
    ] = None,
    duration: Annotated[float | None, typer.Option(help="Set the default duration of simulations [s].")] = None,
    fps: Annotated[float | None, typer.Option(help="Set the default frames per second.")] = None,
    precision: Annotated[ScenePrecision | None, typer.Option(help="Set the default floating-point precision.")] = None,
) -> None:
    """Author step, solver, gravity and recording defaults of a scene."""
    from fajin import author

    if gravity is not None and gravity_vector is not None:
        raise typer.BadParameter("--gravity, --gravity-vector: must not be combined; remove one of them")

    def change(stage: Any) -> list:
        return author.scene(
            stage,
            dt=step_length(dt),
            solver=solver.value if solver else None,
            gravity=gravity_vector if gravity is None else gravity,
            position_iterations=position_iterations,
            velocity_iterations=velocity_iterations,
            duration=duration,
            fps=fps,
            precision=precision.value if precision else None,
        )

    edit(place, change)


@add_target_options
def remove(  # as above
    place: EditTarget,
    what: Annotated[list[Thing], typer.Argument(metavar="KIND", help="Kinds of attributes to remove.")],
    joint: Annotated[str | None, JOINT] = None,
    name: Annotated[str | None, typer.Option(help="Remove the whole tendon of this name.")] = None,
    axis: Axis = None,
) -> None:
    """Remove attributes from joints; the layer blocks values of the scene below, which stays unchanged."""
    from fajin import author

    if bool(joint) == bool(name) or (name and what != [Thing.TENDON]):
        raise typer.BadParameter("--joint, --name: must be exactly one of them; --name is for tendons")
    if name:
        edit(place, lambda stage: author.remove_tendon(stage, name))
        return

    def change(at: Any) -> list:
        return [line for thing in what for line in author.remove(at.prim, thing.value, at.token)]

    edit_joints(place, joint or "", axis, change)
