"""Motions recorded from PhysX (ovphysx 0.7) that ship with fajin, and the deviation of a device from them.

Run as a program, it simulates all of them on the device named on the command line and prints joint positions as JSON.
"""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent / "data" / "reference"
CASES = {
    "arm": "seven joints under drives, limits, friction and armature; PGS",
    "motor": "a slide whose motor has a performance envelope; TGS",
    "gripper": "mimic joints; TGS",
    "floating": "two links without a base; TGS",
}
WORLDS = 33  # two packs, and one world in a third
POSITION_TOLERANCE = 2e-5  # of positions after 60 steps in single precision, as large as between two PhysX runs


@dataclass(frozen=True)
class ReferenceResult:
    """Result of a case on a device: positions (T + 1, D), and the largest difference between its worlds."""

    q: np.ndarray
    apart: float

    def error(self, case: str) -> float:
        """Return the largest distance from PhysX's motion, as a fraction of the round-off tolerance."""
        return self.distance(recorded(case)[0])

    def distance(self, q: np.ndarray) -> float:
        """Return the largest distance from another motion, as a fraction of the round-off tolerance, or inf."""
        far = float(np.abs(self.q - q).max() / (POSITION_TOLERANCE * max(1.0, float(np.abs(q).max()))))
        return far if np.isfinite(far) else np.inf


def recorded(case: str) -> tuple[np.ndarray, tuple[str, ...], float]:
    """Return PhysX's joint positions (T + 1, D) [rad | m], the joints' paths, and the step [s]."""
    with np.load(FOLDER / "motions.npz") as file:
        return file[f"{case}/q"], tuple(map(str, file[f"{case}/joint"])), float(file[f"{case}/dt"])


def simulate_case(case: str, device: str) -> ReferenceResult:
    """Simulate a case on a device and return its result."""
    import fajin

    physx, joints, dt = recorded(case)
    sim = fajin.Simulation(fajin.read(FOLDER / f"{case}.usda"), WORLDS, device, dt=dt)
    q = sim.run(steps=len(physx) - 1).q[..., [_column(sim.dof, joint) for joint in joints]]
    return ReferenceResult(q[:, 0], float(np.abs(q - q[:, :1]).max()))


def _column(dofs: tuple[str, ...], joint: str) -> int:
    return next(i for i, dof in enumerate(dofs) if dof.rpartition(":")[0] == joint)


def simulate_apart(device: str) -> dict[str, ReferenceResult] | str:
    """Return the results of all cases on a device, from a child process; or the reason of its failure."""
    command = [sys.executable, "-m", __name__, device]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return (done.stderr.strip().splitlines() or [f"ended with code {done.returncode}"])[-1]
    told = json.loads(done.stdout.splitlines()[-1])
    return {case: ReferenceResult(np.array(q, np.float32), apart) for case, (q, apart) in told.items()}


if __name__ == "__main__":
    outcomes = {case: simulate_case(case, sys.argv[1]) for case in CASES}
    print(json.dumps({case: (outcome.q.tolist(), outcome.apart) for case, outcome in outcomes.items()}))
