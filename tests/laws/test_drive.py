"""The implicit joint drive: its exact step response, its bounds, and where it comes to rest."""

from dataclasses import replace

import numpy as np
import pytest
from one_joint import CFM, FREE, simulate, slider, wheel
from usda import arm, stage

import fajin
from fajin.scene import Articulation, Axis, Drive, DriveType, Joint, JointType, Link, SolverType

EPS = {"f64": np.finfo(np.float64).eps, "f32": np.finfo(np.float32).eps}
H = 0.01
STEPS = 50
ITERATIONS = 4  # substeps under TGS
CONVERGED = 16  # iterations after which a soft row under PGS has its fixed point: (cfm/(r + cfm))¹⁶ < ε
SOFT = 1.0 / (1.0 + CFM)  # r / (r + cfm) of a slider
SOLVERS = pytest.mark.parametrize("solver", list(SolverType), ids=lambda solver: solver.name)
STIFFNESSES = pytest.mark.parametrize("stiffness", [10.0**n for n in range(9)], ids=lambda k: f"{k:g}")


def response(
    drive: Drive, r: float, load: float, solver: SolverType, start=(0.0, 0.0), soft: float = 1.0
) -> np.ndarray:
    """Exact (q, q̇) after each step of a joint with response r under an acceleration `load`, (STEPS + 1, 2).

    Backward Euler, q̇' = (q̇ + a δ + s δ (k (q* - q) + d q̇*)) / (1 + s δ (δ k + d)), once a step under PGS and once a
    substep under TGS, where the target moves on with q̇*. s is r, or 1 for an acceleration drive. A `soft` acceleration
    drive under TGS has no second visit that would make it implicit in full: q̇' = q̇ + soft (backward Euler's - q̇).
    """
    substeps = ITERATIONS if solver == SolverType.TGS else 1
    delta = H / substeps
    acceleration = drive.type == DriveType.ACCELERATION
    scale = 1.0 if acceleration else r
    k, d = scale * drive.stiffness, scale * drive.damping
    q, v = (np.longdouble(x) for x in start)
    states = [(q, v)]
    for _ in range(STEPS):
        for i in range(substeps):
            v += delta * load
            target = drive.target_q - (H - (i + 1) * delta) * drive.target_qd
            pull = delta * (k * (target - q) + d * drive.target_qd)
            a = delta * (delta * k + d)
            if acceleration and solver == SolverType.PGS:
                v = (v + soft * pull) / (1 + soft * a)
            else:
                v += (soft if acceleration else 1.0) * (pull - a * v) / (1 + a)
            q += delta * v
        states.append((q, v))
    return np.array(states)


def simulated(machine: Articulation, solver: SolverType, precision: str = "f64", **scene) -> np.ndarray:
    """(q, q̇) after each step, (STEPS + 1, 2)."""
    machine = replace(machine, position_iterations=ITERATIONS if solver == SolverType.TGS else CONVERGED)
    recording = simulate(machine, precision, solver=solver, dt=H, **scene).run(steps=STEPS)
    return np.concatenate([recording.q[:, 0], recording.qd[:, 0]], 1)


def assert_equal(found: np.ndarray, exact: np.ndarray, precision: str = "f64") -> None:
    """Equal to the round-off of STEPS steps; a speed is known to the round-off of the position over the step."""
    position = np.abs(exact[:, 0]).max() + H * np.abs(exact[:, 1]).max()
    bound = EPS[precision] * STEPS * ITERATIONS * position
    assert np.abs(found[:, 0] - exact[:, 0]).max() <= bound
    assert np.abs(found[:, 1] - exact[:, 1]).max() <= bound / H


