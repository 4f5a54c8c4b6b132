"""A demonstration motion: every joint swings back and forth within its limits."""

from dataclasses import replace
from math import inf, pi, sin

from .articulation import Articulation
from .axis import Axis
from .drive import Drive, DriveType
from .scene import Scene, TimeSamples

PERIOD = 2.0  # [s]
SAMPLES = 40  # per period
SWING = {True: 0.3, False: 0.05}  # amplitude of rotations [rad] and translations [m]
SHARE = 0.4  # of the range between the limits, at most
FREQUENCY = 10.0  # [rad/s] natural frequency of axes without gains, critically damped


def with_wave(scene: Scene, seconds: float) -> Scene:
    """Return the scene with targets that swing for some time; axes without gains get an acceleration drive.

    Followers of mimic joints are left alone. Neighbouring axes swing in opposite directions.
    """
    signals: list[TimeSamples] = []

    def waved(robot: Articulation) -> Articulation:
        """Return an articulation with drives that follow the swing; append its signals."""
        joints = []
        for joint in robot.joints:
            axes = []
            for axis in joint.axes:
                if axis.mimic is None:
                    signals.append(_swing(f"{joint.path}:{axis.token}", axis, seconds, 1.0 - 2.0 * (len(signals) % 2)))
                    axis = replace(axis, drive=_driven(axis))
                axes.append(axis)
            joints.append(replace(joint, axes=tuple(axes)))
        return replace(robot, joints=tuple(joints))

    articulations = tuple(map(waved, scene.articulations))
    names = {signal.dof for signal in signals}
    kept = [signal for signal in scene.signals if signal.parameter != "target_q" or signal.dof not in names]
    return replace(scene, articulations=articulations, signals=(*kept, *signals))


def _swing(dof: str, axis: Axis, seconds: float, sign: float) -> TimeSamples:
    """Return samples of a sine about the start, moved where the limits demand it."""
    amplitude = min(SWING[axis.rotational], SHARE * max(axis.upper - axis.lower, 0.0))
    centre = min(max(axis.q, axis.lower + amplitude), axis.upper - amplitude) if amplitude else axis.q
    step = PERIOD / SAMPLES
    times = [step * i for i in range(int(seconds / step) + 2)]
    values = [centre + sign * amplitude * sin(2.0 * pi * time / PERIOD) for time in times]
    return TimeSamples(dof, "target_q", tuple(times), tuple(values))


def _driven(axis: Axis) -> Drive:
    """Return the drive of an axis, or an acceleration drive if it has no stiffness."""
    if axis.drive and axis.drive.type is not DriveType.NONE and axis.drive.stiffness:
        return axis.drive
    stiffness, damping = FREQUENCY**2, 2.0 * FREQUENCY
    return Drive(DriveType.ACCELERATION, stiffness=stiffness, damping=damping, max_force=inf, target_q=axis.q)
