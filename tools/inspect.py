"""`fajin inspect SCENE`: prints a file's contents as simulated, and its unused attributes."""

import json
from collections import Counter
from typing import Annotated, Any

import typer

from fajin.tools.cli_options import Overrides, SceneFile

from .cli_units import ShownDegrees, angle_unit, shown_angle
from .collider_tables import contact_materials, shapes, surfaces
from .constraint_tables import attachments, fixed_tendons, loops, mimics, spatial_tendons, tendon_axes
from .copy_tables import copy_counts, copy_differences, first_of_kinds
from .drive_tables import drives, envelopes, loop_drives
from .pose_tables import pose
from .table import SPEED_UNIT, console, every_axis, number, number_with_spread, table


def inspect(
    scene: SceneFile,
    overrides: Overrides = None,
    at_pose: Annotated[
        bool,
        typer.Option(
            "--pose", help="Also print mass matrix, gravity efforts of drives, and reach at the initial pose."
        ),
    ] = False,
    joint: Annotated[
        str | None, typer.Option(metavar="REGEX", help="Print only tables of joints, and only matching joints.")
    ] = None,
    degrees: ShownDegrees = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the scene as JSON, in SI units, as described in docs/json.md.")
    ] = False,
) -> None:
    """Print robots, joints and constraints of a scene, and unused attributes with reasons.

    Joints and links are in the order of `sim.dof` and `sim.link`. Units are SI and radians, and those of the file where
    a column says so.
    """
    import fajin
    from fajin.model.mass_matrix import effective_inertia
    from fajin.scene.robot_kinds import find_kinds

    if as_json:
        if at_pose or degrees:
            raise typer.BadParameter("--json, --pose, --degrees: must not be combined; JSON is in SI units and radians")
        print_document(fajin.read_document(scene, tuple(overrides or ())), joint)
        return
    model = fajin.compile(fajin.read(scene, tuple(overrides or ())))
    whole, inertia = in_order(model), effective_inertia(model)
    kinds = [] if joint else find_kinds(whole.articulations)
    said = whole if joint else first_of_kinds(whole, kinds)
    bonds = (mimics, fixed_tendons, tendon_axes, spatial_tendons, attachments, loops, loop_drives)
    bodies = (links, shapes, surfaces, contact_materials)
    first, last = (articulations, free_bodies, axes), (envelopes, *bonds, *bodies, unused)
    posed = pose(said, inertia) if at_pose else ()
    tables = [
        copy_counts(kinds),
        copy_differences(kinds),
        *(of(said) for of in first),
        drives(said, inertia),
        *posed,
        *(of(said) for of in last),
    ]
    tables = [item for item in (item.matching(joint) if joint else item for item in tables) if item.row_count]
    kinds_of_axes = {axis.rotational for _, axis in every_axis([*whole.articulations, whole])}
    if joint and not tables:
        refuse(joint, whole)
    terminal = console()
    terminal.print(headline(whole))
    if whole.fit:
        terminal.print(fit_line(whole))
    for item in tables:
        terminal.print(item.with_units_of(kinds_of_axes))


def print_document(document: dict[str, Any], pattern: str | None) -> None:
    """Print a document, or of it the joints that match a regular expression."""
    from fajin.scene import invalid_pattern
    from fajin.selection import match_columns

    if pattern:
        robots, loops = document["articulations"], document["maximal_joints"]
        names = [axis["name"] for owner in [*(robot["joints"] for robot in robots), loops] for joint in owner
                 for axis in joint["axes"]]  # fmt: skip
        try:
            chosen = {names[i] for i in match_columns(pattern, names, "dof")}
        except KeyError as error:
            raise invalid_pattern(pattern, error) from None
        kept = ("format", "version", "source", "layers", "units")
        document = {
            **{key: document[key] for key in kept},
            "articulations": [
                {"prim": robot["prim"], "kind": robot["kind"], "joints": matching_joints(robot["joints"], chosen)}
                for robot in robots
                if matching_joints(robot["joints"], chosen)
            ],
            "maximal_joints": matching_joints(loops, chosen),
        }
    print(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))


def matching_joints(joints: list[dict[str, Any]], chosen: set[str]) -> list[dict[str, Any]]:
    """Return the entries of joints with a chosen axis, with these axes only."""
    found = [{**joint, "axes": [axis for axis in joint["axes"] if axis["name"] in chosen]} for joint in joints]
    return [joint for joint in found if joint["axes"]]


def in_order(model: Any) -> Any:
    """Return the scene of a model with joints and links in the order of a simulation's columns."""
    from dataclasses import replace

    place = {name.partition(":")[0]: i for i, name in reversed([*enumerate(model.dof)])}
    link = {path: i for i, path in reversed([*enumerate(model.link)])}
    ordered = [
        replace(
            a,
            joints=tuple(sorted(a.joints, key=lambda joint: place.get(joint.path, len(place)))),
            links=tuple(sorted(a.links, key=lambda one: link[one.path])),
        )
        for a in model.scene.articulations
    ]
    return replace(model.scene, articulations=tuple(ordered))


def refuse(pattern: str, scene: Any) -> None:
    """Raise InvalidScene for an expression that matches no joint."""
    from fajin.scene import invalid_pattern
    from fajin.selection import match_columns

    names = [f"{joint.path}:{axis.token}" for joint, axis in every_axis([*scene.articulations, scene])]
    try:
        match_columns(pattern, names, "dof")
    except KeyError as error:
        raise invalid_pattern(pattern, error) from None


