"""Scenes with what PhysX did with them: golden.json, .npz, noise.json and scenes/NAME.usda, or robots' NAME.npz."""

import json
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np

UNLIMITED = 1e30  # a limit beyond it is none


@dataclass(frozen=True)
class Recorded:
    """What PhysX did with a scene, in stage units: T steps, D dofs, L links, P recorded poses, B free bodies."""

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
    body: tuple  # prim paths
    flight: np.ndarray  # (T + 1, B, 13) pose, velocity of the centre of mass, angular velocity of the free bodies
    bounds: tuple  # of (last step, bounds on q, qd and poses), where the robot brings its own
    noise: tuple = ()  # of (last step, what one ulp of the masses does to PhysX: q, qd, poses, twists), if measured
    chaotic: bool = False

    @property
    def steps(self) -> int:
        """Number of recorded steps."""
        return len(self.q) - 1


def recordings(folder: Path) -> dict[str, Recorded]:
    """The recordings of a folder by name, in either of the two formats."""
    if (folder / "golden.json").exists():
        arrays = np.load(folder / "golden.npz")
        entries = json.loads((folder / "golden.json").read_text())
        measured = folder / "noise.json"
        noise = json.loads(measured.read_text()) if measured.exists() else {}
        scenes = (_scene(folder, name, entry, arrays) for name, entry in entries.items())
        return {scene.name: replace(scene, noise=_noise(noise.get(scene.name))) for scene in scenes}
    found = (_robot(path) for path in sorted(folder.glob("*.npz")))
    return {recorded.name: recorded for recorded in found}


def _scene(folder: Path, name: str, entry: dict, arrays) -> Recorded:
    pose, q = arrays[f"{name}/pose"], arrays[f"{name}/q"]
    flight = arrays[f"{name}/body"] if entry.get("body") else np.zeros((len(q), 0, 13))
    return Recorded(
        scene=folder / "scenes" / f"{name}.usda",
        dt=float(Fraction(entry["dt"])),
        controls=entry["controls"] or [],
        q=q,
        qd=arrays[f"{name}/qd"],
        pose=pose,
        pose_step=8 * np.arange(len(pose)),
        body=tuple(entry.get("body", ())),
        flight=flight,
        bounds=(),
        chaotic=entry["chaotic"],
        **_structure(name, entry),
    )


def _noise(entry: dict | None) -> tuple:
    return tuple(zip(*(entry[key] for key in ("step", "q", "qd", "pose", "twist")), strict=True)) if entry else ()


def _robot(path: Path) -> Recorded:
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
        body=(),
        flight=np.zeros((len(arrays["q"]), 0, 13)),
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
