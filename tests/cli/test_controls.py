"""Files of controls: lists and tables, seconds and steps, names and regular expressions, units; docs/controls.md."""

import json
import re

import numpy as np
import pytest
from paths import ROOT

import fajin
from fajin.scene import InvalidScene
from fajin.simulation.control_events import Control, ControlTarget
from fajin.simulation.control_file import read_controls

DOFS = ("/arm/elbow:rotZ", "/arm/finger1:transX", "/arm/finger2:transX")
TARGET = ControlTarget(DOFS, ("/arm/base", "/arm/hand"), 0.01, 100)


def read(tmp_path, content, name="c.json") -> tuple[Control, ...]:
    """Read a file with this content."""
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return read_controls(path, TARGET)


def test_an_event_has_a_time_a_name_and_a_value(tmp_path):
    """A time is rounded to a step; a regular expression names several joints; degrees are converted."""
    events = [
        {"time": 0.5, "joint": "finger.", "set": "target_q", "value": 0.02},
        {"step": 3, "joint": "elbow", "set": "target_q", "value": 90, "unit": "deg"},
        {"time": 0.0, "joint": "elbow", "set": "target_qd", "value": 180, "unit": "deg/s"},
        {"time": 0.104, "joint": "/arm/elbow", "set": "stiffness", "value": 5},
        {"time": 0.2, "link": "hand", "set": "torque", "value": [0, 0, 1]},
        {"time": 0.2, "joint": "fin.*1", "set": "target_q", "value": 0.5, "unit": "deg"},
    ]
    assert read(tmp_path, events) == (
        Control(0, 0, "target_qd", np.pi),
        Control(3, 0, "target_q", np.pi / 2.0),
        Control(10, 0, "stiffness", 5.0),
        Control(20, 1, "torque", (0.0, 0.0, 1.0)),
        Control(20, 1, "target_q", 0.5),  # a translation stays in metres
        Control(50, 1, "target_q", 0.02),
        Control(50, 2, "target_q", 0.02),
    )


def test_a_table_has_a_column_per_joint(tmp_path):
    """Empty cells change nothing, and equal values are one event; comments are left out."""
    text = """# written by hand
time [s],elbow:target_q [deg],finger.:target_q,elbow:max_force
0,90,,30
0.1,90,0.01,
0.2,45,0.01,20
"""
    first = (Control(0, 0, "target_q", np.pi / 2.0), Control(0, 0, "max_force", 30.0))
    middle = (Control(10, 1, "target_q", 0.01), Control(10, 2, "target_q", 0.01))
    last = (Control(20, 0, "target_q", np.pi / 4.0), Control(20, 0, "max_force", 20.0))
    assert read(tmp_path, text, "c.csv") == first + middle + last


def test_a_table_may_have_the_commands_of_a_joint_log(tmp_path):
    """As `fajin excite` writes them."""
    logged = "time [s],target_q elbow [deg],target_qd elbow [rad/s],target_q finger1\n0,90,1,0.01\n"
    named = "time [s],elbow:target_q [deg],elbow:target_qd [rad/s],finger1:target_q\n0,90,1,0.01\n"
    assert read(tmp_path, logged, "c.csv") == read(tmp_path, named, "c.csv")


