"""Motions of the example scenes, and their energy."""

import numpy as np

import fajin

G = 9.81  # [m/s²]


def simulate(path, seconds: float, finer: int = 1, precision: str | None = None):
    """Recording of every step of a scene, and the step [s]: the scene's own, or so many times finer."""
    scene = fajin.read(str(path))
    sim = fajin.Simulation(scene, device="cpu", dt=scene.dt / finer, precision=precision, sleeping=False)
    return sim.run(seconds=seconds), sim.dt


def halves(coarse: float, fine: float) -> bool:
    """Whether an error is of the order of the step: half of it with half the step, and not without one."""
    return coarse > 0 and abs(fine / coarse - 0.5) < 0.05


def rotation(quaternion) -> np.ndarray:
    """Rotation matrices (..., 3, 3) of quaternions xyzw (..., 4)."""
    x, y, z, w = np.moveaxis(np.asarray(quaternion, dtype=float), -1, 0)
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
        (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
        (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
    )
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def motion(recording, path: str, dt: float):
    """Centre of mass, its velocity, world inertia and angular velocity of a link, between steps, by differences."""
    links = {link.path: link for articulation in recording.scene.articulations for link in articulation.links}
    pose = np.asarray(recording.pose[:, 0, recording.link.index(path)], dtype=float)
    turn = rotation(pose[:, 3:])
    com = pose[:, :3] + turn @ links[path].com
    spin = (turn[1:] - turn[:-1]) / dt @ np.swapaxes((turn[1:] + turn[:-1]) / 2, -1, -2)
    omega = (
        np.stack([spin[:, 2, 1] - spin[:, 1, 2], spin[:, 0, 2] - spin[:, 2, 0], spin[:, 1, 0] - spin[:, 0, 1]], -1) / 2
    )
    inertia = turn @ links[path].inertia @ np.swapaxes(turn, -1, -2)
    return (com[1:] + com[:-1]) / 2, np.diff(com, axis=0) / dt, (inertia[1:] + inertia[:-1]) / 2, omega


def energy(recording, paths, masses, dt: float) -> np.ndarray:
    """½ m v² + ½ ω·I ω + m g z over the links, between steps [J]."""
    total = 0.0
    for path, mass in zip(paths, masses, strict=True):
        com, v, inertia, omega = motion(recording, path, dt)
        spin = np.einsum("ti,tij,tj->t", omega, inertia, omega)
        total = total + mass * (v**2).sum(-1) / 2 + spin / 2 + mass * G * com[:, 2]
    return total
