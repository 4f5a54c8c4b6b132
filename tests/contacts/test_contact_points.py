"""Contact points, normals and gaps of pairs of shapes are PhysX's to the bit in the first step.

`recorded/contact_points` has scenes of pairs in random poses near the origin, each pair in a collision group of its
own, and what PhysX reports of them: the poses of the bodies at the start, and every contact.
"""

from dataclasses import replace

import numpy as np
import pytest
from paths import RECORDINGS

import fajin

FOLDER = RECORDINGS / "contact_points"
RECORDED = np.load(FOLDER / "points.npz")
SCENES = sorted(path.stem for path in FOLDER.glob("*.usda"))


def contacts_of_first_step(name: str) -> dict[int, list[np.ndarray]]:
    """Return the contacts of each pair: point, normal and gap in a row, (7,)."""
    sim = fajin.Simulation(fajin.read(FOLDER / f"{name}.usda"), device="cpu", dt=1.0 / 120.0, threads=1)
    start = sim.save()
    pose = start.rows["POSE"].reshape(1, -1, 7).copy()
    pose[0, [sim.link.index(path) for path in RECORDED[f"{name}/bodies"]]] = RECORDED[f"{name}/pose"]
    sim.load(replace(start, rows={**start.rows, "POSE": pose.reshape(1, -1)}))  # a field would make quaternions unit
    sim.step()
    found = sim.contacts[0]
    rows = np.column_stack([found.point, found.normal, found.gap]).astype(np.float32)
    pairs = [int(path.split("/")[2][1:]) for path, _ in found.pair]
    return {pair: [row for row, other in zip(rows, pairs, strict=True) if other == pair] for pair in sorted(set(pairs))}


@pytest.mark.parametrize("name", SCENES)
def test_contacts_are_those_of_physx_to_the_bit(name):
    """As sets: PhysX lists the contacts of a pair in another order."""
    found = contacts_of_first_step(name)
    assert sorted(found) == sorted(set(RECORDED[f"{name}/pair"].tolist()))
    for pair, rows in found.items():
        mine = RECORDED[f"{name}/pair"] == pair
        parts = [RECORDED[f"{name}/{part}"][mine] for part in ("point", "normal", "gap")]
        wanted = np.column_stack(parts)
        side = np.sign((rows[0][3:6] * wanted[0, 3:6]).sum())  # PhysX's normal points to the body that it names first
        rows = np.array([np.concatenate([row[:3], side * row[3:6], row[6:]]) for row in rows])
        assert sorted(map(tuple, rows.tolist())) == sorted(map(tuple, wanted.tolist()))
