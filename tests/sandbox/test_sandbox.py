"""A child process with limits reads files: whatever they do to it is one line here."""

import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from paths import TESTS

import fajin
from fajin.jobs.results.manifest import read_manifest
from fajin.sandbox import request as requests
from fajin.sandbox import server
from fajin.sandbox.limits import Limits, current_limits
from fajin.sandbox.request import Request
from fajin.scene_file import SceneRequest
from fajin.usd.stage.dependencies import used_files

pytestmark = [pytest.mark.usefixtures("sandboxed"), pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")]
HEAVIER = ("/World/pendulum/rod.physics:mass=7",)
SMALL = Limits(cpu=1.0, wall=1.0, memory=0.2, output=0.001)


def confined() -> bool:
    """Whether the system can keep a process from writing."""
    code = "from fajin.sandbox.landlock import confine; print(confine())"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "True\n"


def refused(function: str, path: str = "robot.usda", limits: Limits = SMALL) -> str:
    """The line in which a file is refused whose reader misbehaves; the next file is read."""
    with pytest.raises(fajin.InvalidScene) as error:
        Request(f"misbehaviour:{function}", path, {}, limits).answer()
    assert Request("misbehaviour:answer", path, {"value": 2.5}, SMALL).answer() == 2.5
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("overrides", [(), HEAVIER])
def test_the_child_reads_what_this_process_reads(scenes, overrides):
    """With what the user puts in place of the file's values, and the files it is made of."""
    path = scenes / "pendulum.usda"
    scene, files = SceneRequest(path, overrides, files=True).take()
    assert scene == fajin.read(path, overrides) == fajin.read(path, overrides, trusted=True)
    assert files == used_files(path)


@pytest.mark.parametrize("name", ["floating_chain", "gym_ant"])
def test_the_child_finds_what_this_process_finds(robots, scenes, name):
    """Of a file, and of a scene with another step; values of edits that JSON does not have are text."""
    path = robots / "gym_ant.usda" if name == "gym_ant" else scenes / f"{name}.usda"
    slower = replace(fajin.read(path), dt=0.1)
    for scene in (None, slower):
        here, there = (fajin.check.check(path, (), scene, trusted) for trusted in (True, False))
        assert list(map(str, here)) == list(map(str, there))
        assert [len(finding.edits) for finding in here] == [len(finding.edits) for finding in there]
    assert here


def test_what_is_wrong_with_a_file_is_said_in_the_same_words(tmp_path):
    """The error crosses the border with its fields."""
    errors = []
    for trusted in (False, True):
        with pytest.raises(fajin.InvalidScene) as error:
            fajin.read(tmp_path / "none.usda", trusted=trusted)
        errors.append(error.value)
    assert errors[0].args == errors[1].args


def test_a_path_is_relative_to_the_folder_of_now(scenes, tmp_path, monkeypatch):
    """A server that has begun in another folder reads from here."""
    fajin.read(scenes / "pendulum.usda")
    (tmp_path / "robot.usda").write_bytes((scenes / "pendulum.usda").read_bytes())
    monkeypatch.chdir(tmp_path)
    assert fajin.read("robot.usda").source == "robot.usda"


@pytest.mark.parametrize(
    ("function", "words"),
    [
        ("crash", "survives (signal 11)"),
        ("leave", "survives (exit code 7)"),
        ("spin", "within 1 s of processor time"),
        ("wait", "within 1 s of wall time"),
        ("fill", "within 0.2 GB of memory"),
        ("talk", "within 0.001 GB of values"),
        ("stumble", "ZeroDivisionError in misbehaviour.py"),
        ("forge", "not JSON"),
    ],
)
def test_whatever_a_child_does_is_one_line(function, words):
    """With the limit and its value."""
    limits = SMALL if function == "wait" else replace(SMALL, wall=30.0)  # beside load another limit would come first
    line = refused(function, limits=limits)
    assert line.startswith("robot.usda: must be a file")
    assert words in line


def test_a_child_has_no_files_and_writes_none(tmp_path):
    """Its own three, the pipe of its answer, and the listing."""
    said = Request("misbehaviour:write_here", tmp_path / "file", {}, SMALL).answer()
    assert said[:-1] == ["0", "1", "2", "3", "4"]
    assert said[-1] in ("Permission denied", "File too large")


@pytest.mark.skipif(not confined(), reason="needs Linux with Landlock")
def test_a_child_changes_no_file_starts_no_program_and_connects_nowhere(tmp_path):
    """Except below the folder for what it writes."""
    ours, others = tmp_path / "ours", tmp_path / "others"
    for folder in (ours, others):
        folder.mkdir()
        (folder / "old").write_text("text")
    assert Request("misbehaviour:reach_out", "robot.usda", {"folder": str(others)}, SMALL, ours).answer() == []
    assert [file.name for file in others.iterdir()] == ["old"]
    assert (others / "old").read_text() == "text"
    within = Request("misbehaviour:reach_out", "robot.usda", {"folder": str(ours)}, SMALL, ours).answer()
    assert [done for done in within if ":" not in done] == ["write", "remove", "folder"]


def test_a_child_dies_with_the_process_that_asked(tmp_path):
    """Also if that is killed."""
    with socket.socket(socket.AF_UNIX) as line:
        line.bind(str(tmp_path / "line"))
        line.listen()
        code = (
            "from fajin.sandbox.request import Request; from fajin.sandbox.limits import Limits\n"
            f"Request('misbehaviour:hold', {str(tmp_path / 'line')!r}, {{}}, Limits()).answer()"
        )
        env = {**os.environ, "PYTHONPATH": str(TESTS / "support")}
        asking = subprocess.Popen([sys.executable, "-c", code], env=env)
        child = int(line.accept()[0].recv(100))
    asking.kill()
    asking.wait()
    until = time.monotonic() + 5.0
    while time.monotonic() < until and _runs(child):
        time.sleep(0.01)
    assert not _runs(child)


def _runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.slow
def test_a_server_that_died_is_replaced(scenes):
    """And one that cannot start is said, not replaced by this process."""
    scene = fajin.read(scenes / "pendulum.usda")
    for _, waiting in requests._idle:
        os.kill(waiting.pid, signal.SIGKILL)
        waiting.wait()
    assert fajin.read(scenes / "pendulum.usda") == scene


def test_a_server_that_is_killed_while_it_reads_is_one_line(scenes):
    """And its child dies with it."""
    request = Request("misbehaviour:wait", "robot.usda", {}, Limits(wall=60.0))
    time.sleep(0.1)
    os.kill(request._server.pid, signal.SIGKILL)
    with pytest.raises(fajin.InvalidScene, match=r"survives .its server ended by signal 9"):
        request.answer()
    assert fajin.read(scenes / "pendulum.usda").articulations


@pytest.mark.slow
def test_a_server_does_not_wait_for_ever(scenes, monkeypatch):
    """After a while another one reads; the first has given its memory back."""
    fajin.read(scenes / "pendulum.usda")
    (_, first), *_ = requests._idle
    monkeypatch.setattr(requests, "IDLE_SECONDS", 0.0)
    fajin.read(scenes / "pendulum.usda")
    assert first.poll() is not None
    monkeypatch.setattr(server, "IDLE_SECONDS", 0.0)
    source, sink = os.pipe()
    with os.fdopen(source, "rb") as waiting:
        assert server._next_line(waiting) == b""
    os.close(sink)


def test_without_a_child_nothing_is_read(scenes, monkeypatch):
    """This process opens no file that it was not told to trust."""
    monkeypatch.setattr(requests, "_idle", [])
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(fajin.InvalidScene, match="but none starts"):
        fajin.read(scenes / "pendulum.usda")


def test_what_others_print_is_no_answer(scenes, tmp_path, monkeypatch):
    """What a Python prints while it starts is skipped."""
    (tmp_path / "sitecustomize.py").write_text("print('loud')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(requests, "_idle", [])
    assert fajin.read(scenes / "pendulum.usda").articulations


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("", Limits()),
        ("cpu=2, memory=0.5", Limits(cpu=2.0, memory=0.5)),
        ("root=.", Limits(root=str(Path.cwd()))),
        ("none", None),
    ],
)
def test_limits_are_read_from_the_environment(monkeypatch, text, limits):
    """By name."""
    monkeypatch.setenv("FAJIN_LIMITS", text)
    assert current_limits() == limits


