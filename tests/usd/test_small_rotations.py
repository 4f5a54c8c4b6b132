"""Rotations of a motion survive USD's matrices, also where the file's own op is of single precision."""

from dataclasses import replace

import numpy as np
import pytest
from motions import motion, poses
from pxr import Gf, Sdf, Usd, UsdGeom

import fajin

IDENTITY = {"quatf": Gf.Quatf(1), "quath": Gf.Quath(1), "quatd": Gf.Quatd(1)}


@pytest.mark.parametrize("angle", [1e-3, 1e-4, 1e-5, 1e-6])
@pytest.mark.parametrize("kind", ["quatf", "quath", "quatd"])
def test_a_small_rotation_is_seen_by_viewers(tmp_path, scenes, kind, angle):
    """USD computes a rotation's angle from the real part alone: 1 - cos(1e-4 / 2) is less than single precision has."""
    place = tmp_path / "base.usda"
    Usd.Stage.Open(str(scenes / "pendulum.usda")).Flatten().Export(str(place))
    link = motion(fajin.read(place), frames=3).link[-1]
    stage = Usd.Stage.Open(str(place))
    xform = UsdGeom.Xformable(stage.GetPrimAtPath(link))
    names = [name for name in xform.GetXformOpOrderAttr().Get() or [] if name == "xformOp:translate"]
    order = [*names, "xformOp:orient"]
    xform.GetPrim().CreateAttribute("xformOp:orient", Sdf.ValueTypeNames.Find(kind)).Set(IDENTITY[kind])
    xform.GetPrim().CreateAttribute("xformOpOrder", Sdf.ValueTypeNames.TokenArray).Set(order)
    stage.GetRootLayer().Save()
    recording = motion(fajin.read(place), frames=3)
    recording = replace(recording, pose=np.array(recording.pose, float))
    turn = np.array([0.0, np.sin(angle / 2.0), 0.0, np.cos(angle / 2.0)])
    recording.pose[:, 0, -1, 3:] = [[0, 0, 0, 1], turn, turn]
    fajin.write(recording, tmp_path / "out.usda")
    seen = poses(tmp_path / "out.usda", recording, [1])[0, -1, 3:]
    assert 2.0 * np.arcsin(np.linalg.norm(seen[:3])) == pytest.approx(angle, rel=0.02)
    assert fajin.read(tmp_path / "out.usda").articulations
