"""What a new user meets in the first hour: one test per finding of three newcomers, in the order of their gravity."""

import json
import sys
from math import radians
from pathlib import Path

import numpy as np
import pytest
from paths import RECORDINGS
from usda import arm, joint, stage

import fajin
from fajin.conversion.conversion import drive_over
from fajin.conversion.layer_options import LayerOptions
from fajin.tools import table as tables
from fajin.tools.cli import COMMANDS

SHORT = ("--seconds", 0.05)
SPRINGS = RECORDINGS / "descriptions" / "springs"
ROBOTS = ("franka_panda", "openarm_bimanual")


@pytest.fixture(scope="module")
def sim(scenes):
    """An arm of seven joints in two worlds."""
    return fajin.Simulation(fajin.read(scenes / "arm7.usda"), worlds=2)


@pytest.fixture
def done(run):
    """Run a command that ends well; return its output and its lines on stderr."""

    def runs(*words) -> tuple[str, list[str]]:
        code, out, said = run(*words)
        assert code == 0, said
        return out, said.splitlines()

    return runs


@pytest.fixture
def refused(run):
    """Run a command that ends with exit code 2 and one line, which is returned."""

    def runs(*words) -> str:
        code, _, said = run(*words)
        assert (code, said.count("\n")) == (2, 1), said
        return said

    return runs


def drives(path) -> dict:
    """Drives of a file by the name of their joint."""
    joints = (joint for robot in fajin.read(path).articulations for joint in robot.joints)
    return {joint.path.rpartition("/")[2]: joint.axes[0].drive for joint in joints if joint.axes}


def test_01_springs_of_mjcf_become_drives(tmp_path):
    drive_over(SPRINGS / "chain.converted.usda", tmp_path / "chain.usda", LayerOptions((20.0, 1.0)))
    assert any(drive and drive.stiffness > 0.0 for drive in drives(tmp_path / "chain.usda").values())


def test_02_a_bench_without_peers_is_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    from fajin.tools.bench.plots import draw_rows

    draw_rows([{"robot": "a", "fajin [1/s]": 1.0, "mujoco [1/s]": None}], "[1/s]", "title", tmp_path / "x.svg")
    assert (tmp_path / "x.svg").stat().st_size


def test_03_a_model_of_one_joint_has_its_degree_of_freedom(tmp_path):
    drive_over(SPRINGS / "hinge.converted.usda", tmp_path / "hinge.usda", LayerOptions((20.0, 1.0)))
    assert len(fajin.compile(fajin.read(tmp_path / "hinge.usda")).dof) == 1


@pytest.mark.parametrize("name", ["stifness", "target", "qq"])
def test_04_a_misspelt_quantity_is_refused(sim, name):
    with pytest.raises(AttributeError, match=name):
        setattr(sim, name, 0.0)
    for steps, error in ((-1, ValueError), (1.5, TypeError)):
        with pytest.raises(error, match=f"n = {steps}: must be a whole number"):
            sim.step(steps)
    sim.step(1)


def test_05_a_robot_can_be_looked_at(workshop, done):
    assert {"view", "render", "plot", "compare", "report"} <= set(COMMANDS)
    out, _ = done("simulate", "arm.usda", *SHORT, "-o", "a.usda", "--joints", "a.npz")
    assert out.splitlines()[-1] == "look at it: fajin view a.usda"
    assert done("view", "a.usda", "-o", "a.html")[0].startswith("wrote a.html")
    assert done("render", "a.usda", "-o", "a.png", "--size", "64x48", "--samples", 1)[0]
    assert "joint1" in done("plot", "a.npz", "-o", "-")[0]


def test_06_a_base_that_falls_is_told_and_can_be_held(workshop, done):
    words = ("simulate", "arm.usda", "--seconds", 0.6, "--no-contacts", "-o", "a.usda")
    (line,) = [line for line in done(*words, "--floating-base")[1] if "fell" in line]
    assert line.endswith("no contact holds it; --fixed-base does")
    assert not [line for line in done(*words)[1] if "fell" in line]
    for command, options in (("convert", "--fixed-base / --floating-base"), ("author base", "--floating")):
        assert options in done(*command.split(), "--help")[0]


