"""How far a simulated motion is from the one PhysX recorded of the same scene, and how far it may be.

    python tests/support/parity.py tests/recorded/joints --only '^b0'
    python tests/support/parity.py tests/recorded/robots

prints the largest error of every scene of a folder: q [rad | stage length], qd [per second], link pose (position
[stage length], quaternion) and twist of free bodies (velocity, angular velocity) over the first 60 steps and over the
whole run, and the largest ratio of error to tolerance; `noise` instead of `ok` where only PhysX's own makes it fit.
A folder holds golden.json, golden.npz and scenes/NAME.usda (and noise.json), or a NAME.npz beside each NAME.drive.usda.
"""

import argparse
import json
import math
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import numpy as np
from recorded import Recorded, recordings

import fajin
from fajin.recording.recorder import Recording, concatenate
from fajin.simulation.control_events import ControlTarget
from fajin.simulation.control_file import read_controls

EARLY = 60  # [steps] until then the trajectories agree to round-off
NOISE = 20  # times what one ulp of the masses does to PhysX itself is within tolerance


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
    fixed: float  # the bound without PhysX's own noise; the robots' have it in both

    @property
    def holds(self) -> bool:
        """Whether the error is within its bound; NaN is not."""
        return self.error <= self.bound

    def __str__(self) -> str:
        """One line for a failing test."""
        return f"{self.quantity} up to step {self.step}: {self.error:.2e} > {self.bound:.2e}"


def simulate(
    recorded: Recorded, device: str = "cpu", precision: str = "f32", scene: fajin.Scene | None = None
) -> Motion:
    """Run the recorded scene, read here if not given, with the recorded step and controls."""
    scene = scene or fajin.read(str(recorded.scene))
    sim = fajin.Simulation(scene, device=device, precision=precision, dt=recorded.dt)
    controls = _controls(recorded, sim.dof)
    if recorded.body:
        recording, roots = _with_roots(sim, recorded.steps, controls)
    else:
        recording = sim.run(steps=recorded.steps, controls=controls)

    columns = _columns(recorded, sim.dof)
    length = scene.meters_per_unit
    unit = np.array([length if sim.unit[column] == "m" else 1.0 for column in columns])
    rows = [sim.link.index(path) for path in recorded.link]
    pose = np.array(recording.pose[:, 0, rows], dtype=float)
    pose[..., :3] /= length
    flight = np.zeros((len(pose), 0, 13))
    if recorded.body:
        at = [recorded.link.index(path) for path in recorded.body]
        owners = [articulation.links[0].path for articulation in scene.articulations]
        twist = roots[:, [owners.index(path) for path in recorded.body]]
        flight = np.concatenate([pose[:, at], twist[..., :3] / length, twist[..., 3:]], axis=-1)
    return Motion(
        recording.q[:, 0, columns] / unit, recording.qd[:, 0, columns] / unit, pose[recorded.pose_step], flight
    )


def _with_roots(sim: fajin.Simulation, steps: int, controls) -> tuple[Recording, np.ndarray]:
    """The motion, with the velocities of the articulations' roots (T + 1, A, 6), which no recording holds."""
    state, pieces, roots = sim._synced_state(), [], []
    with mock.patch("fajin.simulation.launch_length.LAUNCH_SECONDS", 0.0):  # one step in a launch
        for piece in sim.stream(steps, 1, controls):
            pieces.append(piece)
            roots.append(state.buffer("state").read(state.layout.rows["ROOT_VELOCITY"]).reshape(-1, 6))
    assert len(roots) == steps + 1
    return concatenate(pieces), np.roll(roots, 3, axis=-1)  # the state has the angular velocity first


WORDS = {"pos_target": "target_q", "vel_target": "target_qd"}
"""Words of the recordings for quantities."""


def _controls(recorded: Recorded, dof: tuple):
    if not recorded.controls:
        return ()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "controls.json"
        events = [{**event, "set": WORDS.get(event["set"], event["set"])} for event in recorded.controls]
        path.write_text(json.dumps(events))
        return read_controls(str(path), ControlTarget(dof))


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
    x is q, qd, the pose, or the twist of free bodies; where it is measured what one ulp of the masses does to PhysX
    itself, 20 times that if it is more, at each checkpoint. Robots: 20 times that, at least 2e-5, at each of theirs; qd
    to the bound on q over a step, or to 20 times its own change where that is recorded.
    """
    error = _errors(recorded, motion)
    checks = []
    for step, fixed, noise in _stages(recorded):
        poses = np.searchsorted(recorded.pose_step, step, side="right")
        for (quantity, values), bound, floor in zip(error.items(), fixed, noise, strict=True):
            some = _largest(values[: poses if quantity == "pose" else step + 1])
            if quantity == "pose" and recorded.body:
                some = max(some, _largest(_apart(motion.flight, recorded.flight)[: step + 1]))
            checks.append(Check(quantity, step, some, max(bound, NOISE * floor), bound))
    return checks


def _stages(recorded: Recorded) -> list[tuple[int, list, tuple]]:
    """Checkpoints: last step, fixed bounds and PhysX's own noise of q, qd, pose and twist."""
    none = (0.0, 0.0, 0.0, 0.0)
    if recorded.bounds:
        return [(step, [q, qd, max(q, pose), 0.0], none) for step, q, qd, pose in recorded.bounds]
    values = (recorded.q, recorded.qd, recorded.pose, recorded.flight[..., 7:])
    scale = [max(1.0, _largest(of)) for of in values]
    late = 2e-2 if recorded.chaotic else 1e-3
    noise = dict.fromkeys((min(EARLY, recorded.steps), recorded.steps), none)
    noise |= {step: tuple(most) for step, *most in recorded.noise}
    return [(step, [(2e-5 if step <= EARLY else late) * of for of in scale], noise[step]) for step in sorted(noise)]


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
    quantities, steps = ("q", "qd", "pose", "twist"), (min(EARLY, recorded.steps), recorded.steps)
    errors = [of.get((quantity, step), math.nan) for quantity in quantities for step in steps]
    ratios = [math.inf if math.isnan(check.error) else check.error / max(check.bound, 1e-30) for check in checks]
    worst = checks[int(np.argmax(ratios))]
    within = "ok" if all(check.error <= check.fixed for check in checks) else "noise"
    verdict = within if all(check.holds for check in checks) else f"FAILS {worst}"
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
    verdicts = []
    for name, recorded in recordings(args.folder).items():
        if not re.search(args.only, name):
            continue
        try:
            row = _row(recorded, args)
        except Exception as error:
            row = f"FAILS {type(error).__name__}: {error}"
        verdicts.append("FAILS" if "FAILS" in row else row.split()[-1])
        print(f"{name:32s} {row}", flush=True)
    passed, noisy = len(verdicts) - verdicts.count("FAILS"), verdicts.count("noise")
    print(f"{passed} of {len(verdicts)} within tolerance, {noisy} of them by PhysX's own noise")


if __name__ == "__main__":
    main()
