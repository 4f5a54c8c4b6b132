"""Logs read as series: every format, the headings of other tools, units, bounds of the scene."""

from dataclasses import replace

import numpy as np
import pytest
from commands import fajin_here

import fajin
from fajin.errors import InputError
from fajin.recording.joint_log import write_joint_log
from fajin.recording.joint_log_reader import LogOptions, parse_heading, read_joint_log
from fajin.recording.mcap_log import McapWriter, read_joint_states
from fajin.scene import TimeSamples
from fajin.visual.look.bands import TargetChange, add_bands
from fajin.visual.look.log_panels import add_logs
from fajin.visual.look.pack import Buffers, page_head
from fajin.visual.look.series import Series, series_of, short_names

STEPS = 12


@pytest.fixture(scope="module")
def recording(scenes):
    """The motor with an envelope for half a second."""
    return fajin.Simulation(fajin.read(scenes / "motor_envelope.usda"), device="cpu").run(0.5)


@pytest.mark.parametrize("suffix", [".npz", ".csv", ".parquet", ".mcap"])
def test_a_joint_log_reads_back_in_every_format(recording, tmp_path, suffix):
    """Time, names and values to the bit of float32."""
    if suffix == ".mcap":
        pytest.importorskip("mcap")
    write_joint_log(recording, tmp_path / f"log{suffix}")
    series = read_joint_log(tmp_path / f"log{suffix}")
    assert series.dof == recording.dof
    assert series.complete
    np.testing.assert_allclose(series.time, recording.time, atol=1e-9)
    for quantity in ("q", "qd", "effort"):
        assert (series.values[quantity].astype(np.float32) == getattr(recording, quantity)[:, 0]).all()


def test_units_of_translations_survive(scenes, tmp_path):
    """The gripper's fingers are in metres, also in text."""
    run = fajin.Simulation(fajin.read(scenes / "gripper_mimic.usda"), device="cpu").run(0.1)
    for name in ("log.npz", "log.csv"):
        write_joint_log(run, tmp_path / name)
        assert read_joint_log(tmp_path / name).unit == run.unit


def test_a_message_of_joint_states_has_the_bytes_of_ros(tmp_path):
    """Alignment counts from after the header: a list of float64 begins at a multiple of 8."""
    pytest.importorskip("mcap")
    writer = McapWriter(tmp_path / "a.mcap", ["ab", "elbow"])
    writer.add(1.5, [np.array([1.0, 2.0]), np.array([]), np.array([-3.0, 4.0])])
    writer.close()
    (state,) = read_joint_states(tmp_path / "a.mcap")
    assert (state.time, state.name) == (1.5, ("ab", "elbow"))
    assert [values.tolist() for values in state.values] == [[1.0, 2.0], [], [-3.0, 4.0]]
    from mcap.reader import make_reader

    with (tmp_path / "a.mcap").open("rb") as file:
        ((schema, channel, message),) = make_reader(file).iter_messages()
    assert (schema.name, channel.topic, channel.message_encoding) == (
        "sensor_msgs/msg/JointState",
        "/joint_states",
        "cdr",
    )
    stamp = b"\x01\0\0\0\x00\x65\xcd\x1d"
    names = b"\x01\0\0\0\0\0\0\0\x02\0\0\0\x03\0\0\0ab\0\0\x06\0\0\0elbow\0\0\0"
    position = b"\x02\0\0\0" + np.array([1.0, 2.0]).tobytes()
    effort = b"\0\0\0\0\x02\0\0\0" + np.array([-3.0, 4.0]).tobytes()
    body = message.data[4:]
    assert body[: len(stamp + names)] == stamp + names
    rest = body[len(stamp + names) :]
    at = -len(stamp + names + position[:4]) % 8
    assert rest == position[:4] + b"\0" * at + position[4:] + effort


@pytest.mark.parametrize(
    ("heading", "parts"),
    [
        ("qd /arm/elbow:rotZ [rad/s]", ("qd", "/arm/elbow:rotZ", "rad/s")),
        ("/joint_states/elbow/velocity", ("qd", "/joint_states/elbow", "")),
        ("elbow.position", ("q", "elbow", "")),
        ("elbow_joint [deg]", ("q", "elbow_joint", "deg")),
        ("q", ("q", "q", "")),
    ],
)
def test_headings(heading, parts):
    """fajin's, those of tools around ROS, and plain names."""
    assert parse_heading(heading) == parts


