"""Joint-space inertia at the initial pose: the inertia of each joint while all other joints are free."""

from collections.abc import Callable

import numpy as np

from ..quaternion import conjugate, multiply, rotate
from ..scene import Scene
from ..tables.topology import KINDS, NODE
from .model import Model, compiled


def effective_inertia(scene: Scene) -> dict[str, float]:
    """Return 1 / (M⁻¹)_kk of every degree of freedom, armature included [kg·m² | kg], by name.

    This is the inverse of r in the implicit drive law. A drive of stiffness k moves its joint at ω = √(k (M⁻¹)_kk),
    which determines natural frequency and damping ratio.
    """
    with np.errstate(divide="ignore"):  # 1 / 0 for a joint that moves nothing
        return per_dof(scene, lambda M: 1.0 / np.diag(inverse(M)))


def diagonal_inertia(scene: Scene | Model) -> dict[str, float]:
    """Return M_kk of every degree of freedom, with armature [kg·m² | kg], by name: inertia while others are fixed."""
    return per_dof(scene, np.diag)


def per_dof(scene: Scene | Model, law: Callable[[np.ndarray], np.ndarray]) -> dict[str, float]:
    """Apply a function (N, N) → (N,) to each articulation's mass matrix; return the results by degree of freedom."""
    model = compiled(scene)
    result: dict[str, float] = {}
    for row in model.tables["ARTICULATIONS"]:
        M, dofs = mass_matrix(model, int(row[0]), int(row[1]))
        values = law(M)[len(M) - len(dofs) :]
        result |= {model.dof[dof]: float(value) for dof, value in zip(dofs, values, strict=True)}
    return result


def inverse(M: np.ndarray) -> np.ndarray:
    """Return M⁻¹ (N, N); dependent joints each get the inertia as if they shared the motion."""
    try:
        return np.linalg.inv(M)
    except np.linalg.LinAlgError:
        return np.linalg.pinv(M, hermitian=True)


def mass_matrix(model: Model, root: int, end: int) -> tuple[np.ndarray, list[int]]:
    """Return M = Σ Jᵀ I J + armature of the nodes root … end, the six rows of a floating root first, and its dofs."""
    nodes = model.nodes[root:end]
    dofs = [int(dof) for dof in nodes[:, NODE["DOF"]] if dof >= 0]
    first = 6 if nodes[0, NODE["KIND"]] == KINDS["FLOATING_ROOT"] else 0
    size = first + len(dofs)
    columns = {dof: first + i for i, dof in enumerate(dofs)}
    poses, jacobians = {}, {}
    for k in range(root, end):
        node = dict(zip(NODE, model.nodes[k], strict=True))
        if k == root:
            poses[k] = model.poses[node["LINK"], :3], model.poses[node["LINK"], 3:]
            jacobians[k] = np.eye(6, size) if first else np.zeros((6, size))
        elif k == node["FIRST"]:
            last, base = int(node["LAST"]), node["PARENT_LAST"]
            poses[last], jacobians[last] = child(model, k, poses[base], jacobians[base], columns)
    M = np.zeros((size, size))
    for k, jacobian in jacobians.items():
        mass, inertia = body(model, int(model.nodes[k, NODE["LINK"]]), poses[k][1])
        M += jacobian[:3].T @ inertia @ jacobian[:3] + mass * jacobian[3:].T @ jacobian[3:]
    M[range(first, size), range(first, size)] += model.parameters["ARMATURE"][dofs]
    return M, dofs


def child(model: Model, k: int, pose: tuple, jacobian: np.ndarray, columns: dict[int, int]) -> tuple:
    """Return the child's centre-of-mass pose and Jacobian (6, N), angular first, for a joint with first node k."""

    def vector(name: str, node: int = k) -> np.ndarray:
        return model.parameters[name].reshape(len(model.nodes), -1)[node]

    joint = range(k, int(model.nodes[k, NODE["LAST"]]) + 1)
    moving = [(n, int(model.nodes[n, NODE["DOF"]])) for n in joint if model.nodes[n, NODE["DOF"]] >= 0]
    slides = model.nodes[k, NODE["KIND"]] == KINDS["PRISMATIC"]
    motion = sum((model.q[dof] * vector("AXIS", n) for n, dof in moving), np.zeros(3))
    position, orientation = pose
    turn = np.array((0.0, 0.0, 0.0, 1.0)) if slides else exponential(motion)
    orientation_c = multiply(multiply(orientation, conjugate(vector("PARENT_ROTATION"))), turn)
    pivot = position + rotate(orientation, vector("PARENT_ARM"))
    if slides:
        pivot = pivot + rotate(orientation_c, motion)
    position_c = pivot - rotate(orientation_c, vector("CHILD_ARM"))
    result = jacobian.copy()
    result[3:] += np.cross(jacobian[:3].T, position_c - position).T
    for n, dof in moving:
        axis = rotate(orientation_c, vector("AXIS", n))
        result[:, columns[dof]] = (0, 0, 0, *axis) if slides else (*axis, *np.cross(axis, position_c - pivot))
    return (position_c, orientation_c), result


def body(model: Model, link: int, orientation: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the mass of a link and its inertia about its centre of mass in world axes."""
    xx, xy, xz, yy, yz, zz = model.parameters["INERTIA"].reshape(-1, 6)[link]
    R = rotate(orientation, np.eye(3)).T
    return model.parameters["MASS"][link], R @ np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))) @ R.T


def exponential(vector: np.ndarray) -> np.ndarray:
    """Return the quaternion of a rotation vector."""
    angle = np.linalg.norm(vector)
    return np.array((*(0.5 * np.sinc(angle / (2.0 * np.pi)) * vector), np.cos(angle / 2.0)))
