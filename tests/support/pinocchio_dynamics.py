"""The equations of motion of a scene's initial state by Pinocchio, in the coordinates of `fajin.dynamics`."""

import numpy as np
from pinocchio_tree import initial, pin, se3

from fajin.scene import Scene


class Equations:
    """Everything is in double precision; n coordinates, L links.

    Pinocchio's velocity is B times ours: its base moves in the axes of the root's prim and about its origin. B changes
    as the base turns, and what our coordinates call no acceleration is `drift` there.
    """

    def __init__(self, scene: Scene, dofs: tuple[str, ...]):
        self.scene, self.dofs = scene, dofs
        self.tree, self.q, v = initial(scene, dofs)
        self.model, self.data = self.tree.model, self.tree.model.createData()
        rows, signs = self.tree.free(dofs)
        self.B = np.zeros((self.model.nv, len(rows)))
        self.B[rows, range(len(rows))] = signs
        self.drift = np.zeros(self.model.nv)
        self.root = self.tree.articulation.links[0]
        if self.tree.floating:
            R = pin.Quaternion(np.array(self.root.pose[1])).toRotationMatrix()
            com = R @ np.array(self.root.com)
            self.B[:6, :6] = np.block([[R.T, R.T @ pin.skew(com)], [np.zeros((3, 3)), R.T]])
            self.drift[:3] = -R.T @ np.cross(self.root.angular_velocity, self.root.velocity)
        self.v = np.linalg.lstsq(self.B, v, rcond=None)[0]
        pin.forwardKinematics(self.model, self.data, self.q, self.B @ self.v, self.drift)

    @property
    def weights(self) -> np.ndarray:
        """(L, 6) gravity on each link that has it."""
        weights = [0.0 if link.disable_gravity else link.mass for link in self.tree.links.values()]
        return np.outer(weights, (*self.scene.gravity, 0.0, 0.0, 0.0))

    @property
    def armature(self) -> np.ndarray:
        """(n,) rotor inertias."""
        of = {f"{j.path}:{axis.token}": axis.armature for j in self.tree.articulation.joints for axis in j.axes}
        return np.array([0.0] * (len(self.v) - len(self.dofs)) + [of[name] for name in self.dofs])

    def com(self, path: str) -> "pin.SE3":
        """World place of a link's centre of mass, in world axes."""
        joint, frame = self.tree.placed[path]
        return pin.SE3(np.eye(3), (self.data.oMi[joint] * frame).act(np.array(self.tree.links[path].com)))

    def efforts(self, v: np.ndarray, a: np.ndarray, wrenches: np.ndarray) -> np.ndarray:
        """Efforts of velocities and accelerations under wrenches on the links, (L, 6): force, torque at the centre."""
        pushes = pin.StdVec_Force()
        pushes.extend([pin.Force.Zero() for _ in range(self.model.njoints)])
        for path, wrench in zip(self.tree.links, wrenches, strict=True):
            joint = self.tree.placed[path][0]
            pushes[joint] += self.data.oMi[joint].actInv(self.com(path).act(pin.Force(wrench)))
        drift = self.drift if v.any() else 0.0 * self.drift
        self.model.gravity.linear = np.zeros(3)
        data = self.model.createData()
        return self.B.T @ pin.rnea(self.model, data, self.q, self.B @ v, self.B @ a + drift, pushes)

    def mass_matrix(self) -> np.ndarray:
        """M without armature."""
        M = pin.crba(self.model, self.model.createData(), self.q)
        return self.B.T @ (np.triu(M) + np.triu(M, 1).T) @ self.B

    def jacobian(self) -> np.ndarray:
        """Rows of all links but a fixed root."""
        pin.computeJointJacobians(self.model, self.data, self.q)
        rows = []
        for path in self.tree.links:
            joint = self.tree.placed[path][0]
            if joint or self.tree.floating:
                J = pin.getJointJacobian(self.model, self.data, joint, pin.WORLD)
                lin = J[:3] - pin.skew(self.com(path).translation) @ J[3:]
                rows += [lin @ self.B, J[3:] @ self.B]
        return np.concatenate(rows)

    def centre(self) -> np.ndarray:
        """Centre of mass."""
        links = self.tree.links
        return sum(links[p].mass * self.com(p).translation for p in links) / sum(links[p].mass for p in links)

    def centroidal(self) -> tuple[np.ndarray, np.ndarray]:
        """A_G, linear rows first, and the rate of momentum at no acceleration, about the centre of all links."""
        data = self.model.createData()
        pin.dccrba(self.model, data, self.q, self.B @ self.v)
        shift = pin.skew(data.com[0] - self.centre())  # a fixed root has mass here
        A, bias = data.Ag @ self.B, data.dAg @ (self.B @ self.v) + data.Ag @ self.drift
        A[3:] += shift @ A[:3]
        bias[3:] += shift @ bias[:3]
        return A, bias

    def energies(self) -> tuple[float, float]:
        """Kinetic energy with that of the rotors, and potential energy."""
        kinetic = pin.computeKineticEnergy(self.model, self.model.createData(), self.q, self.B @ self.v)
        places = np.array([self.com(path).translation for path in self.tree.links])
        return kinetic + 0.5 * self.armature @ self.v**2, -(self.weights[:, :3] * places).sum()

    def drifts(self, paths: tuple[str, ...]) -> np.ndarray:
        """(L, 6) accelerations of the centres of mass of these links at no acceleration of the coordinates."""
        rows = []
        for path in paths:
            joint, frame = self.tree.placed[path]
            at = frame * pin.SE3(np.eye(3), np.array(self.tree.links[path].com))
            v, a = at.actInv(self.data.v[joint]), at.actInv(self.data.a[joint])
            turn = self.data.oMi[joint].rotation @ at.rotation
            rows.append(np.concatenate([turn @ (a.linear + np.cross(v.angular, v.linear)), turn @ a.angular]))
        return np.array(rows)

    def constrained(self, loop, effort: np.ndarray) -> np.ndarray:
        """Accelerations under efforts on the joints, while a joint holds two links: all of it, or its three places."""
        (joint0, link0), (joint1, link1) = (self.tree.placed[path] for path in (loop.body0, loop.body1))
        places = joint0, link0 * se3(loop.frame0), joint1, link1 * se3(loop.frame1)
        kind = pin.ContactType.CONTACT_3D if loop.axes else pin.ContactType.CONTACT_6D
        held = pin.RigidConstraintModel(kind, self.model, *places, pin.LOCAL)
        self.model.gravity.linear = np.array(self.scene.gravity)
        data, tau = self.model.createData(), self.B[:, -len(effort) :] @ effort
        models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        models.append(held)
        datas.append(held.createData())
        pin.initConstraintDynamics(self.model, data, models, datas)
        found = pin.constraintDynamics(self.model, data, self.q, self.B @ self.v, tau, models, datas)
        return np.linalg.lstsq(self.B, found - self.drift, rcond=None)[0]
