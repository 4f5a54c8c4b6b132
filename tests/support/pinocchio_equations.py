"""Equations of motion of a tree by Pinocchio."""

import numpy as np
from pinocchio_tree import initial, pin

from fajin.scene import Scene


def equations(scene: Scene, dofs: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """M with armature, the bias c, the signs of its rows and the number of them that belong to the base."""
    tree, q, v = initial(scene, dofs)
    weightless = pin.StdVec_Force()
    weightless.extend([pin.Force.Zero() for _ in range(tree.model.njoints)])
    pin.forwardKinematics(tree.model, tree.data, q, v)
    for link in tree.articulation.links:
        if link.disable_gravity:
            at, frame = tree.placed[link.path]
            lift = tree.data.oMi[at].rotation.T @ (-link.mass * np.array(scene.gravity))
            weightless[at] += pin.Force(lift, np.cross(frame.act(np.array(link.com)), lift))
    bias = pin.rnea(tree.model, tree.data, q, v, np.zeros(tree.model.nv), weightless)
    M = pin.crba(tree.model, tree.data, q)
    M = np.triu(M) + np.triu(M, 1).T
    rows, signs = tree.free(dofs)
    M = M[np.ix_(rows, rows)]
    base = len(rows) - len(dofs)
    armature = {f"{j.path}:{axis.token}": axis.armature for j in tree.articulation.joints for axis in j.axes}
    M[range(base, len(rows)), range(base, len(rows))] += [armature[name] for name in dofs]
    return M, bias[rows], signs, base


def expected(scene: Scene, dofs: tuple[str, ...], effort=0.0) -> tuple[np.ndarray, float, float]:
    """q̈ = M⁻¹ (τ - c) of the joints, the angular acceleration of the base at rest, and the condition of M."""
    M, bias, signs, base = equations(scene, dofs)
    tau = np.zeros(len(M))
    tau[base:] = effort
    qdd = signs * np.linalg.solve(M, signs * tau - bias)
    return qdd[base:], qdd[3:base], np.linalg.cond(M)
