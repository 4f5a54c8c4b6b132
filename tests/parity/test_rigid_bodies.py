"""Motions of rigid bodies that PhysX recorded: positions and orientations."""

import re

import numpy as np
import pytest
from paths import RECORDINGS

import fajin

FOLDER = RECORDINGS / "rigid"
SCENES = sorted(path.stem for path in (FOLDER / "scenes").glob("*.usda"))
BETWEEN = 5  # steps between the recorded frames
NEAR = 2e-5  # [m]
TURNED = 0.5 * float(np.finfo(np.float32).eps) * 60 * 16  # [rad] a rounding in each substep of a second

HORIZON = {"force_on_floor": 20, "locked_tilted_on_floor": 45}
"""Steps after which PhysX's own rotations change by more than 1e-5 if bodies begin 1e-7 m elsewhere, or by an ulp
otherwise turned and turning."""


def recorded_name(path: str, recorded: list[str]) -> str:
    """Return the name that a body has in the recordings: /many[3] for /many/crate_3, instance 3 of an instancer."""
    return path if path in recorded else re.sub(r"/[^/]+_(\d+)$", r"[\1]", path)


@pytest.mark.parametrize("name", SCENES)
def test_bodies_move_as_in_physx(name):
    with np.load(FOLDER / "golden.npz") as golden:
        recorded, poses = golden[f"{name}.link"].tolist(), golden[f"{name}.pose"].astype(float)
    sim = fajin.Simulation(fajin.read(FOLDER / "scenes" / f"{name}.usda"))
    columns = [recorded.index(recorded_name(path, recorded)) for path in sim.link]
    assert len(columns) == len(recorded)
    for frame in poses[: HORIZON.get(name, poses.shape[0] * BETWEEN) // BETWEEN + 1, columns]:
        found = sim.link_pose[0].astype(float)
        assert np.linalg.norm(found[:, :3] - frame[:, :3], axis=1).max() <= NEAR
        apart = [np.linalg.norm(found[:, 3:] - sign * frame[:, 3:], axis=1) for sign in (1.0, -1.0)]
        assert 2.0 * np.min(apart, axis=0).max() <= TURNED
        sim.step(BETWEEN)
