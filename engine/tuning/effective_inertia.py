"""Effective inertia and damping that a joint moves, in given poses of the robot.

With B, whose columns are the motions that mimic joints allow (q̇ = B q̇_free), M_B = Bᵀ M B and the joint's column k:

    others held:  u = e_k and the resulting motion of a floating base, u_0 = −M_00⁻¹ M_0k
    others free:  u = M_B⁻¹ e_k / (M_B⁻¹)_kk
    inertia = uᵀ M_B u,   drag = uᵀ Bᵀ Σ Jᵀ (m c ; I c') J B u  of the links' dampings c, c'

Drives hold the other joints of a robot under control, so the held inertia is what a joint moves: the diagonal of M.
"""

from dataclasses import dataclass, fields

import numpy as np

from .. import dynamics
from ..quaternion import rotate
from ..scene import InvalidScene, Scene
from ..simulation import Simulation


@dataclass(frozen=True)
class EffectiveInertia:
    """Effective inertia in P poses of K degrees of freedom: (P, K), or numbers."""

    inertia: np.ndarray  # [kg·m² | kg]
    free_inertia: np.ndarray  # 1/(M⁻¹)_kk, as the row of the drive sees it [kg·m² | kg]
    drag: np.ndarray  # [N·m·s/rad | N·s/m]
    softness: np.ndarray  # r/(r + cfm), the factor by which an acceleration drive is weaker

    def at(self, place: tuple) -> "EffectiveInertia":
        """Return the element or slice at an index."""
        return EffectiveInertia(*(getattr(self, field.name)[place] for field in fields(self)))


