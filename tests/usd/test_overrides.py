"""Overrides: values that replace the file's, of the type that the file, a schema or the table gives the attribute."""

from math import pi

import numpy as np
import pytest
from pxr import Usd
from usda import arm, prim, stage

import fajin


def test_overrides_change_what_is_read_and_not_the_file(tmp_path):
    """A drive attribute brings its schema with it; values are written as in a .usda file, tokens without quotes."""
    path = stage(tmp_path, arm())
    text = path.read_bytes()
    opened = Usd.Stage.Open(str(path))  # shares its layers with the reader
    scene = fajin.read(
        path,
        (
            "/robot/elbow.drive:angular:physics:stiffness = 2",
            "/robot/elbow.physics:axis=Y",
            "/robot/link.physics:centerOfMass=(1, 2, 3)",
            "/robot/elbow.physics:upperLimit=inf",
        ),
    )
    (j,) = scene.articulations[0].joints
    assert j.axes[0].drive.stiffness == pytest.approx(360.0 / pi)
    assert (j.axis, scene.articulations[0].links[1].com) == ("Y", (1.0, 2.0, 3.0))
    assert path.read_bytes() == text
    assert not opened.GetRootLayer().dirty


@pytest.mark.parametrize("first", ["mass=3", "centerOfMass=(1, 2, 3)", "principalAxes=(1, 1, 0, 0)"])
def test_an_override_needs_no_schema_on_the_prim(tmp_path, first):
    """The first one brings the schema; until then the type is that of the table's default."""
    bare = prim("Xform", "robot", prim("Xform", "ball", "", "PhysicsRigidBodyAPI"))
    values = (first, "diagonalInertia=(1, 2, 3)", "mass=3", "centerOfMass=(1, 2, 3)", "principalAxes=(1, 1, 0, 0)")
    scene = fajin.read(stage(tmp_path, bare), [f"/robot/ball.physics:{value}" for value in values])
    (ball,) = scene.articulations[0].links
    assert (ball.mass, ball.com) == (3.0, (1.0, 2.0, 3.0))
    assert np.array(ball.inertia) == pytest.approx(np.diag((1.0, 3.0, 2.0)))  # a quarter turn about x


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("elbow=3", ("elbow=3", "PRIM.attribute=value")),
        ("/robot/knee.physics:mass=3", ("/robot/knee", "must be for a prim of the stage")),
        ("/robot/link.physics:mess=3", ("physics:mess", "physics:mass")),
        ("/robot/link.physics:mass=heavy", ("heavy", "float")),
        ("/robot/link.physics:mass=-1", ("/robot/link.physics:mass", "-1", "0 or more")),
    ],
)
def test_an_override_that_cannot_be_is_refused_in_one_line(tmp_path, text, words, capfd):
    """The line names the override and what is wrong with it."""
    with pytest.raises(fajin.InvalidScene) as error:
        fajin.read(stage(tmp_path, arm()), [text])
    assert all(word in str(error.value) for word in words)
    assert "\n" not in str(error.value)
    assert capfd.readouterr() == ("", "")
