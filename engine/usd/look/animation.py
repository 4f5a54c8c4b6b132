"""Motion of links that a stage's time samples describe."""

from pathlib import Path

import numpy as np
from pxr import Usd, UsdGeom

from ...visual.look.track import Track
from ..stage.open_stage import open_stage

MOST_FRAMES = 100_000


def read_animation(path: str | Path, links: tuple[str, ...], root: str = "") -> Track:
    """Read the poses of links at all time samples of their transforms; one frame at time 0 if there is none.

    Raises:
        InvalidScene: the file is not USD.
    """
    stage, said = open_stage(path, root)
    track = stage_animation(stage, links)
    said.take()
    return track


def stage_animation(stage: Usd.Stage, links: tuple[str, ...]) -> Track:
    """Return the motion of links in an open stage."""
    prims = [stage.GetPrimAtPath(path) for path in links]
    codes = sample_codes(prims)
    metres, rate = UsdGeom.GetStageMetersPerUnit(stage), stage.GetTimeCodesPerSecond()
    cache = UsdGeom.XformCache()
    pose = np.empty((len(codes), 1, len(links), 7), np.float32)
    for frame, code in enumerate(codes):
        cache.SetTime(Usd.TimeCode(code))
        for row, prim in enumerate(prims):
            matrix = cache.GetLocalToWorldTransform(prim).RemoveScaleShear()
            turn = matrix.ExtractRotationQuat().GetNormalized()
            pose[frame, 0, row] = *(matrix.ExtractTranslation() * metres), *turn.GetImaginary(), turn.GetReal()
    return Track(np.array(codes) / rate, pose)


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