def test_a_log_of_a_real_robot(tmp_path):
    """Semicolons, degrees, milliseconds of a clock, a gap, a name of its own."""
    text = "stamp [ms];elbow_pos;name\n2000000000;90;x\n2000000010;nan;y\n2000000020;-90;z\n"
    (tmp_path / "real.csv").write_text(text)
    series = read_joint_log(tmp_path / "real.csv", LogOptions("stamp [ms]", "deg", {"elbow_pos": "elbow"}))
    assert series.dof == ("elbow",)
    np.testing.assert_allclose(series.time, [0.0, 0.01, 0.02])
    np.testing.assert_allclose(series.values["q"][:, 0], [np.pi / 2, np.nan, -np.pi / 2])


def test_bounds_of_the_scene(recording, scenes):
    """Largest effort falls with the speed as the envelope says"""
    named = {f"{joint.path}:{axis.token}": axis for part in recording.scene.articulations for joint in part.joints
             for axis in joint.axes}  # fmt: skip
    name, axis = next((name, axis) for name, axis in named.items() if axis.drive.envelope)
    series = add_bands(series_of(recording), recording.scene).select(f"^{name}$")
    speed = np.abs(series.values["qd"][:, 0])
    assert speed.max() > 0.1
    first = axis.drive.max_force - axis.drive.envelope.velocity_dependent_resistance * speed
    bound = series.bands["effort"][1][:, 0]
    assert (bound <= first + 1e-6).all()
    assert bound.min() < axis.drive.max_force
    foreign = replace(series, dof=tuple(f"other{i}" for i in range(len(series.dof))))
    with pytest.raises(InputError, match="must be a log of the scene's joints"):
        add_bands(foreign, recording.scene)


def test_targets_follow_the_controls(scenes):
    """A drive's target of the scene until an event sets another one."""
    scene = fajin.read(scenes / "arm7.usda")
    run = fajin.Simulation(scene, device="cpu").run(0.1)
    series = add_bands(series_of(run), scene, [TargetChange(0.05, run.dof[1], 0.125)])
    target = series.values["target_q"][:, 1]
    assert target[-1] == 0.125
    assert series.time[np.argmax(target == 0.125)] == pytest.approx(0.05, abs=1e-6)
    np.testing.assert_allclose(series.values["error"], series.values["target_q"] - series.values["q"])
    assert (series.bands["q"][0] <= series.values["q"]).all()


def test_targets_and_bounds_follow_time_samples(scenes):
    """They are those that the engine steps with; an event does not change what the scene samples."""
    scene = fajin.read(scenes / "arm7.usda")
    name = "/World/arm/joint2:rotY"
    samples = {"target_q": (0.0, 0.4), "max_force": (87.0, 40.0), "upper": (2.0, 1.0)}
    signals = tuple(TimeSamples(name, key, (0.02, 0.08), values) for key, values in samples.items())
    scene = replace(scene, signals=signals)
    run, sim = (fajin.Simulation(scene, device="cpu") for _ in range(2))
    series = add_bands(series_of(run.run(steps=STEPS)), scene, [TargetChange(0.05, name, 2.0)])
    curves = series.values["target_q"], series.bands["effort"][1], series.bands["q"][1]
    drawn = np.stack(curves)[:, :, sim.dof.index(name)]
    for step in range(STEPS):
        sim.step()
        held = [getattr(sim, key)[0, name] for key in samples]
        np.testing.assert_allclose(drawn[:, step], held, rtol=np.finfo(np.float32).eps, err_msg=f"step {step}")
    assert np.ptp(drawn, axis=1).min() > 0.1


