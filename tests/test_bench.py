"""`fajin bench` compares like with like."""

import json
import subprocess
import sys

import numpy as np
import pytest

import fajin
from fajin.rotation import rotate
from fajin.tools.bench_constraints import CONSTRAINTS, constrained
from fajin.tools.bench_dynamics import fajin_asks, pinocchio_asks
from fajin.tools.bench_models import DATA, dofs, joints, load, path_of

SETTINGS = ("pgs", (4, 1), 0.005)


@pytest.mark.parametrize("robot", ["chain9", "tree30"])
def test_made_robots_have_as_many_degrees_of_freedom_as_their_name_says(robot):
    """And stay where their drives hold them."""
    scene = load(robot, *SETTINGS)
    assert dofs(scene) == int(robot.lstrip("chaintre"))
    sim = fajin.Simulation(scene, device="cpu")
    recording = sim.run(seconds=1.0)
    assert np.abs(recording.q).max() < 2.5
    assert np.abs(recording.q[-1]).max() > 0.05


def test_a_floating_base_counts_six():
    """G1 has 29 joints and its pelvis."""
    assert dofs(load(path_of("g1"), *SETTINGS)) == 35


def test_the_peer_simulates_the_same_robot():
    """MuJoCo's implicit integrator and PGS agree on the arm's motion to the order of the step."""
    mujoco = pytest.importorskip("mujoco")
    scene = load(path_of("franka"), *SETTINGS)
    sim = fajin.Simulation(scene, device="cpu")
    recording = sim.run(seconds=0.5)

    model = mujoco.MjModel.from_xml_path(str(DATA / "franka.xml"))
    data = mujoco.MjData(model)
    for name, (q, target_q) in joints(scene).items():
        data.joint(name).qpos[0] = q
        data.actuator(f"act_{name}").ctrl[0] = target_q
    mujoco.mj_step(model, data, 100)
    for name in joints(scene):
        column = next(i for i, dof in enumerate(sim.dof) if dof.split(":")[0].endswith(f"/{name}"))
        assert recording.q[-1, column] == pytest.approx(data.joint(name).qpos[0], abs=2 * sim.dt)
        assert recording.q[0, column] == pytest.approx(joints(scene)[name][0], abs=1e-6)


def test_the_command_prints_a_table_and_writes_what_it_measured(tmp_path):
    """One row a case; the JSON holds every repeat."""
    command = [sys.executable, "-m", "fajin.tools", "bench", "latency", "--robot", "franka", "--repeats", "2"]
    command += ["--seconds", "0.01", "-o", str(tmp_path / "bench.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "franka" in done.stdout
    (result,) = json.loads((tmp_path / "bench.json").read_text())["results"]
    assert (result["dofs"], result["worlds"], len(result["rates"])) == (9, 1, 2)
    assert result["rate"] > 0


@pytest.mark.parametrize("constraint", CONSTRAINTS)
def test_a_constraint_is_met_at_the_start_and_finite_later(constraint):
    """Of the arm, whose motion it changes."""
    scene = load(path_of("franka"), *SETTINGS)
    sims = [fajin.Simulation(each, device="cpu") for each in (constrained(scene, constraint), scene)]
    bound, free = (sim.run(seconds=0.5) for sim in sims)
    assert sims[0].dof == sims[1].dof
    assert np.isfinite(bound.q).all()
    assert np.array_equal(bound.q[0], free.q[0])
    assert not np.array_equal(bound.q[-1], free.q[-1])


@pytest.mark.parametrize("robot", ["franka", "g1"])
@pytest.mark.parametrize("constraint", ["loop to the world", "loop to the root link", "free body on a joint"])
def test_what_a_loop_holds_starts_together(constraint, robot):
    """Both points of the ball joint are one, to the round-off of two frames a metre away."""
    scene = constrained(load(path_of(robot), *SETTINGS), constraint)
    sim = fajin.Simulation(scene, device="cpu", precision="f64")
    pose = next(sim.stream(0)).pose[0]
    (joint,) = scene.joints
    ends = ((joint.body0, joint.frame0), (joint.body1, joint.frame1))
    one, other = (_place(sim, pose, body, frame) for body, frame in ends)
    assert np.linalg.norm(one) > 0.1
    assert np.abs(one - other).max() < 10 * np.finfo(float).eps


def _place(sim, pose, body: str, frame) -> np.ndarray:
    """World position of the origin of a frame in a body."""
    if not body:
        return np.array(frame[0])
    at = pose[sim.link.index(body)]
    return at[:3] + rotate(at[3:], np.array(frame[0]))


@pytest.mark.slow
def test_each_constraint_is_timed_beside_the_robot_without_it(tmp_path):
    """A row for each, and as many measurements of both."""
    command = [sys.executable, "-m", "fajin.tools", "bench", "constraints", "--worlds", "1", "--repeats", "2"]
    command += ["--seconds", "0.01", "-o", str(tmp_path / "bench.json")]
    subprocess.run(command, capture_output=True, text=True, check=True)
    results = json.loads((tmp_path / "bench.json").read_text())["results"]
    assert [result["constraint"] for result in results] == list(CONSTRAINTS)
    assert all(len(result["rates"]) == len(result["without"]) == 2 for result in results)


def test_pinocchio_is_asked_the_same_of_the_same_robot():
    """Mass matrix and gravity agree to single precision, and the Jacobians are of as many links."""
    pytest.importorskip("pinocchio")
    solver, iterations, dt = SETTINGS
    case = {"robot": path_of("franka"), "worlds": 3, "device": "cpu", "threads": 1}
    mine, positions = fajin_asks({**case, "solver": solver, "iterations": iterations, "dt": dt})
    peer = pinocchio_asks(case, positions)
    for name in ("mass matrix", "gravity"):
        expected = peer[name]()
        assert np.abs(mine[name]() - expected).max() <= 1e-5 * np.abs(expected).max()
    assert mine["Jacobian"]().shape == peer["Jacobian"]().shape
    turns = [answers.reshape(3, -1, 6, 9)[:, :, 3:] for answers in (mine["Jacobian"](), peer["Jacobian"]())]
    assert np.abs(turns[0] - turns[1]).max() <= 1e-5  # centres of mass there, frames here: what turns is the same
