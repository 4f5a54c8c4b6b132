"""How far a simulated motion is from the one PhysX recorded of the same scene, and how far it may be.

    python tests/parity.py tests/golden --only '^b0'
    python tests/parity.py tests/robots

prints the largest error of every scene of a folder: q [rad | stage length], qd [per second], link pose (position
[stage length], quaternion) and twist of free bodies (velocity, angular velocity) over the first 60 steps and over the
whole run, and the largest ratio of error to tolerance.
A folder holds golden.json, golden.npz and scenes/NAME.usda, or a NAME.npz beside each NAME.drive.usda.
"""

import argparse
import json
import math
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from recorded import Recorded, recordings

import fajin
from fajin.controls import read_controls
from fajin.recorder import Recording, concatenate

EARLY = 60  # [steps] until then the trajectories agree to round-off


@dataclass(frozen=True)
class Motion:
    """What fajin did with the same scene, in the order and the units of the recording."""

    q: np.ndarray  # (T + 1, D)
    qd: np.ndarray  # (T + 1, D)
    pose: np.ndarray  # (P, L, 7)
    flight: np.ndarray  # (T + 1, B, 13)


@dataclass(frozen=True)
class Check:
    """The largest error of one quantity up to a step, and its bound."""

    quantity: str  # q | qd | pose | twist
    step: int
    error: float
    bound: float

    @property
    def holds(self) -> bool:
        """Whether the error is within its bound; NaN is not."""
        return self.error <= self.bound

    def __str__(self) -> str:
        """One line for a failing test."""
        return f"{self.quantity} up to step {self.step}: {self.error:.2e} > {self.bound:.2e}"


def simulate(recorded: Recorded, device: str = "cpu", precision: str = "f32") -> Motion:
    """Run the recorded scene through the public interface, with the recorded step and controls."""
    scene = fajin.read(str(recorded.scene))
    sim = fajin.Simulation(scene, device=device, precision=precision, dt=recorded.dt)
    if recorded.body:
        recording, roots = _step_by_step(sim, recorded.steps)
    else:
        recording = sim.run(steps=recorded.steps, controls=_controls(recorded, sim.dof))

    columns = _columns(recorded, sim.dof)
    length = scene.meters_per_unit
    unit = np.array([length if sim.unit[column] == "m" else 1.0 for column in columns])
    rows = [sim.link.index(path) for path in recorded.link]
    pose = np.array(recording.pose[:, rows], dtype=float)
    pose[..., :3] /= length
    flight = np.zeros((len(pose), 0, 13))
    if recorded.body:
        at = [recorded.link.index(path) for path in recorded.body]
        owners = [articulation.links[0].path for articulation in scene.articulations]
        twist = roots[:, [owners.index(path) for path in recorded.body]]
        flight = np.concatenate([pose[:, at], twist[..., 3:] / length, twist[..., :3]], axis=-1)
    return Motion(recording.q[:, columns] / unit, recording.qd[:, columns] / unit, pose[recorded.pose_step], flight)


def _step_by_step(sim: fajin.Simulation, steps: int) -> tuple[Recording, np.ndarray]:
    """The motion, with the velocities of the articulations' roots (T + 1, A, 6), which no recording holds."""
    at = sim._state.rows["ROOT"]
    pieces, roots = [next(sim.stream(0))], [sim._state.read()[0, at]]
    for _ in range(steps):
        pieces.append(sim.run(steps=1)[1:])
        roots.append(sim._state.read()[0, at])
    return concatenate(pieces), np.array(roots).reshape(steps + 1, -1, 6)


def _controls(recorded: Recorded, dof: tuple):
    if not recorded.controls:
        return ()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "controls.json"
        path.write_text(json.dumps(recorded.controls))
        return read_controls(str(path), dof)


def _columns(recorded: Recorded, names: tuple) -> list[int]:
    """Where the recorded degrees of freedom stand in the simulation: (joint path, index among its own) in both."""
    place, seen = {}, {}
    for column, name in enumerate(names):
        joint = name.rpartition(":")[0]
        place[joint, seen.setdefault(joint, 0)] = column
        seen[joint] += 1
    missing = [f"{joint}[{index}]" for joint, index in recorded.dof if (joint, index) not in place]
    assert not missing, f"{recorded.name}: PhysX has degrees of freedom that are not simulated: {missing}"
    return [place[dof] for dof in recorded.dof]


