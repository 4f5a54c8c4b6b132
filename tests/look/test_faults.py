"""Faults around `fajin view`, `render`, `plot`, `compare` and `report`: one line, and nothing half written.

The faults are real: a disk that is full, a port that another socket holds, a search path without programs, a signal.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import webbrowser
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import fajin_here
from paths import SCENES, TESTS
from usda import arm, stage

from fajin.visual.look import film

SMALL = ("--size", "64x64", "--samples", "1")
BARE = "fajin: note: no link has geometry: bones between the joints are drawn\n"
SHOWN = {
    "view": ("view", "out.usda"),
    "run": ("view", "scene.usda"),
    "plot": ("plot", "a.npz"),
    "compare": ("compare", "a.npz", "b.npz", "--show"),
    "report": ("report", "sweep", "--films", "0"),
}
"""Commands that open a page."""
WRITTEN = {
    "page": ("view", "out.usda", "-o", "new.html"),
    "glb": ("view", "out.usda", "-o", "new.glb"),
    "picture": ("render", "out.usda", "-o", "new.png", *SMALL),
    "frames": ("render", "out.usda", "-o", "frames/new%02d.png", *SMALL),
    "apng": ("render", "out.usda", "-o", "new.apng", *SMALL),
    "webp": ("render", "out.usda", "-o", "new.webp", *SMALL),
    "gif": ("render", "out.usda", "-o", "new.gif", *SMALL),
    "plots": ("plot", "a.npz", "-o", "new.html"),
    "plot picture": ("plot", "a.npz", "-o", "new.png"),
    "comparison": ("compare", "a.npz", "b.npz", "-o", "new.html"),
    "numbers": ("compare", "a.npz", "b.npz", "-o", "new.json"),
    "rows": ("compare", "a.npz", "b.npz", "-o", "new.csv"),
    "report": ("report", "sweep", "-o", "new.html", "--films", "0"),
}
"""Commands that write a file."""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A robot without geometry, its motion, two logs of it, and a batch."""
    folder = tmp_path_factory.mktemp("faults")
    drive = "float drive:angular:physics:stiffness = 1\nfloat drive:angular:physics:damping = 1"
    target = "float drive:angular:physics:targetPosition = 30\npoint3f physics:localPos0 = (0, 0, 1)"
    stage(folder, arm(f"{drive}\n{target}", "PhysicsDriveAPI:angular"))
    log = ("--joints", "a.npz", "-o", "out.usda", "--seconds", 0.2)
    for words in (
        ("simulate", "scene.usda", *log),
        (
            "batch",
            "scene.usda",
            "-o",
            "sweep",
            "--worlds",
            4,
            "--seconds",
            0.1,
            "--random",
            "elbow:stiffness=uniform(1,9)",
        ),
    ):
        done = fajin_here(*words, cwd=folder)
        assert done.returncode == 0, done.stderr
    shutil.copy(folder / "a.npz", folder / "b.npz")
    return folder


@pytest.fixture
def place(made, tmp_path):
    """A copy of the files to write beside."""
    return Path(shutil.copytree(made, tmp_path / "work"))


