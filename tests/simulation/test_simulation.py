"""The one object a user holds: runs, controls, signals, recordings and errors."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from broken_state import break_state
from one_joint import slider
from planar_arm import arm, simulation

import fajin
from fajin.scene import Drive, Joint, JointType, Link, Scene, TimeSamples
from fajin.simulation.control_events import Control

EPS = np.finfo(np.float64).eps
H = 1 / 60


def test_names_stand_in_depth_first_order():
    """Columns, units and links of a simulation."""
    sim = simulation(arm())
    assert sim.dof == ("/arm/shoulder:rotZ", "/arm/elbow:rotZ", "/arm/finger:transX")
    assert sim.unit == ("rad", "rad", "m")
    assert sim.link == ("/arm/base", "/arm/upper", "/arm/lower", "/arm/tip")
    assert (sim.worlds, sim.device, sim.dt, sim.steps, sim.time) == (1, "cpu", H, 0, 0.0)


@pytest.mark.parametrize("worlds", [1, 3])
def test_a_recording_has_an_axis_for_worlds(worlds):
    """(T, W, D) and (T, W, L, 7), also of one world; the initial state is the first frame."""
    sim = simulation(arm(qd=1.0), worlds)
    recording = sim.run(steps=4)
    assert recording.worlds == sim.frame().worlds == worlds
    assert recording.q.shape == recording.qd.shape == recording.effort.shape == (5, worlds, 3)
    assert recording.pose.shape == (5, worlds, 4, 7)
    last = recording.world(worlds - 1)
    assert last.q.shape == (5, 1, 3)
    assert np.array_equal(last.q[:, 0], recording.q[:, -1])
    assert np.allclose(recording.time, np.arange(5) * H, 0, EPS)
    assert (recording.dof, recording.unit, recording.link) == (sim.dof, sim.unit, sim.link)
    assert recording.complete
    assert not recording.q[0].any()
    assert np.array_equal(recording.q[-1], sim.q)


@pytest.mark.parametrize(("fps", "frames"), [(None, 31), (60, 31), (30, 16), (20, 11), (1000, 31), (25, 16)])
def test_frames_come_at_the_rate_asked_for(fps, frames):
    """Every 1/(fps h)-th step, to the nearest whole number."""
    sim = simulation(arm(qd=1.0))
    recording = sim.run(seconds=0.5, fps=fps)
    every = 30 // (frames - 1)
    full = simulation(arm(qd=1.0)).run(steps=30)
    assert np.array_equal(recording.time, full.time[::every])
    assert np.array_equal(recording.q, full.q[::every])
    assert np.array_equal(recording.pose, full.pose[::every])


def test_a_run_goes_on_where_the_last_one_ended():
    """Time and state."""
    sim, whole = simulation(arm(qd=1.0)), simulation(arm(qd=1.0)).run(steps=10)
    first, second = sim.run(steps=4), sim.run(steps=6)
    assert np.array_equal(np.concatenate([first.time, second.time[1:]]), whole.time)
    assert np.array_equal(np.concatenate([first.q, second.q[1:]]), whole.q)
    assert sim.steps == 10
    assert sim.time == pytest.approx(10 * H)


def test_links_are_where_the_angles_say():
    """Closed form of two hinges and a slider in the plane."""
    sim = simulation(arm())
    a, b, c = 0.4, -1.1, 0.3
    sim.q = (a, b, c)
    poses = dict(zip(sim.link, sim.run(steps=0).pose[0, 0], strict=True))
    elbow = np.array((np.cos(a), np.sin(a), 0.0))
    tip = elbow + (1.0 + c) * np.array((np.cos(a + b), np.sin(a + b), 0.0))
    for path, position, angle in (("base", np.zeros(3), 0.0), ("upper", np.zeros(3), a), ("lower", elbow, a + b)):
        assert np.allclose(poses[f"/arm/{path}"], (*position, 0, 0, np.sin(angle / 2), np.cos(angle / 2)), 0, 8 * EPS)
    assert np.allclose(poses["/arm/tip"][:3], tip, 0, 8 * EPS)


def test_controls_come_before_their_step():
    """Q̇ and efforts set before step i act in step i; the recorded frame before it does not show them."""
    sim = simulation(arm())
    events = (3, 2, "qd", 0.6), (0, 0, "q", 0.2), (5, 2, "qd", 0.0), (7, 2, "effort", 12.0)
    controls = [Control(*event) for event in events]
    recording = sim.run(steps=8, controls=controls)
    finger = recording.q[:, 0, 2]
    assert np.allclose(finger[:4], 0.0, 0, EPS)
    assert np.allclose(finger[4:8], 0.6 * H * np.array((1, 2, 2, 2)), 0, 8 * EPS)
    assert recording.effort[7, 0, 2] == 0.0
    assert recording.effort[8, 0, 2] == 12.0
    assert np.allclose(recording.q[1:, 0, 0], 0.2, 0, 8 * EPS)
    halves = simulation(arm()).run(steps=8, fps=30, controls=controls)
    assert np.array_equal(halves.q, recording.q[::2])


def test_controls_count_from_the_start_of_the_simulation():
    """Not from the start of a run."""
    sim = simulation(arm())
    sim.step(5)
    assert np.allclose(sim.run(steps=3, controls=[Control(6, 0, "q", 1.0)]).q[:, 0, 0], (0, 0, 1, 1), 0, 8 * EPS)


@pytest.mark.parametrize("parameter", ["target_q", "stiffness", "max_force", "upper"])
def test_a_time_sampled_parameter_is_linear_between_samples(parameter):
    """And held outside them; every world sees it."""
    signal = TimeSamples("/arm/elbow:rotZ", parameter, (2 * H, 6 * H), (1.0, 3.0))
    sim = simulation(replace(arm(drive=Drive()), signals=(signal,)), 2)
    seen = []
    for _ in range(9):
        sim.step()
        seen.append(getattr(sim, parameter)[1, "elbow"])
    assert np.allclose(seen, (1, 1, 1, 1.5, 2, 2.5, 3, 3, 3), 0, 8 * EPS)


def test_a_time_sampled_target_drives_as_controls_do():
    """The same motion as by an event before each step."""
    drive = Drive(stiffness=20.0, damping=2.0)
    times = tuple(i * H for i in range(11))
    values = tuple(float(np.sin(i)) for i in range(11))
    signal = TimeSamples("/arm/elbow:rotZ", "target_q", times, values)
    sampled = simulation(replace(arm(drive=drive), signals=(signal,))).run(steps=10, fps=30)
    events = [Control(i, 1, "target_q", value) for i, value in enumerate(values)]
    driven = simulation(arm(drive=drive)).run(steps=10, fps=30, controls=events)
    assert np.allclose(sampled.q, driven.q, 0, 64 * EPS)
    assert np.abs(sampled.q).max() > H**2


@pytest.mark.parametrize("every", [1, 2, 5])
def test_a_run_that_leaves_the_finite_numbers_says_where(every):
    """What is finite comes first; the error names the first bad frame's step and the degree of freedom."""
    sim = simulation(arm())
    sim.qd = 1e3  # far beyond what a step of 1/60 s can follow
    pieces = []

    def run():
        for piece in sim.stream(400, every):
            pieces.append(piece)

    with pytest.raises(fajin.NonFinite, match="is not finite after step") as error:
        run()
    time = np.concatenate([piece.time for piece in pieces])
    assert len(time) > 1
    assert all(np.isfinite(getattr(piece, field)).all() for piece in pieces for field in ("q", "qd", "pose"))
    assert np.allclose(time, np.arange(0, error.value.step, every) * H, 0, EPS * error.value.step)
    assert error.value.dof in (*sim.dof, *sim.link)
    assert str(error.value.step) in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"worlds": 0}, "worlds = 0"),
        ({"dt": 0.0}, "dt = 0"),
        ({"dt": -1.0}, "dt = -1"),
        ({"dt": float("nan")}, "dt = nan"),
        ({"device": "tpu"}, "device 'tpu'.*auto, cpu, cuda, vulkan"),
        ({"precision": "f16"}, "precision 'f16'.*f32, f64"),
    ],
    ids=lambda value: str(value),
)
def test_bad_arguments_are_named(arguments, message):
    """ValueError with the value."""
    with pytest.raises(ValueError, match=message):
        simulation(arm(), **arguments)