def headline(scene: Any) -> str:
    """Return one line about the whole file."""
    gravity = ", ".join(number(g) for g in scene.gravity)
    units = f"{scene.meters_per_unit:g} m, {scene.kilograms_per_unit:g} kg"
    sampled = f"; {len(scene.signals)} time-sampled parameters" if scene.signals else ""
    sampled += f"; moved by time samples: {', '.join(motion.body for motion in scene.motions)}" if scene.motions else ""
    return (
        f"{scene.source}: stage units {units}; gravity ({gravity}) m/s²; {scene.solver.name}, "
        f"{number(1.0 / scene.dt)} steps/s{sampled}"
    )


def fit_line(scene: Any) -> str:
    """Return one line about the fit in the file: its step and errors, values without an attribute, and differences."""
    fit = scene.fit
    unwritten = [f"{p.name} = {number(p.value)} ± {number(1.959964 * p.deviation)} {p.unit}" for p in fit.parameters
                 if not p.prim]  # fmt: skip
    parts = [f"fit: {len(fit.parameters)} values, {number(1.0 / fit.dt)} steps/s, {fit.solver}"]
    parts.append(f"rms error {number(fit.error)}, held back {number(fit.held_back_error)}")
    parts += [f"not in attributes: {', '.join(unwritten)}"] if unwritten else []
    differing = fit.differences(scene)
    return "; ".join([*parts, *([f"fitted with {differing}"] if differing else [])])


def articulations(scene: Any) -> Any:
    """Return one row per articulation."""
    result = table("Articulations", 2, "prim", "base", "links", "joints", "dofs", "iterations", "mass [kg]")
    for a in (item for item in scene.articulations if not item.free):
        base = "fixed" if a.fixed_base else "jointed to the world" if anchored(a) else "floating"
        dofs = sum(len(joint.axes) for joint in a.joints)
        iterations = f"{a.position_iterations} + {a.velocity_iterations}"
        mass = number(sum(link.mass for link in a.links))
        result.add_row(a.path, base, str(len(a.links)), str(len(a.joints)), str(dofs), iterations, mass)
    return result


def free_bodies(scene: Any) -> Any:
    """Return one row per free body: its initial velocities."""
    result = table(
        "Free bodies",
        1,
        *("prim", "velocity [m/s]", f"angular velocity\n[{angle_unit()}/s]", "gyroscopic", "iterations"),
    )
    for a in (item for item in scene.articulations if item.free):
        (body,) = a.links
        velocity = ", ".join(map(number, body.velocity))
        spin = ", ".join(number(shown_angle(x, True)) for x in body.angular_velocity)
        iterations = f"{a.position_iterations} + {a.velocity_iterations}"
        result.add_row(a.path, velocity, spin, "yes" if body.gyroscopic else "no", iterations)
    return result


def anchored(articulation: Any) -> bool:
    """Return whether a joint connects the articulation to the world."""
    return any("" in (joint.body0, joint.body1) for joint in articulation.joints)


def axes(scene: Any) -> Any:
    """Return one row per degree of freedom: its type, limits, initial state, armature and friction."""
    unit = angle_unit()
    result = table(
        "Degrees of freedom",
        2,
        *("joint", "type", f"lower\n[{unit} | m]", f"upper\n[{unit} | m]", f"q\n[{unit} | m]", f"qd\n[{unit}/s | m/s]"),
        *(f"max velocity\n[{unit}/s | m/s]", "armature\n[kg·m² | kg]", "static friction\n[N·m | N]"),
        *("dynamic friction\n[N·m | N]", f"viscous friction\n{SPEED_UNIT}"),
    )
    for joint, axis in every_axis(scene.articulations):
        angles = (axis.lower, axis.upper, axis.q, axis.qd, axis.max_velocity)
        turned = (shown_angle(value, axis.rotational) for value in angles)
        f = axis.friction
        name = f"{joint.path}:{axis.token}"
        fitted = {"armature": axis.armature, "static": f.static, "coulomb": f.dynamic, "viscous": f.viscous}
        shown = [number_with_spread(scene, name, quantity, value) for quantity, value in fitted.items()]
        result.add_row(name, joint.type.name.lower(), *map(number, turned), *shown)
    return result


def links(scene: Any) -> Any:
    """Return one row per link or free body."""
    columns = ("prim", "mass [kg]", "centre of mass [m]", "moments of inertia xx, yy, zz [kg·m²]")
    result = table("Links and free bodies", 1, *columns)
    for a in scene.articulations:
        for link in a.links:
            moments = (link.inertia[i][i] for i in range(3))
            mass = number_with_spread(scene, link.path, "mass", link.mass)
            result.add_row(link.path, mass, ", ".join(map(number, link.com)), ", ".join(map(number, moments)))
    return result


def unused(scene: Any) -> Any:
    """Return attributes that are not used, or not as written, with reasons; equal reports share a row."""
    result = table("Not used, or not as written", 5, "code", "attribute", "value", "prim", "reason")
    kinds = Counter((report.code, report.attribute, report.message) for report in scene.reports)
    for report in scene.reports:
        count = kinds.pop((report.code, report.attribute, report.message), 0)
        if count:
            prim = report.prim if count == 1 else f"{report.prim} and {count - 1} more"
            result.add_row(report.code, report.attribute, report.value, prim, report.message)
    return result
