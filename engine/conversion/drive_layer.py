"""The layer with drives over a converter's stage, for the child process that writes it."""

from collections.abc import Iterator, Sequence
from math import inf
from typing import Any

from ..author import base, layer, scene
from ..author.actuators import DriveResult, add_drives, move_limits
from ..author.casters import free_casters
from ..author.layer_edits import plain_changes
from ..author.limit import limit
from ..author.link_colliders import colliders_from_visuals
from ..author.massless_links import forget_moments, weigh_links
from ..author.massless_root import join_children
from ..author.stand import drives_of, stand
from ..author.wheel_cylinders import author_cylinders, wheel_cylinders
from ..check import Edit, check_stage
from ..check.fixes import author
from ..scene import WORLD, JointType, nothing_moves
from ..scene.serialization import as_plain
from ..stance.carry import Carriage
from ..stance.hold import Hold, missing_stiffness
from ..usd.read.articulation_tree import distances, find_trees, neighbours
from ..usd.read.joint_prims import find_bodies, find_edges
from ..usd.read.plain_scene import prepare as prepare
from ..usd.read.reader import read_stage
from ..usd.stage.open_stage import open_stage
from ..usd.stage.stage import StageReader
from .layer_options import LayerOptions
from .placement import (
    begin_within_limits,
    carried_robot,
    free_speeds,
    has_base,
    has_colliders,
    heaviest,
    put_on_ground,
    set_self_collisions,
    set_upright,
)

ROOT_RULE = "root-on-wrong-prim"
OPACITY = "inputs:opacity"


def author_drives(path: str, output: str, root: str, **options: Any) -> dict[str, Any]:
    """Write the layer over a converted stage; return the fields of `Conversion` that describe it, for JSON.

    Args:
        path: the converter's file.
        output: the layer.
        root: folder that must contain all layers.
        options: fields of `LayerOptions`.

    Raises:
        InvalidScene, OutputError: as of `fajin.author.layer`.
    """
    choices = LayerOptions(**options)
    open_stage(path, root)
    with layer(path, output, trusted=True) as stage:
        if not find_bodies(StageReader(stage)):
            raise nothing_moves(path)
        written = author_roots(stage, choices)
        written["refs"] = move_limits(stage)
        written["endless"], written["shown"] = remove_limits(stage, choices.endless), show_materials(stage)
        completed = complete_links(stage, choices)
        carried, placed = place_robot(stage, choices)
        collide, placed["overlapping"] = set_self_collisions(stage, choices.collide)
        outcomes, held = drive_robot(stage, choices, carried)
        if held and (count := held.iterations) > held.carriage.tree.robot.position_iterations:
            scene(stage, position_iterations=count)
            placed["iterations"] = count
        if held and choices.standing and not placed["fall"]:
            placed["fall"] = too_soft(held, outcomes)
    drives = [{**as_plain(one), "changes": plain_changes(one.changes)} for one in outcomes]
    return {**written, "drives": drives, "collide": collide, "placed": completed | placed}


def author_roots(stage: Any, choices: LayerOptions) -> dict[str, Any]:
    """Author an articulation root for each robot where PhysX finds it, and a fixed or free base."""
    moved = ""
    joined = join_children(stage) if choices.one_tree else []
    rooted = tuple(rootless(stage))
    for edit in (edit for body in rooted for edit in root_edits(body)):
        author(stage, edit)
    for finding in (finding for finding in check_stage(stage) if finding.rule == ROOT_RULE):
        moved = next(edit.prim for edit in finding.edits if edit.kind == "apply")
        for edit in finding.edits:
            author(stage, edit)
    if choices.fixed_base is not None and has_base(stage):
        base(stage, choices.fixed_base)
        moved = moved if choices.fixed_base else ""
    return {"root": moved, "rooted": rooted, "joined": joined}


def complete_links(stage: Any, choices: LayerOptions) -> dict[str, Any]:
    """Author the colliders, masses and speeds that links lack."""
    drawn = choices.from_visuals or (choices.on_ground and not has_colliders(stage))
    return {
        "made": colliders_from_visuals(stage) if drawn else [],
        "light": weigh_links(stage),
        "spread": forget_moments(stage),
        "speeds": free_speeds(stage),
    }


