"""Loop-closing joints as equations on the coordinates of one articulation: J v = 0, and J q̈ + γ = 0 for rates.

    locked translation k:  a_k · (p1 − p0), seen from body 0:  J = a_k (J1 − J0) at p1,  γ = a_k · (Δa − 2 ω0 × Δv)
    locked rotation k:     2 Im(q)_k, q the rotation of body 1 in body 0 = (v, w), u its rate in body 0:
                           J = (w e_k + v × e_k) · u,  γ = (w e_k + v × e_k) · u'₀ − ½ |u|² v_k
    one locked swing:      x1 · e, e the other swing's axis on body 0:
                           J = (x1 × e) · u,  γ = (x1 × e) · u'₀ + ((u × x1) × e) · u

a_k are the axes of the joint's frame on body 0, Δ is body 1's minus body 0's at p1, u'₀ = the rate of u at q̈ = 0.
Limits, drives and distances are not equations of this kind.
"""

from dataclasses import dataclass

import numpy as np

from ..quaternion import conjugate, multiply, rotate
from ..scene import WORLD, Joint, Scene
from .coordinate_order import Coordinates

AXES = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
SWINGS = {"rotY": 2, "rotZ": 1}  # a swing, and the axis of the other swing


@dataclass(frozen=True)
class Body:
    """One body of a joint, in W worlds and n coordinates; all in world axes. The world itself does not move."""

    frame: np.ndarray  # (W, 7) the joint's frame on the body
    lin: np.ndarray  # (W, 3, n) velocity of its centre of mass per speed of the coordinates
    ang: np.ndarray  # (W, 3, n) its angular velocity
    velocity: np.ndarray  # (W, 6)
    bias: np.ndarray  # (W, 6) acceleration at q̈ = 0
    com: np.ndarray  # (W, 3)

    def at(self, point: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the motion of a point of the body: velocity per coordinate speed, velocity, acceleration at q̈ = 0."""
        arm = point - self.com
        spin, turning = self.velocity[:, 3:], self.bias[:, 3:]
        per = self.lin + np.cross(self.ang, arm[:, :, None], axis=1)
        velocity = self.velocity[:, :3] + np.cross(spin, arm)
        return per, velocity, self.bias[:, :3] + np.cross(turning, arm) + np.cross(spin, np.cross(spin, arm))


def loop_joints(scene: Scene, it: Coordinates) -> tuple[Joint, ...]:
    """Return the maximal joints that connect links of one articulation to each other or to the world."""
    own = {*it.names, WORLD}
    return tuple(j for j in scene.joints if {j.body0, j.body1} <= own and j.distance is None and locked(j))


def locked(joint: Joint) -> tuple[str, ...]:
    """Return the locked axes of a joint's frames."""
    free = {axis.token for axis in joint.axes}
    return tuple(token for token in AXES if token not in free)


def loop_jacobian(joint: Joint, body0: Body, body1: Body) -> tuple[np.ndarray, np.ndarray]:
    """Return J (W, m, n) and γ (W, m) of the locked axes of a joint, in order of the axes."""
    place, turned = body1.frame[:, :3], body0.frame[:, 3:]
    per0, velocity0, bias0 = body0.at(place)
    per1, velocity1, bias1 = body1.at(place)
    spin0 = body0.velocity[:, 3:]
    back = conjugate(turned)
    u = rotate(back, body1.velocity[:, 3:] - spin0)
    rate = body1.bias[:, 3:] - body0.bias[:, 3:] - np.cross(spin0, body1.velocity[:, 3:] - spin0)
    per = {"trans": per1 - per0, "rot": body1.ang - body0.ang}
    apart = bias1 - bias0 - 2.0 * np.cross(spin0, velocity1 - velocity0)
    jacobian, gamma = [], []
    for token in locked(joint):
        kind, k = token[:-1], "XYZ".index(token[-1])
        row, extra, moved = np.broadcast_to(np.eye(3)[k], place.shape), 0.0, apart
        if kind == "rot":
            row, extra = _turn_row(joint, token, multiply(back, body1.frame[:, 3:]), u)
            moved = rate
        row = rotate(turned, row)
        jacobian.append(np.einsum("wi,win->wn", row, per[kind]))
        gamma.append((row * moved).sum(1) + extra)
    return np.stack(jacobian, 1), np.stack(gamma, 1)


def _turn_row(joint: Joint, token: str, q: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the row of a locked rotation on u, in the axes of body 0, and the part of γ besides row · rate of u."""
    turns = [other for other in locked(joint) if other.startswith("rot")]
    if turns == [token] and token in SWINGS:
        x1, e = rotate(q, np.broadcast_to(np.eye(3)[0], u.shape)), np.eye(3)[SWINGS[token]]
        return np.cross(x1, e), (np.cross(np.cross(u, x1), e) * u).sum(1)
    e, v, w = np.eye(3)["XYZ".index(token[-1])], q[:, :3], q[:, 3:]
    return w * e + np.cross(v, e), -0.5 * (u * u).sum(1) * (v @ e)
