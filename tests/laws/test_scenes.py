"""The example scenes show the laws that they say they show."""

from math import pi, radians, sin, sqrt

import numpy as np
import pytest
from example_motions import G, energy, halves, motion, rotation, simulate


def test_a_pendulum_swings_with_its_period(scenes):
    """T = 4 K(sin(a/2)) √(I/(m g c)), K by the arithmetic-geometric mean."""
    recording, dt = simulate(scenes / "pendulum.usda", 2.5)
    a, b = 1.0, sqrt(1 - sin(pi / 4) ** 2)
    for _ in range(8):
        a, b = (a + b) / 2, sqrt(a * b)
    period = 4 * pi / (2 * a) * sqrt((1 / 12 + 1 / 4) / (G / 2))
    turning = recording.time[1:][(recording.qd[:-1, 0, 0] < 0) & (recording.qd[1:, 0, 0] >= 0)]
    assert turning[0] == pytest.approx(period, abs=2 * dt)
    assert recording.q.min() == pytest.approx(0.0, abs=2 * dt)


def test_a_double_pendulum_keeps_its_energy(scenes):
    """T + V constant, to the order of the step."""
    drift = []
    for finer in (1, 2):
        recording, dt = simulate(scenes / "double_pendulum.usda", 2.0, finer)
        total = energy(recording, ("/World/pendulum/upper", "/World/pendulum/lower"), (1.0, 1.0), dt)
        drift.append(np.abs(total - total[0]).max())
    assert halves(*drift)


def test_a_drive_answers_a_step_by_its_stiffness(scenes):
    """q = 1 - (1 + ω t) exp(-ω t), ω = √(stiffness/m); the step is implicit: late by less than one."""
    recording, dt = simulate(scenes / "drive_step.usda", 3.0)
    for name, w in (("soft", 2.0), ("firm", 4.0), ("stiff", 8.0)):
        q = recording.q[:, 0, recording.dof.index(f"/World/{name}/slide:transX")]
        law = 1 - (1 + w * recording.time) * np.exp(-w * recording.time)
        fastest = w * np.exp(-1.0)
        assert np.abs(q - law).max() < fastest * dt
    assert q[-1] == pytest.approx(1.0, abs=1e-4)


def test_an_acceleration_drive_does_not_feel_the_mass(scenes):
    """q̈ = stiffness (target - q) - damping q̇, whatever the mass; a force drive overshoots by exp(-π ζ/√(1 - ζ²))."""
    recording, dt = simulate(scenes / "acceleration_drive.usda", 4.0)
    light, heavy, force = (
        recording.q[:, 0, recording.dof.index(f"/World/{name}/slide:transX")]
        for name in ("light", "heavy", "heavy_by_force")
    )
    assert np.abs(light - heavy).max() < 1e-6
    law = 1 - (1 + 4 * recording.time) * np.exp(-4 * recording.time)
    assert np.abs(heavy - law).max() < 4 * np.exp(-1.0) * dt
    ratio = 8 / (2 * sqrt(160))
    assert force.max() == pytest.approx(1 + np.exp(-pi * ratio / sqrt(1 - ratio**2)), abs=sqrt(1.6) * dt)


def test_a_rod_stops_at_its_limit(scenes):
    """Lower ≤ q ≤ upper: reached, not passed, and no bounce."""
    recording, _ = simulate(scenes / "limits.usda", 2.0)
    q, qd = recording.q[:, 0, 0], recording.qd[:, 0, 0]
    lower, upper = radians(-60), radians(45)
    arrived = int(np.argmax(q > upper - 1e-4))
    assert 0 < arrived < len(q) - 1
    assert q[0] == pytest.approx(lower, abs=1e-6)
    assert q.min() >= lower - 1e-6
    assert q.max() <= upper + 1e-5
    assert np.abs(q[arrived + 1 :] - upper).max() < 1e-5
    assert np.abs(qd[arrived + 1 :]).max() < 1e-3 * np.abs(qd).max()