def test_short_names():
    """As short as they can be and still differ."""
    assert short_names(["/a/elbow:rotX", "/a/wrist:rotX"]) == ["elbow", "wrist"]
    assert short_names(["/a/ball:rotX", "/a/ball:rotY"]) == ["ball:rotX", "ball:rotY"]
    assert short_names(["/a/hip:rotX", "/b/hip:rotX"]) == ["/a/hip", "/b/hip"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.txt", "x", "a.txt: must be a log of type .npz, .csv, .parquet, .mcap; name such a file"),
        ("a.csv", "", "a.csv: must have a line of headings"),
        ("a.csv", "x,y\n1,2\n", "a.csv: must have a column time; name the column of times by --time-column"),
        ("a.csv", "time,y\n2,2\n1,3\n", "a.csv: time must hold finite times that do not decrease"),
        ("a.csv", "time,y\n1,a\n2,b\n", "a.csv: must have a column of numbers beside time"),
        ("a.npz", "no archive", "a.npz: must be an .npz file"),
        ("a.parquet", "no table", "a.parquet: must be a parquet file"),
        ("a.mcap", "no messages", "a.mcap: must be an MCAP file"),
    ],
)
def test_a_log_that_cannot_be_read_is_one_line(tmp_path, name, text, message):
    """It names the file, the rule and the fix; the exit code is 2."""
    if name.endswith("mcap"):
        pytest.importorskip("mcap")
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as caught:
        read_joint_log(tmp_path / name)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert fajin_here("plot", tmp_path / name, "-o", "-").returncode == 2


def two_logs() -> list[Series]:
    """Logs of two joints, the second one with names, times and a joint of its own."""
    time, other = np.linspace(0.0, 1.0, 11), np.linspace(0.25, 2.0, 8)
    a = Series("a.npz", time, ("/r/elbow:rotX", "/r/wrist:rotX"), ("rad", "rad"), {"q": np.stack([time, -time], 1)})
    b = Series("b.csv", other, ("wrist", "current"), ("rad", "rad"), {"q": np.stack([2.0 * other, other], 1)})
    return [a, b]


@pytest.mark.parametrize("count", [1, 2])
def test_units_have_plots_of_their_own(count):
    """Two centimetres of a slide beside radians of a hinge; bounds and targets are those of the plotted joints."""
    time, zero = np.linspace(0.0, 1.0, 5), np.zeros((5, 2))
    values = {"q": zero, "target_q": zero + 0.1, "qd": zero}
    log = Series("log", time, ("/r/hinge:rotX", "/r/slide:transX"), ("rad", "m"), values, {"q": (zero - 1, zero + 1)})
    head, buffers = page_head("plots", "x"), Buffers()
    add_logs(head, [log] * count, buffers)
    found = [(panel["title"], panel["unit"]) for panel in head["panels"]]
    assert found == [("q", "rad"), ("q", "m"), ("qd", "rad/s"), ("qd", "m/s")]
    for panel, joint in zip(head["panels"], (0, 1, 0, 1), strict=True):
        assert {curve["joint"] for curve in panel["curves"]} == {joint}
        assert {band["joint"] for band in panel["bands"]} <= {joint}


def test_several_logs_share_the_panel_of_a_quantity():
    """A joint is one row and one color, a log one pattern of dashes; values are those at common times."""
    head, buffers = page_head("plots", "x"), Buffers()
    add_logs(head, two_logs(), buffers)
    assert [joint["name"] for joint in head["joints"]] == ["elbow", "wrist", "current"]
    (panel,) = head["panels"]
    assert [(curve["joint"], curve["dash"]) for curve in panel["curves"]] == [
        (0, []),
        (1, []),
        (1, [9, 4]),
        (2, [9, 4]),
    ]
    assert panel["note"] == "solid: a.npz, dashed: b.csv"
    raw = b"".join(buffers.parts)

    def array(place):
        return np.frombuffer(raw, f"<{place['type']}", place["count"], place["at"])

    time, wrist, other = (array(place) for place in (panel["time"], *(panel["curves"][i]["values"] for i in (1, 2))))
    assert np.isnan(wrist[time > 1.0]).all()
    assert np.isnan(other[time < 0.25]).all()
    np.testing.assert_allclose(wrist[time <= 1.0], -time[time <= 1.0], atol=1e-6)
    np.testing.assert_allclose(other[time >= 0.25], 2.0 * time[time >= 0.25], atol=1e-6)


def test_several_logs_share_a_plot_of_text(tmp_path):
    """One plot per joint, a mark per log, whose names stand below."""
    for one in two_logs():
        heads = ["time", *(f"{name}.position" for name in one.dof)]
        rows = np.column_stack([one.time, one.values["q"]])
        np.savetxt(tmp_path / f"{one.name[0]}.csv", rows, delimiter=",", header=",".join(heads), comments="")
    done = fajin_here("plot", "a.csv", "b.csv", "--joint", "wrist", "-o", "-", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("a.csv, b.csv: q of wrist [rad]\n")
    assert done.stdout.endswith("● a.csv\n        · b.csv\n")
    assert done.stdout.count("time [s]") == 1
