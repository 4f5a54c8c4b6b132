"""Known parameters are found again from the logs that they made."""

import numpy as np
import pytest
from fit.arm import arm, fourier, record

from fajin.fit import FitOptions, NotIdentifiable, fit_logs

TRUTH = {
    "joint0:armature": 0.05, "joint1:armature": 0.02, "joint0:coulomb": 1.5, "joint1:coulomb": 0.6,
    "joint0:viscous": 2.0, "joint1:viscous": 0.8, "link1:payload": 0.4, "delay": 0.0113,
}  # fmt: skip
ASKED = ["armature", "coulomb", "viscous", "link1:payload", "delay"]
ALL = FitOptions(hold_back=False, threads=1)
OFF = FitOptions(hold_back=False, threads=1, start={name: 2.5 * value for name, value in TRUTH.items()})


def test_a_log_without_noise_gives_its_parameters():
    """To 1e-5, from starts 2.5 times off, in eight iterations."""
    log = record(arm(), TRUTH, fourier(2.0))
    fit = fit_logs(arm(), [log], ASKED, options=OFF)
    found = np.array([fit[name].value for name in TRUTH])
    np.testing.assert_allclose(found, list(TRUTH.values()), rtol=1e-5)
    assert fit.iterations <= 8


def test_drive_damping_and_viscous_friction_are_refused():
    """They are one number where targets have no speed; both are named."""
    log = record(arm(), {}, fourier(1.0))
    with pytest.raises(NotIdentifiable, match="joint0:damping and joint0:viscous"):
        fit_logs(arm(), [log], ["damping", "viscous"], options=ALL)


def test_a_parameter_that_changes_nothing_is_refused():
    """Friction of a joint that stays, by its name."""
    time, target = fourier(1.0)
    target[:, 1] = 0.0
    log = record(arm(gravity=0.0), {}, (time, np.where([True, False], target, 0.0)))
    log.q[:, 0] = target[:, 0]
    with pytest.raises(NotIdentifiable, match="max_force"):
        fit_logs(arm(gravity=0.0), [log], ["joint0:armature", "joint1:max_force"], options=ALL)
