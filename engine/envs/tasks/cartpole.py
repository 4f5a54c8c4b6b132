"""Balance a pole on a cart: Isaac Lab's `Isaac-Cartpole-v0`."""

import math

from .. import mdp
from ..task import Task, Term
from . import SCENES


def cartpole() -> Task:
    """Return the task: a force on the cart keeps the pole upright, and the cart within 3 m."""
    quarter = (-0.25 * math.pi, 0.25 * math.pi)
    return Task(
        scene=SCENES / "cartpole.usda",
        decimation=2,
        episode_seconds=5.0,
        actions={"joint_effort": mdp.JointEffortAction("slider", scale=100.0)},
        observations={"joint_pos_rel": Term(mdp.joint_pos_rel), "joint_vel_rel": Term(mdp.joint_vel_rel)},
        rewards={
            "alive": Term(mdp.is_alive, 1.0),
            "terminating": Term(mdp.is_terminated, -2.0),
            "pole_pos": Term(mdp.joint_pos_target_l2, -1.0, joint_names="hinge", target=0.0),
            "cart_vel": Term(mdp.joint_vel_l1, -0.01, joint_names="slider"),
            "pole_vel": Term(mdp.joint_vel_l1, -0.005, joint_names="hinge"),
        },
        terminations={
            "cart_out_of_bounds": Term(mdp.joint_pos_out_of_manual_limit, joint_names="slider", bounds=(-3.0, 3.0))
        },
        resets={
            "cart_position": Term(
                mdp.reset_joints_by_offset, joint_names="slider", position_range=(-1.0, 1.0), velocity_range=(-0.5, 0.5)
            ),
            "pole_position": Term(
                mdp.reset_joints_by_offset, joint_names="hinge", position_range=quarter, velocity_range=quarter
            ),
        },
        learning={"worlds": 64, "steps": 16, "hidden": (64, 64), "iterations": 240, "num_learning_epochs": 5},
    )
