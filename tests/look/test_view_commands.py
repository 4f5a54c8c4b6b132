"""`fajin view`, `plot`, `compare` and `report`: what they write, print and refuse."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.request
import webbrowser
from pathlib import Path

import matplotlib.figure
import numpy as np
import pytest
from commands import fajin_here
from look.browser import Browser

import fajin
from fajin.recording.joint_log import write_joint_log
from fajin.recording.joint_log_reader import read_joint_log
from fajin.recording.mcap_log import McapWriter


@pytest.fixture(scope="module")
def folder(scenes, tmp_path_factory):
    """A folder with two logs of the arm, the second one of softer drives, and its animated USD."""
    place = tmp_path_factory.mktemp("logs")
    scene = fajin.read(scenes / "arm7.usda")
    for name, stiffness in (("a", None), ("b", 0.8)):
        sim = fajin.Simulation(scene, device="cpu")
        if stiffness:
            sim.stiffness = np.asarray(sim.stiffness) * stiffness
        sim.target_q = np.full(len(sim.dof), 0.3)
        run = sim.run(0.5)
        write_joint_log(run, place / f"{name}.npz")
        write_joint_log(run, place / f"{name}.csv")
    fajin.write(run, place / "arm.anim.usda")
    return place


def fails(*words, cwd):
    """One line of a command that exits with 2."""
    done = fajin_here(*words, cwd=cwd)
    assert done.returncode == 2, done.stdout
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_view_writes_a_page_and_glb(folder, scenes, tmp_path):
    """Of a log with its scene, and of an animated stage."""
    done = fajin_here("view", "a.npz", "--scene", scenes / "arm7.usda", "-o", tmp_path / "a.html", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(rf"wrote {tmp_path}/a.html: [\d.]+ MB, plays without a network\n", done.stdout)
    text = (tmp_path / "a.html").read_text()
    assert str(scenes) not in text
    assert str(folder) not in text
    pytest.importorskip("mcap")
    log = read_joint_log(folder / "a.csv")
    writer = McapWriter(tmp_path / "a.mcap", log.dof)
    for time, *values in zip(log.time, *(log.values[name] for name in ("q", "qd", "effort")), strict=True):
        writer.add(time, values)
    writer.close()
    again = read_joint_log(tmp_path / "a.mcap")
    assert again.dof == log.dof
    assert {name: again.values[name].tolist() for name in log.values} == {
        name: values.tolist() for name, values in log.values.items()
    }
    done = fajin_here(
        "view", tmp_path / "a.mcap", "--scene", scenes / "arm7.usda", "-o", tmp_path / "m.html", cwd=folder
    )
    assert done.returncode == 0
    assert fajin_here("view", "arm.anim.usda", "-o", tmp_path / "b.glb", cwd=folder).returncode == 0
    assert (tmp_path / "b.glb").read_bytes()[:4] == b"glTF"


def test_view_refuses(folder, scenes, tmp_path):
    """One line and exit code 2: no scene, another robot, a wrong suffix, options of the other kind, a taken port."""
    import socket

    arm = scenes / "arm7.usda"
    assert "a.npz: must have its scene to be drawn; add --scene SCENE" in fails("view", "a.npz", cwd=folder)
    assert "must be of this scene" in fails("view", "a.npz", "--scene", scenes / "ur10.usda", cwd=folder)
    assert "x.pdf: must have a suffix of .html, .glb; rename it" in fails("view", arm, "-o", "x.pdf", cwd=folder)
    assert "must be a file of" in fails("view", "x.txt", cwd=folder)
    assert "--log e.json: must be of a running scene" in fails("view", "arm.anim.usda", "--log", "e.json", cwd=folder)
    assert "--fps 0: must be positive" in fails(
        "view", "arm.anim.usda", "--fps", "0", "-o", tmp_path / "x.html", cwd=folder
    )
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert f"--port {port}: must be a free port" in fails("view", arm, "--port", port, "--no-browser", cwd=folder)


def test_a_scene_runs_without_a_display(scenes, monkeypatch):
    """The address is printed, and the way to reach it from another machine."""
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    done = fajin_here("view", scenes / "pendulum.usda", "--seconds", "0.3")
    assert done.returncode == 0
    port = re.match(r"http://127\.0\.0\.1:(\d+)/  \(Ctrl-C ends\)\n", done.stdout)[1]
    assert f"ssh -L {port}:127.0.0.1:{port} HOST" in done.stderr


def test_a_display_without_a_browser_is_said(scenes, monkeypatch):
    """The address is printed, and what to do with it."""
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "open", lambda url: False)
    done = fajin_here("view", scenes / "pendulum.usda", "--seconds", "0.2")
    assert done.returncode == 0
    assert done.stdout.startswith("http://127.0.0.1:")
    assert done.stderr == "no browser is found; open the address in one\n"


@pytest.mark.parametrize(
    "words",
    [
        ("view", "arm.anim.usda", "-o", "out.html"),
        ("view", "arm.anim.usda", "-o", "out.glb"),
        ("plot", "a.npz", "-o", "out.html"),
        ("plot", "a.npz", "-o", "out.svg"),
        ("compare", "a.npz", "b.npz", "-o", "out.html"),
        ("compare", "a.npz", "b.npz", "-o", "out.json"),
        ("compare", "a.npz", "b.npz", "-o", "out.csv"),
        ("render", "arm.anim.usda", "-o", "out.png", "--size", "64x64"),
        ("render", "arm.anim.usda", "-o", "out.apng", "--size", "64x64", "--to", "0.1"),
    ],
)
def test_a_full_disk_is_one_line_and_leaves_nothing(folder, monkeypatch, words):
    """Whatever is written: its path, the reason and the way out; exit code 2."""
    original = Path.open

    def full(path, mode="r", *rest, **more):
        if "out." in path.name and set(mode) & {"w", "x", "a"}:
            path.touch()
            raise OSError(28, "No space left on device")
        return original(path, mode, *rest, **more)

    monkeypatch.setattr(Path, "open", full)
    monkeypatch.setattr(matplotlib.figure.Figure, "savefig", lambda figure, path, **more: full(Path(path), "w"))
    done = fajin_here(*words, cwd=folder)
    assert done.returncode == 2
    message = "cannot be written (No space left on device); free disk space or choose another folder"
    assert done.stderr == f"fajin: {words[words.index('-o') + 1]}: {message}\n"
    assert not [path for path in folder.rglob("*out.*") if path.is_file()]


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("simulate", "pendulum.usda", "--seconds", "0.2", "--view"),
        ("view", "moves.usda"),
        ("view", "pendulum.usda"),
    ],
)
def test_pages_are_served_until_interrupted(scenes, tmp_path, words):
    """The page comes from the printed address; Ctrl-C ends without an error."""
    shutil.copy(scenes / "pendulum.usda", tmp_path)
    if words[1] == "moves.usda":
        fajin_here("simulate", "pendulum.usda", "--seconds", "0.2", "-o", "moves.usda", cwd=tmp_path)
    command = [sys.executable, "-m", "fajin", *words, *(["--no-browser"] if words[0] == "view" else [])]
    bare = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=tmp_path, env=bare, **pipes) as running:
        lines = iter(running.stdout.readline, "")
        url = next(line.split()[0] for line in lines if line.startswith("http"))
        with urllib.request.urlopen(url, timeout=20) as answer:
            assert b"Content-Security-Policy" in answer.read(20_000)
        running.send_signal(signal.SIGINT)
        assert running.wait(30) == 0, running.stderr.read()
        assert "Traceback" not in running.stderr.read()


@pytest.mark.slow
def test_plot_in_every_form(folder, scenes, tmp_path):
    """Page, picture and text."""
    for name in ("p.html", "p.png", "p.svg"):
        words = ("plot", "a.csv", "b.npz", "--scene", scenes / "arm7.usda", "-o", tmp_path / name)
        assert fajin_here(*words, cwd=folder).returncode == 0
        assert (tmp_path / name).stat().st_size > 1000
    done = fajin_here("plot", "a.npz", "--joint", "joint2", "--quantity", "q,qd", "-o", "-", cwd=folder)
    assert "a.npz: q of joint2 [rad]" in done.stdout
    assert "a.npz: qd of joint2 [rad/s]" in done.stdout
    assert "effort" not in done.stdout
    assert "●" in done.stdout
    assert "target" not in done.stdout
    words = ("--scene", scenes / "arm7.usda", "--joint", "joint2", "--quantity", "q", "-o", "-")
    assert "· target" in fajin_here("plot", "a.npz", *words, cwd=folder).stdout  # it belongs to its quantity


def test_plot_refuses(folder):
    """One line and exit code 2."""
    assert "--joint nose: must match a joint" in fails("plot", "a.npz", "--joint", "nose", "-o", "-", cwd=folder)
    assert "--quantity x: must be one of q" in fails("plot", "a.npz", "--quantity", "x", "-o", "-", cwd=folder)
    assert "--controls e.json: must have a scene" in fails("plot", "a.npz", "--controls", "e.json", cwd=folder)
    assert "none.npz: must be a file that can be read" in fails("plot", "none.npz", "-o", "-", cwd=folder)


def test_compare_decides_and_writes(folder, tmp_path, scenes):
    """A table; exit code 1 above a bound; JSON and CSV with the numbers of the table; a page with the ghost."""
    done = fajin_here("compare", "a.npz", "b.csv", "--fail-above", "1e-3", cwd=folder)
    assert done.returncode == 1
    assert "joint2" in done.stdout
    assert done.stdout.splitlines()[-1].endswith("is above 0.001")
    assert fajin_here("compare", "a.npz", "a.csv", "--fail-above", "1e-6", cwd=folder).returncode == 0
    for name in ("c.json", "c.csv", "c.html"):
        words = ("compare", "a.npz", "b.csv", "--delay", "auto", "--scene", scenes / "arm7.usda", "-o", tmp_path / name)
        assert fajin_here(*words, cwd=folder).returncode == 0
    found = json.loads((tmp_path / "c.json").read_text())
    assert (found["a"], found["b"], len(found["joints"])) == ("a.npz", "b.csv", 7)
    assert found["worst_rms"] == max(joint["rms"] for joint in found["joints"])
    assert found["shift"] == found["delay"]
    assert len((tmp_path / "c.csv").read_text().splitlines()) == 8


def test_compare_with_a_log_of_a_real_robot(folder, tmp_path):
    """Degrees, names of its own, a time column of its own."""
    log = np.load(folder / "a.npz")
    q = np.degrees(log["q"][:, 1])
    rows = "\n".join(f"{time + 100.0},{value}" for time, value in zip(log["time"], q, strict=True))
    (tmp_path / "real.csv").write_text(f"when,axis_two\n{rows}\n")
    done = fajin_here(
        *("compare", folder / "a.npz", "real.csv", "--map", "axis_two=joint2", "--degrees"),
        *("--time-column", "when", "--delay", "100", "--fail-above", "1e-6"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_compare_refuses(folder):
    """One line and exit code 2."""
    assert "--delay soon: must be auto or a number" in fails("compare", "a.npz", "b.npz", "--delay", "soon", cwd=folder)
    assert "--map x: must be NAME=JOINT" in fails("compare", "a.npz", "b.npz", "--map", "x", cwd=folder)
    assert "must have a suffix of" in fails("compare", "a.npz", "b.npz", "-o", "c.txt", cwd=folder)


def assert_films(head, raw, dt):
    """The films are of the two worlds with the greatest values of the metric that is shown, and they move."""
    import io

    from PIL import Image

    def array(place):
        return np.frombuffer(raw, f"<{place['type']}", place["count"], place["at"])

    metric, setting = head["shown"]
    rho = array(head["correlations"]).reshape(len(head["metrics"]), -1)
    assert abs(rho[metric, setting]) == np.nanmax(np.abs(rho))
    values, worlds = array(head["metrics"][metric]["values"]), array(head["world"])
    assert {film["world"] for film in head["films"]} == set(worlds[np.argsort(-values)[:2]].tolist())
    for film in head["films"]:
        assert film["type"] == "image/webp"
        with Image.open(io.BytesIO(array(film["data"]).tobytes())) as image:
            assert image.size == (320, 240)
            pictures = []
            for frame in (0, image.n_frames - 1):
                image.seek(frame)
                pictures.append(np.asarray(image.convert("RGB")).astype(int))
        assert np.abs(pictures[0] - pictures[1]).max() > 50


def test_a_report_needs_its_metric_and_its_scene(scenes, tmp_path):
    """An unknown metric is one line; without the scene there are no films, and a note."""
    (tmp_path / "arm.usda").write_bytes((scenes / "arm7.usda").read_bytes())
    words = ("--worlds", "4", "--seconds", "0.1", "--random", "joint2:stiffness=uniform(10,100)")
    assert fajin_here("batch", "arm.usda", "-o", "sweep", *words, cwd=tmp_path).returncode == 0
    assert "--metric speed: must be a metric that varies: " in fails(
        "report", "sweep", "-o", "r.html", "--metric", "speed", cwd=tmp_path
    )
    (tmp_path / "arm.usda").unlink()
    done = fajin_here("report", "sweep", "-o", "r.html", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr.startswith("fajin: note: no films: ")
    assert done.stderr.count("\n") == 1


def test_report_of_a_batch(scenes, tmp_path):
    """Settings and metrics that vary; the commands of its worst worlds name no folder of the user."""
    done = fajin_here(
        *("batch", scenes / "arm7.usda", "-o", "sweep", "--worlds", "12", "--seconds", "0.2"),
        *("--random", "joint2:stiffness=uniform(10,100)"),
        cwd=tmp_path,
    )
    assert done.returncode == 0
    done = fajin_here("report", "sweep", "-o", "r.html", "--films", 2, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    from look.page_parts import header

    head, raw = header((tmp_path / "r.html").read_text())
    assert_films(head, raw, fajin.read(scenes / "arm7.usda").dt)
    assert [one["short"] for one in head["settings"]] == ["joint2:stiffness"]
    assert head["command"] == "fajin batch -o sweep --animate WORLD"
    assert head["summary"].startswith("12 worlds: 12 done.")
    assert str(tmp_path) not in json.dumps(head)
    assert "must be the manifest of a batch" in fails("report", ".", "-o", "r.html", cwd=tmp_path)


HEAVY = ("taichi", "pxr", "numpy", "pydantic", "fajin.device", "fajin.tools.batch", "fajin.tools.simulate")
"""Modules that `fajin COMMAND --help` does not need; typer loads pydantic for the value of any option."""


def test_help_is_quick():
    """It loads no Taichi, USD or NumPy, nor other commands, whose signatures typer would read."""
    code = (
        "import sys, time; sys.argv = ['fajin', 'view', '--help']\nfrom fajin.tools.cli import main\n"
        f"try: main()\nexcept SystemExit: print([m for m in {HEAVY} if m in sys.modules])\n"
        "print(time.process_time())"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    *_, loaded, seconds = done.stdout.splitlines()
    assert loaded == "[]"
    assert float(seconds) < 0.3  # 0.08 on a machine that does nothing else


@pytest.mark.slow
def test_pages_of_logs_and_batches_draw(folder, scenes, tmp_path):
    """In a real browser, without requests: two logs, a comparison, a report."""
    fajin_here("plot", "a.csv", "b.npz", "--scene", scenes / "arm7.usda", "-o", tmp_path / "p.html", cwd=folder)
    fajin_here("compare", "a.npz", "b.csv", "--scene", scenes / "arm7.usda", "-o", tmp_path / "c.html", cwd=folder)
    fajin_here(
        *("batch", scenes / "arm7.usda", "-o", "sweep", "--worlds", "12", "--seconds", "0.2"),
        *("--random", "joint2:stiffness=uniform(10,100)"),
        cwd=tmp_path,
    )
    fajin_here("report", "sweep", "-o", tmp_path / "r.html", cwd=tmp_path)
    with Browser() as browser:
        for name, drawn in (
            ("p", "fajin.plots.panels.length === 4"),
            ("c", "fajin.stage"),
            ("r", "fajin.report.points === 12 && document.querySelectorAll('.films img').length === 3"),
        ):
            browser.open(tmp_path / f"{name}.html")
            assert browser.run("fajin.error") is None
            assert browser.run(f"Boolean({drawn})"), name
        assert browser.run("document.querySelectorAll('.numbers tbody tr').length") == 12
        assert browser.errors == []
        assert len(browser.requests) == 3


@pytest.mark.slow
@pytest.mark.parametrize("size", [(400, 700), (1200, 720)])
def test_the_table_of_a_comparison_fits_the_page(scenes, tmp_path, size):
    """Its columns are all seen, of joints with names as long as those of robots are."""
    for name, drive in (("a", ()), ("b", ("--drive", ".*=400,40"))):
        log = ("--joints", f"{name}.npz", "-o", f"{name}.usda", "--no-contacts")
        done = fajin_here("simulate", scenes / "ur10.usda", "--seconds", 1, *log, *drive, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    fajin_here("compare", "a.npz", "b.npz", "--scene", scenes / "ur10.usda", "-o", "c.html", cwd=tmp_path)
    with Browser(size=size) as browser:
        browser.open(tmp_path / "c.html")
        widths = "(() => { const one = document.querySelector('.numbers').parentElement; "
        inside, there = browser.run(f"{widths} return [one.scrollWidth, one.clientWidth]; }})()")
        assert inside <= there
