"""Static equilibrium of a robot on a ground: contact forces that carry its weight, efforts, gains that hold it.

With the weight W, the centre of mass c and vertical forces fᵢ ≥ 0 at points pᵢ:

    Σ fᵢ = W,   Σ fᵢ (pᵢ − c)_level = 0,   τ = W ∂c_up/∂q − Σ fᵢ ∂pᵢ_up/∂q

A joint of a leg carries the rest of the robot while its foot stands. The inertia that it moves is its own, while the
other joints are fixed, and the inertia of the rest about its axis, as far as its leg carries the weight:

    I = I_leg + share I_rest,   stiffness = ω² I,   damping = 2 ζ ω I

A wheel of radius r moves the robot, of mass m, along the ground: I = I_wheel + share m r².
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .stability import Contact, own_frequency
from .supports import Support
from .tree import Placement, Tree

UPRIGHT = 0.9  # cosine of the angle between the axis on which a wheel is steered and the up axis, at least


@dataclass(frozen=True)
class Holding:
    """Drive of a degree of freedom of a robot that stands."""

    inertia: float  # that it moves [kg·m² | kg]
    effort: float  # that holds the pose [N·m | N]
    role: str  # leg | wheel; "" of a joint that does not carry the robot
    least: float = 0.0  # natural frequency below which the robot, or what the joint bears, falls [rad/s]


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


def holdings(
    tree: Tree, placement: Placement, contacts: list[Contact], up: np.ndarray, supports: Sequence[Support]
) -> dict[str, Holding]:
    """Return the drives of all joints, by degree of freedom; only those between root and supports carry the robot."""
    weight = sum(contact.force for contact in contacts)
    efforts = weight * up @ tree.com_jacobian(placement)
    for contact in contacts:
        efforts = efforts - contact.force * up @ tree.jacobian(placement, contact.support.link, contact.point)
    found = {}
    for dof in range(len(tree.axes)):
        below = [support for support in supports if dof in support.dofs]
        if below and tree.turns[dof] and abs(placement.axes[dof] @ up) > UPRIGHT and all(one.wheel for one in below):
            below = []  # it steers wheels
        moved = tree.moves[:, dof]
        inertia = tree.inertia_about(placement, dof, moved) + tree.axes[dof].armature
        if not below:
            least = own_frequency(tree, placement, dof, weight, up, inertia)
            found[tree.names[dof]] = Holding(inertia, float(efforts[dof]), "", least)
            continue
        carried = sum(contact.force for contact in contacts if any(contact.support is one for one in below))
        share = max(carried / weight, 0.5 * len(below) / len(supports)) if weight else 1.0
        wheel = next((one.wheel for one in below if one.wheel and one.dofs[-1] == dof), 0.0)
        inertia += share * (tree.mass.sum() * wheel**2 if wheel else tree.inertia_about(placement, dof, ~moved))
        effort, role = (0.0, "wheel") if wheel else (float(efforts[dof]), "leg")
        found[tree.names[dof]] = Holding(float(inertia), effort, role)
    return found


def carrying_contacts(
    tree: Tree, supports: list[Support], placement: Placement, weight: float, up: np.ndarray
) -> list[Contact]:
    """Return the points on which a robot stands, with the forces that carry its weight."""
    touching = [support.touching(placement, up) for support in supports]
    points = np.concatenate([points for points, _ in touching])
    scale = np.concatenate([np.full(len(radii), 1.0 / np.sqrt(len(radii))) for _, radii in touching])
    forces = iter(contact_forces(points, tree.com(placement), weight, up, scale))
    return [
        Contact(support, point, radius, next(forces))
        for support, many in zip(supports, touching, strict=True)
        for point, radius in zip(*many, strict=True)
    ]
