"""Rules on the topology of articulations: root prims and joint directions."""

from collections.abc import Iterator

from pxr import Sdf

from ..scene import WORLD, Articulation, Joint, JointType
from ..usd.read.joint_prims import find_bodies, find_edges
from ..usd.stage.stage import StageReader, schemas
from .context import CheckContext
from .finding import Edit, Finding
from .rules import found

ROOT = "PhysicsArticulationRootAPI"
ROOT_SCHEMAS = (ROOT, "PhysxArticulationAPI", "NewtonArticulationRootAPI")  # they are applied together
ROOT_ATTRIBUTES = ("physxArticulation:", "newton:selfCollisionEnabled", "newton:jointsAddMobility")


def wrong_roots(case: CheckContext) -> Iterator[Finding]:
    """Yield a finding for each root on a body fixed to the world, and for each floating root below other bodies."""
    for robot in case.robots:
        if ROOT not in schemas(case.source.prim(robot.path)):
            continue  # NewtonArticulationRootAPI alone, or a file read without that schema
        bodies = {link.path for link in robot.links}
        fixed = anchor(case, bodies) if robot.fixed_base else ""
        carried = {joint.body1 for joint in robot.joints}
        free = [body for body in sorted(bodies) if body not in carried]
        if robot.path in bodies and fixed:
            message = f"sits on a body that {fixed} fixes to the world: PhysX makes it a floating robot on a soft joint"
            yield root_move_finding(case, robot, fixed, message)
        elif robot.path in carried and not any(WORLD in (j.body0, j.body1) for j in robot.joints) and len(free) == 1:
            message = f"sits on a body that other bodies carry: the tree starts there, not at {free[0]}"
            yield root_move_finding(case, robot, free[0], message)


def missing_roots(case: CheckContext) -> Iterator[Finding]:
    """Yield a finding for each group of bodies whose joints have a drive but do not belong to an articulation."""
    loops, robots = (case.scene.joints, case.scene.articulations) if case.scene else ((), ())
    trees = {link.path for robot in robots if not robot.free for link in robot.links}
    groups: list[list[Joint]] = []
    for joint in (joint for joint in loops if not {joint.body0, joint.body1} & trees and not is_excluded(case, joint)):
        bodies = {joint.body0, joint.body1} - {WORLD}
        mine = [group for group in groups if any(bodies & {other.body0, other.body1} for other in group)]
        groups = [group for group in groups if group not in mine] + [[*(j for group in mine for j in group), joint]]
    for group in groups:
        driven = [joint for joint in group if any(axis.drive for axis in joint.axes)]
        if not driven:
            continue
        above = next((path for path in paths_upward(driven[0].path) if ROOT in schemas(case.source.prim(path))), "")
        if above:
            message = f"its articulation is disabled: {len(group)} joints are constraints between free bodies"
            name, fix = "physxArticulation:articulationEnabled", "author true, or remove the attribute"
            yield found("articulation-missing", above, name, message, value=case.shown(above, name), fix=fix)
        else:
            message = f"{len(group)} joints, {len(driven)} of them driven, do not belong to an articulation"
            yield found("articulation-missing", driven[0].path, ROOT, message)


def is_excluded(case: CheckContext, joint: Joint) -> bool:
    """Return whether a joint is excluded from articulations on purpose."""
    return case.copied(joint.path) or bool(case.authored(joint.path, "physics:excludeFromArticulation"))


def paths_upward(path: str) -> list[str]:
    """Return the path of a prim and those of the prims above it, the nearest first."""
    return [str(prefix) for prefix in reversed(Sdf.Path(path).GetPrefixes())]


def anchor(case: CheckContext, bodies: set[str]) -> str:
    """Return the path of the fixed joint between the world and one of the bodies; "" if there is none."""
    source = StageReader(case.stage)  # a separate reader: these reads must not mark attributes as used
    for edge in find_edges(source, find_bodies(source)):
        if edge.type is JointType.FIXED and WORLD in edge.bodies and edge.other(WORLD) in bodies:
            return edge.path
    return ""


def root_move_finding(case: CheckContext, robot: Articulation, goal: str, message: str) -> Finding:
    """Return a finding that moves the root, with its authored attributes, to another prim."""
    prim = case.source.prim(robot.path)
    names = [schema for schema in ROOT_SCHEMAS if schema in schemas(prim)]
    edits = [Edit("remove", robot.path, name) for name in names] + [Edit("apply", goal, name) for name in names]
    said = [name for name in prim.GetAuthoredPropertyNames() if name.startswith(ROOT_ATTRIBUTES)]
    edits += [Edit("attribute", goal, name, prim.GetAttribute(name).Get()) for name in said]
    fix = f"apply it to {goal}"
    return found("root-on-wrong-prim", robot.path, ROOT, message, edits=tuple(edits), fix=fix)


def reversed_joints(case: CheckContext) -> Iterator[Finding]:
    """Yield a finding for each joint that points towards the root."""
    for robot in case.robots:
        for joint in backwards(robot):
            ends = "physics:body0, physics:body1"
            message = "points towards the root: position, targets and limits are measured from body0 to body1"
            yield found("reversed-joint", joint.path, ends, message, value=f"{joint.body0}, {joint.body1 or '–'}")


def backwards(robot: Articulation) -> list[Joint]:
    """Return the joints whose body1 is reached before body0, breadth first from the world or the root."""
    met, found = [WORLD, robot.links[0].path], []
    for body in met:
        for joint in robot.joints:
            other = joint.body1 if joint.body0 == body else joint.body0 if joint.body1 == body else body
            if other not in met:
                met.append(other)
                found += [joint] if joint.body1 == body else []
    return found
