"""A real log: a Unitree Go2 in the air, `scenes/go2`. Fitted on one half, it predicts the other."""

from dataclasses import replace

import numpy as np
import pytest

import fajin
from fajin.fit import FitOptions, fit_logs, inspect_log, read_motion_log
from fajin.model.model import compile
from fajin.scene import SolverType
from fajin.scene.overrides import with_iterations


@pytest.fixture(scope="module")
def real(scenes):
    """Scene and the two halves of the log."""
    scene = fajin.read(scenes / "go2" / "go2.usdc")
    scene = with_iterations(replace(scene, dt=1 / 400, solver=SolverType.PGS), 4, 1)
    log = read_motion_log(scenes / "go2" / "go2_air.npz", compile(scene).dof)
    half = len(log) // 2
    return scene, log, log.rows(slice(0, half), " A"), log.rows(slice(half, None), " B")


def test_the_log_has_no_fault(real):
    """Its made-up times and its lag of dynamics are facts."""
    _, log, *_ = real
    found = inspect_log(log)
    assert not any(item.fault for item in found)
    assert {"lag", "made-up"} <= {item.code for item in found}


@pytest.mark.slow
def test_each_half_predicts_the_other(real):
    """Held-back rms below 9 and 7 mrad; two thirds of the values within the intervals of both halves."""
    scene, _, a, b = real
    options = FitOptions(gains=(20.0, 1.5), force=True, threads=1)
    asked = ["armature", "coulomb", "viscous", "bias", "delay"]
    fits = [fit_logs(scene, [one], asked, [other], options) for one, other in ((a, b), (b, a))]
    assert fits[0].rms(held_back=True) < 0.009
    assert fits[1].rms(held_back=True) < 0.007
    values, deviations = (
        np.array([[getattr(one, name) for one in fit.values] for fit in fits]) for name in ("value", "deviation")
    )
    apart = np.abs(np.diff(values, axis=0)[0]) / np.hypot(*deviations)
    assert (apart[np.isfinite(apart)] < 1.96).mean() >= 0.65