@pytest.mark.parametrize("text", ["cpu", "cpu=0", "cpu=nan", "cpu=x", "memory=-1", "time=3", "none,cpu=1"])
def test_limits_that_are_none_are_refused(monkeypatch, scenes, text):
    """No file is read under a limit that was misspelt."""
    monkeypatch.setenv("FAJIN_LIMITS", text)
    with pytest.raises(ValueError, match=r"^limits = "):
        fajin.read(scenes / "pendulum.usda")


def test_layers_lie_below_the_root(tmp_path, scenes, monkeypatch):
    """A reference leads elsewhere."""
    text = f'#usda 1.0\ndef "World" (references = @{scenes}/pendulum.usda@</World>)\n{{\n}}\n'
    (tmp_path / "robot.usda").write_text(text)
    assert fajin.read(tmp_path / "robot.usda").articulations
    monkeypatch.setenv("FAJIN_LIMITS", f"root={tmp_path}")
    with pytest.raises(fajin.InvalidScene, match=r"layers below .* but leads to .*pendulum\.usda"):
        fajin.read(tmp_path / "robot.usda")


def test_a_command_takes_limits(scenes, run, monkeypatch):
    """Before its name."""
    monkeypatch.setenv("FAJIN_LIMITS", "")
    code, _, error = run("--limits", "output=1e-8", "inspect", scenes / "pendulum.usda")
    assert (code, error.count("\n")) == (2, 1)
    assert "within 1e-08 GB of values; raise the limit if the file is sound: fajin --limits output=2e-08" in error


def test_the_process_that_steps_loads_no_usd(scenes, tmp_path):
    """Nor what a batch needs only now and then."""
    words = ["fajin", "batch", str(scenes / "pendulum.usda"), "-o", str(tmp_path / "out"), "--worlds", "4"]
    words += ["--random", "rod:mass*=uniform(0.9,1.1)", "--seconds", "0.1", "--device", "cpu"]
    code = (
        "import sys; from fajin.tools.cli import main\n"
        f"sys.argv = {words}\n"
        "try: main()\n"
        "finally: print(sorted({'pxr', 'pandas', 'zarr', 'dask', 'ray', 'matplotlib', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    made_of = read_manifest(tmp_path / "out")["scene"]["files"]
    assert made_of == used_files(scenes / "pendulum.usda")
