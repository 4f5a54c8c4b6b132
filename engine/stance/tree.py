"""Kinematics of an articulation in NumPy: poses of its links, moments about its joints, Jacobians of points.

With the frames F₀ and F₁ of a joint in its two bodies and the motion T(q) along its axes, body₁ = body₀ F₀ T(q) F₁⁻¹.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..quaternion import conjugate, from_rotation_vector, multiply, rotate
from ..scene import WORLD, Articulation, Axis, Joint, Pose

Frame = tuple[np.ndarray, np.ndarray]
"""Position (3,) [m] and quaternion (4,)."""


@dataclass(frozen=True, eq=False)
class Edge:
    """A joint of a tree, from the link that carries it to the link that it carries."""

    joint: Joint
    parent: int
    child: int
    forward: bool  # True if body0 is the parent
    dofs: tuple[int, ...]  # columns of its axes


@dataclass(frozen=True, eq=False)
class Placement:
    """A pose of a tree: L links and D degrees of freedom, in world axes."""

    positions: np.ndarray  # (L, 3) origins of the links [m]
    rotations: np.ndarray  # (L, 4)
    com: np.ndarray  # (L, 3) centres of mass [m]
    pivots: np.ndarray  # (D, 3) points on the axes [m]
    axes: np.ndarray  # (D, 3) directions in which the child moves for a positive rate

    def frame(self, link: int) -> Frame:
        """Return the frame of a link."""
        return self.positions[link], self.rotations[link]

    def points(self, link: int, points: np.ndarray) -> np.ndarray:
        """Return points (n, 3) of a link in the world."""
        return self.positions[link] + rotate(self.rotations[link], points)

    def local(self, link: int, points: np.ndarray) -> np.ndarray:
        """Return points (..., 3) of the world in the frame of a link."""
        return rotate(conjugate(self.rotations[link]), points - self.positions[link])


class Tree:
    """Links, joints and degrees of freedom of an articulation, outward from its root."""

    def __init__(self, robot: Articulation):
        self.robot = robot
        self.links = {link.path: i for i, link in enumerate(robot.links)}
        self.edges = tuple(self._outward())
        self.axes: tuple[Axis, ...] = tuple(axis for edge in self.edges for axis in edge.joint.axes)
        self.names = tuple(f"{edge.joint.path}:{axis.token}" for edge in self.edges for axis in edge.joint.axes)
        self.turns = np.array([axis.rotational for axis in self.axes], bool)
        self.q = np.array([axis.q for axis in self.axes])
        self.mass = np.array([link.mass for link in robot.links])
        self.moves = np.zeros((len(robot.links), len(self.axes)), bool)  # whether a dof moves a link
        for edge in self.edges:
            self.moves[edge.child] = self.moves[edge.parent]
            self.moves[edge.child, list(edge.dofs)] = True

    def _outward(self) -> Iterable[Edge]:
        """Yield the joints between links so that each comes after that of its parent."""
        known, count, left = {self.robot.links[0].path}, 0, list(self.robot.joints)
        while left:
            ready = [joint for joint in left if (joint.body0 in known) != (joint.body1 in known)]
            if not ready:
                return  # the rest hangs on the world, or closes a loop
            left = [joint for joint in left if joint not in ready]
            for joint in (joint for joint in ready if WORLD not in (joint.body0, joint.body1)):
                forward = joint.body0 in known
                parent, child = (joint.body0, joint.body1) if forward else (joint.body1, joint.body0)
                dofs = tuple(range(count, count + len(joint.axes)))
                count += len(dofs)
                known.add(child)
                yield Edge(joint, self.links[parent], self.links[child], forward, dofs)

    def place(self, q: np.ndarray, root: Pose | Frame | None = None) -> Placement:
        """Return the pose of all links for joint positions (D,) and a pose of the root, or the scene's."""
        count = len(self.links)
        positions, rotations = np.zeros((count, 3)), np.tile((0.0, 0.0, 0.0, 1.0), (count, 1))
        positions[0], rotations[0] = root or self.robot.links[0].pose
        pivots, axes = np.zeros((len(self.axes), 3)), np.zeros((len(self.axes), 3))
        for edge in self.edges:
            frame, local, directions = _motion(edge, q)
            here = compose((positions[edge.parent], rotations[edge.parent]), frame)
            if edge.dofs:
                pivots[list(edge.dofs)] = here[0]
                axes[list(edge.dofs)] = rotate(here[1], directions)
            positions[edge.child], rotations[edge.child] = compose(here, local)
        com = positions + rotate(rotations, np.array([link.com for link in self.robot.links]))
        return Placement(positions, rotations, com, pivots, axes)

    def jacobian(self, placement: Placement, link: int, point: np.ndarray) -> np.ndarray:
        """Return the velocity of a point (3,) of a link per rate of each degree of freedom, (3, D)."""
        arms = np.where(self.turns[:, None], np.cross(placement.axes, point - placement.pivots), placement.axes)
        return (arms * self.moves[link][:, None]).T

    def com(self, placement: Placement) -> np.ndarray:
        """Return the centre of mass of all links (3,) [m]."""
        return self.mass @ placement.com / self.mass.sum()

    def com_jacobian(self, placement: Placement) -> np.ndarray:
        """Return the velocity of the centre of mass per rate of each degree of freedom, (3, D)."""
        moved = self.moves.T * self.mass  # (D, L)
        weight, moment = moved.sum(1), moved @ placement.com
        arms = np.where(
            self.turns[:, None],
            np.cross(placement.axes, moment - weight[:, None] * placement.pivots),
            weight[:, None] * placement.axes,
        )
        return arms.T / self.mass.sum()

    def inertia_about(self, placement: Placement, dof: int, links: np.ndarray) -> float:
        """Return the inertia [kg·m² | kg] of some links (L,) of bool, rigid together, about the axis of a dof."""
        axis, total = placement.axes[dof], 0.0
        if not self.turns[dof]:
            return float(self.mass[links].sum())
        for i in np.flatnonzero(links):
            link, arm = self.robot.links[i], placement.com[i] - placement.pivots[dof]
            own = rotate(conjugate(placement.rotations[i]), axis)
            total += own @ np.array(link.inertia) @ own + link.mass * (arm @ arm - (arm @ axis) ** 2)
        return float(total)


def compose(a: Frame, b: Frame) -> Frame:
    """Return frame b, which is relative to frame a, in the axes of a's parent."""
    return a[0] + rotate(a[1], b[0]), multiply(a[1], b[1])


def inverse(frame: Frame) -> Frame:
    """Return the inverse of a frame."""
    turned = conjugate(frame[1])
    return -rotate(turned, frame[0]), turned


def as_frame(pose: Pose) -> Frame:
    """Return a pose as arrays."""
    return np.array(pose[0]), np.array(pose[1])


def _motion(edge: Edge, q: np.ndarray) -> tuple[Frame, Frame, np.ndarray]:
    """Return the joint's frame in the parent, the child's in that frame, and its axes (n, 3) there."""
    joint = edge.joint
    near, far = (joint.frame0, joint.frame1) if edge.forward else (joint.frame1, joint.frame0)
    shift, turn, sign = np.zeros(3), np.zeros(3), 1.0 if edge.forward else -1.0
    directions = np.zeros((len(edge.dofs), 3))
    for i, (axis, dof) in enumerate(zip(joint.axes, edge.dofs, strict=True)):
        directions[i, "XYZ".index(axis.token[-1])] = sign
        (turn if axis.rotational else shift)[:] += q[dof] * directions[i]
    moved = (shift, from_rotation_vector(turn))
    return as_frame(near), compose(moved, inverse(as_frame(far))), directions
