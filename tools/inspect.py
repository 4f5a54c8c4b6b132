"""`fajin inspect SCENE`: what a file says, as it will be simulated, and what of it is not used."""

from collections import Counter
from math import degrees, inf, pi, radians, sqrt
from pathlib import Path
from typing import Annotated, Any

import typer

SPEED_UNIT = "[N·m·s/rad | N·s/m]"
PER_POSITION = "[N·m/rad | N/m]\n[1/s²] if acceleration"
PER_SPEED = "[N·m·s/rad | N·s/m]\n[1/s] if acceleration"
PIPE_WIDTH = 240  # columns where no terminal says how wide it is: tables are not cut


def inspect(
    scene: Annotated[Path, typer.Argument(help="A .usda, .usdc, .usd or .usdz file.", metavar="SCENE")],
    overrides: Annotated[
        list[str] | None, typer.Option("--set", help="PRIM.attribute=value, on top of the file.", metavar="OVERRIDE")
    ] = None,
) -> None:
    """Show articulations, free bodies, joints, drives, mimics and masses of a scene, and what is not used, and why."""
    from rich.console import Console

    import fajin
    from fajin.inertia import effective_inertia

    said = fajin.read(scene, tuple(overrides or ()))
    terminal = Console(highlight=False, markup=False)
    console = terminal if terminal.is_terminal else Console(width=PIPE_WIDTH, highlight=False, markup=False)
    console.print(headline(said))
    inertia = effective_inertia(said)
    first, last = (articulations, free_bodies, axes), (envelopes, mimics, links, unused)
    for table in (*(of(said) for of in first), drives(said, inertia), *(of(said) for of in last)):
        if table.row_count:
            console.print(table)


def headline(scene: Any) -> str:
    """One line about the file as a whole."""
    gravity = ", ".join(number(g) for g in scene.gravity)
    units = f"{scene.meters_per_unit:g} m, {scene.kilograms_per_unit:g} kg"
    sampled = f"; {len(scene.signals)} time-sampled parameters" if scene.signals else ""
    return (
        f"{scene.source}: stage units {units}; gravity ({gravity}) m/s²; {scene.solver.name}, "
        f"{number(1.0 / scene.dt)} steps/s{sampled}"
    )


def table(title: str, text: int, *columns: str) -> Any:
    """An empty table whose first `text` columns hold words and whose others hold numbers."""
    from rich import box
    from rich.table import Table

    result = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for i, column in enumerate(columns):
        result.add_column(column, justify="left" if i < text else "right", overflow="fold")
    return result


def articulations(scene: Any) -> Any:
    """One row an articulation."""
    result = table("Articulations", 2, "prim", "base", "links", "joints", "dofs", "iterations", "mass [kg]")
    for a in (item for item in scene.articulations if not item.free):
        base = "fixed" if a.fixed_base else "jointed to the world" if anchored(a) else "floating"
        dofs = sum(len(joint.axes) for joint in a.joints)
        iterations = f"{a.position_iterations} + {a.velocity_iterations}"
        mass = number(sum(link.mass for link in a.links))
        result.add_row(a.path, base, str(len(a.links)), str(len(a.joints)), str(dofs), iterations, mass)
    return result


def free_bodies(scene: Any) -> Any:
    """One row a body that no joint holds: how it starts."""
    result = table(
        "Free bodies",
        1,
        *("prim", "velocity [m/s]", "angular velocity\n[deg/s]", "gyroscopic", "iterations"),
    )
    for a in (item for item in scene.articulations if item.free):
        (body,) = a.links
        velocity = ", ".join(map(number, body.velocity))
        spin = ", ".join(number(degrees(x)) for x in body.angular_velocity)
        iterations = f"{a.position_iterations} + {a.velocity_iterations}"
        result.add_row(a.path, velocity, spin, "yes" if body.gyroscopic else "no", iterations)
    return result


def anchored(articulation: Any) -> bool:
    """Whether a joint ties the articulation to the world."""
    return any("" in (joint.body0, joint.body1) for joint in articulation.joints)


def every_axis(scene: Any) -> list[tuple[Any, Any]]:
    """All pairs of a joint and one of its axes."""
    return [(joint, axis) for a in scene.articulations for joint in a.joints for axis in joint.axes]


def axes(scene: Any) -> Any:
    """One row a degree of freedom: its type, limits, initial state, armature and friction."""
    result = table(
        "Degrees of freedom",
        2,
        *("joint", "type", "lower\n[deg | m]", "upper\n[deg | m]", "q\n[deg | m]", "qd\n[deg/s | m/s]"),
        *("max velocity\n[deg/s | m/s]", "armature\n[kg·m² | kg]", "static friction\n[N·m | N]"),
        *("dynamic friction\n[N·m | N]", f"viscous friction\n{SPEED_UNIT}"),
    )
    for joint, axis in every_axis(scene):
        turn = degrees if axis.rotational else float
        angles = (axis.lower, axis.upper, axis.q, axis.qd, axis.max_velocity)
        f = axis.friction
        values = (*map(turn, angles), axis.armature, f.static, f.dynamic, f.viscous)
        result.add_row(f"{joint.path}:{axis.token}", joint.type.name.lower(), *map(number, values))
    return result


