"""A Unitree Go2 follows a commanded velocity on flat ground: observations and rewards of Isaac Lab's flat task."""

from .. import mdp
from ..task import Task, Term
from . import SCENES
from .velocity import COMMAND, velocity_observations

_FEET, _TRUNK = "(FL|FR|RL|RR)", ".*/base/[^/]*"


def velocity_go2() -> Task:
    """Return the task: 12 position targets at 50 Hz; commands of up to 1 m/s ahead, 0.3 m/s sideways and 0.8 rad/s."""
    side, masses, push = (-0.2, 0.2), (-1.0, 2.0), dict.fromkeys("xy", (-0.4, 0.4))
    return Task(
        scene=SCENES / "go2.usda",
        decimation=4,
        episode_seconds=20.0,
        actions={"joint_pos": mdp.JointPositionAction(".*", scale=0.25)},
        commands={"base_velocity": mdp.UniformVelocityCommand((0.0, 1.0), (-0.3, 0.3), (-0.8, 0.8), 8.0, 0.05)},
        observations=velocity_observations(),
        rewards={
            "track_lin_vel_xy_exp": Term(mdp.track_lin_vel_xy_exp, 1.5, std=0.5, command_name=COMMAND),
            "track_ang_vel_z_exp": Term(mdp.track_ang_vel_z_exp, 0.75, std=0.5, command_name=COMMAND),
            "lin_vel_z_l2": Term(mdp.lin_vel_z_l2, -2.0),
            "ang_vel_xy_l2": Term(mdp.ang_vel_xy_l2, -0.05),
            "dof_torques_l2": Term(mdp.joint_torques_l2, -2e-4),
            "dof_acc_l2": Term(mdp.joint_acc_l2, -2.5e-7),
            "action_rate_l2": Term(mdp.action_rate_l2, -0.01),
            "feet_air_time": Term(mdp.feet_air_time, 0.5, colliders=_FEET, threshold=0.3, command_name=COMMAND),
            "flat_orientation_l2": Term(mdp.flat_orientation_l2, -2.5),
            "joint_deviation_l1": Term(mdp.joint_deviation_l1, -0.05),
        },
        terminations={
            "base_contact": Term(mdp.illegal_contact, colliders=_TRUNK),
            "bad_orientation": Term(mdp.bad_orientation, limit_angle=1.16),
            "low": Term(mdp.root_height_below_minimum, minimum_height=0.15),
        },
        startup={
            "physics_material": Term(mdp.randomize_rigid_body_material, static_friction_range=(0.4, 1.1)),
            "add_base_mass": Term(mdp.randomize_rigid_body_mass, body_names="base", mass_distribution_params=masses),
        },
        resets={
            "joints": Term(mdp.reset_joints_by_offset, position_range=(-0.1, 0.1), velocity_range=side),
            "base": Term(
                mdp.reset_root_state_uniform,
                pose_range={"z": (0.0, 0.03), "yaw": (-3.14, 3.14)},
                velocity_range=dict.fromkeys(("x", "y", "z", "roll", "pitch", "yaw"), side),
            ),
        },
        intervals={"push_robot": Term(mdp.push_by_setting_velocity, every=8.0, velocity_range=push)},
        learning={"worlds": 1024, "steps": 24, "hidden": (128, 64), "iterations": 140},
    )
