"""Static equilibrium of a robot on a ground: contact forces that carry its weight, efforts, gains that hold it.

With the weight W, the centre of mass c and vertical forces fᵢ ≥ 0 at points pᵢ:

    Σ fᵢ = W,   Σ fᵢ (pᵢ − c)_level = 0,   τ = W ∂c_up/∂q − Σ fᵢ ∂pᵢ_up/∂q

A joint of a leg carries the rest of the robot while its foot stands. The inertia that it moves is its own, while the
other joints are fixed, and the inertia of the rest about its axis, as far as its leg carries the weight:

    I = I_leg + share I_rest,   stiffness = ω² I,   damping = 2 ζ ω I

A wheel of radius r moves the robot, of mass m, along the ground: I = I_wheel + share m r².
"""

from dataclasses import dataclass

import numpy as np

from .supports import Support
from .tree import Placement, Tree


@dataclass(frozen=True)
class Holding:
    """Drive of a degree of freedom of a robot that stands."""

    inertia: float  # that it moves [kg·m² | kg]
    effort: float  # that holds the pose [N·m | N]
    role: str  # leg | wheel; "" of a joint that does not carry the robot


def contact_forces(
    points: np.ndarray, com: np.ndarray, weight: float, up: np.ndarray, scale: np.ndarray | float = 1.0
) -> np.ndarray:
    """Return the least forces (n,), relative to a scale (n,), along `up` at points (n, 3) that carry a weight [N].

    Points that would pull are left out.
    """
    scale = np.broadcast_to(scale, len(points))
    level = (points - com) - np.outer((points - com) @ up, up)
    rows = np.vstack([np.ones(len(points)), level.T])
    wanted = np.array((weight, 0.0, 0.0, 0.0))
    active = np.ones(len(points), bool)
    forces = np.zeros(len(points))
    while active.any():
        forces[:] = 0.0
        forces[active] = scale[active] * np.linalg.lstsq(rows[:, active] * scale[active], wanted, rcond=None)[0]
        if forces.min() >= -1e-9 * max(weight, 1.0):
            break
        active[np.argmin(forces)] = False
    return np.maximum(forces, 0.0)


def margin(points: np.ndarray, com: np.ndarray, up: np.ndarray) -> float:
    """Return the distance of the centre of mass from the border of the polygon of points; negative outside [m]."""
    side = np.cross(up, np.eye(3)[np.argmin(np.abs(up))])
    side /= np.linalg.norm(side)
    flat = np.stack([(points - com) @ side, (points - com) @ np.cross(up, side)], -1)
    angles = np.linspace(0.0, 2.0 * np.pi, 360, endpoint=False)
    return float((flat @ np.stack([np.cos(angles), np.sin(angles)])).max(0).min())


def holdings(
    tree: Tree, supports: list[Support], placement: Placement, weight: float, up: np.ndarray
) -> dict[str, Holding]:
    """Return the drives of all joints, by degree of freedom; only those between root and supports carry the robot."""
    soles = [support.sole(placement, up) for support in supports]
    points = np.concatenate(soles)
    counts = [len(sole) for sole in soles]
    owner = np.repeat(np.arange(len(supports)), counts)
    forces = contact_forces(points, tree.com(placement), weight, up, np.repeat(1.0 / np.sqrt(counts), counts))
    efforts = weight * up @ tree.com_jacobian(placement)
    for force, point, which in zip(forces, points, owner, strict=True):
        efforts = efforts - force * up @ tree.jacobian(placement, supports[which].link, point)
    total = forces.sum() or 1.0
    found = {}
    for dof in range(len(tree.axes)):
        below = [i for i, support in enumerate(supports) if dof in support.dofs]
        moved = tree.moves[:, dof]
        inertia = tree.inertia_about(placement, dof, moved) + tree.axes[dof].armature
        if not below:
            found[tree.names[dof]] = Holding(inertia, float(efforts[dof]), "")
            continue
        share = max(forces[np.isin(owner, below)].sum() / total, 0.5 * len(below) / len(supports))
        wheel = next((supports[i].wheel for i in below if supports[i].wheel and supports[i].dofs[-1] == dof), 0.0)
        inertia += share * (tree.mass.sum() * wheel**2 if wheel else tree.inertia_about(placement, dof, ~moved))
        found[tree.names[dof]] = Holding(
            float(inertia), 0.0 if wheel else float(efforts[dof]), "wheel" if wheel else "leg"
        )
    return found
