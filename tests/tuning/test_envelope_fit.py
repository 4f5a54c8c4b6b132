"""An envelope fitted to operating points: the tightest that holds its share, and as sure as it says."""

import json

import numpy as np
import pytest

import fajin
from fajin.motor.envelope_fit import CONFIDENCE, PARAMETERS, FittedEnvelope, InvalidPoints, fit_envelope
from fajin.motor.operating_points import read_points
from fajin.motor.units import InvalidQuantity
from fajin.recording.joint_log import write_joint_log

TRUE = FittedEnvelope(22.0, 33.5, 0.1, 0.67)


def points(seed: int, count: int, outliers: float = 0.0, noise: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Speeds and efforts of a motor that is everywhere in its envelope, some of them spoilt, all of them noisy."""
    rng = np.random.default_rng(seed)
    v, tau = rng.uniform(-33.5, 33.5, 4 * count), rng.uniform(-22.0, 22.0, 4 * count)
    inside = TRUE.holds(v, tau)
    v, tau = v[inside][:count], tau[inside][:count]
    spoilt = rng.random(count) < outliers
    v, tau = np.where(spoilt, rng.uniform(-60, 60, count), v), np.where(spoilt, rng.uniform(-40, 40, count), tau)
    return v + noise * 33.5 * rng.normal(size=count), tau + noise * 22.0 * rng.normal(size=count)


def area(envelope: FittedEnvelope) -> float:
    """Of a quarter."""
    (_, top), (v, tau), (end, _) = envelope.corners(np.inf, np.inf)
    return 0.5 * (v * (top + tau) + tau * (end - v))


@pytest.mark.parametrize(("outliers", "noise"), [(0.0, 0.005), (0.02, 0.005)])
def test_a_known_envelope_is_found_within_the_stated_confidence(outliers, noise):
    """Of the four parameters in six draws, 95 % lie in their intervals; 2 binomial deviations of that are allowed."""
    share = float(TRUE.holds(*points(99, 100_000, outliers, noise)).mean())
    hits = []
    for seed in range(6):
        found = fit_envelope(*points(seed, 400, outliers, noise), share, resamples=20)
        hits += [found.intervals[name][0] <= getattr(TRUE, name) <= found.intervals[name][1] for name in PARAMETERS]
    allowed = CONFIDENCE - 2.0 * np.sqrt(CONFIDENCE * (1.0 - CONFIDENCE) / len(hits))
    assert np.mean(hits) >= allowed


def test_the_intervals_shrink_with_the_points():
    """As 1/√N at least, to a factor 2 of the luck of the draw, and the fit comes nearer."""
    wide, narrow = (fit_envelope(*points(1, count), 1.0, resamples=10) for count in (200, 10_000))
    for name in PARAMETERS:
        assert np.ptp(narrow.intervals[name]) < 2.0 * np.sqrt(200 / 10_000) * np.ptp(wide.intervals[name])
        assert abs(getattr(narrow, name) / getattr(TRUE, name) - 1.0) <= 0.05


@pytest.mark.parametrize("share", [1.0, 0.99, 0.9, 0.5])
def test_it_holds_its_share_and_no_envelope_that_does_is_smaller(share):
    """The least area: any line through two points, or level or upright through one, leaves more within or is larger."""
    v, tau = points(3, 60, outliers=0.1)
    found = fit_envelope(v, tau, share, resamples=0)
    assert found.held >= share
    assert found.held == pytest.approx(found.holds(v, tau).mean())
    x, y = np.abs(v), np.abs(tau)
    least = np.inf
    rng = np.random.default_rng(0)
    for _ in range(8_000):
        b, d = np.tan(rng.uniform(0, np.pi / 2, 2)) * (y.max() / x.max(), x.max() / y.max())
        if b * d >= 1.0:
            continue
        beyond = int(rng.integers(0, len(x) - int(np.ceil(share * len(x))) + 1))
        order = np.argsort(-(y + b * x))[beyond:]
        a = (y + b * x)[order[0]]
        c = np.sort((x + d * y)[order])[int(np.ceil(share * len(x))) - 1]
        least = min(least, area(FittedEnvelope(a, c, b, d)))
    assert area(found) <= least * (1 + 1e-9)


def test_units_change_nothing_but_units():
    """Speeds in rpm and efforts in mN·m give the same envelope in rpm and mN·m."""
    v, tau = points(5, 300, outliers=0.05)
    one, other = fit_envelope(v, tau, 0.95, 0), fit_envelope(v * 30 / np.pi, tau * 1000, 0.95, 0)
    scales = 1000.0, 30 / np.pi, 1000.0 * np.pi / 30, 30 / np.pi / 1000
    for name, scale in zip(PARAMETERS, scales, strict=True):
        assert getattr(other, name) == pytest.approx(scale * getattr(one, name), rel=1e-9)


def test_a_box_and_a_triangle_are_found():
    """Corners of a region determine it: no slopes, or a motor that voltage alone bounds."""
    box = fit_envelope(np.array([0, 5, 5, 2]), np.array([3, 3, 0, 1]), 1.0, 0)
    assert [getattr(box, name) for name in PARAMETERS] == pytest.approx([3.0, 5.0, 0.0, 0.0], abs=1e-9)
    line = np.linspace(0, 1, 50)
    assert area(fit_envelope(5 * line, 3 * (1 - line), 1.0, 0)) == pytest.approx(7.5, rel=1e-2)


@pytest.mark.parametrize(
    ("v", "tau", "share", "said"),
    [
        ([1, 2, 3], [1, 2, 3], 1.0, "at least four"),
        ([1, 2, 3, 4], [0, 0, 0, 0], 1.0, "some with a speed and some an effort"),
        ([1, 2, 3, np.nan], [1, 2, 3, 4], 1.0, "finite"),
        ([1, 2, 3, 4], [1, 2, 3, 4], 0.0, "share = 0"),
        ([1, 2, 3, 4], [1, 2, 3, 4], 99.0, "share = 99"),
    ],
)
def test_points_that_determine_nothing_are_refused(v, tau, share, said):
    with pytest.raises(InvalidPoints, match=said.replace("some an", "some with an")):
        fit_envelope(np.array(v, float), np.array(tau, float), share)


def test_measurements_are_read_with_their_units(tmp_path):
    """A head with units; other columns and notes do not matter."""
    path = tmp_path / "bench.csv"
    path.write_text("time [s],Speed (rpm),current [A],Torque [mNm]\n0,60,1,500\n# warm\n1,-120,2,250\n")
    found = read_points(path)
    assert found.velocity == pytest.approx(np.array((2.0, -4.0)) * np.pi)
    assert found.effort == pytest.approx((0.5, 0.25))
    assert found.rotational
    path.write_text("velocity [mm/s],force [kN]\n5,2\n")
    assert not read_points(path).rotational


@pytest.mark.parametrize("suffix", [".npz", ".csv", ".parquet"])
def test_joint_logs_are_read_without_the_start(scenes, tmp_path, suffix):
    """qd and effort of one joint after each step; a log of several must be told which."""
    recording = fajin.Simulation(fajin.read(scenes / "motor_envelope.usda"), device="cpu").run(steps=5)
    path = tmp_path / f"log{suffix}"
    write_joint_log(recording, path)
    found = read_points(path, "/World/real/axle")
    column = recording.dof.index("/World/real/axle:rotZ")
    assert found.velocity == pytest.approx(recording.qd[1:, 0, column], rel=1e-6)
    assert found.effort == pytest.approx(recording.effort[1:, 0, column], rel=1e-6)
    assert (found.rotational, found.name) == (True, "/World/real/axle:rotZ")
    with pytest.raises(InvalidPoints, match="contains 2 degrees of freedom; name one of"):
        read_points(path)
    with pytest.raises(InvalidPoints, match="no degree of freedom 'knee'"):
        read_points(path, "knee")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("velocity,effort [N·m]\n1,2\n", "column velocity: needs a unit; name it velocity [rpm]"),
        ("velocity [V],effort [N·m]\n1,2\n", "unit = V: must be a unit of velocity; give one like rpm"),
        ("velocity [m/s],effort [N·m]\n1,2\n", "a linear speed and a torque must belong to one joint"),
        ("velocity [rpm],load [N·m]\n1,2\n", "must have a column effort"),
        ("velocity [rpm],effort [N·m]\n1,two\n", "line 2, effort [N·m] = two: must be a finite number"),
        ("velocity [rpm],effort [N·m]\n1,2\n1\n", "line 3: has 1 columns, but the header has 2"),
        ("velocity [rpm],effort [N·m]\n", "must have a header with units and rows"),
        ("velocity [rpms],effort [N·m]\n1,2\n", "rpms is not a known unit"),
    ],
)
def test_measurements_that_cannot_be_read_are_refused_in_a_line(tmp_path, text, said):
    path = tmp_path / "bench.csv"
    path.write_text(text)
    with pytest.raises((InvalidPoints, InvalidQuantity)) as error:
        read_points(path)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_what_is_no_log_is_refused_in_a_line(tmp_path):
    (tmp_path / "log.json").write_text(json.dumps([]))
    np.savez(tmp_path / "log.npz", q=np.zeros(3))
    for name, said in (
        ("log.json", "must be .npz"),
        ("log.npz", "is not a joint log"),
        ("no.csv", "must be a file that can be read"),
    ):
        with pytest.raises(InvalidPoints, match=said):
            read_points(tmp_path / name)
