"""Rules on units: limits, gains and speed limits of rotations that are probably in radians instead of degrees.

A tool that confuses the units does so for a whole robot. A robot is therefore judged by the joint with the largest
inertia.
"""

from collections.abc import Iterator
from math import degrees, inf, log, pi, sqrt
from typing import NamedTuple

from ..scene import Articulation, DriveType, JointType
from ..stance.carry import carriage
from ..stance.ground import ground_height, up_of
from ..usd.attributes.attribute import UNBOUNDED
from .context import CheckContext, Dof
from .finding import Edit, Finding
from .rules import found

TURN = degrees(1.0)  # 57.3
TURNS = 10.0 * 360.0  # [degrees] limits beyond this were probably converted twice
CRAWL = 12.0  # [degrees/s] a robot whose joints are all slower is implausible; 12 rad/s is fast
STIFF, SOFT = (5.0, 7.0), (0.7, 0.25)  # frequency [Hz] and damping ratio that are plausible only after conversion
ROUND_OFF = 1e-6  # of a stage's unit
UNDAMPED = (40.0, 0.3)  # [Hz] bounds for a drive without damping


class Oscillation(NamedTuple):
    """Motion of a joint alone under its drive."""

    frequency: float  # [Hz]
    ratio: float


def limit_unit(case: CheckContext) -> Iterator[Finding]:
    """Yield findings for robots with all rotation limits within 2π degrees, and for limits beyond ten turns."""
    for robot in case.robots:
        turning = [d for d in case.dofs(robot) if d.axis.rotational and d.joint.type is not JointType.SPHERICAL]
        limited = [dof for dof in turning if -inf < dof.axis.lower < dof.axis.upper < inf]
        reach = [degrees(max(-dof.axis.lower, dof.axis.upper)) for dof in limited]
        if reach and 2.0 * pi / TURN < max(reach) <= 2.0 * pi:
            yield from wrong_limits(case, limited, TURN, "of all rotations are within 2π degrees: look like radians")
        elif reach and max(reach) > TURNS:
            many = [dof for dof, angle in zip(limited, reach, strict=True) if angle > TURNS]
            yield from wrong_limits(case, many, 1.0 / TURN, "beyond ten turns: look like degrees converted twice")


def wrong_limits(case: CheckContext, dofs: list[Dof], factor: float, reason: str) -> Iterator[Finding]:
    """Yield one finding per axis; its edits multiply the limits by a factor."""
    for dof in dofs:
        prim, names = dof.joint.path, dof.bounds
        values = [case.authored(prim, name) * factor for name in names]
        edits = tuple(Edit("attribute", prim, name, value) for name, value in zip(names, values, strict=True))
        fix, shown = f"author {values[0]:.6g}, {values[1]:.6g}", case.shown(prim, *names)
        yield found("limit-unit", prim, ", ".join(names), f"limits {reason}", value=shown, edits=edits, fix=fix)


def velocity_unit(case: CheckContext) -> Iterator[Finding]:
    """Yield findings for robots whose rotations are all limited to a few degrees per second (radians per second)."""
    names = "physxJointAxis:{}:maxJointVelocity", "newton:velocityLimit"
    for robot in case.robots:
        bounded = [dof for dof in case.dofs(robot) if dof.axis.rotational and 0.0 < dof.axis.max_velocity < inf]
        speeds = [degrees(dof.axis.max_velocity) for dof in bounded]
        if not speeds or not 0.5 <= max(speeds) <= CRAWL:
            continue
        for dof in bounded:
            prim = dof.joint.path
            known = {name.format(dof.instance): case.authored(prim, name.format(dof.instance)) for name in names}
            name, value = next((name, value) for name, value in known.items() if value)
            edit = Edit("attribute", prim, name, value * TURN)
            message = f"no rotation may turn faster than {max(speeds):.4g} degrees/s: looks like radians per second"
            yield found(
                "velocity-unit", prim, name, message, value=value, edits=(edit,), fix=f"author {edit.value:.6g}"
            )


def gain_unit(case: CheckContext) -> Iterator[Finding]:
    """Yield findings for gains whose natural frequency is implausible, but plausible after conversion."""
    for robot in case.robots:
        turning = [dof for dof in case.dofs(robot) if dof.axis.rotational and dof.name in case.inertia]
        driven = [d for d in turning if d.axis.drive and d.axis.drive.stiffness and not case.is_spring(d)]
        if not driven:
            continue
        heaviest = max(driven, key=lambda dof: case.inertia[dof.name])
        if plausible(case, heaviest, 1.0) or carries(case, robot, heaviest):
            continue
        fits = [unit for unit in hypotheses(case, heaviest) if plausible(case, heaviest, unit.factor)]
        if fits:
            best = min(fits, key=lambda unit: abs(log(damping_ratio(case, heaviest, unit.factor))))
            yield wrong_gains(case, robot, driven, best)


