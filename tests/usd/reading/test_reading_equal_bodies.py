"""Bodies whose specs are equal but for their places, as boxes of a pile, are read once, to the bit as each alone."""

from dataclasses import replace
from pathlib import Path

import pytest
from pxr import Sdf, Usd
from usda import METRES, prim

import fajin
from fajin.usd.read.reader import read_stage
from fajin.usd.stage import stage as reading
from fajin.usd.stage.instance_detection import find_copies

SCHEMAS = "PhysicsRigidBodyAPI PhysicsCollisionAPI PhysicsMassAPI"
GROUPS = "\n".join(
    prim("PhysicsCollisionGroup", name, f"rel collection:colliders:includes = {members}", "CollectionAPI:colliders")
    for name, members in (("one", "[</w/box1>, </w/box2>]"), ("other", "</w/box2>"))
)
BOXES = 24


def box(i: int, *lines: str, place: str = "", order: str = '"xformOp:translate"') -> str:
    """A box that lies alone, its mass authored and its inertia not."""
    mine = place or f"double3 xformOp:translate = ({0.1 + 0.7 * i}, {1.0 / 3.0}, {0.3 * i * i})"
    body = ("float physics:mass = 2", "double size = 0.3", mine, f"uniform token[] xformOpOrder = [{order}]", *lines)
    return prim("Cube", f"box{i}", "\n".join(body), SCHEMAS)


def stage_of(*parts: str) -> Usd.Stage:
    """A stage with prims below one that is turned and scaled."""
    order = 'uniform token[] xformOpOrder = ["xformOp:rotateXYZ", "xformOp:scale"]'
    around = f"double3 xformOp:rotateXYZ = (30, 20, 10)\nfloat3 xformOp:scale = (1.5, 1.5, 2)\n{order}"
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(
        f"#usda 1.0\n(\n    {METRES}\n)\n" + prim("Xform", "w", "\n".join((around, *parts))) + GROUPS
    )
    return Usd.Stage.Open(layer)


def test_equal_boxes_have_the_bits_of_boxes_that_are_read_alone(monkeypatch):
    """Places, masses, shapes and diagnostics, those of groups among them, in a frame that shears nothing."""
    stage = stage_of(*map(box, range(BOXES)), box(BOXES, "float physics:density = 3"))
    assert find_copies(stage) == {Sdf.Path(f"/w/box{i}"): Sdf.Path("/w/box0") for i in range(1, BOXES)}
    scene = read_stage(stage)
    monkeypatch.setattr(reading, "find_copies", lambda stage: {})
    alone = read_stage(stage)
    assert sum(report.code == "several-groups" for report in alone.reports) == 1
    copied, each = (replace(s, reports=tuple(sorted(s.reports, key=repr))) for s in (scene, alone))
    assert copied == each
    assert len(each.articulations) == BOXES + 1


OTHERS = {
    "mass": box(1, "float physics:angularDamping = 1", "float physxRigidBody:linearDamping = 3"),
    "turn": box(1, "double xformOp:rotateX = 10", order='"xformOp:translate", "xformOp:rotateX"'),
    "scale": box(1, "float3 xformOp:scale = (1, 1, 2)", order='"xformOp:translate", "xformOp:scale"'),
    "motion": box(1, place="double3 xformOp:translate.timeSamples = { 0: (0, 0, 0), 24: (1, 0, 0) }"),
    "prim below": box(1, prim("Xform", "mark")),
    "comment": box(1).replace("    prepend apiSchemas", '    "a comment"\n    prepend apiSchemas'),
}  # fmt: skip


@pytest.mark.parametrize("what", OTHERS)
def test_a_box_that_differs_is_read_by_itself(what):
    """In a value, in how it is turned or scaled, in what moves it, or by a prim below it."""
    assert len(find_copies(stage_of(box(0), box(2)))) == 1
    assert not find_copies(stage_of(box(0), OTHERS[what]))


@pytest.mark.parametrize("switch", ["bool physics:kinematicEnabled = 1", "bool physics:rigidBodyEnabled = 0"])
def test_bodies_that_do_not_move_are_read_by_themselves(switch):
    """A collider of the world has a pose there, which a copy would have after a product of transforms."""
    assert not find_copies(stage_of(*(box(i, switch) for i in range(BOXES))))
    shape = [box(i).replace('"PhysicsRigidBodyAPI", ', "") for i in range(BOXES)]
    assert not find_copies(stage_of(*shape))


def test_a_box_that_a_joint_holds_is_read_by_itself():
    """The other two are copies."""
    tie = prim("PhysicsFixedJoint", "tie", "rel physics:body1 = </w/box1>")
    assert find_copies(stage_of(*map(box, range(3)), tie)) == {Sdf.Path("/w/box2"): Sdf.Path("/w/box0")}


def test_a_transform_that_cannot_be_evaluated_is_an_error_of_its_own_prim(tmp_path: Path):
    """It is not that of the first of equal boxes."""
    path = tmp_path / "boxes.usda"
    stage_of(box(0), box(1, place='string xformOp:translate = "here"')).Export(str(path))
    with pytest.raises(fajin.InvalidScene, match="/w/box1"):
        fajin.read(path)
