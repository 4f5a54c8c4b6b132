"""Motion of links and joints that a stage's time samples describe."""

from math import radians
from pathlib import Path

import numpy as np
from pxr import Usd, UsdGeom

from ...visual.look.track import Animation, Track
from ..attributes.kinds import NUMBER
from ..stage.open_stage import open_stage
from ..stage.transforms import rigid_poses

MOST_FRAMES = 100_000


def read_animation(path: str | Path, links: tuple[str, ...], dof: tuple[str, ...] = (), root: str = "") -> Animation:
    """Read the poses of links, and states of joints, at all time samples of the links' transforms.

    One frame at time 0 if there is no sample. `dof` are names of degrees of freedom: "/arm/elbow:rotX".

    Raises:
        InvalidScene: the file is not USD.
    """
    stage, diagnostics = open_stage(path, root)
    animation = stage_animation(stage, links, dof)
    diagnostics.take()
    return animation


def stage_animation(stage: Usd.Stage, links: tuple[str, ...], dof: tuple[str, ...] = ()) -> Animation:
    """Return the motion of links and joints in an open stage."""
    prims = [stage.GetPrimAtPath(path) for path in links]
    codes = sample_codes(prims)
    metres, rate = UsdGeom.GetStageMetersPerUnit(stage), stage.GetTimeCodesPerSecond()
    cache = UsdGeom.XformCache()
    pose = np.empty((len(codes), 1, len(links), 7), np.float32)
    matrices = np.empty((len(links), 4, 4))
    for frame, code in enumerate(codes):
        cache.SetTime(Usd.TimeCode(code))
        for row, prim in enumerate(prims):
            matrices[row] = cache.GetLocalToWorldTransform(prim)  # pyright: ignore[reportCallIssue, reportArgumentType]  # the stub lacks its buffer
        position, rotation = rigid_poses(matrices)
        pose[frame, 0, :, :3], pose[frame, 0, :, 3:] = position * metres, rotation
    return Animation(Track(np.array(codes) / rate, pose), *_joint_states(stage, dof, codes))


def _joint_states(stage: Usd.Stage, dof: tuple[str, ...], codes: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """Return positions and speeds (T, D) in SI units; (T, 0) if none varies: the file has no motion of joints."""
    states = [_state_of(stage, name) for name in dof]
    if not any(attribute and attribute.GetNumTimeSamples() > 1 for state in states for attribute in state):
        return np.empty((len(codes), 0)), np.empty((len(codes), 0))
    metres = UsdGeom.GetStageMetersPerUnit(stage)
    unit = [metres if name.rpartition(":")[2].startswith("trans") else radians(1.0) for name in dof]
    q, qd = (
        np.array([[NUMBER.read(a.Get(code) if a else None) or 0.0 for a in row] for code in codes]) * unit
        for row in zip(*states, strict=True)
    )
    return q, qd


def _state_of(stage: Usd.Stage, name: str) -> list[Usd.Attribute]:
    """Return the attributes of position and velocity of a degree of freedom."""
    path, _, token = name.rpartition(":")
    prim = stage.GetPrimAtPath(path)
    single = prim.IsA("PhysicsRevoluteJoint") or prim.IsA("PhysicsPrismaticJoint")
    instance = ("linear" if token.startswith("trans") else "angular") if single else token
    return [prim.GetAttribute(f"state:{instance}:physics:{quantity}") for quantity in ("position", "velocity")]


def sample_codes(prims: list[Usd.Prim]) -> list[float]:
    """Return the time codes of all samples of the transforms of prims and their ancestors; [0] if there is none."""
    above = {path: prim.GetStage().GetPrimAtPath(path) for prim in prims for path in prim.GetPath().GetPrefixes()}
    codes: set[float] = set()
    for prim in above.values():
        if prim.IsA("Xformable"):
            codes.update(UsdGeom.Xformable(prim).GetTimeSamples())
    codes = {code for code in codes if np.isfinite(code)}
    if len(codes) > MOST_FRAMES:
        return np.linspace(min(codes), max(codes), MOST_FRAMES).tolist()
    return sorted(codes) or [0.0]