def test_a_run_has_one_length():
    """Seconds or steps."""
    sim = simulation(arm())
    for arguments in ({}, {"seconds": 1.0, "steps": 3}):
        with pytest.raises(ValueError, match=r"seconds, steps = .*: must be exactly one"):
            sim.run(**arguments)


@pytest.mark.parametrize(
    ("scene", "message"),
    [
        (
            replace(arm(), articulations=(replace(arm().articulations[0], joints=()),)),
            "/arm/upper: must be joined",
        ),
        (
            Scene("s", (replace(slider(), links=(Link("/m/base"),)),)),
            "/m/joint.body0, body1 = /m/link: must be a link of articulation /m",
        ),
    ],
    ids=["loose", "nowhere"],
)
def test_a_scene_that_is_no_tree_is_refused(scene, message):
    """One line that names the prim."""
    with pytest.raises(fajin.InvalidScene, match=message) as error:
        simulation(scene)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("worlds", [1, 3])
def test_a_scene_in_which_nothing_moves_has_fields_without_columns(worlds):
    """Each of its shape, and steps and recordings as of other scenes."""
    sim = simulation(Scene("empty.usda", ()), worlds)
    recording = sim.run(steps=3)
    for name, shape in {"q": (), "effort": (), "link_pose": (7,), "root_pose": (7,), "link_velocity": (6,)}.items():
        assert np.asarray(getattr(sim, name)).shape == (worlds, 0, *shape)
    sim.root_pose = np.zeros((worlds, 0, 7))
    assert recording.q.shape == (4, worlds, 0)
    assert recording.pose.shape == (4, worlds, 0, 7)


