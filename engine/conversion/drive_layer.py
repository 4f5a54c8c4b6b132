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
from ..stance.hold import Hold, missing_stiffness
from ..usd.read.articulation_tree import distances, find_trees, neighbours
from ..usd.read.joint_prims import find_bodies, find_edges
from ..usd.read.plain_scene import prepare as prepare
from ..usd.read.reader import read_stage
from ..usd.stage.open_stage import open_stage
from ..usd.stage.stage import StageReader
from .placement import (
    begin_within_limits,
    carried_robot,
    free_speeds,
    has_colliders,
    heaviest,
    put_on_ground,
    set_self_collisions,
    set_upright,
)

ROOT_RULE = "root-on-wrong-prim"
OPACITY = "inputs:opacity"


def author_drives(
    path: str,
    output: str,
    gains: Sequence[float],
    fixed_base: bool | None,
    on_ground: bool,
    standing: bool,
    collide: bool | None,
    endless: Sequence[str],
    one_tree: bool,
    cylinder_wheels: bool,
    from_visuals: bool,
    root: str,
) -> dict[str, Any]:
    """Write the layer over a converted stage; return the fields of `Conversion` that describe it, for JSON.

    Args:
        path: the converter's file.
        output: the layer.
        gains: natural frequency [rad/s] and damping ratio; empty to author no drives.
        fixed_base: True to fix the base to the world, False to free it; None to leave it.
        on_ground: True to author a ground, and a base whose lowest collider touches it.
        standing: True to search a pose in which the robot stands.
        collide: True if links of the robot collide, False if not; None to leave it.
        endless: names of revolute joints whose limits are removed.
        one_tree: True for a URDF without a world, whose bodies belong together.
        cylinder_wheels: True to let wheels roll on cylinders instead of hulls.
        from_visuals: True to give links without colliders the shapes that are drawn.
        root: folder that must contain all layers.

    Raises:
        InvalidScene, OutputError: as of `fajin.author.layer`.
    """
    open_stage(path, root)
    moved = ""
    with layer(path, output, trusted=True) as stage:
        if not find_bodies(StageReader(stage)):
            raise nothing_moves(path)
        joined = join_children(stage) if one_tree else []
        rooted = tuple(rootless(stage))
        for edit in (edit for body in rooted for edit in root_edits(body)):
            author(stage, edit)
        for finding in (finding for finding in check_stage(stage) if finding.rule == ROOT_RULE):
            moved = next(edit.prim for edit in finding.edits if edit.kind == "apply")
            for edit in finding.edits:
                author(stage, edit)
        if fixed_base is not None:
            base(stage, fixed_base)
            moved = moved if fixed_base else ""
        refs = move_limits(stage)
        freed = remove_limits(stage, endless)
        shown = show_materials(stage)
        made = colliders_from_visuals(stage) if from_visuals or (on_ground and not has_colliders(stage)) else []
        light, spread = weigh_links(stage), forget_moments(stage)
        speeds = free_speeds(stage)
        turned = set_upright(stage) if standing else ""
        carried = carried_robot(stage, standing)
        polygons = wheel_cylinders(stage, carried) if carried and on_ground else []
        if polygons and cylinder_wheels:
            author_cylinders(stage, polygons)
            carried = carried_robot(stage, standing)
        reason = (carried.reason if carried else held_reason(stage)) if standing else ""
        if carried and standing:
            stand(stage, carried)
        moved_in = begin_within_limits(stage)
        placed = put_on_ground(stage) if on_ground else {}
        placed |= {
            "made": made,
            "light": light,
            "spread": spread,
            "turned": turned,
            "speeds": speeds,
            "within": moved_in,
        }
        if on_ground and carried:
            placed["casters"] = free_casters(stage, carried)
            placed["cylinders" if cylinder_wheels else "polygons"] = [one.link for one in polygons]
        collide, placed["overlapping"] = set_self_collisions(stage, collide)
        held = drives_of(stage, carried, (gains[0], gains[1])) if gains and carried else None
        outcomes = add_drives(stage, gains[0], gains[1], held) if gains else []
        if held and held.iterations > held.carriage.tree.robot.position_iterations:
            scene(stage, position_iterations=held.iterations)
            placed["iterations"] = held.iterations
        if held and standing and not reason:
            reason = too_soft(held, outcomes)
    drives = [{**as_plain(one), "changes": plain_changes(one.changes)} for one in outcomes]
    written = {"drives": drives, "root": moved, "rooted": rooted, "refs": refs, "endless": freed, "shown": shown}
    return {**written, "joined": joined, "collide": collide, "placed": {**placed, "fall": reason}}


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
