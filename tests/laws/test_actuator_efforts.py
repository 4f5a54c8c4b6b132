"""Efforts of explicit actuators beside those of Newton 1.8 and of Isaac Lab's DC motor, in 1,000 random states."""

import numpy as np
import pytest
from one_joint import slider
from paths import ROOT

import fajin
from fajin.scene import Actuator, Drive, Scene

RECORDED = np.load(ROOT / "tests" / "recorded" / "actuators" / "efforts.npz")
CLOSE = 1e-6
"""[N] Some roundings of single precision of terms up to 8 N, of which 4e-7 N is one."""
PD = ("stiffness", "damping")
DC = ("saturation_effort", "max_motor_effort", "no_load_speed")
CASES = {
    "pd": (*PD, "constant_effort"),
    "pid": (*PD, "constant_effort", "integral_gain", "integral_max"),
    "max-effort": (*PD, "constant_effort", "max_force"),
    "dc-motor": (*PD, "constant_effort", *DC),
    "by-position": (*PD, "constant_effort", "bound"),
    "delay": (*PD, "constant_effort", "delay"),
    "all": (*PD, "constant_effort", "integral_gain", "integral_max", "max_force", *DC, "bound", "delay"),
    "isaaclab": (*PD, *DC),
}
"""What acts in each recorded case; parameters are those of the fields, one per world."""


@pytest.mark.parametrize("case", CASES)
def test_efforts_equal_those_of_the_other_engine(case):
    """Every step begins in the recorded states; integrals and held commands go on from step to step."""
    acts = CASES[case]
    bound = {name: tuple(map(float, RECORDED[name])) for name in ("bound_positions", "bound_efforts")}
    law = Actuator(delay=2 if "delay" in acts else 0, **(bound if "bound" in acts else {}))
    machine = slider(drive=Drive(actuator=law))
    scene = Scene("machine", (machine,), gravity=(0.0, 0.0, 0.0), dt=float(RECORDED["dt"]))
    wanted = RECORDED[f"applied.{case}"]
    sim = fajin.Simulation(scene, worlds=wanted.shape[1], device="cpu", threads=1)
    for name in acts:
        if name in RECORDED:
            setattr(sim, name, RECORDED[name][:, None])
    for step, efforts in enumerate(wanted):
        for name in ("q", "qd"):
            setattr(sim, name, RECORDED[name][:, None])
        for name in ("target_q", "target_qd", "effort"):
            setattr(sim, name, RECORDED[name][step][:, None])
        sim.step()
        np.testing.assert_allclose(sim.applied_effort[:, 0], efforts, rtol=CLOSE, atol=CLOSE)
