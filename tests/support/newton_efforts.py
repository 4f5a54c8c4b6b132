"""Efforts of Newton's own actuators in the recorded states: python tests/support/newton_efforts.py, with Newton.

Prints the largest difference from the recorded efforts of each case, and ends with 1 if one is above 1e-6.
"""

import sys
from pathlib import Path
from types import SimpleNamespace

import newton
import numpy as np
import warp as wp
from newton.actuators import (
    Actuator,
    ClampingDCMotor,
    ClampingMaxEffort,
    ClampingPositionBased,
    Delay,
    DrivePD,
    DrivePID,
)

FILE = Path(__file__).parents[1] / "recorded" / "actuators" / "efforts.npz"
CLOSE = 1e-6
CASES = ("pd", "pid", "max-effort", "dc-motor", "by-position", "delay", "all")
COMMANDS = {"joint_target_q": "target_q", "joint_target_qd": "target_qd", "joint_act": "effort"}
DELAY = 2  # steps


def actuator(recorded, case: str) -> Actuator:
    """The actuator of a case."""
    count = recorded["q"].shape[0]

    def row(name: str) -> wp.array:
        return wp.array(recorded[name], dtype=wp.float32)

    gains = {"kp": row("stiffness"), "kd": row("damping"), "const_effort": row("constant_effort")}
    drive = DrivePD(**gains)
    if case in ("pid", "all"):
        drive = DrivePID(**gains, ki=row("integral_gain"), integral_max=row("integral_max"))
    motor = [row(name) for name in ("saturation_effort", "no_load_speed", "max_motor_effort")]
    bounds = [tuple(map(float, recorded[name])) for name in ("bound_positions", "bound_efforts")]
    clamps = {
        "dc-motor": lambda: ClampingDCMotor(*motor),
        "by-position": lambda: ClampingPositionBased(lookup_positions=bounds[0], lookup_efforts=bounds[1]),
        "max-effort": lambda: ClampingMaxEffort(row("max_force")),
    }
    delay = Delay(wp.array(np.full(count, DELAY), dtype=wp.int32), DELAY) if case in ("delay", "all") else None
    return Actuator(
        indices=wp.array(np.arange(count), dtype=wp.uint32),
        drive=drive,
        delay=delay,
        clamping=[make() for name, make in clamps.items() if case in (name, "all")],
    )


def efforts(recorded, case: str) -> np.ndarray:
    """The applied efforts (steps, states) of a case."""
    acting = actuator(recorded, case)
    first, second = acting.state(), acting.state()
    sim = SimpleNamespace(**{f"joint_{name}": wp.array(recorded[name], dtype=wp.float32) for name in ("q", "qd")})
    found = []
    for step in range(recorded["effort"].shape[0]):
        commands = {name: wp.array(recorded[key][step], dtype=wp.float32) for name, key in COMMANDS.items()}
        control = SimpleNamespace(**commands, joint_f=wp.zeros(recorded["q"].shape[0], dtype=wp.float32))
        acting.step(sim, control, first, second, dt=float(recorded["dt"]))
        first, second = second, first
        found.append(control.joint_f.numpy())
    return np.array(found)


def main() -> int:
    """Compare all cases; return the exit code."""
    recorded = np.load(FILE)
    print(f"newton {newton.__version__}, warp {wp.__version__}; recorded: {recorded['source']}")
    worst = 0.0
    with wp.ScopedDevice("cpu"):
        for case in CASES:
            wanted = recorded[f"applied.{case}"]
            apart = float(np.abs(efforts(recorded, case) - wanted).max())
            print(f"{case:12} {wanted.shape[1]} states, {wanted.shape[0]} steps: {apart:.1e} N")
            worst = max(worst, apart)
    return int(worst > CLOSE)


if __name__ == "__main__":
    sys.exit(main())
