"""Verification of tuned joints: simulates a small jump of each target in the robot, with all gains set."""

from dataclasses import replace
from itertools import groupby

import numpy as np

from ..scene import Articulation, Friction, Scene
from ..scene.overrides import with_gains
from ..simulation import Simulation
from .step_response import StepResponse
from .tuned import TunedJoint, alone

JUMP = 1e-3  # of the target [rad | m]: small enough to keep the robot's geometry linear
FAR = 10.0  # distance by which limits are moved away [rad | m]
SETTLING = 7.0  # simulated time in units of the decay time
MOST_STEPS = 2000


def verify_gains(scene: Scene, tuned: list[TunedJoint]) -> list[StepResponse]:
    """Return the response of each joint in the robot while the drives of the other joints hold their positions.

    Simulates without gravity, dry friction, limits, time samples and maximum forces, in double precision. The target
    jumps by `JUMP`; every joint has its own world.
    """
    groups = groupby(tuned, key=lambda item: item.robot)
    return [answer for robot, group in groups for answer in _trial(alone(scene, robot), list(group))]


def _trial(scene: Scene, tuned: list[TunedJoint]) -> list[StepResponse]:
    """Return the responses of joints of one robot."""
    gains = {
        item.name: {"type": item.plant.type, "stiffness": item.gains.stiffness, "damping": item.gains.damping}
        for item in tuned
    }
    still = replace(with_gains(scene, gains), gravity=(0.0, 0.0, 0.0))
    still = replace(still, articulations=tuple(map(_without_dry_friction, still.articulations)))
    sim = Simulation(still, len(tuned), device="cpu", precision="f64", threads=1, sleeping=False, contacts=False)
    columns, worlds = [sim.dof.index(item.name) for item in tuned], range(len(tuned))
    start = np.array(sim.q)
    for world, item in enumerate(tuned):
        start[world, [sim.dof.index(name) for name in item.pose]] = list(item.pose.values())
    sim.q, sim.qd, sim.target_qd, sim.max_force = start, 0.0, 0.0, np.inf
    lower, upper = np.array(sim.lower), np.array(sim.upper)
    moves = lower < upper  # other joints stay locked
    sim.lower, sim.upper = np.where(moves, lower - FAR, lower), np.where(moves, upper + FAR, upper)
    target = start.copy()
    target[worlds, columns] += JUMP
    sim.target_q = target
    recording = sim.run(steps=_length(tuned))
    q = recording.q[:, worlds, columns]
    return [StepResponse(recording.time, position) for position in ((q - start[worlds, columns]) / JUMP).T]


def _length(tuned: list[TunedJoint]) -> int:
    """Return the number of steps until the slowest joint is settled."""
    slowest = min(item.plant.dt * ratio * frequency for item in tuned for frequency, ratio in (item.wanted,))
    return int(min(max(SETTLING / slowest, 20.0), MOST_STEPS))


def _without_dry_friction(robot: Articulation) -> Articulation:
    joints = (
        replace(
            joint,
            axes=tuple(replace(axis, friction=Friction(viscous=axis.friction.viscous)) for axis in joint.axes),
        )
        for joint in robot.joints
    )
    return replace(robot, joints=tuple(joints))
