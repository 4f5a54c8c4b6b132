"""`fajin envelope` as a user runs it: a data sheet or measurements on a joint, its motion drawn, or one line."""

import subprocess
import sys

import numpy as np
import pytest

import fajin

MOTOR = ("--torque-constant", "1 N·m/A", "--speed-constant", "6.67 rpm/V", "--voltage", "48 V")
MOTOR += ("--resistance", "0.67 Ω", "--max-current", "22 A")


def fajin_command(*words) -> subprocess.CompletedProcess:
    """Run a command to its end."""
    command = [sys.executable, "-m", "fajin", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def envelope(path, joint: str) -> tuple:
    """The parameters of a joint's envelope, as the reader has them."""
    axes = {item.path: item.axes[0] for robot in fajin.read(path).articulations for item in robot.joints if item.axes}
    drive = axes[joint].drive
    found = drive.envelope
    return (
        drive.max_force,
        found.max_actuator_velocity,
        found.velocity_dependent_resistance,
        found.speed_effort_gradient,
    )


@pytest.fixture(scope="module")
def authored(scenes, tmp_path_factory):
    """A flywheel with the motor of a data sheet, and the log of its start."""
    folder = tmp_path_factory.mktemp("motor")
    layer, joint = folder / "real.usda", "/World/real/axle"
    done = fajin_command(
        *("envelope", "from-datasheet", scenes / "motor_envelope.usda", *MOTOR, "--modulation", "90 %"),
        *("--author", joint, "-o", layer, "--plot", folder / "envelope.png"),
    )
    assert (done.returncode, done.stderr) == (0, "")
    fast = ("--set", f"{joint}.drive:angular:physics:targetVelocity=3000")
    strong = ("--set", f"{joint}.drive:angular:physics:damping=10")
    log = folder / "log.npz"
    options = ("--joints", log, "--seconds", "0.6", "--precision", "f64", *fast, *strong)
    assert fajin_command("simulate", layer, "-o", folder / "o.usda", *options).returncode == 0
    return folder, done.stdout


@pytest.mark.slow
def test_a_data_sheet_becomes_the_envelope_of_a_joint(authored):
    """22 N·m, 6.67 rpm/V · 48 V · 0.9, R/k_t²; which limit decided, and what changed in both units."""
    folder, said = authored
    expected = (22.0, 6.67 * 48 * 0.9 * np.pi / 30, 0.0, 0.67)
    assert envelope(folder / "real.usda", "/World/real/axle") == pytest.approx(expected, rel=1e-6)
    assert next(line for line in said.splitlines() if "max effort" in line).endswith("controller current  ")
    assert "maxForce: 2 → 22 N·m" in said
    assert "maxActuatorVelocity: 720 → 1728.86 deg/s (12.5664 → 30.1744 rad/s)" in said
    assert said.splitlines()[-1].startswith(f"wrote {folder / 'real.usda'}: 1 envelope, a layer over ")
    assert (folder / "envelope.png").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.slow
def test_a_simulation_keeps_to_it_and_is_drawn_in_it(authored, run):
    """Torque at its limit, then down along the voltage's line: all points within, most of them at an edge."""
    folder, _ = authored
    code, out, errors = run(
        "envelope", "plot", folder / "real.usda", "--log", folder / "log.npz", "-o", folder / "p.svg"
    )
    assert (code, errors) == (0, "")
    (row,) = (line.split() for line in out.splitlines() if "/World/real/axle:rotZ" in line)
    within, effort, speed, outside = map(float, row[2:])
    assert (within, outside) == (100.0, 0.0)
    assert effort > 10.0
    assert speed > 10.0
    assert "<svg" in (folder / "p.svg").read_text()


@pytest.mark.slow
def test_an_envelope_is_fitted_to_a_log_and_authored(authored, scenes, run):
    """What the motor did gives its parameters back: to the one step in which it passes from one edge to the other."""
    folder, _ = authored
    words = ("--joint", "/World/real/axle", "--share", "1", "--author", "/World/ideal/axle", "-o", folder / "fit.usda")
    code, out, errors = run("envelope", "fit", folder / "log.npz", scenes / "motor_envelope.usda", *words)
    assert (code, errors) == (0, "")
    assert "100 % of them inside" in out
    force, speed, resistance, gradient = envelope(folder / "fit.usda", "/World/ideal/axle")
    true = (22.0, 6.67 * 48 * 0.9 * np.pi / 30, 0.0, 0.67)
    assert (force, resistance) == pytest.approx((true[0], true[2]), abs=1e-3)
    assert (speed, gradient) == pytest.approx((true[1], true[3]), rel=2e-2)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("from-datasheet", "--max-current", "3 V"), "--max-current = 3 V: must not be a voltage"),
        (("from-datasheet", "--max-current", "3"), "must have a unit"),
        (("from-datasheet", "--gear-efficiency", "81", "--gear-torque", "1 N·m"), "must be at most 1"),
        (("from-datasheet", "--gear-torque", "1 N·m"), "a bound on the speed is missing"),
        (("from-datasheet", *MOTOR, "--author", "axle"), "must be used together"),
        (("from-datasheet", *MOTOR, "--plot", "a.bmp"), "must have a suffix"),
        (("from-datasheet", "SCENE", *MOTOR, "--author", "knee", "-o", "a.usda"), "knee"),
        (
            ("from-datasheet", "SCENE", *MOTOR, "--gear-ratio", "9 turn/m", "--author", "axle", "-o", "a.usda"),
            "must be a translation, as the envelope is",
        ),
        (("fit", "points.csv"), "must be a file that can be read"),
        (("plot", "SCENE", "-o", "a.png", "--joint", "knee"), "joint pattern"),
        (("plot", "SCENE", "-o", "a.png", "--log", "no.npz"), "must be a file that can be read"),
    ],
)
def test_what_cannot_be_is_said_in_a_line_and_nothing_is_written(scenes, tmp_path, monkeypatch, run, words, said):
    monkeypatch.chdir(tmp_path)
    code, _, errors = run("envelope", *(scenes / "motor_envelope.usda" if word == "SCENE" else word for word in words))
    assert code == 2
    lines = [line for line in errors.splitlines() if "note:" not in line]
    assert len(lines) == 1
    assert lines[0].startswith("fajin: ")
    assert said in lines[0]
    assert not list(tmp_path.iterdir())


def test_a_point_within_a_hundredth_of_a_bound_is_at_the_edge():
    """Of four points in 22 N·m, 33.5 rad/s and 0.67 rad/s/(N·m) three lie within, one at each edge, one outside."""
    from fajin.motor.operating_points import OperatingPoints
    from fajin.scene import Drive, Envelope
    from fajin.tools.envelope_report import edges

    points = OperatingPoints(np.array([0.0, 0.0, 33.4, -40.0]), np.array([-21.9, 21.0, 0.0, 0.0]), True)
    drive = Drive(max_force=22.0, envelope=Envelope(33.5, 0.0, 0.67))
    assert edges(drive, True, points) == ("4", "75", "25", "25", "25")
    assert edges(Drive(envelope=Envelope(33.5)), True, points)[1:] == ("75", "0", "25", "25")
