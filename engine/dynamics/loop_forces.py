"""Forces of loop-closing joints of a robot: their effect on its coordinates, and the forces that keep loops closed."""

import numpy as np

from ..quaternion import multiply, rotate
from ..scene import WORLD, Joint
from ..simulation import Simulation
from .coordinate_order import Coordinates
from .equations import jacobian, joint_acceleration, link_acceleration
from .loop_constraints import Body, locked, loop_jacobian, loop_joints
from .queries import coordinates_of, whole_mass_matrix


def loop_rows(sim: Simulation, *, articulation: int | str | None = None) -> tuple[str, ...]:
    """Return the names of the rows of loop-closing joints, "/robot/loop:transX", one per locked axis, (m,).

    These joints connect two links of the robot, or a link and the world. Their limits and drives, joints to other
    robots and distance joints have no rows.
    """
    joints = loop_joints(sim.scene, coordinates_of(sim, articulation))
    return tuple(f"{joint.path}:{token}" for joint in joints for token in locked(joint))


def loop_coefficient_matrix(sim: Simulation, *, articulation: int | str | None = None) -> np.ndarray:
    """Return the efforts per unit force (or torque) of every row of `loop_rows`, Jᵀ, (W, n, m).

    A row acts on body 1, and oppositely on body 0, in the axes of the joint's frame on body 0. Every row has its own
    column; PhysX's `computeCoefficientMatrix` adds up the columns of a joint.
    """
    return _loops(sim, coordinates_of(sim, articulation))[0].swapaxes(1, 2)


def loop_force(
    sim: Simulation, *, effort: np.ndarray | None = None, articulation: int | str | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the forces λ of `loop_rows` that keep loops closed, and whether such forces exist: (W, m), (W,).

    J M⁻¹ (τ − c + g + Jᵀ λ) + J̇ q̇ = 0. For redundant rows, as in a planar four-bar, λ is the solution of least norm.
    For contradictory rows the second result is False. PhysX's `computeLambda` iterates and reports convergence; here
    the system is solved.

    Args:
        sim: the simulation.
        effort: as of `joint_acceleration`.
        articulation: path or index of the robot.
    """
    it = coordinates_of(sim, articulation)
    J, gamma = _loops(sim, it)
    free = joint_acceleration(sim, effort=effort, articulation=articulation).astype(np.float64)
    error = (J @ free[:, :, None])[:, :, 0] + gamma
    inverse = np.linalg.solve(whole_mass_matrix(sim, it, 1).astype(np.float64), J.swapaxes(1, 2))
    A, eps = J @ inverse, np.finfo(sim.q[:].dtype).eps
    A = 0.5 * (A + A.swapaxes(1, 2))
    force = -(np.linalg.pinv(A, 16 * it.count * eps, hermitian=True) @ error[:, :, None])[:, :, 0]
    left = np.abs((A @ force[:, :, None])[:, :, 0] + error).max(1, initial=0.0)
    size = np.abs(error).max(1, initial=0.0) + np.abs(gamma).max(1, initial=0.0)
    return force, left <= np.sqrt(eps) * size


def _loops(sim: Simulation, it: Coordinates) -> tuple[np.ndarray, np.ndarray]:
    """Return J and γ of the rows of `loop_rows`, float64."""
    joints = loop_joints(sim.scene, it)
    if not joints:
        return np.zeros((sim.worlds, 0, it.count)), np.zeros((sim.worlds, 0))
    bias = link_acceleration(sim, articulation=it.articulation).astype(np.float64)
    J = jacobian(sim, articulation=it.articulation).astype(np.float64)
    found = [loop_jacobian(joint, *(_body(sim, it, joint, side, J, bias) for side in (0, 1))) for joint in joints]
    return np.concatenate([rows for rows, _ in found], 1), np.concatenate([gamma for _, gamma in found], 1)


def _body(sim: Simulation, it: Coordinates, joint: Joint, side: int, J: np.ndarray, bias: np.ndarray) -> Body:
    """Return one body of a joint from Jacobian and accelerations at q̈ = 0 of all links."""
    path, (origin, turn) = (joint.body0, joint.frame0) if side == 0 else (joint.body1, joint.frame1)
    still, none = np.zeros((sim.worlds, 3, it.count)), np.zeros((sim.worlds, 6))
    if path == WORLD:
        frame = np.broadcast_to(np.concatenate([origin, turn]), (sim.worlds, 7))
        return Body(frame, still, still, none, none, none[:, :3])
    pose, com = sim.link_pose[:, path].astype(np.float64), sim.link_com_pose[:, path, :3].astype(np.float64)
    place = pose[:, :3] + rotate(pose[:, 3:], np.array(origin))
    frame = np.concatenate([place, multiply(pose[:, 3:], np.array(turn))], 1)
    at = it.names.index(path)
    row = it.moving[it.links >= 0][at]  # a fixed root has no rows
    own = J[:, 6 * row : 6 * row + 6] if row >= 0 else np.concatenate([still, still], 1)
    return Body(frame, own[:, :3], own[:, 3:], sim.link_velocity[:, path].astype(np.float64), bias[:, at], com)
