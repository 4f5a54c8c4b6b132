"""How far a simulated motion is from the one PhysX recorded of the same scene, and how far it may be.

    python tests/parity.py tests/golden --only '^b0'
    python tests/parity.py tests/robots

prints the largest error of every scene of a folder: q [rad | stage length], qd [per second] and link pose (position
[stage length], quaternion) over the first 60 steps and over the whole run, and the largest ratio of error to tolerance.
A folder holds golden.json, golden.npz and scenes/NAME.usda, or a NAME.npz beside each NAME.drive.usda.
"""

import argparse
import json
import math
import re
import tempfile
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

import fajin
from fajin.controls import read_controls

EARLY = 60  # [steps] until then the trajectories agree to round-off
UNLIMITED = 1e30  # a limit beyond it is none


@dataclass(frozen=True)
class Recorded:
    """What PhysX did with a scene: T steps, D degrees of freedom, L links, P recorded poses, in stage units."""

    name: str
    scene: Path
    dt: float  # [s]
    controls: list
    dof: tuple  # (joint path, index among the joint's degrees of freedom)
    free: np.ndarray  # (D,) whether the degree of freedom has no limits
    link: tuple  # prim paths
    mass: list  # of {"mass", "com", "inertia"} per link, as PhysX used them
    q: np.ndarray  # (T + 1, D)
    qd: np.ndarray  # (T + 1, D)
    pose: np.ndarray  # (P, L, 7)
    pose_step: np.ndarray  # (P,)
    bounds: tuple  # of (last step, bounds on q, qd and poses), where the robot brings its own
    chaotic: bool = False

    @property
    def steps(self) -> int:
        """Number of recorded steps."""
        return len(self.q) - 1


@dataclass(frozen=True)
class Motion:
    """What fajin did with the same scene, in the order and the units of the recording."""

    q: np.ndarray  # (T + 1, D)
    qd: np.ndarray  # (T + 1, D)
    pose: np.ndarray  # (P, L, 7)


@dataclass(frozen=True)
class Check:
    """The largest error of one quantity up to a step, and its bound."""

    quantity: str  # q | qd | pose
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


def recordings(folder: Path) -> dict[str, Recorded]:
    """The recordings of a folder by name, in either of the two formats."""
    if (folder / "golden.json").exists():
        arrays = np.load(folder / "golden.npz")
        entries = json.loads((folder / "golden.json").read_text())
        return {name: _recorded_scene(folder, name, entry, arrays) for name, entry in entries.items()}
    found = (_recorded_robot(path) for path in sorted(folder.glob("*.npz")))
    return {recorded.name: recorded for recorded in found}


def _recorded_scene(folder: Path, name: str, entry: dict, arrays) -> Recorded:
    pose = arrays[f"{name}/pose"]
    return Recorded(
        scene=folder / "scenes" / f"{name}.usda",
        dt=float(Fraction(entry["dt"])),
        controls=entry["controls"] or [],
        q=arrays[f"{name}/q"],
        qd=arrays[f"{name}/qd"],
        pose=pose,
        pose_step=8 * np.arange(len(pose)),
        bounds=(),
        chaotic=entry["chaotic"],
        **_structure(name, entry),
    )


def _recorded_robot(path: Path) -> Recorded:
    arrays = np.load(path)
    meta = json.loads(str(arrays["meta"]))
    dt, noise = float(Fraction(meta["dt_text"])), meta["noise"]
    speeds = noise.get("max_qd", [0.0] * len(noise["steps"]))
    bounds = zip(noise["steps"], noise["max"], speeds, noise["max_pos"], strict=True)
    return Recorded(
        scene=path.with_name(f"{path.stem}.drive.usda"),
        dt=dt,
        controls=[],
        q=arrays["q"],
        qd=arrays["qd"],
        pose=arrays["pose"],
        pose_step=arrays["pose_step"],
        bounds=tuple((step, *_bounds(dt, *most)) for step, *most in bounds),
        **_structure(path.stem, meta),
    )


def _bounds(dt: float, q: float, qd: float, pose: float) -> tuple[float, float, float]:
    place = max(2e-5, 20 * q)
    return place, max(place / dt, 20 * qd), max(2e-5, 20 * pose)


