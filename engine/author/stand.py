"""Poses in which robots stand: initial joint positions and targets."""

from pxr import Usd

from ..model.mass_matrix import effective_inertia
from ..stance.carry import Carriage
from ..stance.hold import Hold, hold
from ..usd.read.reader import read_stage
from .change import Change
from .state import state

LEAST = 1e-6  # [rad | m] difference of positions that is authored


def stand(stage: Usd.Stage, carried: Carriage) -> list[Change]:
    """Author the pose of a carriage as the initial positions of its joints."""
    changes = []
    for edge in carried.tree.edges:
        for axis, dof in zip(edge.joint.axes, edge.dofs, strict=True):
            if abs(carried.q[dof] - axis.q) > LEAST and not axis.mimic:
                prim = stage.GetPrimAtPath(edge.joint.path)
                changes += state(prim, q=float(carried.q[dof]), axis=axis.token)
    return changes


def drives_of(stage: Usd.Stage, carried: Carriage, motion: tuple[float, float]) -> Hold:
    """Return the drives that hold a robot at the initial pose of a stage.

    Args:
        stage: an open stage, with the pose of the carriage.
        carried: the robot.
        motion: natural frequency [rad/s] and damping ratio.
    """
    scene = read_stage(stage)
    return hold(carried, effective_inertia(scene), motion, scene.dt)