def test_07_controls_are_tables_in_seconds(workshop, done, refused):
    """Names as in Python and regular expressions; events beyond the end are refused."""
    (workshop / "c.csv").write_text("time [s],joint[12]:target_q [deg]\n0,10\n0.02,20\n")
    done("simulate", "arm.usda", *SHORT, "--controls", "c.csv", "-o", "a.usda")
    (workshop / "c.json").write_text(json.dumps([{"step": 9999, "joint": "joint1", "set": "target_q", "value": 1}]))
    assert "9999" in refused("simulate", "arm.usda", *SHORT, "--controls", "c.json", "-o", "b.usda")
    assert not (workshop / "b.usda").exists()


@pytest.mark.parametrize("name", ROBOTS)
def test_08_messages_are_few_and_of_what_changes_the_motion(robots, name):
    from fajin.tools.simulate_messages import messages_before

    said = list(messages_before(fajin.read(robots / f"{name}.drive.usda"), (), controls=False))
    assert len(said) <= 4
    assert ("gain-unit" in said[0]) is (name == "openarm_bimanual")
    assert not any(word in " ".join(said) for word in ("broadphase", "urdf:", "newton:inertia"))


def test_09_tables_fit_80_columns(robots, done, monkeypatch):
    monkeypatch.setattr(tables, "PIPE_WIDTH", 80)
    lines = done("inspect", robots / "franka_panda.drive.usda")[0].splitlines()
    assert max(map(len, lines[1:])) <= 80
    assert json.loads(done("inspect", robots / "franka_panda.drive.usda", "--joint", "panda_joint1", "--json")[0])


@pytest.fixture
def sweep(workshop, done, monkeypatch):
    """A batch of README's form, where pyarrow is not installed."""
    words = ("--worlds", 4, "--grid", "joint2:target_q=-20,20", "--degrees", "--random", "link7:mass*=uniform(0.8,1.2)")
    with monkeypatch.context() as patch:  # pandas may have loaded pyarrow before
        patch.setitem(sys.modules, "pyarrow", None)
        return done("batch", "arm.usda", *SHORT, *words, "-o", "sweep")[1]


def test_10_17_a_batch_needs_no_pyarrow_and_has_one_naming_scheme(sweep):
    """Columns are NAME:QUANTITY; units are in the file."""
    assert sweep[-1].startswith("fajin: note: pyarrow is not installed: tables are .csv")
    frame = fajin.load("sweep")
    assert set(frame["joint2", "target_q"]) == {radians(-20), radians(20)}
    assert {("link7", "mass*"), ("joint2", "settling_time"), ("joint2", "final_q"), ("", "seconds")} < set(frame)
    assert frame.attrs["units"]["joint2", "final_q"] == "rad"
    with Path("sweep/metrics/00000.csv").open() as file:
        assert "fajin.units" in file.readline()
        assert "joint2:settling_time" in file.readline().split(",")


def test_11_quantities_are_arrays(sim):
    assert np.array_equal(sim.q * 2, 2 * np.array(sim.q))
    assert (sim.target_q - sim.q).shape == (2, 7)
    assert (sim.q == sim.q).all()
    assert np.isfinite([sim.q.mean(), sim.q.max(), sim.q.T.sum()]).all()


def test_12_a_mimic_tag_on_a_fixed_joint_is_a_note(tmp_path):
    tag = "rel newton:mimicJoint = </robot/elbow>\n    float newton:mimicCoef1 = 1"
    weld = joint("weld", "PhysicsFixedJoint", "/robot/link", "/robot/tip", tag, "NewtonMimicAPI")
    from usda import body

    scene = fajin.read(stage(tmp_path, arm(extra=body("tip") + weld)))
    assert "mimic-of-fixed-joint" in [report.code for report in scene.reports]


def test_13_one_rule_for_units(workshop, done, refused):
    """Radians, with --degrees degrees, and a unit always counts; misspelt words answer with the nearest one."""
    drive = ("author", "drive", "arm.usda", "--joint", "joint1", "--stiffness", 50, "--target")
    for name, words in (("a", ("0.5rad",)), ("b", (radians(30),)), ("c", (30, "--degrees")), ("d", ("30deg",))):
        done(*drive, *words, "-o", f"{name}.usda")
    assert drives("a.usda")["joint1"].target_q == pytest.approx(0.5)
    assert [drives(f"{name}.usda")["joint1"].target_q for name in "bcd"] == pytest.approx([radians(30)] * 3)
    shown = {unit: done("inspect", "d.usda", *words)[0] for unit, words in (("rad", ()), ("deg", ("--degrees",)))}
    assert all(f"[{unit}]" in shown[unit] and number in shown[unit] for unit, number in
               (("rad", f" {radians(30):.6g} "), ("deg", " 30 ")))  # fmt: skip
    assert "'--stiffness'" in refused("author", "drive", "arm.usda", "--joint", "joint1", "--stifness", 1)
    assert "'stiffness'" in refused("batch", "arm.usda", "-o", "s", "--grid", "joint2:kp=1,2")


