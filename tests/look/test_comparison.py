"""Two logs compared: errors, bias and delay that are known beforehand."""

import numpy as np
import pytest

from fajin.errors import InputError
from fajin.visual.look.comparison import compare_series, find_delay, parse_renaming
from fajin.visual.look.series import Series


def sweep(time):
    """Two joints, one of which swings with a growing frequency; the other one stands."""
    return np.stack([0.8 * np.sin(2.0 * time + 0.7 * time**2), np.full_like(time, 0.3)], axis=1)


def log(name, time, q, dof=("/arm/elbow:rotZ", "/arm/wrist:rotZ")):
    return Series(name, time, dof, ("rad", "rad"), {"q": q})


FINE, COARSE = np.arange(0.0, 5.0, 0.002), np.arange(0.0, 5.0, 1.0 / 240.0)


def test_a_log_equals_itself():
    """All errors and the delay are 0; a joint that stands has no delay."""
    same = compare_series(log("a", COARSE, sweep(COARSE)), log("b", COARSE, sweep(COARSE)))
    assert same.worst < 1e-15
    assert abs(same.joints[0].delay) < 0.01 * same.resolution
    assert np.isnan(same.joints[1].delay)


@pytest.mark.parametrize("late", [-0.05, 0.0, 0.037, 0.21])
def test_a_delay_is_found_to_a_part_of_a_step(late):
    """With noise, a bias and another rate; the parabola finds it to half a step of the finer log."""
    noise = np.random.default_rng(1).normal(0.0, 5e-4, (len(FINE), 2))
    real = log("real.csv", FINE, sweep(FINE - late) + noise + 0.05)
    found = compare_series(log("a", COARSE, sweep(COARSE)), real, shift=None)
    assert found.resolution == pytest.approx(0.002)
    assert found.delay == pytest.approx(late, abs=0.5 * found.resolution)
    assert found.joints[0].delay == pytest.approx(late, abs=0.5 * found.resolution)
    assert found.joints[0].bias == pytest.approx(0.05, abs=2e-3)
    assert found.joints[0].rms == pytest.approx(0.05, abs=3e-3)


def test_a_given_delay_is_removed():
    """As the delay that is found; without it the error remains."""
    a, late = log("a", FINE, sweep(FINE)), log("b", FINE, sweep(FINE - 0.04))
    assert compare_series(a, late, shift=0.04).worst < 1e-4
    assert compare_series(a, late).worst > 0.05


def test_the_largest_error_has_its_time():
    """A bump of 0.2 rad at 3 s."""
    bumped = sweep(COARSE)
    bumped[np.abs(COARSE - 3.0) < 1e-6] += 0.2
    joint = compare_series(log("a", COARSE, sweep(COARSE)), log("b", COARSE, bumped)).joints[0]
    assert joint.maximum == pytest.approx(0.2)
    assert joint.when == pytest.approx(3.0)


def test_joints_are_matched_by_name_in_any_order():
    """Prim names of a real log against paths of a simulated one."""
    real = log("b", COARSE, sweep(COARSE)[:, ::-1], ("wrist", "elbow"))
    found = compare_series(log("a", COARSE, sweep(COARSE)), real)
    assert [(joint.dof, joint.other) for joint in found.joints] == [
        ("/arm/elbow:rotZ", "elbow"),
        ("/arm/wrist:rotZ", "wrist"),
    ]
    assert found.worst < 1e-15


def test_short_logs_have_no_delay():
    """Ten samples of a motion are too few."""
    assert np.isnan(find_delay((FINE[:10], sweep(FINE[:10])), (FINE[:10], sweep(FINE[:10])), 0.002))


def test_refusals_are_one_line():
    """No shared joint, no shared time, no quantity, no name."""
    a = log("a.npz", COARSE, sweep(COARSE))
    cases = [
        (lambda: compare_series(a, log("b.csv", COARSE, sweep(COARSE), ("x", "y"))), "b.csv: must share joints"),
        (lambda: compare_series(a, log("b.csv", COARSE + 9.0, sweep(COARSE))), "b.csv: must overlap a.npz"),
        (lambda: compare_series(a, a, "effort"), "a.npz: must have effort; it has q"),
        (lambda: parse_renaming(["elbow"]), "--map elbow: must be NAME=JOINT"),
    ]
    for call, message in cases:
        with pytest.raises(InputError, match=message):
            call()
