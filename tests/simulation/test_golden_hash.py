"""The state after 1,000 steps of a scene with every law, as a checksum: no change of any bit goes unnoticed.

The checksums are those of x86-64 Linux. A change of a law changes them; `pytest -vv` then shows the new ones.
"""

import hashlib
import platform
from pathlib import Path

import numpy as np
import pytest

import fajin

LAWS = (
    *(
        "drive_step",
        "acceleration_drive",
        "limits",
        "friction",
        "motor_envelope",
        "spherical",
        "arm7",
        "floating_chain",
    ),
    *("gripper_mimic", "tendon_finger", "whippletree", "four_bar", "double_pendulum", "bouncing_ball"),
)
STEPS = 1_000
GOLDEN = {"f32": "d19df10ecdd7bfc1", "f64": "be47b68381ad205f"}
HERE = (platform.system(), platform.machine()) == ("Linux", "x86_64")


@pytest.fixture(scope="module")
def every_law(tmp_path_factory) -> fajin.Scene:
    """Example scenes side by side: drives, limits, friction, mimics, tendons, loops, free bodies, contacts."""
    folder = Path(__file__).parents[2] / "scenes"
    text = '#usda 1.0\n(\n    upAxis = "Z"\n    metersPerUnit = 1\n)\n'
    text += 'def PhysicsScene "a" (apiSchemas = ["PhysxSceneAPI"])\n{\nuint physxScene:timeStepsPerSecond = 240\n}\n'
    for i, name in enumerate(LAWS):
        place = f'double3 xformOp:translate = ({5 * i}, 0, 0)\nuniform token[] xformOpOrder = ["xformOp:translate"]'
        text += f'def Xform "{name}" (references = @{folder}/{name}.usda@</World>)\n{{\n{place}\n}}\n'
    path = tmp_path_factory.mktemp("every_law") / "every_law.usda"
    path.write_text(text)
    return fajin.read(path)


def checksums(scene: fajin.Scene, precision: str, **options) -> set[str]:
    """The checksums of the worlds."""
    sim = fajin.Simulation(scene, device=options.pop("device", "cpu"), precision=precision, **options)
    sim.step(STEPS)
    rows = sim.save().rows
    assert [name for name, values in rows.items() if not np.isfinite(values).all()] == []
    worlds = [b"".join(rows[name][world].tobytes() for name in sorted(rows)) for world in range(sim.worlds)]
    return {hashlib.sha256(text).hexdigest()[:16] for text in worlds}


def test_the_scene_has_every_law(every_law):
    """What a law needs is there."""
    joints = [joint for robot in every_law.articulations for joint in robot.joints]
    axes = [axis for joint in joints for axis in joint.axes]
    assert {joint.type.name for joint in joints} >= {"REVOLUTE", "PRISMATIC", "SPHERICAL"}
    assert any(axis.drive for axis in axes)
    assert any(axis.mimic for axis in axes)
    assert any(robot.fixed_tendons for robot in every_law.articulations)
    assert any(robot.spatial_tendons for robot in every_law.articulations)
    assert any(robot.free for robot in every_law.articulations)
    assert every_law.joints
    assert every_law.colliders


@pytest.mark.skipif(not HERE, reason="functions of another C library")
@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize(
    "options",
    [{"threads": 1}, {"threads": 2}, {"threads": 1, "worlds": 20}, {"threads": 2, "worlds": 20}],
    ids=["lane", "lane-2", "pack", "pack-2"],
)
def test_no_bit_changes(every_law, precision, options):
    """In single lanes, in packs of 16 and 8 (double precision), on one thread and on two; f64 without contacts."""
    assert checksums(every_law, precision, contacts=precision == "f32", **options) == {GOLDEN[precision]}
