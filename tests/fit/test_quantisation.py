"""Encoders with few bits: their errors are correlated where joints are slow, and intervals know it."""

from dataclasses import replace

import numpy as np
import pytest
from fit.arm import arm, fourier, record

import fajin.fit.stages
from fajin.fit import FitOptions, fit_logs
from fajin.fit.intervals import covariance
from fajin.fit.quantisation import Measured, quantised_covariance

TRUTH = {
    "joint0:armature": 0.05, "joint1:armature": 0.02, "joint0:coulomb": 1.5, "joint1:coulomb": 0.6,
    "joint0:viscous": 2.0, "joint1:viscous": 0.8, "link1:payload": 0.4, "delay": 0.0113,
}  # fmt: skip
ASKED = ["armature", "coulomb", "viscous", "link1:payload", "delay"]
ALL = FitOptions(hold_back=False, threads=1, start=TRUTH)


def coverage(draws: int, bits: int = 12, size: float = 0.5) -> float:
    """Share of 95 % intervals that contain the truth, over motions whose zero is anywhere between two steps."""
    step, hits = 2.0 * np.pi / 2**bits, []
    for seed in range(draws):
        time, target = fourier(3.0, seed=seed, size=size)
        place = np.random.default_rng(seed).uniform(0.0, 0.3, 2)
        log = record(arm(), TRUTH, (time, target + place), sigma=1e-4, seed=1000 + seed)
        fit = fit_logs(arm(), [replace(log, q=np.round(log.q / step) * step)], ASKED, options=ALL)
        hits += [fit[name].interval[0] <= value <= fit[name].interval[1] for name, value in TRUTH.items()]
    return float(np.mean(hits))


@pytest.mark.slow
def test_intervals_cover_the_truth_with_twelve_bits(monkeypatch):
    """80 intervals, slow motions of 30 steps of the encoder: without its errors too few contain the truth."""
    assert coverage(10, size=0.05) >= 0.92
    monkeypatch.setattr(fajin.fit.stages, "quantised_covariance", lambda *_: None)
    assert coverage(8, size=0.05) < 0.9


@pytest.mark.slow
def test_intervals_cover_the_truth_with_ten_bits():
    """And are not much too wide."""
    assert 0.92 <= coverage(40, 10) <= 0.995


def test_the_covariance_is_that_of_encoders_with_any_zero():
    """The mean square of J⁺ e over encoders whose zero is at random, for a motion with a long rest."""
    time = np.linspace(0.0, 4.0, 801)
    motion = 0.02 * np.sin(3.0 * np.clip(time - 1.0, 0.0, 2.0))
    J = np.column_stack((motion, np.cos(time), np.ones_like(time)))
    step, rng = 1.5e-3, np.random.default_rng(3)
    inverse = np.linalg.pinv(J)
    errors = []
    for place in rng.uniform(0.0, 1.0, 2000):
        seen = step * (np.round(motion / step + place) - place)
        errors.append(inverse @ (seen - motion))
    wanted = np.mean([np.outer(e, e) for e in errors], axis=0)
    seen = step * np.round(motion / step)
    noise = np.full(1, step / 12**0.5)
    r = (motion - seen) / noise
    found = quantised_covariance(J / noise, r, [Measured(time, seen[:, None], noise)])
    np.testing.assert_allclose(np.sqrt(np.diag(found)), np.sqrt(np.diag(wanted)), rtol=0.1)
    white = (J.shape[0] - 3) / J.shape[0] * np.linalg.inv(J.T @ J) * noise**2
    assert (np.diag(wanted) > 2.0 * np.diag(white)).any()


def test_values_without_steps_have_no_such_covariance():
    """Continuous values are left to the other two; the widest deviations count."""
    rng = np.random.default_rng(0)
    J, r, time = rng.normal(size=(500, 2)), rng.normal(size=500), np.arange(500) * 0.01
    assert quantised_covariance(J, r, [Measured(time, rng.normal(size=(500, 1)), np.ones(1))]) is None
    blocks = (time / 0.5).astype(int)
    plain = covariance(J, r, blocks)
    wide = np.diag((1.0, 0.0))
    found = covariance(J, r, blocks, wide)
    assert found[0, 0] == pytest.approx(1.0)
    assert found[1, 1] == pytest.approx(plain[1, 1])
