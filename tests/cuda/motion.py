"""What a simulation on a device does, in a process of its own: python motion.py '{"scene": …, "device": …}' OUT.npz

Taichi runs on one device a process. Every number of `worlds` is simulated by itself, each world towards other targets.
"""

import json
import logging
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

ASKED = ("gravity_compensation", "mass_matrix")
"""Equations of motion that are asked where `ask` is set."""


class Refusal(logging.Handler):
    """Ends the process on a warning: a kernel that Taichi compiled has other bits."""

    def emit(self, record: logging.LogRecord) -> None:
        sys.exit(record.getMessage())


def refuse_warnings() -> None:
    """End the process on a warning of fajin from now on."""
    logging.getLogger("fajin").addHandler(Refusal(logging.WARNING))


def simulate(scene: str, device: str, worlds: list[int], steps: int, precision: str = "f32", ask: bool = False) -> dict:
    """Joint positions, link poses and answers after twice so many steps; what is counted, of the last launch alone."""
    import fajin
    from fajin import dynamics

    refuse_warnings()
    numbers = {}
    for count in worlds:
        sim = fajin.Simulation(fajin.read(scene), count, device, precision)
        sim.target_q = np.random.default_rng(0).normal(0.0, 0.3, np.array(sim.q).shape)
        sim.step(steps)
        for watched in filter(None, map(os.environ.get, ("FAKE_CUDA_COUNT", "FAKE_CUDA_TRACE"))):
            Path(watched).write_text("")
            sim._stepper.length.most = steps  # one launch, however long it takes here
        sim.step(steps)
        numbers |= {f"{count} {name}": sim.read(name) for name in ("q", "qd", "link_pose", "link_velocity")}
        if ask:
            numbers |= {f"{count} {name}": getattr(dynamics, name)(sim) for name in ASKED}
    return numbers


def motion(out: Path, env: dict[str, str], **arguments) -> dict[str, np.ndarray]:
    """`simulate` in a process with that environment."""
    command = [sys.executable, __file__, json.dumps(arguments), str(out)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command}: exit code {done.returncode}: {done.stderr[-2000:]}")
    return dict(np.load(out))


if __name__ == "__main__":
    np.savez(sys.argv[2], **simulate(**json.loads(sys.argv[1])))