def names(folder) -> set[str]:
    """All files and folders below a folder."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.mark.parametrize("command", SHOWN)
def test_a_taken_port_is_one_line(made, command, monkeypatch):
    """Another socket listens there."""
    monkeypatch.setattr(webbrowser, "open", lambda url: True)
    monkeypatch.setenv("DISPLAY", ":0")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = fajin_here(*SHOWN[command], "--port", port, cwd=made)
    assert done.returncode == 2
    (line,) = [line for line in done.stderr.splitlines() if "note:" not in line]
    assert line == (
        f"fajin: --port {port}: must be a free port of 127.0.0.1 (Address already in use); leave it out for any"
    )


@pytest.mark.parametrize(("display", "said"), [(":0", "no browser is found; open"), ("", "no display here; from an")])
@pytest.mark.parametrize("command", [command for command in SHOWN if command != "run"])
def test_where_no_browser_can_open_the_address_is_printed(made, command, display, said, monkeypatch, tmp_path):
    """A search path without programs, or no display; Ctrl-C ends the page. Plots of logs are text then."""
    monkeypatch.setattr(webbrowser, "_tryorder", None)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("BROWSER", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("DISPLAY", display)
    monkeypatch.setattr(time, "sleep", lambda seconds: signal.raise_signal(signal.SIGINT))
    done = fajin_here(*SHOWN[command], cwd=made)
    assert done.returncode == 0, done.stderr
    if command == "plot" and not display:
        assert "● q" in done.stdout
        return
    assert "http://127.0.0.1:" in done.stdout
    assert done.stderr.splitlines()[-1].startswith(said)


@pytest.mark.parametrize(
    "words",
    [
        ("view", "out.usda", "-o", "new.html"),
        ("view", "out.usda", "-o", "new.glb"),
        ("view", "scene.usda", "--no-browser", "--seconds", "0.1"),
        ("render", "out.usda", "-o", "new.png", *SMALL),
        ("compare", "a.npz", "b.npz", "--scene", "scene.usda", "-o", "new.html"),
        ("report", "sweep", "-o", "new.html", "--films", "1"),
    ],
)
def test_links_without_geometry_are_said_to_be_bones(place, words):
    done = fajin_here(*words, cwd=place)
    assert done.returncode == 0
    assert done.stderr == BARE


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("view", "a.npz", "--scene", "arm7.usda", "-o", "new.html"), "a.npz: must be of this scene, but it lacks "),
        (("render", "a.npz", "--scene", "arm7.usda", "-o", "new.png"), "a.npz: must be of this scene, but it lacks "),
        (("render", "sweep", "--scene", "arm7.usda", "-o", "new.png"), "sweep: must have trajectories"),
        (
            ("plot", "a.npz", "--scene", "arm7.usda", "-o", "new.html"),
            "a.npz: must be a log of the scene's joints, /World/arm/joint1:rotZ and 6 more; it has /robot/elbow:rotX; "
            "choose another scene, or --map NAME=JOINT",
        ),
        (
            ("compare", "a.npz", "b.npz", "--scene", "arm7.usda", "-o", "new.html"),
            "--scene arm7.usda: must have the joints of the logs; name another scene",
        ),
        (("compare", "a.npz", "other.csv"), "other.csv: must share joints with a.npz; it has wheel, not /robot/elbow"),
        (("report", "a.npz", "-o", "new.html"), "a.npz/manifest.json: must be the manifest of a batch"),
    ],
)
def test_a_log_of_another_robot_is_one_line(place, words, said):
    """Nothing is printed or written beside it."""
    shutil.copy(SCENES / "arm7.usda", place)
    (place / "other.csv").write_text("time,wheel\n0,0\n1,1\n2,2\n")
    before = names(place)
    done = fajin_here(*words, cwd=place)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert len(done.stderr) < 220
    assert names(place) == before


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("new.mp4", "install ffmpeg, or pip install imageio-ffmpeg, or write .apng"),
        ("new.gif", "pip install pillow, or write .apng"),
        ("new.webp", "pip install pillow, or write .apng"),
    ],
)
def test_a_missing_encoder_is_one_line_that_says_what_to_install(place, name, said, monkeypatch, tmp_path):
    """A search path without programs, and packages that cannot be imported."""
    monkeypatch.setenv("PATH", str(tmp_path))
    for package in ("imageio_ffmpeg", "PIL", "PIL.Image"):
        monkeypatch.setitem(sys.modules, package, None)
    before = names(place)
    done = fajin_here("render", "out.usda", "-o", name, *SMALL, cwd=place)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"fajin: {name}: must have ")
    assert done.stderr.endswith(f"; {said}\n")
    assert names(place) == before


FULL = """
import json, os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from commands import fajin_here
disk, free, commands = Path(sys.argv[2]), int(sys.argv[3]), json.loads(sys.argv[4])
with (disk / "ballast").open("wb", buffering=0) as ballast:
    try:
        while True:
            ballast.write(bytes(4096))
    except OSError:
        pass
    ballast.truncate(ballast.tell() - free)
answers = []
for words in commands:
    before = sorted(map(str, disk.rglob("*")))
    done = fajin_here(*words, cwd=Path(sys.argv[5]))
    answers.append((done.returncode, done.stdout, done.stderr, sorted(map(str, disk.rglob("*"))) == before))
