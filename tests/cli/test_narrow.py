"""Tables of `inspect`, `tune`, `check` and `doctor` in a terminal of 80 columns, and as JSON."""

import json
import re

import pytest
from rich.console import Console

from fajin.tools import table as tables
from fajin.tools.table import Table, number

WIDTH = 80


@pytest.fixture
def narrow(run, monkeypatch):
    """Run a command in a terminal of 80 columns; return its lines."""

    def runs(*words) -> list[str]:
        monkeypatch.setattr(tables, "PIPE_WIDTH", WIDTH)
        code, out, said = run(*words)
        assert code == 0, said
        return out.splitlines()

    return runs


@pytest.mark.parametrize("name", ["franka_panda", "tiago_pro", "openarm_bimanual", "newton_humanoid"])
def test_inspect_fits_a_narrow_terminal(narrow, robots, name):
    """No cell is broken or cut, and the output is half as long as one whose cells were."""
    lines = narrow("inspect", robots / f"{name}.drive.usda")
    assert max(map(len, lines[1:])) <= WIDTH  # the first line is a path
    assert len(lines) < {"franka_panda": 180, "tiago_pro": 640, "openarm_bimanual": 320, "newton_humanoid": 320}[name]
    assert not any(re.search(r"\S…", line) for line in lines)


def test_a_joint_has_its_short_name_and_whole_numbers(narrow, robots):
    lines = narrow("inspect", robots / "franka_panda.drive.usda")
    (row,) = [line for line in lines if line.split()[:2] == ["panda_joint1", "revolute"]]
    assert "-2.8973" in row
    assert any(line.strip().startswith("0 for all: ") and "armature" in line for line in lines)


def test_inspect_of_one_joint_and_as_json(run, robots):
    scene = robots / "franka_panda.drive.usda"
    code, out, _ = run("inspect", scene, "--joint", "panda_joint[12]", "--json")
    (robot,) = json.loads(out)["articulations"]
    assert code == 0
    assert [joint["prim"].rpartition("/")[2] for joint in robot["joints"]] == ["panda_joint1", "panda_joint2"]
    code, _, said = run("inspect", scene, "--joint", "panda_jiont1")
    assert code == 2
    assert "did you mean 'panda_joint1'?" in said


def test_tune_fits_a_narrow_terminal_and_prints_json(narrow, run, scenes):
    words = ("tune", scenes / "arm7.usda", "--joint", "joint[1-3]", "-w", 20, "-z", 0.5)
    lines = narrow(*words)
    assert max(map(len, lines)) <= WIDTH
    code, out, _ = run(*words, "--json")
    assert code == 0
    found = json.loads(out)
    assert [row["joint"] for row in found["joints"]] == [
        "/World/arm/joint1:rotZ",
        "/World/arm/joint2:rotY",
        "/World/arm/joint3:rotZ",
    ]
    assert {"stiffness", "damping", "inertia", "type", "overshoot"} < set(found["joints"][0])


@pytest.mark.parametrize("name", ["openarm_bimanual", "unitree_h1", "newton_humanoid"])
def test_check_fits_a_narrow_terminal(run, robots, name, monkeypatch):
    """Lines break between words, and what follows is indented; a file has whole lines."""
    scene = robots / f"{name}.drive.usda"
    whole = run("check", scene)[1].splitlines()
    assert max(map(len, whole)) > WIDTH
    monkeypatch.setattr(tables, "terminal_width", lambda: WIDTH)
    lines = run("check", scene)[1].splitlines()
    assert all(len(line) <= WIDTH or len(line.split()[0]) > WIDTH - 8 for line in lines)
    assert "".join("".join(lines).split()) == "".join("".join(whole).split())


def test_check_takes_joints_and_prints_json(run, robots):
    scene = robots / "openarm_bimanual.drive.usda"
    code, out, _ = run("check", scene, "--joint", "openarm_left_joint1", "--json")
    assert code == 0
    prims = {finding["prim"] for finding in json.loads(out)["findings"]}
    assert prims == {"/openarm/joints/openarm_left_joint1"}
    assert json.loads(run("check", scene, "--json")[1])["warnings"] > 10


def printed(table: Table, width: int) -> str:
    """Return the table as printed in so many columns."""
    console = Console(width=width, highlight=False, markup=False)
    with console.capture() as capture:
        console.print(table)
    return capture.get()


def test_names_are_the_shortest_that_are_unique():
    """An axis is named where a joint has several; parents where names are equal."""
    table = Table("T", 2, ["joint", "link", "x"])
    for name in ("/r/left/knee:rotX", "/r/right/knee:rotX", "/r/hip:rotX", "/r/hip:rotY"):
        table.add_row(name, "/r/body", number(1.5))
    assert "/r/left/knee:rotX" in printed(table, 80)
    rows = [line.split() for line in printed(table, 34).splitlines() if "1.5" in line]
    assert [row[0] for row in rows] == ["left/knee", "right/knee", "hip:rotX", "hip:rotY"]
    assert {row[1] for row in rows} == {"body"}


def test_silent_columns_are_named_below_and_the_others_are_split():
    table = Table("T", 1, ["joint", *(f"column{i}\n[N]" for i in range(9))])
    for name in ("a", "b"):
        table.add_row(name, "0", "∞", *(number(i + 0.123456) for i in range(7)))
    text = printed(table, 50)
    assert text.count("joint") == 2
    assert max(map(len, text.splitlines())) <= 50
    assert "0 for all: column0 [N]" in text
    assert "∞ for all: column1 [N]" in text
    assert all(f"{i}.12346" in text for i in range(1, 7))
    assert "for all" not in printed(table, 200)


@pytest.mark.parametrize("group", [(), ("author",), ("envelope",)])
def test_lists_of_commands_cut_no_summary(run, group, monkeypatch):
    """A cut summary ends with dots."""
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = run(*group, "--help")
    commands = out.partition("Commands:\n")[2].splitlines()
    assert code == 0
    assert len(commands) >= 3
    assert [line for line in commands if line.endswith("...") or not line.endswith(".")] == []
