"""Known parameters are found again from the logs that they made, with intervals that hold."""

from dataclasses import replace

import numpy as np
import pytest
from fit.arm import DT, arm, fourier, record

from fajin.fit import FitOptions, NotIdentifiable, fit_logs
from fajin.fit.levenberg_marquardt import STEP, Space, jacobian_at, minimize
from fajin.fit.piece import Piece
from fajin.fit.problem import Channels, Problem
from fajin.fit.regression import regress_start
from fajin.fit.rollout import Rollout
from fajin.model.model import compile
from fajin.scene import SolverType

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
    """In 90 to 99 % of 100 draws."""
    assert 0.9 <= coverage(100) <= 0.99


def test_intervals_cover_the_truth_in_few_draws():
    """96 intervals: fewer than 85 % would be six standard deviations off."""
    assert coverage(12) >= 0.85


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
    from fajin.fit.parameters import parse_parameters

    model = compile(scene)
    parameters = _started(parse_parameters(model, [log], list(truth)), options, {})
    return Problem(Rollout(model, parameters, threads=1), [[Piece(log, log.target_q[0], 0 * log.q[0])]], Channels(1.0))


def test_columns_are_those_of_central_differences():
    """Forward differences of 1e-4 agree with central ones of 1e-6 to 1e-4."""
    one = problem(arm(solver=SolverType.PGS), {"joint0:armature": 0.05, "joint1:damping": 20.0, "delay": 0.0113})
    x = one.start
    _, J = jacobian_at(one.residuals, x, one.space)
    rows = one.residuals(np.vstack((x + 1e-6 * np.eye(3), x - 1e-6 * np.eye(3))))
    central = ((rows[:3] - rows[3:]) / 2e-6).T
    size = np.linalg.norm(central, axis=0)
    assert (np.linalg.norm(J - central, axis=0) < 1e-3 * size).all()


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