@SOLVERS
@STIFFNESSES
@pytest.mark.parametrize("precision", ["f64", "f32"])
def test_a_step_response_is_exact_at_every_stiffness(stiffness, solver, precision):
    """Backward Euler with critical damping at the stiffness: stable and exact from 1e0 to 1e8 N/m."""
    drive = Drive(stiffness=stiffness, damping=2 * stiffness**0.5, target_q=1.0)
    found = simulated(slider(2.0, drive=drive), solver, precision)
    assert_equal(found, response(drive, 0.5, 0.0, solver), precision)


@SOLVERS
@STIFFNESSES
@pytest.mark.parametrize("type", [DriveType.FORCE, DriveType.ACCELERATION], ids=["force", "acceleration"])
def test_every_coefficient_of_a_drive_is_exact(stiffness, solver, type):
    """Stiffness, damping, both targets, a load, and a start away from rest, on a wheel without softness."""
    drive = Drive(type, stiffness, damping=3.0, target_q=-0.4, target_qd=0.8)
    found = simulated(wheel(0.3, drive=drive, q=0.2, qd=-1.0), solver)
    assert_equal(found, response(drive, 1 / 0.3, 0.0, solver, start=(0.2, -1.0)))
    loaded = simulated(slider(0.3, drive=replace(drive, type=DriveType.FORCE)), solver, gravity=(0.0, 0.0, -9.81))
    assert_equal(loaded, response(replace(drive, type=DriveType.FORCE), 1 / 0.3, -9.81, solver))


@SOLVERS
@pytest.mark.parametrize("mass", [0.1, 1.0, 1000.0])
def test_an_acceleration_drive_does_not_feel_the_mass(mass, solver):
    """Its gains are those of a unit mass, softened by r/(r + cfm), which of a slider is 1/(1 + 0.025) at any mass."""
    drive = Drive(DriveType.ACCELERATION, stiffness=300.0, damping=20.0, target_q=1.0, target_qd=0.3)
    found = simulated(slider(mass, drive=drive), solver)
    assert_equal(found, response(drive, 1 / mass, 0.0, solver, soft=SOFT))


@SOLVERS
def test_armature_resists_a_force_drive_and_not_an_acceleration_drive(solver):
    """1/r = I + armature."""
    force = Drive(DriveType.FORCE, stiffness=300.0, damping=20.0, target_q=1.0)
    assert_equal(simulated(wheel(0.5, armature=1.5, drive=force), solver), response(force, 0.5, 0.0, solver))
    drive = replace(force, type=DriveType.ACCELERATION)
    assert_equal(simulated(wheel(0.5, armature=1.5, drive=drive), solver), response(drive, 0.5, 0.0, solver))


@SOLVERS
@pytest.mark.parametrize(
    ("max_force", "effort", "given"),
    [(4.0, 0.0, 4.0), (4.0, 3.0, 4.0), (4.0, 9.0, 4.0), (4.0, -9.0, 4.0), (np.inf, 3.0, None), (0.0, 3.0, 3.0)],
)
def test_max_force_bounds_drive_and_user_effort_together(max_force, effort, given, solver):
    """|τ_drive + τ_user| ≤ max_force: m q̇ = max_force t while a far target saturates the drive; 0 switches it off."""
    drive = Drive(stiffness=1e4, damping=0.0, target_q=1e3, max_force=max_force)
    machine = replace(slider(2.0, drive=drive), position_iterations=ITERATIONS)
    sim = simulate(machine, solver=solver, dt=H)
    sim.effort = effort
    sim.step(STEPS)
    if given is None:
        assert_equal(np.array([[sim.q[0, 0], sim.qd[0, 0]]]), response(drive, 0.5, effort / 2.0, solver)[-1:])
    else:
        assert abs(sim.qd[0, 0] - given / 2.0 * STEPS * H) <= EPS["f64"] * STEPS * ITERATIONS * 4.0
        assert abs(sim.applied_effort[0, 0] - given) <= EPS["f64"] * STEPS * ITERATIONS * max(given, abs(effort))


