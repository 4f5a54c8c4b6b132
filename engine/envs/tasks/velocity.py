"""Observations, rewards and events of tasks in which legged robots follow a commanded velocity."""

from .. import mdp
from ..task import Term

COMMAND = "base_velocity"
"""Name of the command: velocity of the base ahead and to the left [m/s], and about its vertical axis [rad/s]."""


def velocity_observations() -> dict[str, Term]:
    """Return the observations of Isaac Lab's velocity tasks on flat ground, with its noise."""
    return {
        "base_lin_vel": Term(mdp.base_lin_vel, noise=0.1),
        "base_ang_vel": Term(mdp.base_ang_vel, noise=0.2),
        "projected_gravity": Term(mdp.projected_gravity, noise=0.05),
        "velocity_commands": Term(mdp.generated_commands, command_name=COMMAND),
        "joint_pos": Term(mdp.joint_pos_rel, noise=0.01),
        "joint_vel": Term(mdp.joint_vel_rel, noise=1.5),
        "actions": Term(mdp.last_action),
    }
