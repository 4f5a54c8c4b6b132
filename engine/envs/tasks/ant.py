"""An ant runs ahead, as far as it can: Isaac Lab's `Isaac-Ant-v0` on a scene of fajin's own."""

from .. import mdp
from ..task import Task, Term
from . import SCENES

TARGET, GEAR = (1000.0, 0.0, 0.0), {".*": 15.0}


def ant() -> Task:
    """Return the task: efforts of eight joints, 60 times a second."""
    return Task(
        scene=SCENES / "ant.usda",
        decimation=2,
        episode_seconds=16.0,
        actions={"joint_effort": mdp.JointEffortAction(".*", scale=7.5)},
        observations={
            "base_height": Term(mdp.base_pos_z),
            "base_lin_vel": Term(mdp.base_lin_vel),
            "base_ang_vel": Term(mdp.base_ang_vel),
            "base_yaw_roll": Term(mdp.base_yaw_roll),
            "base_angle_to_target": Term(mdp.base_angle_to_target, target_pos=TARGET),
            "base_up_proj": Term(mdp.base_up_proj),
            "base_heading_proj": Term(mdp.base_heading_proj, target_pos=TARGET),
            "joint_pos_norm": Term(mdp.joint_pos_limit_normalized),
            "joint_vel_rel": Term(mdp.joint_vel_rel, gain=0.2),
            "feet_body_forces": Term(mdp.body_incoming_wrench, gain=0.1, body_names=".*_shank"),
            "actions": Term(mdp.last_action),
        },
        rewards={
            "progress": Term(mdp.progress_reward, 1.0, target_pos=TARGET),
            "alive": Term(mdp.is_alive, 0.5),
            "upright": Term(mdp.upright_posture_bonus, 0.1, threshold=0.93),
            "move_to_target": Term(mdp.move_to_target_bonus, 0.5, threshold=0.8, target_pos=TARGET),
            "action_l2": Term(mdp.action_l2, -0.005),
            "energy": Term(mdp.power_consumption, -0.05, gear_ratio=GEAR),
            "joint_pos_limits": Term(mdp.joint_pos_limits_penalty_ratio, -0.1, threshold=0.99, gear_ratio=GEAR),
        },
        terminations={"torso_height": Term(mdp.root_height_below_minimum, minimum_height=0.31)},
        resets={
            "base": Term(mdp.reset_root_state_uniform, pose_range={}),
            "joints": Term(mdp.reset_joints_by_offset, position_range=(-0.2, 0.2), velocity_range=(-0.1, 0.1)),
        },
        learning={"worlds": 512, "steps": 32, "hidden": (128, 64), "iterations": 200},
    )
