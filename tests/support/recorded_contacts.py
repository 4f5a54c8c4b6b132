"""Scenes with contacts and what PhysX did with them: FOLDER/trajectories.json, .npz and scenes/NAME.usda."""

import json
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
from paths import RECORDINGS

import fajin

GOLDEN = RECORDINGS / "contacts"
JOINTS = RECORDINGS / "contact_joints"
ROUND_OFF = 2e-5
"""Tolerance [m | rad]: what differs in single precision through some 60 steps of contact."""
NOISE = 20.0
"""Share of PhysX's own noise: what one ulp of masses, gravity or positions does to its trajectory."""


@dataclass(frozen=True)
class RecordedContacts:
    """Trajectory of a scene: T steps, D dofs, L bodies, in stage units."""

    name: str
    dt: float  # [s]
    horizon: int  # last step before PhysX's own noise exceeds 1e-4
    noise: dict[int, float]  # by step: its noise up to there
    links: list[str]
    joints: list[str]
    q: np.ndarray  # (T + 1, D)
    position: np.ndarray  # (T + 1, L, 3)
    orientation: np.ndarray | None  # (T + 1, L, 4), quaternions x, y, z, w; None: not recorded

    def tolerance(self, step: int, length: float) -> float:
        """Return the bound on a difference up to a step, which is one of `noise`; `length`: stage units per metre."""
        return max(ROUND_OFF * max(1.0, length), NOISE * self.noise[step])


def recorded_contacts(folder: Path = GOLDEN) -> dict[str, RecordedContacts]:
    """Return all recorded scenes of a folder by name."""
    arrays = np.load(folder / "trajectories.npz")
    entries = json.loads((folder / "trajectories.json").read_text())
    return {
        name: RecordedContacts(
            name,
            float(Fraction(entry["dt"])),
            entry["horizon"],
            {int(step): noise for step, noise in entry["noise"].items()},
            entry["links"],
            entry["joints"],
            arrays[f"{name}/q"],
            arrays[f"{name}/position"],
            arrays.get(f"{name}/orientation"),
        )
        for name, entry in entries.items()
    }


def read_scene(name: str, folder: Path = GOLDEN) -> fajin.Scene:
    """Read a recorded scene."""
    return fajin.read(folder / "scenes" / f"{name}.usda")


def differences(recorded: RecordedContacts, sim) -> np.ndarray:
    """Return the largest difference of a joint position or body pose after every step of world 0, (T + 1,)."""
    length = 1.0 / sim.scene.meters_per_unit
    links = [sim.link.index(path) for path in recorded.links]
    dofs = [next(i for i, name in enumerate(sim.dof) if name.startswith(f"{joint}:")) for joint in recorded.joints]
    error = np.zeros(len(recorded.q))
    for step in range(1, len(error)):
        sim.step()
        apart = np.abs(sim.link_pose[0, links, :3] * length - recorded.position[step])
        turned = np.abs(sim.q[0, dofs] - recorded.q[step])
        error[step] = max(apart.max(), turned.max(initial=0.0))
        if recorded.orientation is not None:
            one, two = sim.link_pose[0, links, 3:], recorded.orientation[step]
            one = one * np.sign((one * two).sum(axis=1, keepdims=True))
            error[step] = max(error[step], length * np.abs(one - two).max())
    return error