@SOLVERS
@pytest.mark.parametrize(("max_force", "given"), [(4.0, 4.0), (0.0, 9.0), (None, 9.0)])
def test_a_user_effort_alone_is_bounded_by_any_drive_with_a_max_force(max_force, given, solver):
    """A drive without gains still clamps; no drive, or one with max_force 0, does not."""
    drive = None if max_force is None else Drive(max_force=max_force)
    sim = simulate(slider(2.0, drive=drive), solver=solver, dt=H)
    sim.effort = 9.0
    sim.step()
    iterations = sim.scene.articulations[0].position_iterations
    assert abs(sim.qd[0, 0] - given / 2.0 * H) <= EPS["f64"] * iterations * given


@SOLVERS
@STIFFNESSES
def test_a_loaded_drive_sags_by_load_over_stiffness(stiffness, solver):
    """q* - q = m g / k at rest."""
    mass, g = 2.0, 9.81
    drive = Drive(stiffness=stiffness, damping=10 * stiffness * H + 1.0, target_q=0.1)
    sim = simulate(slider(mass, drive=drive, q=0.1 - mass * g / stiffness), solver=solver, gravity=(0.0, 0.0, -g))
    sim.step(STEPS)
    steps = STEPS * sim.scene.articulations[0].position_iterations
    assert abs(drive.target_q - sim.q[0, 0] - mass * g / stiffness) <= EPS["f64"] * steps * (0.1 + mass * g / stiffness)
    assert abs(sim.applied_effort[0, 0] - mass * g) <= EPS["f64"] * steps * (mass * g + 0.1 * stiffness)


def ball(drives: tuple[Drive | None, ...], **link) -> Articulation:
    """A round body on a ball joint at its centre, frames askew, with a drive on each axis."""
    axes = tuple(Axis(f"rot{x}", drive=drive) for x, drive in zip("XYZ", drives, strict=True))
    askew = (0.0, 0.0, 0.0), (0.5, -0.5, 0.5, 0.5)
    joint = Joint("/m/ball", JointType.D6, "/m/base", "/m/link", frame0=askew, frame1=askew, axes=axes)
    return Articulation("/m", (Link("/m/base"), Link("/m/link", **FREE, **link)), (joint,), fixed_base=True)


@SOLVERS
@pytest.mark.parametrize("target", [(0.5, 0.0, 0.0), (0.4, -0.7, 1.1), (-1.5, 1.2, 2.0)])
def test_three_drives_of_a_ball_joint_reach_their_target(target, solver):
    """Q → q*, a rotation vector, to the 1e-6 rad a substep below which TGS does not turn a link."""
    drives = tuple(Drive(stiffness=400.0, damping=40.0, target_q=x) for x in target)
    sim = simulate(ball(drives), solver=solver, dt=H)
    sim.step(400)
    decay = (1.0 + 20.0 * H) ** -400 * 400  # critically damped at 20 rad/s
    still = 1e-6 * sim.scene.articulations[0].position_iterations / H / 10.0 if solver == SolverType.TGS else 0.0
    assert np.abs(sim.q[0] - target).max() <= 10.0 * decay + still + EPS["f64"] * 400


def test_degrees_are_degrees(tmp_path):
    """A stiffness of k N·m/degree that carries τ sags by τ/k degrees."""
    k, effort = 0.25, 1.5
    lines = f"""float drive:angular:physics:stiffness = {k}
    float drive:angular:physics:damping = {k}
    float drive:angular:physics:targetPosition = 30
    float state:angular:physics:position = {30 + effort / k}"""
    apis = "PhysicsDriveAPI:angular PhysicsJointStateAPI:angular"
    scene = fajin.read(stage(tmp_path, arm(lines, apis), scene="float physics:gravityMagnitude = 0"))
    sim = fajin.Simulation(scene, device="cpu", precision="f64", threads=1)
    sim.effort = effort
    sim.step(STEPS)
    assert abs(np.degrees(sim.q[0, 0]) - 30 - effort / k) <= EPS["f32"] * 60
