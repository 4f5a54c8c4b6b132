"""Joints outside the trees: those that close loops, those of free bodies, distance joints; as authored, in SI units."""

from dataclasses import replace
from math import inf, isfinite

from ..scene import Axis, Distance, InvalidScene, Joint, JointType, LimitSpring
from .attributes import AXIS_LIMIT, DISTANCE, LIMIT, LIMIT_SPRING
from .edges import Edge
from .joints import INSTANCES, ONE_SIDED, ROTATIONS, TRANSLATIONS, cone, gains, read_frames, report_limit
from .stage import Source, schemas

SPRINGS = {**INSTANCES, JointType.SPHERICAL: "cone"}  # instances of PhysxLimitAPI; else the axis token
SWINGS = {"rotY": "rotZ", "rotZ": "rotY"}


def read_loop(source: Source, edge: Edge) -> Joint:
    """A joint outside the trees: its frames, and every axis that is not locked.

    Raises:
        InvalidScene: a distance joint whose minimum is above its maximum.
    """
    axis, frames = read_frames(source, edge)
    distance = read_distance(source, edge) if edge.type is JointType.DISTANCE else None
    bounds = free_axes(source, edge, axis)
    axes = tuple(read_free_axis(source, edge, token, b) for token, b in bounds.items())
    return Joint(edge.path, edge.type, *edge.bodies, *frames, axis, axes, distance)


def free_axes(source: Source, edge: Edge, axis: str) -> dict[str, tuple[float, float]]:
    """The axes that move and their limits."""
    if edge.type in INSTANCES:
        return {f"rot{axis}" if edge.type is JointType.REVOLUTE else f"trans{axis}": limits(source, edge)}
    if edge.type is JointType.SPHERICAL:
        half = (inf, *cone(source, edge))
        return {token: (-b, b) for token, b in zip(ROTATIONS, half, strict=True)}
    if edge.type is JointType.D6:
        return swings(source, edge, {t: axis_limits(source, edge, t) for t in (*TRANSLATIONS, *ROTATIONS)})
    return {}


def limits(source: Source, edge: Edge) -> tuple[float, float]:
    """Limits of a revolute or prismatic joint; a hinge has both or none."""
    values = source.values(edge.prim, LIMIT, rotational=edge.type is JointType.REVOLUTE)
    lower, upper = values["lower"], values["upper"]
    if edge.type is JointType.REVOLUTE and isfinite(lower) != isfinite(upper):
        report_limit(source, edge, ONE_SIDED, [row.name for row in LIMIT])
        return -inf, inf
    return lower, upper


def axis_limits(source: Source, edge: Edge, token: str) -> tuple[float, float]:
    """Limits of one axis of a D6 joint, one of them or both; the lower above the upper one locks the axis."""
    values = source.values(edge.prim, AXIS_LIMIT, token, token in ROTATIONS)
    return values["lower"], values["upper"]


def swings(source: Source, edge: Edge, bounds: dict[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
    """The axes of a D6 joint that are not locked; PhysX refuses a limit on one swing axis beside a free one."""
    free = {token: b for token, b in bounds.items() if b[0] <= b[1]}
    for token, other in SWINGS.items():
        if limited(bounds[token]) and bounds[other] == (-inf, inf):
            reason = f"a limit on {token} acts only if {other} is limited or locked, as in PhysX; limit both"
            report_limit(source, edge, reason, [row.name.format(axis=token) for row in AXIS_LIMIT])
            free[token] = (-inf, inf)
    return free


def limited(bounds: tuple[float, float]) -> bool:
    """Whether an axis moves within limits."""
    return bounds != (-inf, inf) and bounds[0] <= bounds[1]


def read_free_axis(source: Source, edge: Edge, token: str, bounds: tuple[float, float]) -> Axis:
    """One axis: its limits, how they give way, and its drive."""
    rotational = token in ROTATIONS
    instance = SPRINGS.get(edge.type, token)
    axis = Axis(token, *bounds)
    if limited(bounds):
        axis = replace(axis, limit=LimitSpring(**source.values(edge.prim, LIMIT_SPRING, instance, rotational)))
    instance = INSTANCES.get(edge.type, token)
    if edge.type is JointType.SPHERICAL or f"PhysicsDriveAPI:{instance}" not in schemas(edge.prim):
        return axis
    return replace(axis, drive=gains(source, edge, instance, rotational))


def read_distance(source: Source, edge: Edge) -> Distance:
    """The bounds of a distance joint and their spring."""
    said = Distance(**source.values(edge.prim, DISTANCE))
    distance = replace(said, maximum=-1.0) if said.maximum == inf else said
    if distance.minimum > distance.maximum >= 0.0:
        values = [source.authored(edge.prim, row.name) for row in DISTANCE[:2]]
        raise InvalidScene(
            f"{edge.path}.physics:minDistance = {values[0]:g}: must not be above physics:maxDistance = {values[1]:g}; "
            "exchange them, or author a negative number for no bound"
        )
    if distance.minimum < 0.0 and distance.maximum < 0.0:
        source.report(edge.prim, "physics:minDistance, physics:maxDistance", "both negative: the joint holds nothing")
    if not distance.spring:
        for row in DISTANCE[3:]:
            if value := source.authored(edge.prim, row.name):
                reason = "has no effect before physxPhysicsDistanceJoint:springEnabled = 1 is authored"
                source.report(edge.prim, row.name, reason, value)
    return distance