def test_a_cycle_is_refused():
    """The joint that closes it is named, with the mend."""
    (robot,) = arm().articulations
    loop = replace(robot, joints=(*robot.joints, Joint("/arm/loop", JointType.FIXED, "/arm/tip", "/arm/base")))
    with pytest.raises(
        fajin.InvalidScene, match=r"/arm/\w+: must be a joint that does not close a cycle.*excludeFromArticulation"
    ):
        simulation(replace(arm(), articulations=(loop,)))


def test_what_has_no_bound_is_infinite():
    """Read as infinite, and set as infinite, though the device knows no infinity."""
    sim = simulation(arm())
    before = np.array(sim.max_velocity)
    assert np.isinf(before).all()
    sim.max_velocity[:, 0] = 2.0
    sim.max_velocity[:, 0] = np.inf
    assert np.array_equal(sim.max_velocity, before)
    sim.step()
    assert np.isfinite(sim.qd).all()


def test_a_state_that_is_not_finite_is_seen_before_the_first_step():
    """Nothing is recorded of it."""
    sim = simulation(arm())
    break_state(sim, "q", (0, 0))
    with pytest.raises(fajin.NonFinite) as error:
        sim.run(steps=3)
    assert error.value.step == 0


def test_another_device_in_the_same_process_is_refused():
    """A process has one Taichi; simulations on the CPU need none, so that other devices stay free."""
    from fajin.device import DeviceError

    simulation(arm(), device="cpu-lanes")
    with pytest.raises(DeviceError, match="this process already runs Taichi on cpu"):
        simulation(arm(), device="cuda")


def test_importing_fajin_imports_neither_taichi_nor_usd():
    """They come with what needs them."""
    code = "import sys, fajin; print({'taichi', 'pxr'} & set(sys.modules)); fajin.read; print('taichi' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["set()", "False"]


def test_the_precision_is_the_scenes_unless_told_otherwise(scenes):
    """As with the step: what the file says holds in Python too, in one world, in many, and for what fits."""
    single = fajin.read(scenes / "double_pendulum.usda")
    double = replace(single, precision="f64")
    kinds = [fajin.Simulation(*given, device="cpu").read("q").dtype for given in ((single,), (double,))]
    assert kinds == [np.float32, np.float64]
    assert fajin.Simulation(double, device="cpu", precision="f32").read("q").dtype == np.float32
    sim = fajin.Simulation(double, device="cpu", precision="f64")
    sim.step(30)
    row = fajin.batch(double, worlds=1, seconds=30 * double.dt, device="cpu")
    assert [row[f"{dof}:final_q"][0] for dof in ("shoulder", "elbow")] == list(sim.q[0])
    counts = [fajin.largest_batch(fajin.compile(scene), "cpu") for scene in (single, double)]
    assert counts[1] < 0.7 * counts[0]
