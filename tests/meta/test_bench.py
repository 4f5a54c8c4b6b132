"""`fajin bench` compares like with like."""

import csv
import json
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from commands import fajin_here

import fajin
from fajin.simulation.profiling import STAGES, repeat_stage
from fajin.tables.scratch import NODE_SCRATCH, rows_of
from fajin.tools.bench.boxes import HALF, places
from fajin.tools.bench.chains import COPIED_CHAINS, write_scenes
from fajin.tools.bench.dynamics import fajin_asks, pinocchio_asks
from fajin.tools.bench.interleaved import measure_interleaved
from fajin.tools.bench.models import joints, load, path_of
from fajin.tools.bench.plots import draw_rows
from fajin.tools.bench.report import cell, table, write_csv
from fajin.tools.bench.studies import STUDIES, StudyRequest, over_threads, scaling
from fajin.tools.bench.sweep import as_command, in_session

SETTINGS = ("pgs", (4, 1), 0.005)


def bench(*words: str, code: int = 0) -> subprocess.CompletedProcess:
    """Run the command."""
    done = fajin_here("bench", *words)
    assert done.returncode == code, done.stderr
    return done


@pytest.mark.slow
def test_the_command_prints_a_table_and_writes_what_it_measured(tmp_path):
    """One row a case; the JSON holds every round, the CSV the row with all digits, the picture is one."""
    files = [tmp_path / name for name in ("bench.json", "bench.csv", "bench.png")]
    words = ["latency", "--robot", "franka", "--repeats", "2", "--seconds", "0.01"]
    done = bench(*words, "-o", str(files[0]), "--csv", str(files[1]), "--plot", str(files[2]))
    assert "| franka |" in done.stdout
    (result,) = json.loads(files[0].read_text())["results"]
    assert (result["dofs"], result["worlds"], len(result["rates"][""])) == (9, 1, 2)
    assert min(result["rates"][""]) > 0
    (row,) = csv.DictReader(files[1].open())
    assert float(row["steps/s"]) == pytest.approx(np.median(result["rates"][""]), rel=1e-12)
    assert files[2].read_bytes().startswith(b"\x89PNG")
    assert sorted(tmp_path.iterdir()) == sorted(files)