def place_robot(stage: Any, choices: LayerOptions) -> tuple[Carriage | None, dict[str, Any]]:
    """Author where a robot begins, and wheels that roll; return what carries it on a ground, and what was done."""
    standing = choices.standing
    turned = set_upright(stage) if standing else ""
    carried = carried_robot(stage, standing)
    polygons = wheel_cylinders(stage, carried) if carried and choices.on_ground else []
    if polygons and choices.cylinder_wheels:
        author_cylinders(stage, polygons)
        carried = carried_robot(stage, standing)
    fall = (carried.reason if carried else held_reason(stage)) if standing else ""
    if carried and standing:
        stand(stage, carried)
    within = begin_within_limits(stage)
    placed = put_on_ground(stage) if choices.on_ground else {}
    placed |= {"turned": turned, "within": within, "fall": fall}
    if choices.on_ground and carried:
        placed["casters"] = free_casters(stage, carried)
        placed["cylinders" if choices.cylinder_wheels else "polygons"] = [one.link for one in polygons]
    return carried, placed


def drive_robot(
    stage: Any, choices: LayerOptions, carried: Carriage | None
) -> tuple[Sequence[DriveResult], Hold | None]:
    """Author drives; return those of all joints that move, and how they hold a robot on a ground."""
    if choices.gains is None:
        return [], None
    held = drives_of(stage, carried, choices.gains) if carried else None
    return add_drives(stage, *choices.gains, held), held


def remove_limits(stage: Any, names: Sequence[str]) -> list[str]:
    """Remove the limits of named joints that the converter has locked; return the paths of the joints."""
    found = []
    for robot in read_stage(stage).articulations if names else ():
        for joint in robot.joints:
            locked = len(joint.axes) == 1 and joint.axes[0].lower == joint.axes[0].upper
            if locked and joint.path.rpartition("/")[2] in names:
                limit(stage.GetPrimAtPath(joint.path), lower=-inf, upper=inf)
                found.append(joint.path)
    return found


def show_materials(stage: Any) -> list[str]:
    """Make invisible materials opaque; return their paths. Some programs write `Tr 1` of OBJ for an opaque one."""
    found = []
    for prim in stage.TraverseAll():
        opacity = prim.GetAttribute(OPACITY)
        if opacity and opacity.Get() == 0.0 and not opacity.HasAuthoredConnections() and not prim.IsInstanceProxy():
            opacity.Set(1.0)
            found.append(str(prim.GetPath()))
    return found


def too_soft(held: Hold, outcomes: Sequence[DriveResult]) -> str:
    """Return by how much the drives of a robot in its pose are too soft; "" if they hold it."""
    found = {f"{one.joint}:{one.axis.token}": one.motor for one in outcomes if one.motor and one.axis}
    factor = missing_stiffness(held, {name: (motor.stiffness, motor.damping) for name, motor in found.items()})
    if factor <= 1.0:
        return ""
    if factor == inf:
        return "joints between base and ground have no drive that holds them"
    return f"the drives of its legs are too soft: it falls unless they are {factor:.2g} times as stiff"


def held_reason(stage: Any) -> str:
    """Return why a robot that the world holds does not stand."""
    robot = heaviest(read_stage(stage))
    if robot is None:
        return "the file has no articulation"
    return "its base is fixed; --floating-base frees it" if robot.fixed_base else "joints to the world hold its base"


def rootless(stage: Any) -> Iterator[str]:
    """Yield one root body for each group of bodies connected by joints with axes and without an articulation root.

    The MJCF converter authors a root only on bodies with children.
    """
    source = StageReader(stage)
    bodies = find_bodies(source)
    edges = [edge for edge in find_edges(source, bodies) if edge.may_be_in_tree]
    met = {body for tree in find_trees(source, bodies, edges) for body in tree.bodies}
    graph = neighbours(bodies, edges)
    for body in bodies:
        if body not in met:
            group = distances(body, graph)
            met |= set(group)
            touching = [edge for edge in edges if {*edge.bodies} & {*group}]
            held = [edge.other(WORLD) for edge in touching if WORLD in edge.bodies]
            if any(edge.type is not JointType.FIXED for edge in touching):
                yield (held or [body])[0]


def root_edits(body: str) -> list[Any]:
    """Return edits that author an articulation root on a body, as the MJCF converter does."""
    schemas = ("PhysicsArticulationRootAPI", "NewtonArticulationRootAPI")
    return [
        *(Edit("apply", body, schema) for schema in schemas),
        Edit("attribute", body, "newton:jointsAddMobility", True),
    ]
