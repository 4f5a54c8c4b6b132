"""What PhysX parsed of a file is what we read: every parameter of every joint, every mass, the solver."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from paths import RECORDINGS
from usda import arm, body, joint, prim, stage

import fajin
from fajin.scene import DriveType

GOLDEN, ROBOTS = RECORDINGS / "joints", RECORDINGS / "robots"
RECORDS = json.loads((GOLDEN / "golden.json").read_text())
PARSED = json.loads((RECORDINGS / "parsed.json").read_text())
COLUMNS = PARSED.pop("columns")
LARGEST = float(np.finfo(np.float32).max)
ULP = float(np.finfo(np.float32).eps)
AS_THE_FILE_SAYS = {"f11_root_on_base_fixedjoint"}  # PhysX floats the base; here it is fixed


@cache
def source(name: str) -> tuple[Path, dict]:
    """The scene file of a recording and what was recorded of its links."""
    if (ROBOTS / f"{name}.npz").is_file():
        return ROBOTS / f"{name}.drive.usda", json.loads(str(np.load(ROBOTS / f"{name}.npz")["meta"]))
    return GOLDEN / "scenes" / f"{name}.usda", RECORDS[name]


@cache
def read(name: str) -> fajin.Scene:
    """The scene of a recording, read once for all tests."""
    return fajin.read(source(name)[0])


def recorded() -> list[str]:
    """All recordings of motions; f14 touches the ground."""
    return [name for name in PARSED if not name.startswith("f14_")]


def in_stage_units(scene, axis) -> dict[str, float]:
    """The parameters of a degree of freedom in radians and stage units, as PhysX holds them."""
    length, mass = scene.meters_per_unit, scene.kilograms_per_unit
    drive = axis.drive
    effort = mass * (length**2 if axis.rotational else length)
    position = 1.0 if axis.rotational else length
    gain = 1.0 if drive and drive.type is DriveType.ACCELERATION else effort / position
    return {
        "stiffness": drive.stiffness / gain if drive else 0.0,
        "damping": drive.damping / gain if drive else 0.0,
        "lower": axis.lower / position,
        "upper": axis.upper / position,
        "max_velocity": axis.max_velocity / position,
        "max_force": drive.max_force / effort if drive else 0.0,
        "armature": axis.armature * position / effort,
        "static": axis.friction.static / effort,
        "dynamic": axis.friction.dynamic / effort,
        "viscous": axis.friction.viscous * position / effort,
        "drive_type": int(drive.type) if drive else 0,
        "target_q": drive.target_q / position if drive else 0.0,
        "target_qd": drive.target_qd / position if drive else 0.0,
    }


@pytest.mark.parametrize("name", recorded())
def test_a_joint_has_the_parameters_that_physx_parsed(name):
    """Gains, targets, limits, efforts, armature and friction agree to four float32 ulp."""
    scene = read(name)
    axes = {(j.path, i): x for a in scene.articulations for j in a.joints for i, x in enumerate(j.axes)}
    for row in PARSED[name]:
        expected = dict(zip(COLUMNS, row, strict=True))
        axis = axes.pop((expected.pop("joint"), expected.pop("axis")))
        for field, value in in_stage_units(scene, axis).items():
            got = np.clip(value, -LARGEST, LARGEST)
            assert abs(got - expected[field]) <= 4 * ULP * max(1e-3, abs(expected[field])), (axis, field)
    assert not axes


@pytest.mark.parametrize("name", recorded())
def test_a_link_has_the_mass_that_physx_gave_it(name):
    """Mass, centre of mass and inertia agree to a few float32 ulp of their largest component."""
    scene, (_, record) = read(name), source(name)
    length, mass = scene.meters_per_unit, scene.kilograms_per_unit
    links = {link.path: link for a in scene.articulations for link in a.links}
    assert len(links) == len(record["links"])
    for item in record["links"]:
        link = links[item["path"]]
        com, inertia = np.array(item["com"][:3]), np.array(item["inertia"]).reshape(3, 3)
        assert abs(link.mass / mass - item["mass"]) <= 4 * ULP * item["mass"]
        assert np.abs(np.array(link.com) / length - com).max() <= 4 * ULP * max(1.0, np.abs(com).max())
        moments = np.array(link.inertia) / (mass * length**2)
        assert np.abs(moments - inertia).max() <= 32 * ULP * np.abs(inertia).max()  # PhysX turns it twice


@pytest.mark.parametrize("name", [name for name in recorded() if name not in AS_THE_FILE_SAYS])
def test_the_initial_state_is_the_recorded_one(name):
    """q and qd before the first step are the joint states; the root link stands where its prim stands."""
    path, record = source(name)
    scene = read(name)
    robot = path.name.endswith(".drive.usda")
    pack = np.load(path.parent / f"{name}.npz" if robot else GOLDEN / "golden.npz")
    prefix = "" if robot else f"{name}/"
    axes = {(j.path, i): x for a in scene.articulations for j in a.joints for i, x in enumerate(j.axes)}
    for column, dof in enumerate(record["dofs"]):
        axis = axes[dof["joint"], dof["axis_index"]]
        unit = 1.0 if axis.rotational else scene.meters_per_unit
        assert abs(axis.q / unit - pack[prefix + "q"][0, column]) <= 8 * ULP * max(1.0, abs(axis.q))
        assert abs(axis.qd / unit - pack[prefix + "qd"][0, column]) <= 8 * ULP * max(1.0, abs(axis.qd))
    paths = [item["path"] for item in record["links"]]
    for articulation in scene.articulations:
        root = articulation.links[0]
        pose = pack[prefix + "pose"][0, paths.index(root.path)]
        place = np.array(root.pose[0]) / scene.meters_per_unit
        assert np.abs(place - pose[:3]).max() <= 8 * ULP * max(1.0, np.abs(place).max())
        assert abs(np.dot(root.pose[1], pose[3:])) >= 1.0 - 8 * ULP


@pytest.mark.parametrize("name", recorded())
def test_solver_and_base_are_the_recorded_ones(name):
    """The solver of the scene and, for robots, base and iterations."""
    scene, (_, record) = read(name), source(name)
    assert scene.solver.name == record["solver"]
    if "base" in record:
        (articulation,) = scene.articulations
        assert articulation.fixed_base == (record["base"] == "fixed")
        assert articulation.position_iterations == record["position_iterations"]
        assert articulation.velocity_iterations == record["velocity_iterations"]


def test_an_envelope_outside_an_articulation_is_reported(tmp_path):
    """One line for each of its attributes: only joints of articulations obey it."""
    head = "physxDrivePerformanceEnvelope:angular:"
    lines = f"float {head}maxActuatorVelocity = 100\nfloat {head}speedEffortGradient = 2"
    apis = "PhysicsDriveAPI:angular PhysxDrivePerformanceEnvelopeAPI:angular"
    loose = body("wheel") + joint("axle", "PhysicsRevoluteJoint", "", "/loose/wheel", lines, apis)
    scene = fajin.read(stage(tmp_path, arm(), prim("Xform", "loose", loose)))
    told = {(report.prim, report.attribute): str(report) for report in scene.reports if report.prim == "/loose/axle"}
    assert set(told) == {("/loose/axle", head + name) for name in ("maxActuatorVelocity", "speedEffortGradient")}
    assert all("it acts only on joints of an articulation's tree" in line for line in told.values())
