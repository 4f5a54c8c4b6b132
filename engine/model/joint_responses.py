"""Inertia of each joint from recursions over a tree, in a time proportional to its number of joints.

Vectors are angular first, in world axes, about the centre of mass of their link. With the motion subspace S of a joint,
the articulated inertia Iᴬ of its link, the shift X from the parent's centre of mass, and the response Y of the parent
link to a force on it:

    D = Sᵀ Iᴬ S + armature       Iᴬ_parent += Xᵀ (Iᴬ − Iᴬ S D⁻¹ Sᵀ Iᴬ) X       inward
    (M⁻¹)_kk = D⁻¹ + D⁻¹ Sᵀ Iᴬ X Y_parent Xᵀ Iᴬ S D⁻¹                           outward
    Y = S D⁻¹ Sᵀ + P X Y_parent Xᵀ Pᵀ,   P = 1 − S D⁻¹ Sᵀ Iᴬ
"""

from dataclasses import dataclass

import numpy as np

from ..quaternion import conjugate, cross, multiply, rotate
from ..tables.topology import KINDS, NODE
from .model import Model

SMALLEST = 1e-12
"""Inertia of a joint with free joints behind it, relative to that with fixed ones, below which it moves nothing."""


@dataclass(frozen=True, eq=False)
class Body:
    """A link, with the joint that carries it."""

    parent: int  # key of the link that carries it
    shift: np.ndarray  # X (6, 6)
    motion: np.ndarray  # S (6, n)
    dofs: tuple[int, ...]  # n degrees of freedom
    inertia: np.ndarray  # (6, 6)
    pose: tuple[np.ndarray, np.ndarray]  # world position of the centre of mass [m], orientation


def tree_bodies(model: Model, root: int, end: int) -> dict[int, Body]:
    """Return the links of the nodes root … end by the last node of their joint, outward."""
    link = int(model.nodes[root, NODE["LINK"]])
    poses = {root: (model.poses[link, :3], model.poses[link, 3:])}
    floating = model.nodes[root, NODE["KIND"]] == KINDS["FLOATING_ROOT"]
    free = np.eye(6) if floating else np.zeros((6, 0))
    bodies = {root: Body(-1, np.eye(6), free, (), _inertia(model, link, poses[root][1]), poses[root])}
    for k in range(root + 1, end):
        if k != model.nodes[k, NODE["FIRST"]]:
            continue
        last, parent = int(model.nodes[k, NODE["LAST"]]), int(model.nodes[k, NODE["PARENT_LAST"]])
        poses[last], motion, dofs = _joint(model, range(k, last + 1), poses[parent])
        shift = np.eye(6)
        shift[3:, :3] = -_cross(poses[last][0] - poses[parent][0])
        inertia = _inertia(model, int(model.nodes[last, NODE["LINK"]]), poses[last][1])
        bodies[last] = Body(parent, shift, motion, dofs, inertia, poses[last])
    return bodies


def composite_inertias(model: Model, bodies: dict[int, Body]) -> dict[int, float]:
    """Return M_kk by degree of freedom: the inertia of a joint while all others are fixed, with its armature."""
    total = {key: body.inertia.copy() for key, body in bodies.items()}
    found: dict[int, float] = {}
    for key, body in reversed(bodies.items()):
        values = np.einsum("in,ij,jn->n", body.motion, total[key], body.motion)[len(body.motion.T) - len(body.dofs) :]
        found |= {dof: float(v + model.parameters["ARMATURE"][dof]) for dof, v in zip(body.dofs, values, strict=True)}
        if body.parent >= 0:
            total[body.parent] += body.shift.T @ total[key] @ body.shift
    return found


