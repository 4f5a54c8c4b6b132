"""Maximal joints: joints that close loops, joints of free bodies, distance joints; as authored, in SI units."""

from dataclasses import replace
from math import inf, pi

from ...scene import Axis, Distance, InvalidScene, Joint, JointType, LimitSpring
from ..attributes import AXIS_LIMIT, BREAK, CONE, DISTANCE, JOINT_CONTACT, LIMIT, LIMIT_SPRING
from ..stage.diagnostic_codes import Reason
from ..stage.stage import StageReader, schemas
from .joint_prims import JointPrim
from .joints import INSTANCES, ROTATIONS, TRANSLATIONS, gains, read_frames, report_limit, within_reach

SPRINGS = {**INSTANCES, JointType.SPHERICAL: "cone"}  # instances of PhysxLimitAPI; other joint types: the axis token
SWINGS = ROTATIONS[1:]
FREE = (-inf, inf)


def read_loop(source: StageReader, edge: JointPrim) -> Joint:
    """Read a maximal joint: its frames, and every axis that is not locked.

    Raises:
        InvalidScene: a distance joint whose minimum is above its maximum.
    """
    axis, frames = read_frames(source, edge)
    distance = read_distance(source, edge) if edge.type is JointType.DISTANCE else None
    bounds = free_axes(source, edge, axis)
    axes = tuple(read_free_axis(source, edge, token, b) for token, b in bounds.items())
    flags = source.values(edge.prim, JOINT_CONTACT) | source.values(edge.prim, BREAK)
    pyramid = one_pyramid(source, edge, axes)
    return Joint(edge.path, edge.type, *edge.bodies, *frames, axis, pyramid, distance, standing=edge.standing, **flags)


def free_axes(source: StageReader, edge: JointPrim, axis: str) -> dict[str, tuple[float, float]]:
    """Return the free axes and their limits."""
    if edge.type in INSTANCES:
        return {f"rot{axis}" if edge.type is JointType.REVOLUTE else f"trans{axis}": maximal_joint_limits(source, edge)}
    if edge.type is JointType.SPHERICAL:
        half = (inf, *maximal_cone_angles(source, edge))
        return {token: (-b, b) for token, b in zip(ROTATIONS, half, strict=True)}
    if edge.type is JointType.D6:
        return swings(source, edge, {t: maximal_d6_limits(source, edge, t) for t in (*TRANSLATIONS, *ROTATIONS)})
    return {}


def maximal_joint_limits(source: StageReader, edge: JointPrim) -> tuple[float, float]:
    """Read the limits of a revolute or prismatic joint, one or both; a limited revolute joint turns by at most 180°."""
    values = source.values(edge.prim, LIMIT, rotational=edge.type is JointType.REVOLUTE)
    lower, upper = values["lower"], values["upper"]
    hinge = edge.type is JointType.REVOLUTE
    names = [row.name for row in LIMIT]
    lower, upper = within_reach(source, edge, (lower, upper), names)
    if lower > upper:
        instead = "±90 degrees are" if hinge else "no limit is"
        report_limit(source, edge, Reason("maximal-limit-reversed", instead=instead), names)
        return (-pi / 2.0, pi / 2.0) if hinge else FREE
    if not hinge or not limited((lower, upper)):
        return lower, upper
    if lower < -pi or upper > pi:
        report_limit(source, edge, Reason("maximal-limit-too-far"), names)
    return max(-pi, lower), min(pi, upper)


def maximal_cone_angles(source: StageReader, edge: JointPrim) -> tuple[float, float]:
    """Read the half angles of a spherical joint about its swing axes [rad]; infinite if PhysX refuses them."""
    values = source.values(edge.prim, CONE)
    angles = values["cone0"], values["cone1"]
    if all(0.0 < angle < pi for angle in angles):
        return angles
    if any(0.0 <= angle < inf for angle in angles):
        report_limit(source, edge, Reason("maximal-cone"), [row.name for row in CONE])
    return inf, inf


