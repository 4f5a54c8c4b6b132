"""Known parameters are found again from the logs that they made, with intervals that hold."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from fit.arm import DT, arm, fourier, record

from fajin.errors import InputError
from fajin.fit import BadLog, FitOptions, FitParameter, MotionLog, NotIdentifiable, fit_logs
from fajin.fit.intervals import invert, naive_covariance
from fajin.fit.levenberg_marquardt import STEP, Space, jacobian_at, minimize
from fajin.fit.normal_equations import combine, gram, project
from fajin.fit.parameters import StartValues, parse_parameters
from fajin.fit.piece import Piece, mean_command, whole_log
from fajin.fit.problem import Channels, Problem
from fajin.fit.random_search import check_search, search_at_random
from fajin.fit.result import FittedValue
from fajin.fit.rollout import Rollout
from fajin.fit.start_state import state_at
from fajin.fit.start_values import SMALLER, free_stuck_joints, regress_start
from fajin.model.model import compile
from fajin.scene import Friction, SolverType
from fajin.scene.drive import Envelope

TRUTH = {
    "joint0:armature": 0.05, "joint1:armature": 0.02, "joint0:coulomb": 1.5, "joint1:coulomb": 0.6,
    "joint0:viscous": 2.0, "joint1:viscous": 0.8, "link1:payload": 0.4, "delay": 0.0113,
}  # fmt: skip
ASKED = ["armature", "coulomb", "viscous", "link1:payload", "delay"]
ALL = FitOptions(hold_back=False, threads=1)
OFF = replace(ALL, start={name: 2.5 * value for name, value in TRUTH.items()})
MOTION = fourier(2.0)


@pytest.fixture(scope="module")
def exact():
    """A log without noise."""
    return record(arm(), TRUTH, MOTION)


def test_a_log_without_noise_gives_its_parameters(exact):
    """To 1e-5, from starts 2.5 times off, in eight iterations."""
    fit = fit_logs(arm(), [exact], ASKED, options=OFF)
    found = np.array([fit[name].value for name in TRUTH])
    np.testing.assert_allclose(found, list(TRUTH.values()), rtol=1e-5)
    assert fit.iterations <= 8
    again = fit_logs(arm(), [exact], ASKED, options=OFF)
    assert [one.value for one in again.values] == [one.value for one in fit.values]  # bit by bit


def coverage(draws: int) -> float:
    """Share of 95 % intervals that contain the truth, with noise of 1e-4 rad."""
    hits = []
    for seed in range(draws):
        log = record(arm(), TRUTH, MOTION, sigma=1e-4, seed=seed)
        fit = fit_logs(arm(), [log], ASKED, options=replace(ALL, start=TRUTH))
        hits += [fit[name].interval[0] <= value <= fit[name].interval[1] for name, value in TRUTH.items()]
    return float(np.mean(hits))


@pytest.mark.slow
def test_intervals_cover_the_truth():
    """In 90 to 99 % of 50 draws."""
    assert 0.9 <= coverage(50) <= 0.99


@pytest.mark.parametrize("steps", [0.0, 0.5, 5.65])
def test_a_delay_is_found_to_a_fraction_of_a_step(steps):
    """To 0.02 steps with noise of 1e-5 rad."""
    log = record(arm(), TRUTH | {"delay": steps * DT}, MOTION, sigma=1e-5)
    fit = fit_logs(arm(), [log], ASKED, options=ALL)
    assert fit["delay"].value / DT == pytest.approx(steps, abs=0.02)


def test_biases_and_gains_with_efforts_are_found():
    """Stiffness needs measured efforts."""
    truth = {"joint0:stiffness": 240.0, "joint1:stiffness": 330.0, "joint0:bias": 0.02, "joint1:bias": -0.03}
    log = record(arm(), truth, MOTION, sigma=1e-5, effort=True)
    fit = fit_logs(arm(), [log], ["stiffness", "bias"], options=ALL)
    for name, value in truth.items():
        assert fit[name].value == pytest.approx(value, rel=2e-3), name


def test_efforts_give_a_start():
    """By linear regression, to a quarter: friction and armature."""
    truth = {name: value for name, value in TRUTH.items() if ":" in name and "payload" not in name}
    log = record(arm(), truth, MOTION, sigma=1e-5, effort=True)
    found, said = regress_start(compile(arm()), [log], threads=1)
    wanted = {(name.partition(":")[2], int(name[5])): value for name, value in truth.items()}
    assert found == pytest.approx(wanted, rel=0.25)
    assert said == []


def test_drive_damping_and_viscous_friction_are_refused(exact):
    """They are one number where targets have no speed; both are named."""
    with pytest.raises(NotIdentifiable, match="joint0:damping and joint0:viscous"):
        fit_logs(arm(), [exact], ["damping", "viscous"], options=ALL)


def test_parameters_that_change_nothing_are_refused(exact):
    """A bound that is never reached, by its name."""
    with pytest.raises(NotIdentifiable, match="joint1:max_force changes nothing"):
        fit_logs(arm(), [exact], ["joint0:armature", "joint1:max_force"], options=ALL)


def test_a_parameter_at_its_bound_has_no_interval():
    """A negative delay beyond its bound is said to be at the bound."""
    log = record(arm(), {"delay": 0.0}, MOTION, sigma=1e-4)
    early = replace(log, q=np.vstack((log.q[6:], np.repeat(log.q[-1:], 6, 0))))
    fit = fit_logs(arm(), [early.rows(slice(0, -10), "")], ["delay"], options=replace(ALL, starts=False))
    assert fit["delay"].at_bound
    assert np.isnan(fit["delay"].deviation)
    assert np.isnan(fit["delay"].interval).all()


@pytest.mark.slow
def test_stiction_is_found():
    """χ² of 1.1 on a log with stick-slip and saturation, where every derivative misleads."""
    truth = {f"joint{i}:static_ratio": 1.8 for i in range(2)} | TRUTH | {"joint0:coulomb": 3.0, "joint1:coulomb": 1.2}
    scene = arm({"stiffness": 60.0, "damping": 4.0, "max_force": 20.0})
    del truth["link1:payload"]
    log = record(scene, truth, fourier(5.0), sigma=1e-4)
    fit = fit_logs(scene, [log], ["armature", "coulomb", "viscous", "static_ratio", "delay"], options=ALL)
    assert fit.chi_squared <= 1.1
    assert fit["joint1:static_ratio"].value == pytest.approx(1.8, abs=0.05)


def test_a_base_that_falls_is_named(exact):
    """In one line per robot; a fixed one has none."""
    scene = arm()
    free = replace(scene, articulations=(replace(scene.articulations[0], fixed_base=False),))
    options = replace(ALL, force=True)
    said = {s: [x for x in fit_logs(s, [exact], ["delay"], options=options).findings if x.code == "falls"]
            for s in (scene, free)}  # fmt: skip
    assert not said[scene]
    (finding,) = said[free]
    assert "/arm: its base is not fixed and falls freely" in str(finding)


def test_motion_that_jumps_is_refused():
    """Static friction of twice the dynamic one lets go at another step as any parameter changes."""
    scene = arm({"stiffness": 60.0, "damping": 4.0, "max_force": 20.0}, dt=1 / 60)
    truth = {"joint0:coulomb": 3.0, "joint1:coulomb": 1.2, "joint0:static_ratio": 2.0, "joint1:static_ratio": 2.0}
    log = record(scene, truth, fourier(5.0, period=1 / 60), sigma=1e-4)
    robot = scene.articulations[0]
    joints = tuple(
        replace(joint, axes=tuple(replace(axis, friction=Friction(static=2.0, dynamic=1.0)) for axis in joint.axes))
        for joint in robot.joints
    )
    sticky = replace(scene, articulations=(replace(robot, joints=joints),))
    with pytest.raises(NotIdentifiable, match=r"joint.*the motion jumps where they change.*60 steps/s; fit at a sm"):
        fit_logs(sticky, [log], ["armature", "coulomb", "viscous"], options=ALL)
    fit = fit_logs(sticky, [log], ["armature", "coulomb", "viscous"], options=replace(ALL, force=True))
    assert fit.jumping
    assert not fit.identifiable


def test_another_step_fits_as_well_with_other_numbers():
    """Numbers belong to a step: data of 1/2000 s at 1/500 s give χ² near 1 and other friction."""
    fine = record(arm(dt=1 / 2000), TRUTH, fourier(2.0, period=DT), sigma=1e-4)
    fit = fit_logs(arm(), [fine], ASKED, options=replace(ALL, start=TRUTH))
    assert fit.chi_squared < 1.3
    off = [abs(fit[name].value / value - 1.0) for name, value in TRUTH.items()]
    assert max(off) > 0.02


def problem(scene, truth: dict, motion=MOTION) -> Problem:
    """The problem of a log without noise, with parameters by name."""
    log = record(scene, truth, motion)
    options = replace(ALL, start=truth)
    from fajin.fit.fitting import _started

    model = compile(scene)
    parameters = _started(parse_parameters(model, [log], list(truth)), options, {})
    return Problem(
        Rollout(model, parameters, threads=1), [[Piece(log, log.target_q[0], 0 * log.q[0])]], Channels(np.ones(2))
    )


def test_columns_are_those_of_central_differences():
    """Forward differences of 1e-4 agree with central ones of 1e-6 to 1e-4."""
    one = problem(arm(solver=SolverType.PGS), {"joint0:armature": 0.05, "joint1:damping": 20.0, "delay": 0.0113})
    x = one.start
    _, J = jacobian_at(one.residuals, x, one.space)
    rows = one.residuals(np.vstack((x + 1e-6 * np.eye(3), x - 1e-6 * np.eye(3))))
    central = ((rows[:3] - rows[3:]) / 2e-6).T
    size = np.linalg.norm(central, axis=0)
    assert (np.linalg.norm(J - central, axis=0) < 1e-3 * size).all()


def test_columns_are_those_of_a_closed_form():
    """One hinge: I v' = I v + h K (target − q) − h (D + h K) v', q' = q + h v'; its derivatives follow from it."""
    scene = hinge()
    values = {"joint0:stiffness": 300.0, "joint0:damping": 20.0, "joint0:armature": 0.05}
    one = problem(scene, values, fourier(1.0, joints=1))
    _, J = jacobian_at(one.residuals, one.start, one.space)
    K, D, armature = values.values()
    link = scene.articulations[0].links[1]
    inertia = link.inertia[1][1] + link.mass * link.com[0] ** 2 + armature
    target = one.groups[0][0].log.target_q[:, 0]
    q, v, dq, dv = target[0], 0.0, np.zeros(3), np.zeros(3)
    rows = [np.zeros(3)]
    for wanted in target[:-1]:
        lever, moved = inertia + DT * (D + DT * K), inertia * v + DT * K * (wanted - q)
        own = np.array((DT * (wanted - q), 0.0, v)) + inertia * dv - DT * K * dq
        of_lever = np.array((DT * DT, DT, 1.0))
        v, dv = moved / lever, own / lever - moved / lever**2 * of_lever
        q, dq = q + DT * v, dq + DT * dv
        rows.append(dq)
    exact = np.array(rows) * one.scale
    size = np.linalg.norm(exact, axis=0)
    assert (np.linalg.norm(J - exact, axis=0) < 1e-3 * size).all()
    assert (np.linalg.norm(J - 1.01 * exact, axis=0) > 1e-3 * size).all()


def hinge():
    """The upper link of the arm, without gravity and damping of the link."""
    scene = arm(gravity=0.0)
    robot = scene.articulations[0]
    return replace(scene, articulations=(replace(robot, links=robot.links[:2], joints=robot.joints[:1]),))


@pytest.mark.parametrize("rows", [-2, 0, 3])
def test_a_delay_of_whole_rows_is_a_shift_of_the_commands(rows):
    """Commands before the first row are the first one; a negative delay takes commands from later."""
    time, target = MOTION
    model = compile(arm())
    late = FitParameter("delay", "delay", -1, 0.0, DT, -2 * DT, 20 * DT, "s")
    log = MotionLog("log", "", time, model.dof, (0, 1), target + 0.1, target + 0.1)
    places = np.clip(np.arange(len(time)) - rows, 0, len(time) - 1)
    shifted = replace(log, target_q=log.target_q[places])
    start = Piece(log, log.q[0], 0 * log.q[0])
    q, _ = Rollout(model, [late], threads=1).simulate(np.array([[rows * DT], [0.0]]), [start])
    wanted, _ = Rollout(model, [], threads=1).simulate(None, [replace(start, log=shifted)])
    np.testing.assert_allclose(q[0, 0], wanted[0, 0], atol=1e-12)
    assert rows == 0 or np.abs(q[1, 0] - wanted[0, 0]).max() > 1e-4


def test_robots_do_not_sleep_in_a_fit():
    """A robot that holds still would sleep, and show no parameter; here gravity shows its payload."""
    scene = arm()
    robot = replace(scene.articulations[0], sleep_threshold=1e3)
    still = fourier(0.5)[0], np.zeros((251, 2))
    one = problem(replace(scene, articulations=(robot,)), {"link1:payload": 0.4}, still)
    _, J = jacobian_at(one.residuals, one.start, one.space)
    assert np.diff(J.reshape(251, 2)[-20:], axis=0).all()


def test_threads_change_no_bit(exact):
    """Packs of worlds are shared out, not split."""
    one, two = (fit_logs(arm(), [exact], ASKED, options=replace(ALL, threads=n)) for n in (1, 2))
    assert [x.value for x in one.values] == [x.value for x in two.values]
    np.testing.assert_array_equal(one.covariance, two.covariance)


def test_friction_of_a_joint_that_rests_is_refused():
    """Its target does not move, and static friction holds it."""
    time, target = MOTION
    held = {"joint0:coulomb": 1.5, "joint1:coulomb": 50.0}
    log = record(arm(), held, (time, target * (1.0, 0.0)))
    options = replace(ALL, fixed={"coulomb": {log.dof[1]: 50.0}})
    with pytest.raises(NotIdentifiable, match="joint1:viscous changes nothing"):
        fit_logs(arm(), [log], ["joint0:coulomb", "joint1:viscous"], options=options)


def test_worlds_that_fail_count_as_infinite():
    """And the others go on, with the bits that they have alone."""
    one = problem(arm(), {"joint0:armature": 0.05})
    x = np.array([[one.start[0]], [np.nan], [2.0 * one.start[0]]])
    rows = one.residuals(x)
    assert np.isfinite(rows[[0, 2]]).all()
    assert not np.isfinite(rows[1]).any()
    np.testing.assert_array_equal(rows[2], one.residuals(x[2:])[0])


def test_bounds_hold_a_step_and_infinite_costs_are_never_taken():
    """A parabola whose minimum lies outside, and a wall of failures."""

    def residuals(x):
        r = np.column_stack((x[:, 0] - 3.0, x[:, 1] + 1.0))
        r[x[:, 1] < -0.5] = np.nan
        return r

    space = Space(np.array([0.0, -5.0]), np.array([2.0, 5.0]), np.full(2, STEP))
    found = minimize(residuals, np.array([0.5, 1.0]), space)
    assert found.x[0] == 2.0
    assert found.at_bound.tolist() == [True, False]
    assert found.x[1] >= -0.5


def test_logs_without_commands_are_moved_by_their_efforts():
    """Friction and armature to 1 %, from windows that start at measured states; gains do not act."""
    truth = {name: value for name, value in TRUTH.items() if ":" in name and "payload" not in name}
    log = record(arm(), truth, fourier(4.0), sigma=1e-5, effort=True)
    bare = replace(log, target_q=None)
    fit = fit_logs(arm(), [bare], ["armature", "coulomb", "viscous"], options=ALL)
    for name, value in truth.items():
        assert fit[name].value == pytest.approx(value, rel=0.01), name
    (error,) = fit.errors
    assert error.rms[1] < 0.5 * error.rms[0]
    with pytest.raises(BadLog, match="must have target_q"):
        fit_logs(arm(), [log, bare], ["armature"], options=ALL)
    with pytest.raises(BadLog, match="must have target_q"):
        fit_logs(arm(), [replace(bare, effort=None)], ["armature"], options=ALL)


def test_commands_may_change_linearly_between_rows():
    """A ramp of few rows: held, it is late by half a row; interpolated, it is exact."""
    time, coarse = np.arange(5) * 0.1, np.arange(5.0)[:, None] * 0.1
    starts = np.arange(190) * DT
    wanted = (starts + 0.5 * DT)[:, None]
    np.testing.assert_allclose(mean_command(time, coarse, starts, DT, True), wanted, atol=1e-12)
    held = mean_command(time, coarse, starts, DT, False)
    np.testing.assert_allclose((wanted - held)[:150].mean(), 0.05, atol=1e-12)
    fine, target = fourier(2.0)
    log = record(arm(), TRUTH, (fine, target), sigma=1e-5)
    rare = replace(log, **{name: getattr(log, name)[::10] for name in ("time", "q", "target_q")})
    found = [
        fit_logs(arm(), [rare], ["delay"], options=replace(ALL, hold=hold)).values[0] for hold in ("zero", "linear")
    ]
    assert found[0].value < found[1].value - 3.0 * DT
    with pytest.raises(InputError, match="hold = 'cubic': must be one of zero, linear"):
        fit_logs(arm(), [log], ["delay"], options=replace(ALL, hold="cubic"))


def test_a_random_search_leaves_a_stair():
    """Steps of 0.1 in each coordinate have no derivative; the search finds the lowest one."""

    def cost(x):
        return np.floor(10.0 * np.abs(x - 0.73)).sum(1)

    pytest.importorskip("cma")
    bounds = np.full(3, -2.0), np.array([2.0, 2.0, np.inf])
    best = search_at_random(cost, np.zeros(3), np.full(3, 0.3), bounds)
    assert cost(best[None])[0] == 0.0
    np.testing.assert_array_equal(best, search_at_random(cost, np.zeros(3), np.full(3, 0.3), bounds))
    assert (search_at_random(cost, np.full(3, 0.73), np.full(3, 0.3), bounds) == 0.73).all()


def test_a_missing_package_is_named_before_anything_is_fitted(exact, monkeypatch):
    """In one line."""
    monkeypatch.setitem(sys.modules, "cma", None)
    with pytest.raises(InputError, match="needs the package cma; pip install cma"):
        check_search()
    with pytest.raises(InputError, match="needs the package cma"):
        fit_logs(arm(), [exact], ["damping", "viscous"], options=replace(ALL, polish=True))


def test_three_logs_widen_intervals_by_their_spread():
    """Logs of robots with other friction: the interval contains all; that of two logs does not."""
    values = (0.4, 0.6, 0.8)
    logs = [record(arm(), {"joint1:coulomb": value}, MOTION, sigma=1e-4, seed=i) for i, value in enumerate(values)]
    options = replace(ALL, starts=False)
    two, three = (
        fit_logs(arm(), some, ["joint1:coulomb"], options=options)["joint1:coulomb"] for some in (logs[:2], logs)
    )
    assert three.deviation >= 0.99 * np.std(values, ddof=1) / 3**0.5
    assert three.deviation > 2.0 * two.deviation


def test_friction_that_holds_a_joint_at_the_start_is_lowered():
    """Its column is zero there, but the joint moves in the log; a start that is given stays."""
    truth = {"joint0:armature": 0.05, "joint1:coulomb": 0.3}
    scene = arm({"stiffness": 60.0, "damping": 4.0, "max_force": 300.0}, gravity=0.0)
    log = record(scene, truth, fourier(3.0, size=0.2), sigma=1e-4)
    fit = fit_logs(scene, [log], list(truth), options=ALL)
    assert fit["joint1:coulomb"].value == pytest.approx(0.3, rel=0.02)
    stuck = replace(ALL, start={"joint1:coulomb": 15.0})
    with pytest.raises(NotIdentifiable, match="joint1:coulomb changes nothing"):
        fit_logs(scene, [log], list(truth), options=stuck)


def test_an_envelope_that_is_never_reached_is_refused():
    """Each of its numbers by its name: speeds and efforts of the motion stay far below."""
    scene = arm(gravity=0.0)
    robot = scene.articulations[0]
    envelope = Envelope(max_actuator_velocity=200.0, velocity_dependent_resistance=1e-3, speed_effort_gradient=1e-3)
    joints = tuple(
        replace(joint, axes=tuple(replace(a, drive=replace(a.drive, envelope=envelope)) for a in joint.axes))
        for joint in robot.joints
    )
    scene = replace(scene, articulations=(replace(robot, joints=joints),))
    log = record(scene, {"joint0:armature": 0.05}, MOTION, sigma=1e-4)
    for quantity in ("max_actuator_velocity", "velocity_dependent_resistance", "speed_effort_gradient"):
        with pytest.raises(NotIdentifiable, match=f"joint1:{quantity} changes nothing"):
            fit_logs(scene, [log], ["joint0:armature", f"joint1:{quantity}"], options=ALL)


def test_directions_that_are_not_determined_have_huge_variances():
    """And not none, as from a pseudo-inverse; others keep theirs."""
    J = np.zeros((20, 3))
    J[:, 0] = np.random.default_rng(0).normal(size=20)
    J[:, 1] = 1e3 * J[:, 0]
    variances = np.diag(naive_covariance(J, J[:, 0]))
    assert (variances > 1e6).all()
    J[:, 1] = np.random.default_rng(1).normal(size=20)
    wanted = np.linalg.inv(J[:, :2].T @ J[:, :2])
    np.testing.assert_allclose(invert(J.T @ J)[:2, :2], wanted, rtol=1e-9)


def test_intervals_stay_within_bounds():
    """Friction is not negative."""
    parameter = FitParameter("a:viscous", "viscous", 0, 1.0, 1.0, 0.0, np.inf, "")
    assert FittedValue(parameter, 1.0, 1.0, False).interval == pytest.approx((0.0, 2.959964))


def test_a_joint_at_rest_starts_at_the_mean_of_its_rest():
    """Also where single rows are far off; one that drifts within the noise does not rest."""
    time = 0.002 * np.arange(400)
    rough = 1e-4 * np.random.default_rng(5).normal(size=400)
    q = np.stack((rough, rough + 0.02 * time), axis=1)
    q[0] += 3e-4
    log = MotionLog("log", "", time, ("a", "b"), (0, 1), q)
    position, rate = state_at(log, 0, 0.002)
    assert abs(position[0]) < 3e-5
    assert rate[0] == 0.0
    assert abs(position[1]) < 1e-3


def test_products_of_tall_jacobians():
    """Equal those of NumPy, for any shape and order in memory."""
    rng = np.random.default_rng(0)
    for rows, columns in ((7, 3), (5000, 40), (12345, 21)):
        for order in "CF":
            J, r, x = np.asarray(rng.normal(size=(rows, columns)), order=order), rng.normal(size=rows), np.ones(columns)
            np.testing.assert_allclose(gram(J), J.T @ J, rtol=1e-9, atol=1e-9 * rows)
            np.testing.assert_allclose(project(J, r), J.T @ r, atol=1e-9 * rows)
            np.testing.assert_allclose(combine(J, x), J @ x, atol=1e-9 * rows)


def test_a_scene_settles_before_a_log_that_begins_at_rest():
    """Its load bends the drives before the first row, wherever the log says that it was."""
    scene, (time, target) = arm({"stiffness": 60.0, "damping": 6.0}), MOTION
    held, long = np.tile(target[:1], (2000, 1)), np.arange(len(time) + 2000) * DT
    log = record(scene, {"delay": 0.011}, (long, np.vstack((held, target)))).rows(slice(2000, None), "")
    model = compile(scene)
    delay = replace(parse_parameters(model, [log], ["delay"])[0], start=0.011)
    rollout = Rollout(model, [delay], threads=1)
    wrong = replace(log, q=np.vstack((log.q[:20] + 0.1, log.q[20:])))
    plain, settled = (
        rollout.simulate(np.array([[0.011]]), [whole_log(wrong, DT, seconds)])[0] for seconds in (0.0, 4.0)
    )
    np.testing.assert_allclose(settled[0, 0], log.q, atol=1e-6)
    assert np.abs(plain[0, 0] - log.q).max() > 0.05
    fit = fit_logs(scene, [log], ["delay"], options=replace(ALL, settle=4.0))
    assert fit["delay"].value == pytest.approx(0.011, rel=1e-4)


@pytest.mark.parametrize("most", [0.0, np.inf])
def test_friction_has_no_bound_where_the_drive_has_none(most):
    """A drive without a limit says nothing of the friction of its joint, and a joint without a drive has some, too."""
    scene = arm({"max_force": most})
    parameter = StartValues(compile(scene), ()).of_dof("coulomb", 0)
    assert parameter.high == np.inf
    assert 0.0 < parameter.start == parameter.scale
    assert StartValues(compile(arm()), ()).of_dof("coulomb", 0).high == pytest.approx(100.0)


def test_joints_that_only_creep_are_freed():
    """A stuck joint of an iterative solver creeps over part of its range, whatever its friction is."""
    time, target = fourier(2.0)
    log = record(arm(), {}, (time, target))
    model = compile(arm())
    parameters = parse_parameters(model, [log], ["coulomb"])

    class Creeping:
        """Joints that move over 0.44 of the range of the log at the first friction, and as in the log at others."""

        def __init__(self):
            self.parameters = parameters

        def simulate(self, values, pieces):
            part = np.where(np.arange(len(values)) == 0, 0.44, 1.0)
            return part[:, None, None, None] * log.q[None, None], None

    found = free_stuck_joints(Creeping(), [whole_log(log, DT)], np.array((5.0, 5.0)), ())
    np.testing.assert_allclose(found, 5.0 * SMALLER[1])