def _structure(name: str, entry: dict) -> dict:
    limits = [[float(bound) for bound in dof["params"]["limit"]] for dof in entry["dofs"]]
    return {
        "name": name,
        "dof": tuple((dof["joint"], dof["axis_index"]) for dof in entry["dofs"]),
        "free": np.array([max(abs(lower), abs(upper)) > UNLIMITED for lower, upper in limits], dtype=bool),
        "link": tuple(link["path"] for link in entry["links"]),
        "mass": [{key: link[key] for key in ("mass", "com", "inertia")} for link in entry["links"]],
    }


def simulate(recorded: Recorded, device: str = "cpu", precision: str = "f32") -> Motion:
    """Run the recorded scene through the public interface, with the recorded step and controls."""
    scene = fajin.read(str(recorded.scene))
    sim = fajin.Simulation(scene, device=device, precision=precision, dt=recorded.dt)
    recording = sim.run(steps=recorded.steps, controls=_controls(recorded, sim.dof))

    columns = _columns(recorded, sim.dof)
    length = scene.meters_per_unit
    unit = np.array([length if sim.unit[column] == "m" else 1.0 for column in columns])
    rows = [sim.link.index(path) for path in recorded.link]
    pose = np.array(recording.pose[recorded.pose_step][:, rows], dtype=float)
    pose[..., :3] /= length
    return Motion(recording.q[:, columns] / unit, recording.qd[:, columns] / unit, pose)


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
    x is q, qd or the pose. Robots: 20 times what one ulp of the masses does to PhysX itself, at least 2e-5, at each of
    their checkpoints; qd to the bound on q over a step, or to 20 times its own change where that is recorded.
    """
    error = _errors(recorded, motion)
    if recorded.bounds:
        stages = [(step, q, qd, max(q, pose)) for step, q, qd, pose in recorded.bounds]
    else:
        scale = [max(1.0, _largest(values)) for values in (recorded.q, recorded.qd, recorded.pose)]
        tolerances = ((EARLY, 2e-5), (recorded.steps, 2e-2 if recorded.chaotic else 1e-3))
        stages = [(step, *(tolerance * largest for largest in scale)) for step, tolerance in tolerances]
    checks = []
    for step, *bounds in stages:
        end = {"q": step + 1, "qd": step + 1, "pose": np.searchsorted(recorded.pose_step, step, side="right")}
        for (quantity, values), bound in zip(error.items(), bounds, strict=True):
            checks.append(Check(quantity, step, _largest(values[: end[quantity]]), bound))
    return checks


def _errors(recorded: Recorded, motion: Motion) -> dict[str, np.ndarray]:
    q = motion.q - recorded.q
    q[:, recorded.free] = (q[:, recorded.free] + math.pi) % (2 * math.pi) - math.pi  # PhysX wraps what has no limits
    turn = np.sign(np.sum(motion.pose[..., 3:] * recorded.pose[..., 3:], axis=-1, keepdims=True))  # Q and -Q are one
    pose = np.concatenate([motion.pose[..., :3], turn * motion.pose[..., 3:]], axis=-1) - recorded.pose
    return {"q": q, "qd": motion.qd - recorded.qd, "pose": pose}


def _largest(values: np.ndarray) -> float:
    return float(np.max(np.abs(values), initial=0.0))


def _row(recorded: Recorded, args) -> str:
    checks = compare(recorded, simulate(recorded, args.device, args.precision))
    of = {(check.quantity, check.step): check.error for check in checks}
    errors = [
        of.get((quantity, step), math.nan) for quantity in ("q", "qd", "pose") for step in (EARLY, recorded.steps)
    ]
    worst = max(checks, key=lambda check: math.inf if math.isnan(check.error) else check.error / check.bound)
    verdict = "ok" if all(check.holds for check in checks) else f"FAILS {worst}"
    return " ".join(f"{error:9.1e}" for error in errors) + f" {worst.error / worst.bound:9.2g}  {verdict}"


def main() -> None:
    """Print the table of a folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="regular expression on the names")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--precision", default="f32")
    args = parser.parse_args()
    heads = ("q@60", "q@end", "qd@60", "qd@end", "pose@60", "pose@end", "err/tol")
    print(f"{'scene':32s} " + " ".join(f"{head:>9s}" for head in heads))
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
