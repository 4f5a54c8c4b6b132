"""Joint-space inertia at the initial pose: the inertia of each joint while all other joints are free."""

import numpy as np

from ..scene import Scene
from .joint_responses import Body, composite_inertias, tree_bodies, unit_responses
from .model import Model, compiled

MOST_DEPENDENT = 300
"""Degrees of freedom of a tree with dependent joints, whose matrix is inverted."""


def effective_inertia(scene: Scene | Model) -> dict[str, float]:
    """Return 1 / (M⁻¹)_kk of every degree of freedom, armature included [kg·m² | kg], by name.

    This is the inverse of r in the implicit drive law. A drive of stiffness k moves its joint at ω = √(k (M⁻¹)_kk),
    which determines natural frequency and damping ratio. Dependent joints each get the inertia as if they shared the
    motion, and a joint that moves nothing an infinite one; both are NaN in trees of more than MOST_DEPENDENT joints.
    """
    model = compiled(scene)
    result: dict[str, float] = {}
    with np.errstate(divide="ignore"):  # 1 / 0 for a joint that moves nothing
        for bodies in _trees(model):
            found = unit_responses(model, bodies)
            if found is None:
                found = _dependent_responses(model, bodies)
            result |= {model.dof[dof]: float(1.0 / np.float64(found[dof])) for dof in sorted(found)}
    return result


def diagonal_inertia(scene: Scene | Model) -> dict[str, float]:
    """Return M_kk of every degree of freedom, with armature [kg·m² | kg], by name: inertia while others are fixed."""
    model = compiled(scene)
    found = [composite_inertias(model, bodies) for bodies in _trees(model)]
    return {model.dof[dof]: values[dof] for values in found for dof in sorted(values)}


def mass_matrix(model: Model, bodies: dict[int, Body]) -> tuple[np.ndarray, list[int]]:
    """Return M = Σ Jᵀ I J + armature of a tree, the six rows of a floating root first, and its dofs."""
    root, *_ = bodies.values()
    dofs = sorted(dof for body in bodies.values() for dof in body.dofs)
    first = root.motion.shape[1]
    size = first + len(dofs)
    columns = {dof: first + i for i, dof in enumerate(dofs)}
    jacobians: dict[int, np.ndarray] = {}
    M = np.zeros((size, size))
    for key, body in bodies.items():
        jacobian = body.shift @ jacobians[body.parent] if body.parent >= 0 else np.eye(6, size) * (first > 0)
        jacobian[:, [columns[dof] for dof in body.dofs]] = body.motion[:, : len(body.dofs)]
        jacobians[key] = jacobian
        M += jacobian.T @ body.inertia @ jacobian
    M[range(first, size), range(first, size)] += model.parameters["ARMATURE"][dofs]
    return M, dofs


def _trees(model: Model) -> list[dict[int, Body]]:
    """Return the links of each articulation."""
    return [tree_bodies(model, int(row[0]), int(row[1])) for row in model.tables["ARTICULATIONS"]]


def _dependent_responses(model: Model, bodies: dict[int, Body]) -> dict[int, float]:
    """Return (M⁻¹)_kk by degree of freedom from the pseudo-inverse, if motions of joints are dependent."""
    dofs = [dof for body in bodies.values() for dof in body.dofs]
    if len(dofs) > MOST_DEPENDENT:
        return dict.fromkeys(dofs, np.nan)
    M, dofs = mass_matrix(model, bodies)
    try:
        inverse = np.linalg.inv(M)
    except np.linalg.LinAlgError:
        inverse = np.linalg.pinv(M, hermitian=True)
    return dict(zip(dofs, np.diag(inverse)[len(M) - len(dofs) :].tolist(), strict=True))