def test_friction_holds_slides_and_drags(scenes):
    """Sticks below the static effort; q̈ = g - dynamic/m above; q̇ → m g/viscous with the rate viscous/m."""
    recording, dt = simulate(scenes / "friction.usda", 1.0)
    column = {name: recording.dof.index(f"/World/{name}/slide:transZ") for name in ("holds", "slides", "sinks")}
    t = recording.time
    assert np.abs(recording.q[:, 0, column["holds"]]).max() < 1e-4 * t[-1]  # PhysX's friction is a little soft
    slope = G - 10 / 2
    assert np.abs(recording.qd[:, 0, column["slides"]] + slope * t).max() < G * dt
    terminal = 2 * G / 16
    assert np.abs(recording.qd[:, 0, column["sinks"]] + terminal * (1 - np.exp(-8 * t))).max() < G * dt


def test_the_jaws_of_a_gripper_mirror_each_other(scenes):
    """q_lower + q_upper = 0 if hard; if compliant it swings and comes to rest at -g (1 + m/M)/μ²."""
    recording, dt = simulate(scenes / "gripper_mimic.usda", 3.0)
    upper, error = {}, {}
    for name in ("hard", "compliant"):
        jaws = [recording.dof.index(f"/World/{name}/{jaw}_rail:transZ") for jaw in ("upper", "lower")]
        upper[name], error[name] = recording.q[:, 0, jaws[0]], recording.q[:, 0, jaws].sum(1)
        assert upper[name][-1] == pytest.approx(0.1, abs=1e-5)
    assert np.abs(error["hard"]).max() < G * dt**2
    sag = -2 * G / 40**2
    assert error["compliant"][-1] == pytest.approx(sag, rel=1e-3)
    assert error["compliant"].min() < 2 * sag
    assert error["compliant"].max() > 0


def test_a_whippletree_shares_its_load_evenly(scenes):
    """stiffness q = -(m + M/2) g on either side, and the load, M, hangs at their mean all the time."""
    recording, dt = simulate(scenes / "whippletree.usda", 3.0)
    left, right, load = (
        recording.q[:, 0, recording.dof.index(f"/World/tree/{name}_rail:transZ")] for name in ("left", "right", "load")
    )
    assert left[-1] == pytest.approx(-(1 + 4 / 2) * G / 200, rel=1e-4)
    assert right[-1] == pytest.approx(-(1 + 4 / 2) * G / 400, rel=1e-4)
    assert np.abs(load - (left + right) / 2).max() < G * dt**2
    assert recording.scene.duration == 3.0


def test_a_motor_gives_what_its_envelope_leaves(scenes):
    """τ = min(τ_max - k_τv v, (v_max - v)/k_vτ) at the speed it leads to, and τ_max until the target without one."""
    recording, dt = simulate(scenes / "motor_envelope.usda", 3.0)
    ideal, real = (recording.dof.index(f"/World/{name}/axle:rotZ") for name in ("ideal", "real"))
    inertia, torque, fastest, target = 0.1, 2.0, radians(720), radians(1440)
    v = recording.qd[:, 0, real].astype(float)
    allowed = np.minimum(torque - 0.06 * v, (fastest - v) / 2.0)
    slack = 64 * np.finfo(np.float32).eps * fastest * inertia / dt
    assert np.abs(inertia * np.diff(v) / dt - allowed[1:]).max() < slack
    assert fastest * (1 - 1e-4) < v[-1] < fastest
    ramp = np.minimum(torque / inertia * recording.time, target)
    assert np.abs(recording.qd[:, 0, ideal] - ramp).max() < 2 * torque / inertia * dt
    assert recording.qd[-1, 0, ideal] == pytest.approx(target, rel=1e-5)


def test_a_ball_joint_keeps_energy_and_the_vertical_angular_momentum(scenes):
    """L·z = 0 about the ball and T + V constant, to the order of the step; and the motion leaves its plane."""
    path = "/World/pendulum/bent"
    drift, vertical = [], []
    for finer in (1, 2):
        recording, dt = simulate(scenes / "spherical.usda", 2.0, finer)
        com, v, inertia, omega = motion(recording, path, dt)
        momentum = 1.5 * np.cross(com, v) + np.einsum("tij,tj->ti", inertia, omega)
        vertical.append(np.abs(momentum[:, 2]).max())
        total = energy(recording, (path,), (1.5,), dt)
        drift.append(np.abs(total - total[0]).max())
    assert halves(*drift)
    assert halves(*vertical)
    assert np.abs(momentum[:, :2]).max() > 10 * vertical[0]
    assert np.abs(com[:, 1]).max() > 0.05


