"""A joint parameter is one row: model, fields, batches and documents follow from `layout.PARAMETERS`."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from paths import ROOT
from usda import arm, stage

import fajin
from fajin.device.parameters import STRUCTURAL
from fajin.jobs.description.parameter_ref import ParameterRef
from fajin.scene import Axis, Drive, Envelope, Friction
from fajin.simulation.fields import Fields
from fajin.tables.layout import PARAMETERS
from fajin.tables.parameter import VALUES, read_parameters
from fajin.usd.attributes import AXIS, DRIVE, ENVELOPE, FRICTION, LIMIT

SETTABLE = [row for row in PARAMETERS.values() if row.field]
OF_JOINTS = [row for row in PARAMETERS.values() if row.owner == "D" and row.scene]
ATTRIBUTES = {"axis": (*AXIS, *LIMIT), "drive": DRIVE, "envelope": ENVELOPE, "friction": FRICTION}
SCHEMAS = "PhysicsDriveAPI:angular PhysxJointAxisAPI:angular PhysxDrivePerformanceEnvelopeAPI:angular"


def names(rows) -> list[str]:
    """The names of parameters."""
    return [row.name for row in rows]


def test_a_row_is_read():
    (row,) = read_parameters("LOWER D 1 !axis any,inf lower position limit [rad | m]").values()
    assert (row.index, row.owner, row.width, row.meaning) == (0, "D", 1, "lower position limit [rad | m]")
    assert (row.holder, row.attribute, row.field, row.decides) == ("axis", "lower", "lower", True)
    assert (row.unbounded, row.values) == (True, "any,inf")
    (row,) = read_parameters("MAXIMAL_JOINT_DAMPING X 1 drive >=0 damping [1/s]").values()
    assert (row.holder, row.attribute, row.field, row.decides) == ("drive", "damping", "maximal_damping", False)
    assert (row.unbounded, row.values) == (False, ">=0")
    (row,) = read_parameters("METRE S 1 - - a metre").values()
    assert (row.scene, row.field, row.values) == ("", "", "")


def test_the_rows_are_the_fields_that_can_be_set():
    """Apart from the state."""
    settable = {field.name for field in Fields.quantities() if not field.readonly}
    assert settable - {"q", "qd", "root_pose", "root_velocity"} == {row.field for row in SETTABLE}
    assert {row.values for row in SETTABLE} <= set(VALUES)


def test_every_joint_parameter_of_the_scene_is_a_field():
    assert len(OF_JOINTS) >= 15
    assert [row.name for row in OF_JOINTS if not row.field] == []


@pytest.mark.parametrize("row", SETTABLE, ids=names(SETTABLE))
def test_a_batch_can_vary_every_field(row):
    column = "" if row.owner == "S" else "elbow:"
    components = ParameterRef.parse(f"{column}{row.field}*").components
    found = ParameterRef.parse(f"{column}{row.field}{f'.{components[0]}' if components else ''}")
    assert found.quantity == row.field


def test_the_checks_of_a_batch_follow_from_the_rows():
    rules = {row.field: Fields.quantity(row.field).rule for row in SETTABLE}
    assert rules == {row.field: row.values for row in SETTABLE}
    assert {name for name, rule in rules.items() if rule == ">0"} == {"mass"}
    assert {rules[name] for name in ("armature", "static_friction", "maximal_damping")} == {">=0"}
    assert {rules[name] for name in ("target_q", "force", "gravity")} == {"any"}
    unbounded = {"lower", "upper", "max_force", "max_velocity", "max_actuator_velocity", "maximal_max_force"}
    unbounded |= {"integral_max", "saturation_effort", "max_motor_effort", "no_load_speed"}
    assert {name for name, rule in rules.items() if rule.endswith("inf")} == unbounded
    assert {"FORCE", "TORQUE", "LOWER", "VISCOUS_FRICTION", "SPEED_EFFORT_GRADIENT", "MAX_VELOCITY"} < STRUCTURAL
    assert not STRUCTURAL & {"STIFFNESS", "EFFORT", "ARMATURE", "MASS"}


def test_a_simulation_has_the_scenes_value_of_every_row(tmp_path):
    """Each its own number, so that no two can be exchanged; and sets it in one world alone."""
    scene = fajin.read(stage(tmp_path, arm()))
    drive = Drive(
        stiffness=2.0, damping=3.0, max_force=4.0, target_q=0.05, target_qd=0.06, envelope=Envelope(7.0, 8.0, 9.0)
    )
    axis = Axis("rotZ", -0.1, 0.11, drive, Friction(0.14, 0.13, 0.12), 15.0, 16.0)
    (robot,) = scene.articulations
    (joint,) = (joint for joint in robot.joints if joint.axes)
    moved = replace(joint, axes=(replace(axis, token=joint.axes[0].token),))
    joints = tuple(moved if one is joint else one for one in robot.joints)
    sim = fajin.Simulation(replace(scene, articulations=(replace(robot, joints=joints),)), worlds=2, device="cpu")
    holders = {"axis": axis, "drive": drive, "envelope": drive.envelope, "friction": axis.friction}
    values = {row.name: getattr(holders[row.holder], row.attribute) for row in OF_JOINTS}
    assert len(set(values.values())) == len(values)
    for row in OF_JOINTS:
        np.testing.assert_allclose(np.array(getattr(sim, row.field)), values[row.name], rtol=1e-6, err_msg=row.name)
        getattr(sim, row.field)[1] = 0.01
        np.testing.assert_allclose(np.array(getattr(sim, row.field))[:, 0], [values[row.name], 0.01], rtol=1e-6)


@pytest.mark.parametrize("row", OF_JOINTS, ids=names(OF_JOINTS))
def test_every_joint_parameter_can_be_authored_and_read(tmp_path, row):
    """By the attribute table, without a function of its own."""
    path = stage(tmp_path, arm(apis=SCHEMAS))
    lines = [one for one in ATTRIBUTES[row.holder] if one.field == row.attribute and not one.name.startswith("newton:")]
    assert lines
    value = 0.25 if row.name != "LOWER" else -0.25
    with fajin.author.layer(path, tmp_path / "edits.usda") as edited:
        prim = edited.GetPrimAtPath("/robot/elbow")
        for name, bound in (("physics:lowerLimit", -1.0), ("physics:upperLimit", 1.0)):
            fajin.author.attribute(prim, name, bound)
        fajin.author.attribute(prim, "physxJointAxis:angular:staticFrictionEffort", 5.0)
        fajin.author.attribute(prim, lines[0].name.format(axis="angular"), value)
    model = fajin.compile(fajin.read(tmp_path / "edits.usda"))
    np.testing.assert_allclose(model.parameters[row.name], value, rtol=1e-6)


NEW_ROW = """
import sys
from fajin.tables import parameter

