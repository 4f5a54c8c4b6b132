"""A scene as Pinocchio sees it: an independent reading of links, joints and their state.

A joint of one to three rotations is Pinocchio's spherical joint with the locked rows left out: its axes are carried by
the child, in which they rest, so what holds the locked ones does no work along the others.
"""

import numpy as np
import pytest

from fajin.scene import WORLD, JointType, Scene

pin = pytest.importorskip("pinocchio")

ROTATIONS = (JointType.SPHERICAL, JointType.D6)


def se3(pose) -> "pin.SE3":
    """A rigid frame from (position, quaternion)."""
    position, (x, y, z, w) = pose
    return pin.SE3(pin.Quaternion(w, x, y, z), np.array(position, float))


class Tree:
    """One articulation; rows of Pinocchio's velocity by the name of a degree of freedom."""

    def __init__(self, scene: Scene):
        (self.articulation,) = scene.articulations
        self.model = pin.Model()
        self.model.gravity.linear = np.array(scene.gravity)
        self.links = {link.path: link for link in self.articulation.links}
        self.rows: dict[str, tuple[int, float]] = {}  # name → row, sign
        self.joints: list[tuple] = []  # (joint id, Joint, sign, axes)
        self.placed: dict[str, tuple[int, pin.SE3]] = {}  # link → its joint id, its frame in it
        root = self.articulation.links[0]
        anchors = [j for j in self.articulation.joints if WORLD in (j.body0, j.body1)]
        self.floating = not self.articulation.fixed_base and not anchors
        if anchors:
            self.placed[WORLD] = 0, pin.SE3(1)
            self._grow(WORLD)
        else:
            at, frame = 0, se3(root.pose)
            if self.floating:
                at, frame = self.model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3(1), "base"), pin.SE3(1)
            self._add(root, at, frame)
            self._grow(root.path)
        self.data = self.model.createData()

    def _add(self, link, joint: int, frame) -> None:
        self.placed[link.path] = joint, frame
        body = pin.Inertia(link.mass, np.array(link.com), np.array(link.inertia))
        self.model.appendBodyToJoint(joint, body, frame)

    def _grow(self, parent: str) -> None:
        between: dict[str, list] = {}
        for joint in self.articulation.joints:
            if parent in (joint.body0, joint.body1):
                other = joint.body1 if joint.body0 == parent else joint.body0
                if other not in self.placed:
                    between.setdefault(other, []).append(joint)
        for path, joints in between.items():
            at, frame = self.placed[parent]
            for i, joint in enumerate(joints):
                near, far = joint.frame0, joint.frame1
                sign = 1.0
                if joint.body1 == parent:
                    near, far, sign = far, near, -1.0
                at = self._join(joint, at, frame * se3(near if i == 0 else far), sign)
                frame = se3(far).inverse()
            self._add(self.links[path], at, frame)
            self._grow(path)

    def _join(self, joint, parent: int, placement, sign: float) -> int:
        axes = [np.eye(3)["XYZ".index(axis.token[-1])] for axis in joint.axes]
        if joint.type == JointType.FIXED:
            kind = pin.JointModelRevoluteUnaligned(np.array((1.0, 0.0, 0.0)))  # held at zero: no row of it is used
        elif joint.type == JointType.REVOLUTE:
            kind = pin.JointModelRevoluteUnaligned(sign * axes[0])
        elif joint.type == JointType.PRISMATIC:
            kind = pin.JointModelPrismaticUnaligned(sign * axes[0])
        else:
            kind = pin.JointModelSpherical()
        at = self.model.addJoint(parent, kind, placement, joint.path)
        row = self.model.joints[at].idx_v
        for axis, direction in zip(joint.axes, axes, strict=True):
            spherical = joint.type in ROTATIONS
            index = row + int(np.argmax(direction)) if spherical else row
            self.rows[f"{joint.path}:{axis.token}"] = index, sign if spherical else 1.0
        self.joints.append((at, joint, sign, axes))
        return at

    def free(self, dofs: tuple[str, ...]) -> tuple[list[int], np.ndarray]:
        """Rows of the base and of the given degrees of freedom, and their signs."""
        base = list(range(6)) if self.floating else []
        rows = [self.rows[name][0] for name in dofs]
        return base + rows, np.array([1.0] * len(base) + [self.rows[name][1] for name in dofs])

    def configuration(self, q: dict[str, float], base=None) -> np.ndarray:
        """Pinocchio's q; `base` is the pose (xyz, xyzw) of a floating root link."""
        result = pin.neutral(self.model)
        if self.floating:
            result[:7] = base
        for at, joint, sign, axes in self.joints:
            values = [q[f"{joint.path}:{axis.token}"] for axis in joint.axes]
            first = self.model.joints[at].idx_q
            if joint.type in ROTATIONS:
                vector = sign * sum(a * v for a, v in zip(axes, values, strict=True))
                result[first : first + 4] = pin.Quaternion(pin.exp3(vector)).coeffs()
            elif values:
                result[first] = values[0]
        return result

    def velocity(self, qd: dict[str, float], base=None) -> np.ndarray:
        """Pinocchio's v; `base` = (rotation, velocity of the centre of mass, angular velocity) of a floating root."""
        result = np.zeros(self.model.nv)
        for name, value in qd.items():
            row, sign = self.rows[name]
            result[row] = sign * value
        if self.floating:
            rotation, velocity, spin = base
            com = rotation @ np.array(self.articulation.links[0].com)
            result[:3] = rotation.T @ (velocity - np.cross(spin, com))
            result[3:6] = rotation.T @ spin
        return result


def initial(scene: Scene, dofs: tuple[str, ...]) -> tuple[Tree, np.ndarray, np.ndarray]:
    """The scene's tree with q and v of its initial state."""
    tree = Tree(scene)
    axes = {f"{j.path}:{axis.token}": axis for j in tree.articulation.joints for axis in j.axes}
    root = tree.articulation.links[0]
    pose = np.array((*root.pose[0], *root.pose[1]))
    rotation = pin.Quaternion(pose[3:]).toRotationMatrix()
    q = tree.configuration({name: axes[name].q for name in dofs}, pose)
    base = rotation, np.array(root.velocity), np.array(root.angular_velocity)
    return tree, q, tree.velocity({name: axes[name].qd for name in dofs}, base)