def compare(recorded: Recorded, motion: Motion) -> list[Check]:
    """Every error of a motion with its bound.

    Scenes: 2e-5 max(1, |x|max) over the first 60 steps and 1e-3 (2e-2 where chaotic) max(1, |x|max) over the run, where
    x is q, qd, the pose, or the twist of free bodies; or 20 times the scene's noise, where it has any. Robots: 20 times
    what one ulp of the masses does to PhysX itself, at least 2e-5, at each of their checkpoints; qd to the bound on q
    over a step, or to 20 times its own change where that is recorded.
    """
    error = _errors(recorded, motion)
    if recorded.bounds:
        stages = [(step, (q, qd, max(q, pose), 0.0)) for step, q, qd, pose in recorded.bounds]
    else:
        values = (recorded.q, recorded.qd, recorded.pose, recorded.flight[..., 7:])
        scale = [max(1.0, _largest(of)) for of in values]
        tolerances = ((EARLY, 2e-5), (recorded.steps, 2e-2 if recorded.chaotic else 1e-3))
        noise = np.array([recorded.noise.get(quantity, (0.0, 0.0)) for quantity in error])
        stages = [
            (step, np.maximum(tolerance * np.array(scale), 20 * noise[:, i]).tolist())
            for i, (step, tolerance) in enumerate(tolerances)
        ]
    checks = []
    for step, bounds in stages:
        poses = np.searchsorted(recorded.pose_step, step, side="right")
        for (quantity, values), bound in zip(error.items(), bounds, strict=True):
            some = _largest(values[: poses if quantity == "pose" else step + 1])
            if quantity == "pose" and recorded.body:
                some = max(some, _largest(_apart(motion.flight, recorded.flight)[: step + 1]))
            checks.append(Check(quantity, step, some, bound))
    return checks


def _errors(recorded: Recorded, motion: Motion) -> dict[str, np.ndarray]:
    q = motion.q - recorded.q
    q[:, recorded.free] = (q[:, recorded.free] + math.pi) % (2 * math.pi) - math.pi  # PhysX wraps what has no limits
    twist = motion.flight[..., 7:] - recorded.flight[..., 7:]
    return {"q": q, "qd": motion.qd - recorded.qd, "pose": _apart(motion.pose, recorded.pose), "twist": twist}


def _apart(poses: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Differences of poses, position and quaternion; Q and -Q are one."""
    turn = np.sign(np.sum(poses[..., 3:7] * others[..., 3:7], axis=-1, keepdims=True))
    return np.concatenate([poses[..., :3], turn * poses[..., 3:7]], axis=-1) - others[..., :7]


def _largest(values: np.ndarray) -> float:
    return float(np.max(np.abs(values), initial=0.0))


def _row(recorded: Recorded, args) -> str:
    checks = compare(recorded, simulate(recorded, args.device, args.precision))
    of = {(check.quantity, check.step): check.error for check in checks}
    quantities = ("q", "qd", "pose", "twist")
    errors = [of.get((quantity, step), math.nan) for quantity in quantities for step in (EARLY, recorded.steps)]
    ratios = [math.inf if math.isnan(check.error) else check.error / max(check.bound, 1e-30) for check in checks]
    worst = checks[int(np.argmax(ratios))]
    verdict = "ok" if all(check.holds for check in checks) else f"FAILS {worst}"
    return " ".join(f"{error:9.1e}" for error in errors) + f" {max(ratios):9.2g}  {verdict}"


def main() -> None:
    """Print the table of a folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="regular expression on the names")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--precision", default="f32")
    args = parser.parse_args()
    heads = [f"{quantity}@{step}" for quantity in ("q", "qd", "pose", "twist") for step in (EARLY, "end")]
    print(f"{'scene':32s} " + " ".join(f"{head:>9s}" for head in (*heads, "err/tol")))
    passed = total = 0
    for name, recorded in recordings(args.folder).items():
        if not re.search(args.only, name):
            continue
        try:
            row = _row(recorded, args)
        except Exception as error:
            row = f"FAILS {type(error).__name__}: {error}"
        total, passed = total + 1, passed + ("FAILS" not in row)
        print(f"{name:32s} {row}", flush=True)
    print(f"{passed} of {total} within tolerance")


if __name__ == "__main__":
    main()