print(json.dumps(answers))
"""


def can_mount() -> bool:
    """Whether this machine lets a process have a disk of its own."""
    return (
        bool(shutil.which("unshare"))
        and not subprocess.run(
            ["unshare", "-Urm", "sh", "-c", "mount -t tmpfs none /mnt"], check=False, capture_output=True
        ).returncode
    )


@pytest.mark.slow
@pytest.mark.parametrize("free", [0, 4096])
def test_a_full_disk_is_one_line_and_leaves_nothing(made, tmp_path, free):
    """A disk of 256 KiB that is full, or that fills up while the file is written."""
    if not can_mount():
        pytest.skip("needs unshare, and user namespaces: a disk of its own")
    disk = tmp_path / "disk"
    disk.mkdir()
    large = [
        name
        for name in WRITTEN
        if free == 0 or name not in ("picture", "numbers", "rows", "frames", "gif", "webp", "apng")
    ]
    commands = [
        [disk / word if word.startswith(("new.", "frames/")) else word for word in WRITTEN[name]] for name in large
    ]
    words = [sys.executable, "-c", FULL, TESTS / "support", disk, free, json.dumps(commands, default=str), made]
    line = 'mount -t tmpfs -o size=256k none "$0" && exec "$@"'
    done = subprocess.run(["unshare", "-Urm", "sh", "-c", line, disk, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name, words, answer in zip(large, commands, json.loads(done.stdout.splitlines()[-1]), strict=True):
        code, out, said, clean = answer
        lines = [line for line in said.splitlines() if "note:" not in line]
        assert (code, len(lines), clean) == (2, 1, True), (name, answer)
        assert "No space left on device" in lines[0], (name, answer)
        assert str(words[-1 if words[-2] == "-o" else words.index("-o") + 1]) in lines[0], (name, lines)
        assert "wrote" not in out


@pytest.mark.parametrize("name", WRITTEN)
def test_ctrl_c_just_before_a_file_is_there_leaves_nothing(place, name, monkeypatch):
    """The signal comes where the finished bytes are flushed, before the file gets its name."""
    before = names(place)
    monkeypatch.setattr(film, "ffmpeg", lambda: "")
    monkeypatch.setattr(os, "fsync", lambda file: signal.raise_signal(signal.SIGINT))
    done = fajin_here(*WRITTEN[name], cwd=place)
    assert done.returncode == 130
    assert "wrote" not in done.stdout
    assert done.stderr in ("", BARE)
    assert names(place) == before


def test_ctrl_c_while_an_object_is_finalised_is_not_lost(place, monkeypatch):
    """Python prints and ignores exceptions there, so that the command would go on."""

    class Finalised:
        def __del__(self):
            signal.raise_signal(signal.SIGINT)

    def interrupted(file):
        Finalised()
        time.sleep(10.0)

    before = names(place)
    monkeypatch.setattr(os, "fsync", interrupted)
    done = fajin_here(*WRITTEN["apng"], cwd=place)
    assert (done.returncode, done.stderr) == (130, BARE)
    assert names(place) == before


def interrupt(running: subprocess.Popen, works: Callable[[], bool]) -> None:
    """Send Ctrl-C to a command and its children once it is at work, and expect its one line."""
    end = time.monotonic() + 60.0
    while not works() and time.monotonic() < end and running.poll() is None:
        time.sleep(0.002)
    assert running.poll() is None
    try:
        os.killpg(running.pid, signal.SIGINT)
        _, said = running.communicate(timeout=60)
    finally:
        running.kill()
    assert (running.returncode, said) == (130, BARE)


@pytest.mark.slow
@pytest.mark.skipif(not film.ffmpeg(), reason="needs ffmpeg: pip install imageio-ffmpeg")
@pytest.mark.parametrize("name", ["new.mp4", "new.gif"])
def test_ctrl_c_during_a_film_of_ffmpeg_leaves_no_file(place, name):
    """A terminal sends the signal to ffmpeg, too."""
    before = names(place)
    words = ("render", "out.usda", "-o", name, "--fps", "240", "--speed", "0.001", *SMALL)
    command = [sys.executable, "-m", "fajin", *words]
    running = subprocess.Popen(command, cwd=place, stderr=subprocess.PIPE, text=True, start_new_session=True)
    interrupt(running, lambda: any(place.glob(f".{name}.*/**/{name}")))
    assert names(place) == before


@pytest.mark.slow
def test_ctrl_c_during_the_films_of_a_report_leaves_nothing(place, tmp_path):
    """Neither a page nor temporary files."""
    before, spare = names(place), tmp_path / "spare"
    spare.mkdir()
    command = [sys.executable, "-m", "fajin", "report", "sweep", "-o", "new.html", "--films", "4"]
    environment = os.environ | {"TMPDIR": str(spare)}
    running = subprocess.Popen(
        command, cwd=place, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    interrupt(running, lambda: any(spare.rglob("film.*")))
    assert names(place) == before
    assert list(spare.iterdir()) == []
