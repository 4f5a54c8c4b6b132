"""An ANYmal C follows a commanded velocity on flat ground: Isaac Lab's flat task, with drives for its actuators."""

from .. import mdp
from ..task import Task, Term
from . import SCENES
from .velocity import COMMAND, velocity_observations

_FEET, _TRUNK, _THIGHS = ".*_FOOT", ".*/base/[^/]*", ".*_thigh_fixed"


def velocity_anymal_c() -> Task:
    """Return the task: 12 position targets at 50 Hz; commands of up to 1 m/s ahead, 0.3 m/s sideways and 0.8 rad/s.

    With Isaac Lab's commands, of up to 1 m/s in every direction, so few worlds learn to stand, not to walk.
    """
    half, five = (-0.5, 0.5), (-5.0, 5.0)
    return Task(
        scene=SCENES / "anymal_c.usda",
        decimation=4,
        episode_seconds=20.0,
        actions={"joint_pos": mdp.JointPositionAction(".*", scale=0.5)},
        commands={"base_velocity": mdp.UniformVelocityCommand((0.0, 1.0), (-0.3, 0.3), (-0.8, 0.8), 8.0, 0.05)},
        observations=velocity_observations(),
        rewards={
            "track_lin_vel_xy_exp": Term(mdp.track_lin_vel_xy_exp, 1.0, std=0.5, command_name=COMMAND),
            "track_ang_vel_z_exp": Term(mdp.track_ang_vel_z_exp, 0.5, std=0.5, command_name=COMMAND),
            "lin_vel_z_l2": Term(mdp.lin_vel_z_l2, -2.0),
            "ang_vel_xy_l2": Term(mdp.ang_vel_xy_l2, -0.05),
            "dof_torques_l2": Term(mdp.joint_torques_l2, -2.5e-5),
            "dof_acc_l2": Term(mdp.joint_acc_l2, -2.5e-7),
            "action_rate_l2": Term(mdp.action_rate_l2, -0.01),
            "feet_air_time": Term(mdp.feet_air_time, 0.5, colliders=_FEET, threshold=0.5, command_name=COMMAND),
            "flat_orientation_l2": Term(mdp.flat_orientation_l2, -5.0),
            "undesired_contacts": Term(mdp.undesired_contacts, -1.0, colliders=_THIGHS),
        },
        terminations={"base_contact": Term(mdp.illegal_contact, colliders=_TRUNK)},
        startup={
            "physics_material": Term(mdp.randomize_rigid_body_material, static_friction_range=(0.6, 0.8)),
            "add_base_mass": Term(mdp.randomize_rigid_body_mass, body_names="base", mass_distribution_params=five),
        },
        resets={
            "base": Term(
                mdp.reset_root_state_uniform,
                pose_range={"x": half, "y": half, "yaw": (-3.14, 3.14)},
                velocity_range=dict.fromkeys(("x", "y", "z", "roll", "pitch", "yaw"), half),
            ),
            "joints": Term(mdp.reset_joints_by_scale, position_range=(0.5, 1.5), velocity_range=(0.0, 0.0)),
        },
        intervals={"push_robot": Term(mdp.push_by_setting_velocity, every=12.5, velocity_range={"x": half, "y": half})},
        learning={"worlds": 1024, "steps": 24, "hidden": (128, 128, 128), "iterations": 300, "init_std": 0.5},
    )