def drives(scene: Any, inertia: dict[str, float]) -> Any:
    """One row a drive: gains as the file writes them and in SI, and the motion they imply at the initial pose."""
    result = table(
        "Drives, and how they move their joint alone at the initial pose",
        2,
        *("joint", "type", "stiffness\nas in the file\n[/deg | /length]", f"stiffness\n{PER_POSITION}"),
        *("damping\nas in the file\n[/(deg/s) | /(length/s)]", f"damping\n{PER_SPEED}", "max effort\n[N·m | N]"),
        *("target\n[deg | m]", "target\n[deg/s | m/s]", "inertia\n[kg·m² | kg]", "frequency\n[Hz]", "damping\nratio"),
    )
    for joint, axis in every_axis(scene):
        drive = axis.drive
        if drive is None:
            continue
        name = f"{joint.path}:{axis.token}"
        turn = degrees if axis.rotational else float
        unit = file_unit(scene, axis)
        acceleration = drive.type.name == "ACCELERATION"
        frequency, ratio = oscillation(drive.stiffness, drive.damping, 1.0 if acceleration else inertia[name])
        gains = (drive.stiffness / unit, drive.stiffness, drive.damping / unit, drive.damping)
        values = (*gains, drive.max_force, turn(drive.target_q), turn(drive.target_qd), inertia[name], frequency, ratio)
        result.add_row(name, drive.type.name.lower(), *map(number, values))
    return result


def envelopes(scene: Any) -> Any:
    """One row a drive with a performance envelope."""
    result = table(
        "Performance envelopes: |τ| ≤ max effort − resistance |v|, |v| ≤ max velocity − gradient |τ|",
        1,
        *("joint", "max effort\n[N·m | N]", "max velocity\n[deg/s | m/s]", f"resistance\n{SPEED_UNIT}"),
        "gradient\n[deg/s/(N·m) | m/s/N]",
    )
    for joint, axis in every_axis(scene):
        envelope = axis.drive.envelope if axis.drive else None
        if envelope:
            turn = degrees if axis.rotational else float
            speed, gradient = turn(envelope.max_actuator_velocity), turn(envelope.speed_effort_gradient)
            values = (axis.drive.max_force, speed, envelope.velocity_dependent_resistance, gradient)
            result.add_row(f"{joint.path}:{axis.token}", *map(number, values))
    return result


def mimics(scene: Any) -> Any:
    """One row a reference of a mimic joint, as the file writes it and in SI."""
    result = table(
        "Mimic joints: q + Σ gearing q_reference + offset = 0; hard where frequency or damping ratio is 0",
        2,
        *("joint", "reference", "gearing\nas in the file", "gearing\n[rad | m per rad | m]"),
        *(
            "offset\nas in the file\n[deg | length]",
            "offset\n[rad | m]",
            "natural frequency\n[rad/s]",
            "damping\nratio",
        ),
    )
    for joint, axis in every_axis(scene):
        mimic = axis.mimic
        name = f"{joint.path}:{axis.token}"
        for reference, gearing in mimic.references if mimic else ():
            own, other = (position_unit(scene, path) for path in (name, reference))
            gearings, offsets = (gearing * other / own, gearing), (mimic.offset / own, mimic.offset)
            values = (*gearings, *offsets, mimic.natural_frequency, mimic.damping_ratio)
            result.add_row(name, reference, *map(number, values))
    return result


def position_unit(scene: Any, dof: str) -> float:
    """What 1 in the file is of a degree of freedom's position [rad | m]."""
    return radians(1.0) if dof.rpartition(":")[2].startswith("rot") else scene.meters_per_unit


def file_unit(scene: Any, axis: Any) -> float:
    """What a gain of 1 in the file is in SI units."""
    effort = 1.0
    if axis.drive.type.name == "FORCE":
        effort = scene.kilograms_per_unit * (scene.meters_per_unit**2 if axis.rotational else 1.0)
    return effort / radians(1.0) if axis.rotational else effort


def oscillation(stiffness: float, damping: float, inertia: float) -> tuple[float, float]:
    """Natural frequency [Hz] and damping ratio of a drive: √(k/I) / 2π and d / 2√(k I)."""
    frequency = sqrt(stiffness / inertia) / (2.0 * pi)
    critical = 2.0 * sqrt(stiffness * inertia)
    return frequency, damping / critical if critical else inf if damping else 0.0


def links(scene: Any) -> Any:
    """One row a link or free body."""
    columns = ("prim", "mass [kg]", "centre of mass [m]", "moments of inertia xx, yy, zz [kg·m²]")
    result = table("Links and free bodies", 1, *columns)
    for a in scene.articulations:
        for link in a.links:
            moments = (link.inertia[i][i] for i in range(3))
            result.add_row(
                link.path, number(link.mass), ", ".join(map(number, link.com)), ", ".join(map(number, moments))
            )
    return result


def unused(scene: Any) -> Any:
    """What is not used, or not as written, and why; the same of several prims in one row."""
    result = table("Not used, or not as written", 4, "attribute", "value", "prim", "reason")
    kinds = Counter((report.attribute, report.reason) for report in scene.reports)
    for report in scene.reports:
        count = kinds.pop((report.attribute, report.reason), 0)
        if count:
            prim = report.prim if count == 1 else f"{report.prim} and {count - 1} more"
            result.add_row(report.attribute, report.value, prim, report.reason)
    return result


def number(value: float) -> str:
    """A number in six digits, without a sign on zero; infinity as ∞."""
    if abs(value) == inf:
        return "∞" if value > 0.0 else "-∞"
    return f"{value + 0.0:.6g}"