def test_14_a_description_is_converted_first(workshop, refused):
    (workshop / "robot.urdf").write_text("<robot name='a'/>")
    assert "fajin convert robot.urdf" in refused("simulate", "robot.urdf")
    with pytest.raises(TypeError, match=r"fajin\.read"):
        fajin.Simulation("arm.usda")


def test_15_a_robot_that_stands_still_says_how_it_moves(workshop, done, robots):
    done("author", "drive", "arm.usda", "--joint", ".*", "--target", 0, "-o", "still.usda")
    done("author", "scene", "still.usda", "--gravity", 0, "--in-place")
    assert done("simulate", "still.usda", *SHORT, "-o", "a.usda")[1][-1].endswith("--wave moves the joints")
    from fajin.tools.simulate_messages import messages_before

    first = next(messages_before(fajin.read(robots / "franka_panda.usda"), (), controls=False))
    assert first.startswith("warning: none of 9 degrees of freedom is driven; author drives with fajin author drive")
    said = done("author", "drive", "arm.usda", "--joint", "joint1", "--stiffness", 0, "--target", 1, "-o", "e.usda")[1]
    assert said[-1].endswith("has a target but no stiffness, so it does not go there")


def test_16_check_states_rules_and_takes_effort_limits(robots, done, tmp_path):
    path = robots / "anymal_c.drive.usda"
    text = done("check", path)[0]
    assert "should" in text or "must" in text
    assert "nothing, it changes no motion" not in text
    assert "1 warnings" not in text
    bound = [f for f in fajin.check.check(path) if f.rule == "drive-without-max-force"]
    assert len(bound) == 12
    assert all(finding.edits for finding in bound)


def test_18_points_outside_an_envelope_are_counted(done):
    from fajin.motor.operating_points import OperatingPoints
    from fajin.scene import Drive, Envelope
    from fajin.tools.envelope_report import edges

    points = OperatingPoints(np.array([0.0, 40.0]), np.zeros(2), True)
    assert edges(Drive(max_force=22.0, envelope=Envelope(33.5)), True, points)[-1] == "50"
    said = done("author", "envelope", "--help")[0]
    assert "--no-load-speed X     Set the speed without effort; a load may be faster." in said


def test_19_frames_of_artists(workshop, done):
    """The step that gives 24 frames per second is named; the last frame is at the end; rotations are not lost."""
    from pxr import Usd, UsdGeom

    words = ("simulate", "arm.usda", *SHORT, "-o", "a.usda")
    assert "--dt 1/" in " ".join(done(*words, "--fps", 25)[1])
    done(*words, "--fps", 24)
    moved = Usd.Stage.Open("a.usda")
    assert moved.GetEndTimeCode() / moved.GetTimeCodesPerSecond() == pytest.approx(0.05)
    ops = [op for prim in moved.Traverse() for op in UsdGeom.Xformable(prim).GetOrderedXformOps()]
    turns = [op for op in ops if op.GetNumTimeSamples() and op.GetOpType() == UsdGeom.XformOp.TypeOrient]
    assert turns
    assert {op.GetPrecision() for op in turns} == {UsdGeom.XformOp.PrecisionDouble}


def test_20_folders_are_made_and_errors_come_first(workshop, done, refused):
    done("simulate", "arm.usda", *SHORT, "-o", "out/a.usda")
    assert (workshop / "out" / "a.usda").is_file()
    (workshop / "c.json").write_text("[{")
    assert "c.json" in refused("simulate", "robot.usda", "--controls", "c.json", "-o", "b.usda")
    assert "0 s simulated, 0 steps" in done("simulate", "arm.usda", "--seconds", 0, "-o", "d.usda")[0]


def test_21_objects_introduce_themselves(sim):
    for one in (sim.scene, sim, sim.run(steps=2)):
        assert len(repr(one)) < 400
        assert one._repr_html_().count("<tr>") >= 7
    assert not {"chosen", "disturb", "first_values", "floats", "lasting", "passing", "settled"} & set(dir(sim))


def test_22_a_mimic_joint_is_told_as_an_equation(workshop, done):
    words = ("arm.usda", "--joint", "joint1", "--reference", "joint2", "--gearing", 1, "-o", "e.usda")
    assert "joint1 = - 1 · joint2" in done("author", "mimic", *words)[0]