QUICK = ("latency", "--robot", "franka", "--repeats", "1", "--seconds", "0.01")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--plot", "x.txt"), "x.txt: must have a suffix of .png, .svg, .pdf"),
        ((*QUICK, "--plot", "no/such/x.png"), "no/such/x.png: cannot be written"),
        ((*QUICK, "--csv", "no/such/x.csv"), "no/such/x.csv: cannot be written"),
        ((*QUICK, "-o", "no/such/x.json"), "no/such/x.json: cannot be written"),
        (("--peers", "bullet"), "--peers bullet: must be one of mujoco, ovphysx"),
        (("--iterations", "four"), "--iterations four: must be position/velocity"),
        (("latency", "--robot", "no.usda"), "no.usda"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_measured(words, said):
    """In one line."""
    done = bench(*words, code=2)
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not done.stdout


def a_case(**other) -> dict:
    """Franka, one world, measured as shortly as can be."""
    path = path_of("franka")
    told = {"name": "franka", "robot": path, "dofs": 9, "joints": joints(load(path, *SETTINGS)), "engine": "fajin"}
    settings = {"device": "cpu", "precision": "f32", "solver": "pgs", "iterations": (4, 1), "dt": 0.005}
    return told | settings | {"worlds": 1, "threads": 1, "seconds": 1e-4, "clock": "auto", "contacts": False} | other


def test_engines_run_by_turns(tmp_path):
    """Every round once each, in the order of the cases."""
    log = tmp_path / "turns"
    wrapper = tmp_path / "python"  # an interpreter that notes which engine was told to run
    wrapper.write_text(f"""#!/bin/sh
name=$(echo "$3" | sed 's/.*"name": "\\([a-z]*\\)".*/\\1/')
echo '{{"version": "", "steps": {{}}}}'
while read line; do echo $name >> {log}; echo '{{"": 1.0}}'; done
""")
    wrapper.chmod(0o755)
    cases = [a_case(name=name, engine="noted") for name in "ab"]
    results = measure_interleaved(cases, 3, {"noted": str(wrapper)})
    assert log.read_text().split() == ["a", "b"] * 3
    assert [len(result.rates[""]) for result in results] == [3, 3]


@pytest.mark.skipif(find_spec("ovphysx") is not None, reason="ovphysx is installed")
def test_a_missing_engine_is_left_out(capfd):
    """Without a word where it is not installed; with its own where it fails."""
    (none,) = measure_interleaved([a_case(engine="ovphysx")], 1, {"ovphysx": sys.executable})
    (failed,) = measure_interleaved([a_case(robot="/no/such.usda")], 1)
    assert none is failed is None
    said = capfd.readouterr().err.splitlines()
    assert len(said) == 1
    assert "/no/such.usda" in said[0]


@pytest.mark.slow
def test_stages_leave_the_simulation_where_it_is():
    """Bit for bit; they are what a step does first, so the step after them is the same, too."""
    motions = []
    for stages in ((), STAGES):
        sim = fajin.Simulation(load(path_of("g1"), *SETTINGS), 17, "cpu", threads=1)
        sim.step(3)
        before = sim._synced_state().read()
        for stage in stages:
            repeat_stage(sim, stage, 2)
            assert np.array_equal(sim._synced_state().read(), before)
        sim.step(1)
        motions.append(sim._synced_state().read())
    assert np.array_equal(*motions)
    assert not np.array_equal(motions[0], before)


def test_stages_do_what_the_beginning_of_a_step_does():
    """Scratch after the last stage holds the drives' coefficients, as after a step from the same state."""
    sim = fajin.Simulation(load(path_of("franka"), *SETTINGS), 16, "cpu", threads=1)
    sim.step(1)
    for last, filled in ((next(iter(STAGES)), False), (list(STAGES)[-1], True)):
        sim._synced_state().array("scratch").fill(0.0)
        repeat_stage(sim, last, 1)
        held = sim._synced_state().array("scratch").reshape(-1, 16)
        first = sim._synced_state().layout._scratch["NODES"]
        size = rows_of("NODES")
        rows = held[first + size : first + 2 * size]  # of the first joint
        assert np.any(rows[NODE_SCRATCH["SUBSPACE"][0] : NODE_SCRATCH["SUBSPACE"][0] + 6])
        assert np.any(rows[NODE_SCRATCH["INV_RESPONSE"][0]]) == filled


def test_a_row_is_told_in_three_digits():
    """And all before the point; a dash where nothing was measured."""
    values = {0.0123456: "0.0123", 9.6: "9.6", 1234.5: "1,234", 4096: "4,096", None: "-", "pgs": "pgs"}
    assert {value: cell(value) for value in values} == values


def test_rows_without_a_peer_keep_their_columns(tmp_path):
    """In the table and in the file."""
    rows = [{"robot": "a", "fajin": 1.0}, {"robot": "b", "fajin": 2.0, "mujoco": 0.5}]
    assert len(table(rows).columns) == 3
    write_csv(rows, tmp_path / "x.csv")
    assert list(csv.reader((tmp_path / "x.csv").open())) == [
        ["robot", "fajin", "mujoco"], ["a", "1.0", ""], ["b", "2.0", "0.5"],
    ]  # fmt: skip


def test_what_was_varied_is_the_axis_of_the_picture(tmp_path):
    """A curve of each robot and engine over worlds; bars where each row is another robot."""
    varied = [
        {
            "robot": robot,
            "dofs": dofs,
            "worlds": worlds,
            "fajin [1/s]": 1.0,
            "mujoco [1/s]": None if worlds == 4 else 2.0,
        }
        for robot, dofs in (("a", 9), ("b", 35))
        for worlds in (1, 4)
    ]
    for i, rows in enumerate((varied, varied[::2])):
        draw_rows(rows, "[1/s]", "title", tmp_path / f"{i}.svg")
    curves, bars = ((tmp_path / f"{i}.svg").read_text() for i in range(2))
    assert "<!-- worlds -->" in curves
    assert "<!-- fajin [1/s], a -->" in curves
    assert "<!-- worlds -->" not in bars
    assert "<!-- a, 9 dofs -->" in bars


def test_a_peer_that_is_not_there_has_no_bars(tmp_path):
    """Its column is empty in every row; the others are drawn."""
    rows = [{"robot": robot, "fajin [1/s]": 1.0, "mujoco [1/s]": None} for robot in "ab"]
    draw_rows(rows, "[1/s]", "title", tmp_path / "bars.svg")
    picture = (tmp_path / "bars.svg").read_text()
    assert "<!-- fajin [1/s] -->" in picture
    assert "mujoco" not in picture


def test_copies_are_the_robots_that_are_written_out(tmp_path):
    """As many of each size, alike but for the prims' kind of writing, with as many joints as their name says."""
    scenes = [fajin.read(path) for path in write_scenes(4, tmp_path)]
    counts = [[sum(len(j.axes) for j in a.joints) for a in scene.articulations] for scene in scenes]
    assert counts[0] == counts[1] == [*COPIED_CHAINS, COPIED_CHAINS[0]]
    assert [a.path for a in scenes[0].articulations] == [a.path for a in scenes[1].articulations]
    moved = [fajin.Simulation(scene, device="cpu").run(steps=20).q[-1, 0] for scene in scenes]
    assert np.allclose(*moved, atol=1e-4)
    assert np.abs(moved[0]).max() > 1e-3


@pytest.fixture(scope="module")
def sharing_python(tmp_path_factory) -> str:
    """An interpreter that does not leave out PYTHONPATH (-I), so that its kernels are the shared ones of the tests."""
    script = tmp_path_factory.mktemp("python") / "python"
    script.write_text(f'#!/bin/sh\nshift\nexec {sys.executable} "$@"\n')
    script.chmod(0o755)
    return str(script)


@cache
def measured(measure, python: str) -> list[tuple]:
    """What a study finds on the smallest cases, two where it compares cases; some studies differ only in defaults."""
    cases = [a_case(worlds=3), *([a_case(worlds=3, threads=2)] if measure in (scaling, over_threads) else [])]
    return list(measure(StudyRequest(cases, 1, ("mujoco",), pythons={"fajin": python})))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="runs a shell script")
