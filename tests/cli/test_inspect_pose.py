"""`fajin inspect --pose`: the mass matrix, gravity against drives and the reach of links, where a scene starts."""

from dataclasses import replace
from math import hypot, pi, radians

import pytest
import typer
from planar_arm import arm as planar
from typer.testing import CliRunner
from usda import arm, stage

from fajin.model.mass_matrix import effective_inertia
from fajin.scene import Drive, DriveType
from fajin.tools.inspect import inspect
from fajin.tools.pose_tables import pose, stretches

HEAVY = """float physics:mass = 2
            point3f physics:centerOfMass = (0.1, 0.2, 0.3)
            float3 physics:diagonalInertia = (0.5, 0.5, 0.5)"""


def cells(table) -> list[list[str]]:
    """The rows of a table."""
    return table.rows


def run(tmp_path, *options: str) -> str:
    """What the command prints about a link on a hinge, with a drive of 1 N·m per degree and at most 10 N·m."""
    app = typer.Typer()
    app.command()(inspect)
    lines = "float drive:angular:physics:stiffness = 1\nfloat drive:angular:physics:maxForce = 10"
    path = stage(tmp_path, arm(lines, "PhysicsDriveAPI:angular", link=HEAVY))
    result = CliRunner().invoke(app, [str(path), *options])
    assert result.exit_code == 0, result.output
    return result.output


def row(text: str, title: str, name: str) -> list[str]:
    """The cells of a row of the table with a title."""
    return next(line for line in text[text.index(title) :].splitlines() if name in line).split()


def test_gravity_sags_a_drive_by_effort_over_stiffness(tmp_path):
    """τ_g = −m g y, a sag of τ_g/K, and a share of the strength."""
    effort = -2 * 9.81 * 0.2
    found = [float(x) for x in row(run(tmp_path, "--pose"), "Drives against gravity", "/robot/elbow:rotX")[1:]]
    assert found == pytest.approx([effort, 10.0, 10.0 * -effort, radians(effort)], rel=1e-5)


def test_the_mass_matrix_of_a_hinge_is_its_moment(tmp_path):
    """I + m (y² + z²), as both eigenvalues; the condition is 1."""
    found = [float(x) for x in row(run(tmp_path, "--pose"), "Mass matrix", "/robot")[1:]]
    moment = 0.5 + 2 * (0.2**2 + 0.3**2)
    assert found == pytest.approx([1, moment, moment, 1.0], rel=1e-5)


def test_the_pose_is_shown_on_request_only(tmp_path):
    """It needs a simulation, the rest does not."""
    assert "Drives against gravity" not in run(tmp_path)


def test_reach_is_that_of_the_stretched_chain():
    """Distances between joints, travels of sliders, and the way to the centre of mass; now as the joints are bent."""
    scene = planar(lower=-pi, upper=pi)
    (robot,) = scene.articulations
    finger = replace(robot.joints[2].axes[0], lower=-0.25, upper=0.1)
    elbow = replace(robot.joints[1].axes[0], q=pi / 2)
    joints = robot.joints[0], replace(robot.joints[1], axes=(elbow,)), replace(robot.joints[2], axes=(finger,))
    bent = replace(scene, articulations=(replace(robot, joints=joints),))
    lengths = {path: chain[-1] for path, chain in stretches(bent.articulations[0]).items()}
    assert lengths == pytest.approx({"/arm/upper": 0.5, "/arm/lower": 1.5, "/arm/tip": 2.0 + 0.25 + 0.5})
    shown = {link: float(now) for link, _, now, _ in cells(pose(bent, {})[-1])}
    assert shown == pytest.approx({"/arm/upper": 0.5, "/arm/lower": hypot(1, 0.5), "/arm/tip": hypot(1, 1.5)}, rel=1e-5)


def test_an_acceleration_drive_sags_by_the_acceleration():
    """τ_g / (K I), with the inertia that the joint alone feels; nothing holds without stiffness."""
    drives = {kind: Drive(stiffness=20.0, type=DriveType[kind]) for kind in ("FORCE", "ACCELERATION")}
    sags = []
    for drive in (*drives.values(), Drive(stiffness=0.0)):
        scene = replace(planar(drive=drive), gravity=(0.0, -9.81, 0.0))
        inertia = effective_inertia(scene)
        sags.append(cells(pose(scene, inertia)[1])[1][-1])
    lever = 1.0 * 0.5 + 1.0 * 1.5  # lower link and tip, from the elbow
    force, acceleration = map(float, sags[:2])
    assert force == pytest.approx(-9.81 * lever / 20.0, rel=1e-5)
    assert acceleration == pytest.approx(force / inertia["/arm/elbow:rotZ"], rel=1e-5)
    assert sags[2] == "-∞"