read = parameter.read_parameters
parameter.read_parameters = lambda table: read(table + "GREASE D 1 !friction.viscous >=0 grease in the joint [mg]")
import numpy as np
import fajin
from fajin.device.parameters import STRUCTURAL
from fajin.jobs.description.parameter_ref import ParameterRef
from fajin.simulation.fields import Fields
from fajin.simulation.parameter_page import page, stub

sim = fajin.Simulation(fajin.read(sys.argv[1]), worlds=2, device="cpu")
assert np.array(sim.grease).tolist() == np.array(sim.viscous_friction).tolist()
sim.grease[1, "elbow"] = 3.0
assert np.array(sim.grease).tolist() == [[0.0], [3.0]]
assert Fields.quantity("grease").rule == ">=0" and "GREASE" in STRUCTURAL
assert ParameterRef.parse("elbow:grease*").quantity == "grease"
assert "| `grease` | grease in the joint [mg] | (W, D) |" in page()
assert "    grease: Field" in stub()
assert fajin.Simulation.grease.__doc__ == "Grease in the joint [mg], (W, D)."
"""


def test_a_new_parameter_is_one_row(tmp_path):
    """With a row more in the table, everything else knows it."""
    path = stage(tmp_path, arm())
    subprocess.run([sys.executable, "-c", NEW_ROW, str(path)], check=True, timeout=300)


@pytest.mark.parametrize(
    ("option", "file"), [((), "docs/parameters.md"), (("--stub",), "engine/simulation/parameter_fields.pyi")]
)
def test_what_is_written_from_the_table_is_what_its_command_prints(option, file):
    """After a change of the table: python -m fajin.simulation.parameter_page [--stub] > FILE."""
    command = [sys.executable, "-m", "fajin.simulation.parameter_page", *option]
    printed = subprocess.run(command, check=True, capture_output=True).stdout.decode()
    assert printed == (ROOT / file).read_text(encoding="utf-8")
