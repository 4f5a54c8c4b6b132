"""The example scenes of tendons and of joints outside the trees show the laws that they say they show."""

from math import pi, radians

import numpy as np
import pytest
from example_motions import G, energy, rotation, simulate


def test_a_four_bar_linkage_stays_closed_and_turns_as_its_triangle_says(scenes):
    """The rocker's end is 0.65 from its pivot and 0.75 from the crank's end; the gap is below (ω h)² m."""
    recording, dt = simulate(scenes / "four_bar.usda", 3.0)
    rocker = np.asarray(recording.pose[:, 0, recording.link.index("/World/linkage/rocker")], dtype=float)
    pin = rocker[:, :3] + rotation(rocker[:, 3:]) @ (0.65, 0, 0)
    gap = np.linalg.norm(pin - (0.6, 0, 0), axis=1).max()
    assert gap < (radians(120) * dt) ** 2
    angle = -np.unwrap(recording.q[:, 0, recording.dof.index("/World/linkage/crank_pin:rotY")])
    assert angle[-1] - angle[0] == pytest.approx(2 * pi, rel=1e-2)
    away = 0.2 * np.stack([np.cos(angle), np.sin(angle)], -1) - (0.6, 0)
    side = np.linalg.norm(away, axis=1)
    law = np.arctan2(away[:, 1], away[:, 0]) - np.arccos((side**2 + 0.65**2 - 0.75**2) / (2 * side * 0.65))
    knee = np.stack([0.6 + 0.65 * np.cos(law), 0.65 * np.sin(law)], -1)
    assert np.abs(rocker[:, [0, 2]] - knee).max() < 2 * (radians(120) * dt) ** 2


def test_tendons_curl_fingers_against_springs(scenes):
    """At rest 0.5 q = 3 F, 2 F, F with F = k (rest - l)/3; and 0.5 q = F (lever x pull) of a tendon along points."""
    recording, _ = simulate(scenes / "tendon_finger.usda", 3.0)
    q = {
        kind: np.array([recording.q[-1, 0, recording.dof.index(f"/World/{kind}/{j}:rotY")] for j in ("ja", "jb", "jc")])
        for kind in ("fixed", "spatial")
    }
    length = np.degrees(q["fixed"]) @ (5e-4, 4e-4, 3e-4)
    force = 6 * (0.1 - length) / 3
    assert np.abs(0.5 * q["fixed"] - force * np.array((3, 2, 1))).max() < 1e-4
    assert force > 0.05
    at = {
        name: np.asarray(recording.pose[-1, 0, recording.link.index(f"/World/spatial/{name}")], dtype=float)
        for name in ("palm", "a", "b", "c")
    }
    point = {
        name: at[name][:3] + rotation(at[name][3:]) @ local
        for name, local in (("palm", (0, 0, -0.03)), ("a", (0, 0, -0.03)), ("c", (0.04, 0, -0.02)))
    }
    pieces = [point["palm"] - point["a"], point["a"] - point["c"]]
    force = 60 * (sum(np.linalg.norm(piece) for piece in pieces) - 0.2)
    pull = force * pieces[1] / np.linalg.norm(pieces[1])
    joints = [at[name][:3] + rotation(at[name][3:]) @ (-0.05, 0, 0) for name in ("a", "b", "c")]
    torque = [np.cross(point["c"] - joint, pull)[1] for joint in joints]
    assert np.abs(0.5 * q["spatial"] - torque).max() < 1e-4
    assert q["spatial"][2] > 0.3


def test_a_hanging_chain_keeps_its_energy_and_its_joints_together(scenes):
    """T + V constant, and no gap in any ball joint, to the square of the step; round-off of float32 would hide it."""
    names = ("upper", "middle", "lower")
    drift, gap = [], []
    for finer in (1, 2):
        recording, dt = simulate(scenes / "hanging_chain.usda", 0.5, finer, "f64")
        total = energy(recording, [f"/World/{name}" for name in names], (1.0, 1.0, 1.0), dt)
        drift.append(np.abs(total - total[0]).max())
        ends = [np.zeros((len(recording), 3))]
        apart = []
        for name in names:
            pose = np.asarray(recording.pose[:, 0, recording.link.index(f"/World/{name}")], dtype=float)
            apart.append(np.linalg.norm(pose[:, :3] - ends[-1], axis=1))
            ends.append(pose[:, :3] + rotation(pose[:, 3:]) @ (0.4, 0, 0))
        gap.append(np.max(apart))
    assert 0.0 < drift[1] < 0.35 * drift[0]
    assert gap[0] < 20 * G * dt**2
    assert gap[1] / gap[0] < 0.35
