"""A Unitree Go2 follows a commanded velocity on stairs that it scans: Isaac Lab's rough task, on pyramids of stairs."""

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
    """Return the task: that on flat ground with a scan of heights, which begins in the middle of a pyramid.

    Robots walk towards +x within 46 degrees. As no term sees the yaw, and a pyramid is the same from four sides, that
    is any direction. Episodes end by time where the fastest robots come to the edge of the terrain, and would fall.
    """
    task, side, headings = velocity_go2(), (-0.2, 0.2), (-0.8, 0.8)
    task.scene, task.episode_seconds = SCENES / "go2_rough.usda", 7.0
    scan = Term(mdp.height_scan, noise=0.03, body_name="base", resolution=0.1, size=(1.6, 1.0), offset=0.5)
    task.observations = {**task.observations, "height_scan": scan}
    rewards = dict(task.rewards)
    for name in ("flat_orientation_l2", "joint_deviation_l1"):  # stairs are not level, and take high steps
        del rewards[name]
    rewards["feet_air_time"].weight = 0.25
    task.rewards = rewards
    task.terminations = {**task.terminations, "low": Term(mdp.root_height_below_minimum, minimum_height=-1.5)}
    task.commands = {  # slow ones gain little from a step, so that a robot would learn to stop before it
        COMMAND: mdp.UniformVelocityCommand((0.3, 1.0), side, (-0.8, 0.8), 8.0, 0.05, heading=headings)
    }
    task.intervals["push_robot"].every = 4.0
    start = Term(
        mdp.reset_root_state_from_terrain,
        origins=ORIGINS,
        distance=3.2,
        command_name=COMMAND,
        pose_range={"x": (-0.3, 0.3), "y": (-0.3, 0.3), "z": (0.0, 0.03), "yaw": headings},
        velocity_range=dict.fromkeys(("x", "y", "z", "roll", "pitch", "yaw"), side),
    )
    task.resets = {**task.resets, "base": start}
    task.learning = {"worlds": 1024, "steps": 24, "hidden": (192, 96), "iterations": 300}
    return task