class GainUnit(NamedTuple):
    """A unit in which gains may have been authored by mistake."""

    factor: float  # what the authored gains must be multiplied by
    name: str
    force: float = 1.0  # what the authored maximum force must be multiplied by


def hypotheses(case: CheckContext, dof: Dof) -> list[GainUnit]:
    """Return the mistakes that a tool makes: radians, two conversions, and SI units in a file of other units.

    A gain of an acceleration drive has neither mass nor length.
    """
    found = [GainUnit(1.0 / TURN, "per radian"), GainUnit(TURN, "converted to degrees twice")]
    drive = dof.axis.drive
    si = 1.0 / (case.source.kilograms * case.source.metres**2)  # N·m in the file's unit
    if abs(si - 1.0) > ROUND_OFF and drive and drive.type is not DriveType.ACCELERATION:
        where = f"where the stage's unit of length is {case.source.metres:g} m"
        found += [
            GainUnit(si, f"in N·m per degree, {where}", si),
            GainUnit(si / TURN, f"in N·m per radian, {where}", si),
        ]
    return found


def plausible(case: CheckContext, dof: Dof, factor: float) -> bool:
    """Return whether a drive with its gains multiplied by a factor is neither too stiff nor too soft.

    A large rotor is soft on purpose: its armature does not count where a drive looks too soft.
    """
    inertia = case.inertia[dof.name]
    return not faster(swing(dof, inertia, factor)) and not slower(swing(dof, inertia - dof.axis.armature, factor))


def carries(case: CheckContext, robot: Articulation, dof: Dof) -> bool:
    """Return whether a drive of a robot on a ground is plausible for the rest of the robot, which its leg carries."""
    scene = case.scene
    if scene is None or robot.fixed_base or ground_height(scene, up_of(scene)) is None:
        return False
    holding = carriage(scene, robot, False).holdings.get(dof.name)
    return holding is not None and holding.role == "leg" and not faster(swing(dof, holding.inertia))


def damping_ratio(case: CheckContext, dof: Dof, factor: float) -> float:
    """Return the damping ratio of a drive with its gains multiplied by a factor; 1 without damping."""
    return swing(dof, case.inertia[dof.name], factor).ratio or 1.0


def swing(dof: Dof, inertia: float, factor: float = 1.0) -> Oscillation:
    """Return natural frequency √(k/I) / 2π [Hz] and damping ratio d / 2√(k I) of a drive on an inertia.

    Both gains are multiplied by a factor.
    """
    drive = dof.axis.drive
    assert drive is not None  # `dof` is driven
    moved = 1.0 if drive.type is DriveType.ACCELERATION else inertia
    frequency = sqrt(factor * drive.stiffness / moved)
    return Oscillation(frequency / (2.0 * pi), factor * drive.damping / (2.0 * frequency * moved))


def faster(motion: Oscillation) -> bool:
    """Return whether a drive is both too stiff and too damped for its inertia."""
    return motion.frequency > (STIFF[0] if motion.ratio else UNDAMPED[0]) and not 0.0 < motion.ratio <= STIFF[1]


def slower(motion: Oscillation) -> bool:
    """Return whether a drive is both too soft and too weakly damped for its inertia."""
    return motion.frequency < (SOFT[0] if motion.ratio else UNDAMPED[1]) and motion.ratio < SOFT[1]


def wrong_gains(case: CheckContext, robot: Articulation, driven: list[Dof], unit: GainUnit) -> Finding:
    """Return a finding for a robot; its edits convert the gains, and if need be the efforts, of its rotations."""
    heavy = max(driven, key=lambda dof: case.inertia[dof.name])
    motion, other = (swing(heavy, case.inertia[heavy.name], factor) for factor in (1.0, unit.factor))
    number = f"{max(unit.factor, 1.0 / unit.factor):.4g}"
    divide = unit.factor < 1.0
    way = f"{'divided' if divide else 'multiplied'} by {number}"
    message = (
        f"{heavy.name} swings at {motion.frequency:.3g} Hz with damping ratio {motion.ratio:.3g}; with gains {way} "
        f"it is {other.frequency:.3g} Hz and {other.ratio:.3g}: the gains look like those {unit.name}"
    )
    forces = ("maxForce",) if unit.force != 1.0 else ()
    names = [(dof.joint.path, dof.drive(name)) for dof in driven for name in ("stiffness", "damping", *forces)]
    values = [(prim, name, case.authored(prim, name)) for prim, name in names]
    edits = tuple(
        Edit("attribute", prim, name, value * (unit.force if name.endswith("maxForce") else unit.factor))
        for prim, name, value in values
        if value and abs(value) < UNBOUNDED
    )
    fix = (
        f"{'divide' if divide else 'multiply'} stiffness and damping of the {len(driven)} rotations by {number}, if so"
    )
    fix += f", and the maximum force by {unit.force:.4g}" if forces else ""
    return found("gain-unit", robot.path, "drive:*:physics:stiffness, damping", message, edits=edits, fix=fix)
