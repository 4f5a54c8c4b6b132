"""Velocities, momentum and energy of the links of a simulation, from their poses and joint speeds alone."""

from dataclasses import dataclass

import numpy as np

import fajin
from fajin.quaternion import multiply, rotate
from fajin.scene import WORLD, Articulation


@dataclass(frozen=True)
class Links:
    """L links: mass (L,), com (L, 3) and inertia (L, 3, 3) in world axes, velocity of com (L, 3), spin (L, 3)."""

    mass: np.ndarray
    com: np.ndarray
    inertia: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray

    @property
    def centre(self) -> np.ndarray:
        """Centre of mass of all."""
        return self.mass @ self.com / self.mass.sum()

    @property
    def momentum(self) -> tuple[np.ndarray, np.ndarray]:
        """P, and H about the centre of mass."""
        linear = self.mass[:, None] * self.velocity
        angular = np.einsum("lij,lj->li", self.inertia, self.spin) + np.cross(self.com - self.centre, linear)
        return linear.sum(0), angular.sum(0)

    def energy(self, gravity) -> float:
        """Σ ½ m v² + ½ ω·I ω - m g·x."""
        kinetic = self.mass @ (self.velocity**2).sum(1) + np.einsum("li,lij,lj", self.spin, self.inertia, self.spin)
        return float(kinetic / 2 - self.mass @ (self.com @ np.array(gravity)))


def links(sim: fajin.Simulation) -> Links:
    """The links of a simulation of one world and one articulation without stacked joints, as they move now."""
    (articulation,) = sim.scene.articulations
    frame = next(sim.stream(0))
    poses = dict(zip(frame.link, frame.pose[0, 0], strict=True))
    qd = dict(zip(sim.dof, frame.qd[0, 0], strict=True))
    root = np.roll(sim.root_velocity[0, 0], 3)
    still = np.zeros(3), np.zeros(3)
    hangs = any(WORLD in (joint.body0, joint.body1) for joint in articulation.joints)
    motion = {WORLD: still} if hangs else {articulation.links[0].path: (root[:3], root[3:])}
    while len(motion) < len(articulation.links) + hangs:
        for joint in articulation.joints:
            for parent, child, sign in ((joint.body0, joint.body1, 1.0), (joint.body1, joint.body0, -1.0)):
                if parent in motion and child not in motion:
                    arm = joint.frame1 if sign > 0 else joint.frame0
                    rates = [sign * qd[f"{joint.path}:{axis.token}"] for axis in joint.axes]
                    motion[child] = _carry(articulation, poses, (parent, child), motion[parent], (joint, arm, rates))
    parts = [poses[link.path] for link in articulation.links]
    turns = [rotate(pose[3:], np.eye(3)).T for pose in parts]
    return Links(
        np.array([link.mass for link in articulation.links]),
        np.array([_com(articulation, poses, link.path) for link in articulation.links]),
        np.array([R @ np.array(link.inertia) @ R.T for R, link in zip(turns, articulation.links, strict=True)]),
        np.array([motion[link.path][1] for link in articulation.links]),
        np.array([motion[link.path][0] for link in articulation.links]),
    )


def _com(articulation: Articulation, poses: dict, path: str) -> np.ndarray:
    if path == WORLD:
        return np.zeros(3)
    link = next(link for link in articulation.links if link.path == path)
    return poses[path][:3] + rotate(poses[path][3:], np.array(link.com))


def _carry(articulation: Articulation, poses: dict, ends: tuple, motion: tuple, move: tuple) -> tuple:
    """Spin and velocity of a child: its parent's rigid motion, and the joint's axes as the child carries them."""
    (parent, child), (spin, velocity), (joint, arm, rates) = ends, motion, move
    com = _com(articulation, poses, child)
    velocity = velocity + np.cross(spin, com - _com(articulation, poses, parent))
    pivot = poses[child][:3] + rotate(poses[child][3:], np.array(arm[0]))
    for axis, rate in zip(joint.axes, rates, strict=True):
        direction = rate * rotate(poses[child][3:], rotate(np.array(arm[1]), np.eye(3)["XYZ".index(axis.token[-1])]))
        if axis.rotational:
            spin, velocity = spin + direction, velocity + np.cross(direction, com - pivot)
        else:
            velocity = velocity + direction
    return spin, velocity


MOVE = 1e-5  # of a central difference: its error is MOVE², its round-off EPS/MOVE


def set_along(sim: fajin.Simulation, start: fajin.Snapshot, t: float, floating: bool = False) -> None:
    """Set the positions that the velocities of a start lead to in a time t, without forces."""
    sim.load(start)
    sim.q = sim.q[:] + t * sim.qd[:]
    if not floating:
        return
    pose, velocity = sim.root_pose[:].copy(), sim.root_velocity[:]
    com = sim.link_com_pose[:, :1, :3]
    angle = t * velocity[..., 3:]
    spin = np.concatenate([angle / 2.0, np.ones((*angle.shape[:-1], 1))], -1)
    spin /= np.linalg.norm(spin, axis=-1, keepdims=True)
    pose[..., :3] = com + t * velocity[..., :3] + rotate(spin, pose[..., :3] - com)
    pose[..., 3:] = multiply(spin, pose[..., 3:])
    sim.root_pose = pose