class InertiaProbe:
    """Computes the effective inertias of the joints of one articulation, in many poses at once.

    Args:
        scene: a scene.
        articulation: prim path of a robot of the scene.
        poses: number of poses at once.
        held: hold the other joints still; otherwise they are free.
    """

    def __init__(self, scene: Scene, articulation: str, poses: int = 1, held: bool = True):
        self.robot = next(robot for robot in scene.articulations if robot.path == articulation)
        self.sim = Simulation(scene, worlds=poses, device="cpu", precision="f64", threads=1, contacts=False)
        names = dynamics.coordinates(self.sim, articulation=articulation)
        self.base = sum(":" not in name for name in names)
        self.dof = names[self.base :]
        self.columns = [self.sim.dof.index(name) for name in self.dof]
        self.held = held
        self.followers = {
            name: axis.mimic
            for joint in self.robot.joints
            for axis in joint.axes
            if axis.mimic and (name := f"{joint.path}:{axis.token}") in self.dof
        }
        self.coupling, self.shift = _coupling(self.dof, self.followers, self.base)

    def weigh(self, names: list[str], poses: np.ndarray | None = None) -> EffectiveInertia:
        """Return the effective inertias of the named degrees of freedom, (P, K).

        Args:
            names: names of degrees of freedom that are not mimic followers.
            poses: (P, D) of the articulation's degrees of freedom [rad | m]; followers take their mimic positions. At
                most as many poses as the probe was created for. None: the initial pose, that many times.

        Raises:
            InvalidScene: a degree of freedom is a mimic follower.
        """
        chosen, count = self._pose(names, poses)
        path = self.robot.path
        M, u = self._mass_and_motions(chosen, count)
        J = dynamics.jacobian(self.sim, articulation=path)[:count].reshape(count, -1, 6, len(M[0]))
        response = np.linalg.inv(M)
        free = np.diagonal(response, axis1=1, axis2=2)[:, self.base :][:, chosen]
        cfm = self._softness(J[:, :, :3], response)[:, chosen]
        return EffectiveInertia(
            inertia=np.einsum("pki,pij,pkj->pk", u, M, u),
            free_inertia=1.0 / free,
            drag=np.einsum("pki,pij,pkj->pk", u, self._damping(J), u),
            softness=free / (free + cfm),
        )

    def inertias(self, names: list[str], poses: np.ndarray) -> np.ndarray:
        """Return only the inertias of `weigh`, (P, K)."""
        M, u = self._mass_and_motions(*self._pose(names, poses))
        return np.einsum("pki,pij,pkj->pk", u, M, u)

    def _pose(self, names: list[str], poses: np.ndarray | None) -> tuple[list[int], int]:
        """Move the robot to the poses; return the indices of the names and the number of poses."""
        for name in names:
            if name in self.followers:
                master = self.followers[name].references[0][0]
                raise InvalidScene(name, rule="no mimic follower", fix=f"tune {master}, whose load includes it")
        count = self.sim.worlds if poses is None else len(poses)
        if poses is not None:
            q = np.array(self.sim.q)
            q[:count, self.columns] = self.with_followers(poses)
            self.sim.q = q
        return [self.dof.index(name) for name in names], count

    def with_followers(self, poses: np.ndarray) -> np.ndarray:
        """Return the poses, (P, D), with followers at their mimic positions."""
        free = [k for k, name in enumerate(self.dof) if name not in self.followers]
        return poses[:, free] @ self.coupling[self.base :, self.base :].T + self.shift

    def _mass_and_motions(self, chosen: list[int], count: int) -> tuple[np.ndarray, np.ndarray]:
        """Return M, (P, n, n), and u of each selected degree of freedom, (P, K, n)."""
        M, B = dynamics.mass_matrix(self.sim, articulation=self.robot.path)[:count], self.coupling
        columns = [int(np.argmax(B[self.base + k])) for k in chosen]
        return M, self._motions(B.T @ M @ B, columns) @ B.T

    def _motions(self, M: np.ndarray, columns: list[int]) -> np.ndarray:
        """Return u of each column, (P, K, n)."""
        u = np.zeros((len(M), len(columns), M.shape[-1]))
        if not self.held:
            u = np.swapaxes(np.linalg.inv(M), 1, 2)[:, columns]
            return u / u[:, range(len(columns)), columns][..., None]
        u[:, range(len(columns)), columns] = 1.0
        if self.base:
            u[..., :6] = -np.swapaxes(np.linalg.solve(M[:, :6, :6], M[:, :6][..., columns]), 1, 2)
        return u

    def _damping(self, J: np.ndarray) -> np.ndarray:
        """Return Σ Jᵀ (m c ; I c') J, (P, n, n)."""
        links = self._links(J)
        turns = np.asarray(self.sim.link_pose)[: len(J), [self.sim.link.index(link.path) for link in links], 3:]
        axes = [rotate(turns, np.broadcast_to(e, (*turns.shape[:2], 3))) for e in np.eye(3)]
        R = np.stack(axes, -1)
        tensors = R @ np.array([link.inertia for link in links]) @ np.swapaxes(R, -1, -2)
        tensors = tensors * np.array([link.angular_damping for link in links])[:, None, None]
        masses = np.array([link.mass * link.linear_damping for link in links])
        moved = np.einsum("plai,l,plaj->pij", J[:, :, :3], masses, J[:, :, :3])
        return moved + np.einsum("plai,plab,plbj->pij", J[:, :, 3:], tensors, J[:, :, 3:])

    def _softness(self, J: np.ndarray, response: np.ndarray) -> np.ndarray:
        """Return the cfm of the row of each degree of freedom, from the softer of its two links, (P, D)."""
        own = np.einsum("plai,pij,plaj->pla", J, response, J).max(-1)
        links = self._links(J)
        soft = {link.path: own[:, i] * link.cfm_scale for i, link in enumerate(links)}
        metres, none = self.sim.scene.meters_per_unit, np.zeros(len(J))
        found = {}
        for joint in self.robot.joints:
            both = np.maximum(soft.get(joint.body0, none), soft.get(joint.body1, none))
            for axis in joint.axes:
                found[f"{joint.path}:{axis.token}"] = both / metres if axis.rotational else both * metres
        return np.stack([found[name] for name in self.dof], 1)

    def _links(self, J: np.ndarray) -> list:
        """Return the links of the rows of a Jacobian; a fixed root has no rows."""
        links = {link.path: link for link in self.robot.links}
        names = dynamics.links(self.sim, articulation=self.robot.path)
        return [links[name] for name in names[len(names) - J.shape[1] :]]


def _coupling(dofs: tuple[str, ...], followers: dict, base: int) -> tuple[np.ndarray, np.ndarray]:
    """Return B, speeds of all coordinates per speed of free ones, (n, m), and positions at zero free ones, (D,)."""
    free = [name for name in dofs if name not in followers]
    rows = dict(zip(free, np.eye(base + len(free))[base:], strict=True))
    shifts = dict.fromkeys(free, 0.0)
    waiting = dict(followers)
    while waiting:
        for name in [name for name, mimic in waiting.items() if all(other in rows for other, _ in mimic.references)]:
            mimic = waiting.pop(name)
            rows[name] = -sum(gearing * rows[other] for other, gearing in mimic.references)
            shifts[name] = -mimic.offset - sum(gearing * shifts[other] for other, gearing in mimic.references)
    B = np.concatenate([np.eye(base, base + len(free)), np.array([rows[name] for name in dofs])])
    return B, np.array([shifts[name] for name in dofs])
