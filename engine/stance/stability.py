"""Stability of a pose in which springs at the joints hold a robot on a ground.

With the height c_up of the centre of mass, the weight W, and the forces fᵢ and heights pᵢ of the contacts, let

    L(x) = W c_up − Σ fᵢ pᵢ_up,   H = ∂²L/∂x²,   Z = motions in which the points of contact do not slide

in the coordinates x of base and joints. Springs of stiffness ω² I hold the pose if Zᵀ (ω² I + H) Z is positive
definite: an inverted pendulum of height h on ankles of total stiffness k stands if k > m g h.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from ..quaternion import from_rotation_vector, multiply
from .supports import Support
from .tree import Placement, Tree

DIFFERENCE = 1e-5  # [rad | m] of the central differences of slopes
RANK = 1e-9  # of motions and stiffnesses, relative to the largest


@dataclass(frozen=True, eq=False)
class Contact:
    """A point of a link on the ground, and the vertical force that it carries."""

    support: Support
    point: np.ndarray  # (3,) in the world
    radius: float  # about the point, of a round foot [m]
    force: float  # [N]


class Stability:
    """The motions of a robot whose contacts do not slide, and the curvature of L along them."""

    def __init__(self, tree: Tree, q: np.ndarray, contacts: Sequence[Contact], up: np.ndarray):
        slope = _Slope(tree, q, contacts, up)
        self.joints = sorted({dof for contact in contacts for dof in contact.support.dofs})  # the rest is locked
        free = np.concatenate([np.ones(6, bool), np.isin(np.arange(len(q)), self.joints)])
        _, values, rows = np.linalg.svd(slope.contact_rows()[:, free])
        rank = int((values > RANK * values[0]).sum())
        motions = np.zeros((6 + len(q), free.sum() - rank))
        motions[free] = rows[rank:].T
        hessian = motions.T @ slope.change(motions)
        self.fall = -(hessian + hessian.T) / 2.0
        self.motions = motions[6:]

    def least_frequency(self, inertia: np.ndarray) -> float:
        """Return the least ω [rad/s] with which springs of stiffness ω² inertia, (D,), hold the pose.

        It is infinite if the robot falls without bending its joints.
        """
        return _least(self.motions.T @ (inertia[:, None] * self.motions), self.fall)


def own_frequency(tree: Tree, placement: Placement, dof: int, weight: float, up: np.ndarray, inertia: float) -> float:
    """Return the least ω [rad/s] with which a joint of stiffness ω² inertia holds the links beyond it."""
    if not tree.turns[dof] or not inertia:
        return 0.0
    moved = tree.mass * tree.moves[:, dof]
    arm = moved @ (placement.com - placement.pivots[dof]) / tree.mass.sum()
    axis = placement.axes[dof]
    return sqrt(max(-weight * up @ np.cross(axis, np.cross(axis, arm)), 0.0) / inertia)


def _least(stiffness: np.ndarray, wanted: np.ndarray) -> float:
    """Return the least ω with which ω² stiffness − wanted is positive semidefinite; infinity if none is."""
    if not len(stiffness):
        return 0.0
    values, axes = np.linalg.eigh(stiffness)
    stiff = values > RANK * max(values[-1], RANK)
    soft = axes[:, ~stiff]
    if soft.size and np.linalg.eigvalsh(soft.T @ wanted @ soft)[-1] > RANK * np.abs(wanted).max():
        return inf
    scaled = axes[:, stiff] / np.sqrt(values[stiff])
    return sqrt(max(np.linalg.eigvalsh(scaled.T @ wanted @ scaled)[-1], 0.0)) if stiff.any() else 0.0


class _Slope:
    """Slopes of L along the coordinates: the base's translation and rotation in world axes, then the joints."""

    def __init__(self, tree: Tree, q: np.ndarray, contacts: Sequence[Contact], up: np.ndarray):
        self.tree, self.q, self.contacts, self.up = tree, q, contacts, up
        self.placement = tree.place(q)
        self.weight = sum(contact.force for contact in contacts)
        self.anchors = [self._anchor(contact) for contact in contacts]

    def _anchor(self, contact: Contact) -> np.ndarray:
        """Return the point, in the frame of its link, that keeps its height while the link rolls, (3,)."""
        support, point = contact.support, contact.point
        if support.wheel:
            pivot, axis = (part[support.dofs[-1]] for part in (self.placement.pivots, self.placement.axes))
            point = pivot + axis * ((point - pivot) @ axis)
        return self.placement.local(support.link, point)

    def contact_rows(self) -> np.ndarray:
        """Return the velocities of the contacts per rate of each coordinate, (3 n, 6 + D)."""
        rows = []
        for contact in self.contacts:
            low = contact.point - contact.radius * self.up
            rows.append(self._jacobian(self.placement, contact.support.link, low))
        return np.concatenate(rows)

    def change(self, motions: np.ndarray) -> np.ndarray:
        """Return the derivatives of the slope along motions (6 + D, m), as columns."""
        ahead, behind = (
            np.reshape([self._at(sign * DIFFERENCE * motion) for motion in motions.T], motions.T.shape)
            for sign in (1.0, -1.0)
        )
        return (ahead - behind).T / (2.0 * DIFFERENCE)

    def _at(self, step: np.ndarray) -> np.ndarray:
        """Return the slope of L after a step from the pose, (6 + D,)."""
        place, turn = self.placement.frame(0)
        root = place + step[:3], multiply(from_rotation_vector(step[3:6]), turn)
        there = self.tree.place(self.q + step[6:], root)
        total = (
            self.weight * self.up @ np.hstack([self._base(there, self.tree.com(there)), self.tree.com_jacobian(there)])
        )
        for contact, anchor in zip(self.contacts, self.anchors, strict=True):
            link = contact.support.link
            total = total - contact.force * self.up @ self._jacobian(there, link, there.points(link, anchor))
        return total

    def _jacobian(self, placement: Placement, link: int, point: np.ndarray) -> np.ndarray:
        """Return the velocity of a point (3,) of a link per rate of each coordinate, (3, 6 + D)."""
        return np.hstack([self._base(placement, point), self.tree.jacobian(placement, link, point)])

    @staticmethod
    def _base(placement: Placement, point: np.ndarray) -> np.ndarray:
        """Return the velocity of a point (3,) per rate of the base, (3, 6)."""
        return np.hstack([np.eye(3), np.cross(np.eye(3), point - placement.positions[0]).T])