@pytest.mark.parametrize("study", STUDIES)
def test_every_study_has_rows(study, sharing_python, monkeypatch):
    """On the smallest cases, and a picture can be drawn of each."""
    chosen = STUDIES[study]
    if study == "startup":  # which compiles with an empty cache: the small kernels of its robot
        monkeypatch.delenv("PYTHONPATH")
    found = measured(chosen.measure, sharing_python)
    rows = [row for more, _ in found for row in more]
    assert rows
    assert all(records for _, records in found)
    assert any(heading.endswith(chosen.unit) for heading in rows[0])


@pytest.mark.slow
@pytest.mark.parametrize("place", [as_command, in_session])
def test_a_sweep_steps_for_a_part_of_its_time(place):
    """Whether it is a command or runs in a session."""
    pytest.importorskip("pyarrow")
    whole, stepping = place(a_case(worlds=40))
    assert 0.0 < stepping < whole


def test_pinocchio_is_asked_the_same_of_the_same_robot():
    """Mass matrix and gravity agree to single precision, and the Jacobians are of as many links."""
    pytest.importorskip("pinocchio")
    case = a_case(worlds=3)
    mine, peer = fajin_asks(fajin.Simulation(load(case["robot"], *SETTINGS), 3, "cpu")), pinocchio_asks(case)
    for name in ("mass matrix", "gravity"):
        (expected,), (answer,) = peer[name](1), mine[name](1)
        assert np.abs(answer - expected).max() <= 1e-5 * np.abs(expected).max()
    jacobians = [asks["Jacobian"](1)[0] for asks in (mine, peer)]
    assert jacobians[0].shape == jacobians[1].shape
    turns = [answers.reshape(3, -1, 6, 9)[:, :, 3:] for answers in jacobians]
    assert np.abs(turns[0] - turns[1]).max() <= 1e-5  # centres of mass there, frames here: what turns is the same
    assert len(mine["all three"](1)) == 3


