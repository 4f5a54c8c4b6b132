"""Tuned gains give the wanted motion in PhysX, too: a hinge recorded from PhysX (ovphysx 0.7), tests/recorded/tuned."""

import json

import numpy as np
import pytest
from paths import RECORDINGS

import fajin
from fajin.tuning.step_response import measured
from fajin.tuning.tuned import TuningSpec, tune

FOLDER = RECORDINGS / "tuned"
RECORDED = json.loads((FOLDER / "recorded.json").read_text())
TARGET = np.radians(0.1)


@pytest.mark.parametrize("name", RECORDED)
def test_physx_moves_a_tuned_joint_as_it_was_asked_to(name):
    """ω = 20 rad/s and ζ = 0.3 within a part in 10⁴, by gains that are still those of the formula."""
    (item,) = tune(fajin.read(FOLDER / f"{name}.usda"), "elbow", TuningSpec(20.0, 0.3))
    drive = item.axis.drive
    assert (item.gains.stiffness, item.gains.damping) == pytest.approx((drive.stiffness, drive.damping), rel=1e-6)
    q, qd = (np.array(RECORDED[name][field]) for field in ("q", "qd"))
    assert measured(q - TARGET, qd, item.plant.dt) == pytest.approx((20.0, 0.3), rel=1e-4)
