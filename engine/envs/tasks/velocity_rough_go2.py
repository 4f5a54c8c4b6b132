"""A Unitree Go2 follows a commanded velocity on stairs that it scans: Isaac Lab's rough task, on pyramids of stairs."""

import math

from .. import mdp
from ..task import Task, Term
from . import SCENES
from .velocity import COMMAND
from .velocity_go2 import velocity_go2

STEPS = (0.02, 0.04, 0.06, 0.08, 0.10)  # [m] heights of the scene's steps, of which a pyramid has seven
ORIGINS = tuple(
    tuple((side * 3.0, 6.0 * i - 12.0, side * -7.0 * step) for side in (-1.0, 1.0)) for i, step in enumerate(STEPS)
)
"""Middles of the pyramids [m] of each height: the one at x = -3 m lies above the ground, that at x = 3 m below it."""


def velocity_rough_go2() -> Task:
    """Return the task: that on flat ground with a scan of heights, which begins in the middle of a pyramid."""
    task, side = velocity_go2(), (-0.2, 0.2)
    task.scene = SCENES / "go2_rough.usda"
    scan = Term(mdp.height_scan, noise=0.1, body_name="base", resolution=0.1, size=(1.6, 1.0), offset=0.5)
    task.observations = {**task.observations, "height_scan": scan}
    rewards = dict(task.rewards)
    for name in ("flat_orientation_l2", "joint_deviation_l1"):  # stairs are not level, and take high steps
        del rewards[name]
    task.rewards = rewards
    task.terminations = {**task.terminations, "low": Term(mdp.root_height_below_minimum, minimum_height=-1.5)}
    one, level = (0.0, 1.0), (-0.3, 0.3)
    task.commands = {
        COMMAND: mdp.UniformVelocityCommand(one, level, (-0.8, 0.8), 8.0, 0.05, heading=(-math.pi, math.pi))
    }
    start = Term(
        mdp.reset_root_state_from_terrain,
        origins=ORIGINS,
        distance=2.7,
        command_name=COMMAND,
        pose_range={"x": (-0.3, 0.3), "y": (-0.3, 0.3), "z": (0.0, 0.03), "yaw": (-3.14, 3.14)},
        velocity_range=dict.fromkeys(("x", "y", "z", "roll", "pitch", "yaw"), side),
    )
    task.resets = {**task.resets, "base": start}
    task.learning = {"worlds": 1024, "steps": 24, "hidden": (256, 128), "iterations": 500}
    return task
