"""Damaged records of fits are left out, and the scene is read."""

import shutil

import pytest
from pxr import Sdf

import fajin
from fajin.author.fit_record import fit_record
from fajin.scene import FitRecord, FittedParameter
from fajin.usd.read.fit_record import KEY


@pytest.fixture
def fitted(scenes, tmp_path):
    """A layer with a record of a fit."""
    shutil.copy(scenes / "pendulum.usda", tmp_path / "a.usda")
    (joint,) = fajin.read(tmp_path / "a.usda").articulations[0].joints[-1:]
    dof = f"{joint.path}:{joint.axes[0].token}"
    one = FittedParameter(f"{dof}:armature", joint.path, dof, "armature", 0.25, 0.01, "kg·m²", False, 0.0)
    record = FitRecord(0.002, "PGS", 4, 1, (one,), (1e-4,), (), (), 1.0, 0.1, 0.0, "1")
    with fajin.author.layer(tmp_path / "a.usda", tmp_path / "b.usda") as stage:
        fit_record(stage, record, {})
    return tmp_path / "b.usda"


@pytest.mark.usefixtures("sandboxed")
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("step", float("nan")),
        ("step", 0.0),
        ("error", float("nan")),
        ("chiSquared", "x"),
        ("positionIterations", 1e300),
        ("logs", 1),
    ],
)
def test_a_damaged_record_is_left_out(fitted, key, value):
    """The scene comes from a child process, whose answer has no NaN."""
    assert fajin.read(fitted).fit is not None
    layer = Sdf.Layer.OpenAsAnonymous(str(fitted))
    data = layer.customLayerData
    layer.customLayerData = {**data, KEY: {**data[KEY], key: value}}
    layer.Export(str(fitted))
    assert fajin.read(fitted).fit is None