def unit_responses(model: Model, bodies: dict[int, Body]) -> dict[int, float] | None:
    """Return (M⁻¹)_kk by degree of freedom; None if motions of joints are dependent."""
    articulated = {key: body.inertia.copy() for key, body in bodies.items()}
    inverses = {}
    for key, body in reversed(bodies.items()):
        S, armature = body.motion, model.parameters["ARMATURE"][list(body.dofs)]
        within = articulated[key] @ S
        D = S.T @ within + (np.diag(armature) if len(body.dofs) else 0.0)
        scale = np.einsum("in,ij,jn->n", S, body.inertia, S).max(initial=0.0)
        if len(D) and not np.linalg.eigvalsh(D)[0] > SMALLEST * max(scale, D.diagonal().max()):
            return None
        inverse = np.linalg.inv(D)
        inverses[key] = within @ inverse, inverse
        if body.parent >= 0:
            articulated[body.parent] += body.shift.T @ (articulated[key] - inverses[key][0] @ within.T) @ body.shift
    responses: dict[int, np.ndarray] = {}
    found: dict[int, float] = {}
    for key, body in bodies.items():
        gain, inverse = inverses[key]
        carried = body.shift @ responses[body.parent] @ body.shift.T if body.parent >= 0 else np.zeros((6, 6))
        values = np.diag(inverse + gain.T @ carried @ gain)
        found |= dict(zip(body.dofs, values.tolist(), strict=bool(body.dofs)))
        P = np.eye(6) - body.motion @ gain.T
        responses[key] = body.motion @ inverse @ body.motion.T + P @ carried @ P.T
    return found


def _joint(
    model: Model, nodes: range, pose: tuple[np.ndarray, np.ndarray]
) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray, tuple[int, ...]]:
    """Return centre of mass and orientation of a joint's child, its motion subspace and its degrees of freedom."""
    k = nodes[0]

    def vector(name: str, node: int = k) -> np.ndarray:
        return model.parameters[name].reshape(len(model.nodes), -1)[node]

    moving = [(n, int(model.nodes[n, NODE["DOF"]])) for n in nodes if model.nodes[n, NODE["DOF"]] >= 0]
    slides = model.nodes[k, NODE["KIND"]] == KINDS["PRISMATIC"]
    turn_or_slide = sum((model.q[dof] * vector("AXIS", n) for n, dof in moving), np.zeros(3))
    position, orientation = pose
    turn = np.array((0.0, 0.0, 0.0, 1.0)) if slides else _exponential(turn_or_slide)
    orientation_c = multiply(multiply(orientation, conjugate(vector("PARENT_ROTATION"))), turn)
    pivot = position + rotate(orientation, vector("PARENT_ARM"))
    if slides:
        pivot = pivot + rotate(orientation_c, turn_or_slide)
    position_c = pivot - rotate(orientation_c, vector("CHILD_ARM"))
    axes = [rotate(orientation_c, vector("AXIS", n)) for n, _ in moving]
    motion = [(0, 0, 0, *axis) if slides else (*axis, *cross(axis, position_c - pivot)) for axis in axes]
    return (position_c, orientation_c), np.array(motion).reshape(-1, 6).T, tuple(dof for _, dof in moving)


def _inertia(model: Model, link: int, orientation: np.ndarray) -> np.ndarray:
    """Return the inertia (6, 6) of a link about its centre of mass in world axes."""
    xx, xy, xz, yy, yz, zz = model.parameters["INERTIA"].reshape(-1, 6)[link]
    R = rotate(orientation, np.eye(3)).T
    inertia = np.eye(6) * model.parameters["MASS"][link]
    inertia[:3, :3] = R @ np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))) @ R.T
    return inertia


def _cross(vector: np.ndarray) -> np.ndarray:
    """Return the matrix of v ×."""
    x, y, z = vector
    return np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))


def _exponential(vector: np.ndarray) -> np.ndarray:
    """Return the quaternion of a rotation vector."""
    angle = np.linalg.norm(vector)
    return np.array((*(0.5 * np.sinc(angle / (2.0 * np.pi)) * vector), np.cos(angle / 2.0)))
