"""What `fajin check` says of robots that others made: every warning was looked at, and is right for its reason."""

from collections import Counter
from pathlib import Path

import pytest

import fajin
from fajin.check import Severity

REASONS = {
    "overlap-at-start": "boxes about the meshes, which are left out, overlap where the meshes do not",
    "joint-frames-apart": "joints name places 9 m from where the links of NVIDIA's tests stand",
    "root-on-wrong-prim": "converters put the root on the body that a joint fixes to the world; PhysX lets it float",
    "state-outside-limits": "they start at 0, which is outside: Panda's elbow, Allegro's thumb, the ants' knees",
    "inertia-not-physical": "as published: a camera's largest moment is twice the sum of the others",
    "gain-unit": "20 and 400 N·m/rad of the MJCF and of the URDF importer stand in the file as if per degree",
    "limit-unit": "limits in radians where the file means degrees",
    "time-step-too-long": "massless ends of fingers on stiff drives at 60 steps/s",
    "mass-missing": "frames without mass nor collider: flanges, logos, tool centres",
    "retired-attribute": "Isaac's importer wrote physxJoint:armature and physxJoint:maxJointVelocity",
    "unused-attribute": "physxLimit:*, springs of limits, which PhysX does not give to articulations",
    "drive-without-max-force": "the drives laid over the robots have none",
    "usd-inertia-invalid-values": "moments without principal axes",
}
FLOATS = {"root-on-wrong-prim": 1}
HUMANOID = {"gain-unit": 1, "drive-without-max-force": 16, "unused-attribute": 42}
IMPORTED = {"gain-unit": 1, "mass-missing": 4, "inertia-not-physical": 4, "retired-attribute": 16}
OPENARM = {**IMPORTED, "time-step-too-long": 5, "usd-inertia-invalid-values": 4}
ANT = {"retired-attribute": 8, "drive-without-max-force": 8, "unused-attribute": 8}
FOUND = {  # file: warnings, by rule
    "FixedTendonTest": {"usd-inertia-invalid-values": 5, "joint-frames-apart": 4},
    "FixedTendonTest.drive": {"drive-without-max-force": 4, "usd-inertia-invalid-values": 5, "joint-frames-apart": 4},
    "SpatialTendonTest": {"usd-inertia-invalid-values": 5, "joint-frames-apart": 4},
    "SpatialTendonTest.drive": {"drive-without-max-force": 4, "usd-inertia-invalid-values": 5, "joint-frames-apart": 4},
    "allegro_right": {**FLOATS, "inertia-not-physical": 4, "state-outside-limits": 1},
    "allegro_right.drive": {"inertia-not-physical": 4},
    "anymal_c": {**FLOATS, "inertia-not-physical": 5},
    "anymal_c.drive": {"inertia-not-physical": 5, "drive-without-max-force": 12},
    "franka_panda": {**FLOATS, "state-outside-limits": 1, "overlap-at-start": 2},
    "franka_panda.drive": {},
    "gym_ant": {"state-outside-limits": 4},
    "gym_ant.drive": {"drive-without-max-force": 8},
    "isaac_cartpole": FLOATS,
    "isaac_cartpole.drive": {},
    "isaac_test_advanced": FLOATS,
    "isaac_test_advanced.drive": {"drive-without-max-force": 5},
    "isaac_test_mimic": FLOATS,
    "isaac_test_mimic.drive": {"drive-without-max-force": 1},
    "isaac_ur10": FLOATS,
    "isaac_ur10.drive": {"drive-without-max-force": 6},
    "newton_ant": {**ANT, "state-outside-limits": 4},
    "newton_ant.drive": ANT,
    "newton_cartpole": {},
    "newton_cartpole.drive": {},
    "newton_humanoid": HUMANOID,
    "newton_humanoid.drive": HUMANOID,
    "openarm_bimanual": {**OPENARM, "time-step-too-long": 6},
    "openarm_bimanual.drive": OPENARM,
    "robotiq_2f140": {**FLOATS, "limit-unit": 6, "mass-missing": 2, "overlap-at-start": 4},
    "robotiq_2f140.drive": {"mass-missing": 2},
    "simple_humanoid": {**FLOATS, "state-outside-limits": 2},
    "simple_humanoid.drive": {"drive-without-max-force": 29},
    "tiago_pro": {**FLOATS, "mass-missing": 2, "overlap-at-start": 17},
    "tiago_pro.drive": {"mass-missing": 2, "drive-without-max-force": 23},
    "unitree_h1": {**FLOATS, "mass-missing": 2},
    "unitree_h1.drive": {"mass-missing": 2, "drive-without-max-force": 19},
    "xarm7": {**FLOATS, "overlap-at-start": 1},
    "xarm7.drive": {},
}


def warnings(path: Path) -> Counter:
    """Number of findings that are more than notes, by rule."""
    return Counter(finding.rule for finding in fajin.check.check(path) if finding.severity is not Severity.NOTE)


def test_every_robot_is_in_the_table(robots):
    assert {path.stem for path in robots.glob("*.usda")} == set(FOUND)


def test_every_finding_has_a_reason():
    assert {rule for found in FOUND.values() for rule in found} == set(REASONS)


@pytest.mark.parametrize("name", FOUND)
def test_what_is_found_in_a_robot(robots, name):
    assert warnings(robots / f"{name}.usda") == FOUND[name]


@pytest.mark.parametrize("name", ["franka_panda", "newton_ant", "openarm_bimanual", "robotiq_2f140"])
def test_a_mended_robot_has_nothing_left_that_can_be_mended(robots, tmp_path, name):
    """And the layer is a scene like any other."""
    layer = tmp_path / "mended.usda"
    changes, left = fajin.check.fix(robots / f"{name}.usda", layer)
    assert changes
    assert not [finding for finding in left if finding.edits]
    assert tuple(left) == fajin.check.check(layer)
    assert fajin.read(layer).articulations


def test_findings_of_validators_come_in_one_order(robots):
    """Their threads end in any order; findings of one rule are sorted by prim."""
    prims = [
        one.prim
        for one in fajin.check.check(robots / "openarm_bimanual.drive.usda")
        if one.rule == "usd-inertia-invalid-values"
    ]
    assert len(prims) > 2
    assert prims == sorted(prims)