def test_drives_move_neither_the_centre_of_mass_nor_the_angular_momentum(scenes):
    """Σ m c constant, and Σ m c × v + I ω = 0 to the order of the step, while the joints fold."""
    drift = []
    for finer in (1, 2):
        recording, dt = simulate(scenes / "floating_chain.usda", 3.0, finer)
        parts = [motion(recording, f"/World/chain/{name}", dt) for name in ("left", "middle", "right")]
        centre = sum(com for com, *_ in parts) / 3
        momentum = sum(np.cross(com, v) + np.einsum("tij,tj->ti", inertia, omega) for com, v, inertia, omega in parts)
        drift.append(np.abs(momentum).max())
        assert np.abs(centre - centre[0]).max() < 1e-5
        assert np.abs(recording.q[-1, 0]).min() > radians(30)
    assert halves(*drift)


def test_an_arm_rests_where_springs_balance_the_weight(scenes):
    """At rest, stiffness (target - q) = Σ (c - p) × m g · axis over the links outward of the joint."""
    recording, _ = simulate(scenes / "arm7.usda", 5.0)
    scene = recording.scene.articulations[0]
    pose = np.asarray(recording.pose[-1, 0], dtype=float)
    turn = rotation(pose[:, 3:])
    com = {path: p + R @ (0, 0, 0.1) for path, p, R in zip(recording.link, pose[:, :3], turn, strict=True)}
    for number, joint in enumerate(sorted(scene.joints, key=lambda joint: joint.path)[:7], start=1):
        link = recording.link.index(f"/World/arm/link{number}")
        axis = turn[link][:, "XYZ".index(joint.axis)]
        weights = [np.cross(com[f"/World/arm/link{k}"] - pose[link, :3], (0, 0, -2 * G)) for k in range(number, 8)]
        column = recording.dof.index(f"{joint.path}:{joint.axes[0].token}")
        drive = joint.axes[0].drive
        weight = -sum(weights) @ axis
        spring = drive.stiffness * (drive.target_q - recording.q[-1, 0, column])
        assert recording.effort[-1, 0, column] == pytest.approx(weight, abs=1e-3)
        assert spring == pytest.approx(weight, abs=0.01 * 56)  # one sweep a substep balances the springs to a percent
    assert np.abs(recording.qd[-1, 0]).max() < 1e-3


def test_a_ur10_reaches_its_targets(scenes):
    """An acceleration drive under gravity stops short of its target by (effort of gravity)/(inertia · stiffness)."""
    recording, _ = simulate(scenes / "ur10.usda", 3.0)
    targets = [axis.drive.target_q for joint in recording.scene.articulations[0].joints for axis in joint.axes]
    names = [f"{joint.path}:{axis.token}" for joint in recording.scene.articulations[0].joints for axis in joint.axes]
    q = [recording.q[-1, 0, recording.dof.index(name)] for name in names]
    assert len(q) == 6
    assert np.abs(np.array(q) - targets).max() < 0.3
    assert np.abs(recording.qd[-1, 0]).max() < 1e-2


def test_the_legs_of_an_anymal_follow_their_animated_targets(scenes):
    """q(t + 1 s) = q(t) once the start is forgotten, and diagonal legs move alike."""
    recording, dt = simulate(scenes / "anymal_c.usda", 4.0)
    assert len(recording.dof) == 12
    second = round(1 / dt)
    assert np.abs(recording.q[-1, 0] - recording.q[-1 - second, 0]).max() < 1e-3
    knee = {leg: recording.dof.index(f"/anymal/Physics/{leg}_KFE:rotX") for leg in ("LF", "RF", "LH", "RH")}
    half = recording.q[-second:, 0]
    assert np.ptp(half[:, knee["LF"]]) > radians(15)
    assert np.corrcoef(half[:, knee["LF"]], half[:, knee["RH"]])[0, 1] < -0.9  # hind knees bend the other way
    assert np.corrcoef(half[:, knee["LF"]], half[:, knee["RF"]])[0, 1] < 0