def test_a_table_can_count_steps_and_be_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table({"step": [0, 7], "elbow:target_q": [0.5, None], "finger1:effort [N]": [None, 2.0]})
    pyarrow.parquet.write_table(table, tmp_path / "c.parquet")
    assert read_controls(tmp_path / "c.parquet", TARGET) == (
        Control(0, 0, "target_q", 0.5),
        Control(7, 1, "effort", 2.0),
    )
    assert read(tmp_path, "step,elbow:target_q\n0,0.5\n7,\n", "c.csv") == (Control(0, 0, "target_q", 0.5),)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"time": 1.0}, "time = 1.0: must be before the end, at 100 steps or 1 s"),
        ({"time": -0.1}, "time = -0.1: must be a time from 0"),
        (
            {"joint": "elbwo"},
            "joint = 'elbwo': must be one of elbow, finger1, finger2; name one of these; did",
        ),
        ({"joint": "fung.*"}, "must be one of elbow"),
        ({"set": "pos_target"}, "must be one of target_q, target_qd, effort, q, qd, stiffness, damping, max_force"),
        ({"set": "stifness"}, "did you mean 'stiffness'?"),
        ({"set": "stiffness", "value": -1}, "value = -1: must be not negative for stiffness"),
        ({"unit": "grad"}, "unit = 'grad': must be deg, or left out"),
        ({"timee": 3}, "did you mean 'time'?"),
        ({"step": 3}, "must be an object of time or step"),
        ({"link": "hand"}, "must be an object of time or step"),
    ],
)
def test_an_event_that_cannot_be_is_refused_with_the_nearest(tmp_path, change, message):
    event = {"time": 0.1, "joint": "elbow", "set": "target_q", "value": 1.0}
    assert read(tmp_path, [event])
    with pytest.raises(InvalidScene, match=re.escape(message)):
        read(tmp_path, [event | change])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("t,elbow:target_q\n0,1\n", 'must be a table with one column "time [s]" or "step"'),
        ("time,elbow:target\n0,1\n", "did you mean 'target_q'?"),
        ("time,elbow\n0,1\n", "must be NAME:QUANTITY"),
        ("time,elbwo:target_q\n0,1\n", "joint = 'elbwo'"),
        ("time,elbow:target_q\n0,x\n", "row 1.elbow:target_q = 'x': must be a number"),
        ("time,elbow:target_q\n0,1,2\n", "must be 2 cells"),
        ("time,elbow:target_q\n5,1\n", "time = 5.0: must be before the end"),
        ("step,elbow:target_q\n0.5,1\n", "step = 0.5: must be a whole number"),
        ("time,elbow:effort [deg]\n0,1\n", "unit = 'deg': must be left out"),
        ("", 'must be a table with one column "time [s]" or "step"'),
    ],
)
def test_a_table_that_cannot_be_is_refused(tmp_path, text, message):
    with pytest.raises(InvalidScene, match=re.escape(message)):
        read(tmp_path, text, "c.csv")


def test_a_table_moves_a_robot_as_its_events_do(workshop, run):
    """On the command line: `simulate`, and `batch` with its rows in every world."""
    (workshop / "c.csv").write_text("time [s],joint2:target_q [deg]\n0,10\n0.05,-20\n")
    moves = ((0, 10), (0.05, -20))
    events = [{"time": t, "joint": "joint2", "set": "target_q", "value": np.radians(deg)} for t, deg in moves]
    (workshop / "c.json").write_text(json.dumps(events))
    logs = []
    for name in ("c.csv", "c.json"):
        words = ("--controls", name, "--seconds", "0.1", "-o", "o.usda", "--joints", "log.npz")
        code, _, said = run("simulate", "arm.usda", *words)
        assert code == 0, said
        logs.append(np.load("log.npz")["q"])
    assert np.array_equal(*logs)
    assert abs(logs[0][-1] - logs[0][0]).max() > 1e-3
    words = ("--controls", "c.csv", "--seconds", "0.1", "--worlds", 2, "-o", "sweep")
    assert run("batch", "arm.usda", *words)[0] == 0
    code, _, said = run("simulate", "arm.usda", "--controls", "c.csv", "--seconds", "0.04", "-o", "o.usda")
    assert code == 2
    assert "c.csv: row 2.time = 0.05: must be before the end, at 10 steps or 0.0416667 s" in said


def test_the_page_on_controls_is_true(workshop, run):
    """Its files are read, its command runs, and it names every quantity."""
    page = (ROOT / "docs" / "controls.md").read_text()
    for suffix, text in re.findall(r"```(json|csv)\n(.*?)```", page, re.DOTALL):
        (workshop / f"moves.{suffix}").write_text(text)
        code, _, said = run("simulate", "arm.usda", "--controls", f"moves.{suffix}", "--seconds", 2, "-o", "o.usda")
        assert code == 0, said
    assert {"moves.json", "moves.csv"} <= {path.name for path in workshop.iterdir()}
    for quantity in ("target_q", "target_qd", "effort", "stiffness", "damping", "max_force", "force", "torque"):
        assert f"`{quantity}`" in page
    assert fajin.Control