def maximal_d6_limits(source: StageReader, edge: JointPrim, token: str) -> tuple[float, float]:
    """Read the limits of one axis of a D6 joint, one or both; a lower limit above the upper limit locks the axis."""
    values = source.values(edge.prim, AXIS_LIMIT, token, token in ROTATIONS)
    names = [row.named(token) for row in AXIS_LIMIT]
    return within_reach(source, edge, (values["lower"], values["upper"]), names)


def swings(
    source: StageReader, edge: JointPrim, bounds: dict[str, tuple[float, float]]
) -> dict[str, tuple[float, float]]:
    """Return the axes of a D6 joint that are not locked; PhysX ignores limits of one swing beside a free one."""
    free = {token: b for token, b in bounds.items() if b[0] <= b[1]}
    held = {token: free[token] for token in SWINGS if token in free and limited(free[token])}
    sound = all(-pi < lower and upper < pi for lower, upper in held.values())
    if sound and not any(free.get(token) == FREE for token in SWINGS):
        return free
    for token in held:
        names = [row.named(token) for row in AXIS_LIMIT]
        report_limit(source, edge, Reason("maximal-swing-limits"), names)
    return {token: FREE if token in held else b for token, b in free.items()}


def limited(bounds: tuple[float, float]) -> bool:
    """Return whether an axis moves within limits."""
    return bounds != FREE and bounds[0] <= bounds[1]


def read_free_axis(source: StageReader, edge: JointPrim, token: str, bounds: tuple[float, float]) -> Axis:
    """Read one axis: its limits, their compliance, and its drive."""
    rotational = token in ROTATIONS
    instance = SPRINGS.get(edge.type, token)
    axis = Axis(token, *bounds)
    if limited(bounds):
        axis = replace(axis, limit=LimitSpring(**source.values(edge.prim, LIMIT_SPRING, instance, rotational)))
    instance = INSTANCES.get(edge.type, token)
    if edge.type is JointType.SPHERICAL or f"PhysicsDriveAPI:{instance}" not in schemas(edge.prim):
        return axis
    return replace(axis, drive=gains(source, edge, instance, rotational))


def one_pyramid(source: StageReader, edge: JointPrim, axes: tuple[Axis, ...]) -> tuple[Axis, ...]:
    """Return the axes; two limited swings of a D6 joint both get the spring of rotZ: PhysX combines their limits."""
    swings = {axis.token: axis for axis in axes if axis.token in SWINGS and limited((axis.lower, axis.upper))}
    if edge.type is not JointType.D6 or len(swings) < 2 or swings["rotY"].limit == swings["rotZ"].limit:
        return axes
    reason = Reason("maximal-swing-springs", related="PhysxLimitAPI:rotZ")
    names = [row.named(token) for token in SWINGS for row in LIMIT_SPRING]
    report_limit(source, edge, reason, [name for name in names if source.authored(edge.prim, name) is not None])
    shared = swings["rotZ"].limit
    return tuple(replace(axis, limit=shared) if axis is swings["rotY"] else axis for axis in axes)


def read_distance(source: StageReader, edge: JointPrim) -> Distance:
    """Read the bounds of a distance joint and their spring."""
    said = Distance(**source.values(edge.prim, DISTANCE))
    distance = replace(said, maximum=-1.0) if said.maximum == inf else said
    if distance.minimum > distance.maximum >= 0.0:
        values = [source.authored(edge.prim, row.name) for row in DISTANCE[:2]]
        raise InvalidScene(
            edge.path,
            DISTANCE[0].name,
            f"{values[0]:g}",
            f"at most {DISTANCE[1].name} = {values[1]:g}",
            "exchange them, or author a negative number for no bound",
        )
    if distance.minimum < 0.0 and distance.maximum < 0.0:
        source.report(edge.prim, "physics:minDistance, physics:maxDistance", Reason("distance-unbounded"))
    if not distance.spring:
        for row in DISTANCE[3:]:
            if value := source.authored(edge.prim, row.name):
                reason = Reason("distance-spring-off", related=DISTANCE[2].name)
                source.report(edge.prim, row.name, reason, value)
    return distance
