"""The robots that `fajin bench` measures are those that they are said to be."""

import numpy as np
import pytest

import fajin
from fajin.quaternion import rotate
from fajin.tools.bench.constraints import CONSTRAINTS, constrained
from fajin.tools.bench.models import DATA, dofs, joints, load, path_of

SETTINGS = ("pgs", (4, 1), 0.005)


@pytest.mark.parametrize("robot", ["chain9", "tree30"])
def test_made_robots_have_as_many_degrees_of_freedom_as_their_name_says(robot):
    """And stay where their drives hold them."""
    scene = load(robot, *SETTINGS)
    assert dofs(scene) == int(robot.lstrip("chaintre"))
    sim = fajin.Simulation(scene, device="cpu")
    recording = sim.run(seconds=1.0)
    assert np.abs(recording.q).max() < 2.5
    assert np.abs(recording.q[-1, 0]).max() > 0.05


def test_a_floating_base_counts_six():
    """G1 has 29 joints and its pelvis."""
    assert dofs(load(path_of("g1"), *SETTINGS)) == 35


FALL = (0.067 / (0.2 * 9.81 * 0.5)) ** 0.5  # [s] in which the pole's deviations grow e times: √(I / m g l)


@pytest.mark.parametrize(("robot", "growth"), [("franka", 1.0), ("cartpole", np.exp(0.5 / FALL)), ("ant", 1.0)])
def test_the_peer_simulates_the_same_robot(robot, growth):
    """MuJoCo's implicit integrator and PGS agree on the robot's motion to the order of the step."""
    mujoco = pytest.importorskip("mujoco")
    scene = load(path_of(robot), *SETTINGS)
    sim = fajin.Simulation(scene, device="cpu")
    recording = sim.run(seconds=0.5)

    model = mujoco.MjModel.from_xml_path(str(DATA / f"{robot}.xml"))
    data = mujoco.MjData(model)
    for name, (q, target_q) in joints(scene).items():
        data.joint(name).qpos[0] = q
        data.actuator(f"act_{name}").ctrl[0] = target_q
    mujoco.mj_step(model, data, 100)
    for name in joints(scene):
        column = next(i for i, dof in enumerate(sim.dof) if dof.split(":")[0].endswith(f"/{name}"))
        assert recording.q[-1, 0, column] == pytest.approx(data.joint(name).qpos[0], abs=2 * sim.dt * growth)
        assert recording.q[0, 0, column] == pytest.approx(joints(scene)[name][0], abs=1e-6)


@pytest.mark.parametrize("constraint", CONSTRAINTS)
def test_a_constraint_is_met_at_the_start_and_finite_later(constraint):
    """Of the arm, whose motion it changes."""
    scene = load(path_of("franka"), *SETTINGS)
    sims = [fajin.Simulation(each, device="cpu") for each in (constrained(scene, constraint), scene)]
    bound, free = (sim.run(seconds=0.5) for sim in sims)
    assert sims[0].dof == sims[1].dof
    assert np.isfinite(bound.q).all()
    assert np.array_equal(bound.q[0, 0], free.q[0, 0])
    assert not np.array_equal(bound.q[-1, 0], free.q[-1, 0])


@pytest.mark.parametrize("robot", ["franka", "g1"])
@pytest.mark.parametrize("constraint", ["loop to the world", "loop to the root link", "free body on a joint"])
def test_what_a_loop_holds_starts_together(constraint, robot):
    """Both points of the ball joint are one, to the round-off of two frames a metre away."""
    scene = constrained(load(path_of(robot), *SETTINGS), constraint)
    sim = fajin.Simulation(scene, device="cpu", precision="f64")
    pose = next(sim.stream(0)).pose[0, 0]
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