def test_the_quadruped_of_the_bench_stands_on_its_feet():
    """With contacts, as in the study of robots; in MuJoCo's file it has the same joints, by name."""
    path = path_of("quadruped")
    scene = load(path, "tgs", (4, 1), 0.005)
    sim = fajin.Simulation(scene, sleeping=False)
    sim.step(200)
    assert np.asarray(sim.root_pose)[0, 0, 2] == pytest.approx(0.36, abs=0.01)
    feet = sim.contact_force[0, ".*shank"][:, 2]
    assert (feet > 10.0).all()
    text = Path(path).with_suffix(".xml").read_text()
    assert all(f'joint name="{name}"' in text and f'"act_{name}"' in text for name in joints(scene))


def test_a_crowd_stands_among_its_boxes():
    """Each quadruped carries its box; MuJoCo's file has the robots, joints and boxes, by name and place."""
    path = path_of("crowd4")
    scene = load(path, "pgs", (4, 1), 0.005)
    sim = fajin.Simulation(scene, sleeping=False)
    assert len(sim.root_pose[0]) == 4 + 12
    sim.step(200)
    heights = np.asarray(sim.root_pose)[0, :, 2]
    assert heights[:4] == pytest.approx(0.36, abs=0.02)
    assert heights[4::3] == pytest.approx(0.36 + 0.1, abs=0.02)
    names = joints(scene)
    assert len(names) == 48
    peer = ElementTree.parse(Path(path).with_suffix(".xml")).getroot()
    assert {joint.get("name") for joint in peer.iter("joint")} == set(names)
    assert {(each.get("name"), each.get("joint")) for each in peer.iter("position")} == {(f"act_{n}", n) for n in names}
    places = [[float(x) for x in body.get("pos").split()] for body in peer.find("worldbody").findall("body")]
    fresh = fajin.Simulation(scene, sleeping=False)
    assert np.asarray(fresh.root_pose)[0, :, :3] == pytest.approx(np.array(places), abs=1e-6)


def test_boxes_of_a_wall_lie_on_two_of_the_course_below():
    """Half on each; none overlaps another one."""
    where = np.array(places("wall", 500))
    gaps = np.abs(where[:, None] - where[None]).max(axis=2) + 2.0 * np.eye(500)
    assert gaps.min() >= 2.0 * HALF
    below = (np.abs(where[:, None] - where[None] - (0, 0, 2.002 * HALF)) < (1.1 * HALF, 1e-9, 1e-9)).all(axis=2)
    courses = np.round((where[:, 2] - HALF) / (2.002 * HALF)).astype(int)
    assert (below.sum(axis=1)[courses > 0] >= 1).all()
    assert (below.sum(axis=1)[courses > 0] == 2).mean() > 0.95
    assert 15 < courses.max() + 1 < np.ptp(where[:, 0]) / (2.0 * HALF)


def test_boxes_of_a_pile_begin_apart_and_above_the_ground():
    """Each within its own cell of a lattice, and the same ones at every call."""
    where = np.array(places("pile", 200))
    assert where.shape == (200, 3)
    assert where.tolist() == [list(place) for place in places("pile", 200)]
    gaps = np.abs(where[:, None] - where[None]).max(axis=2) + 2.0 * np.eye(200)
    assert gaps.min() >= 2.0 * HALF
    assert where[:, 2].min() >= HALF
    assert np.ptp(where[:, 2]) > 2.0 * np.ptp(where[:, 0])


@pytest.mark.parametrize("count", [200, 1000, 2000, 4000])
def test_boxes_stand_in_stacks_of_ten_however_many_they_are(count):
    """So a step costs the same per box: higher stacks fall, and lower ones have fewer touches."""
    where = np.array(places("boxes", count))
    feet, boxes = np.unique(where[:, :2].round(6), axis=0, return_counts=True)
    assert len(feet) == count // 10
    assert (boxes == 10).all()
    assert np.ptp(where[:, 0]) == pytest.approx(np.ptp(where[:, 1]), abs=0.13)
    assert len(places("boxes", 1005)) == 1005


def test_a_stack_is_one_however_high():
    """Box on box."""
    where = np.array(places("stack", 20))
    assert np.ptp(where[:, :2], axis=0).tolist() == [0.0, 0.0]
    assert np.diff(where[:, 2]) == pytest.approx(2.02 * HALF)
