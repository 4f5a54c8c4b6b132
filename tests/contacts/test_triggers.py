"""Triggers and collision groups of a file are read as PhysX does."""

import numpy as np
import pytest
from usda import body, prim, stage

import fajin
from fajin.model.collision_pairs import collision_pairs

COLLIDES, TRIGGER, RIGID = "PhysicsCollisionAPI", "PhysxTriggerAPI", "PhysicsRigidBodyAPI"
BALL = body("ball", prim("Sphere", "shape", "", COLLIDES))
SQUARE = """point3f[] points = [(0,0,0), (1,0,0), (0,1,0)]
int[] faceVertexCounts = [3]
int[] faceVertexIndices = [0, 1, 2]"""


def read(folder, *prims, **others):
    return fajin.read(stage(folder, *prims, **others))


def codes(scene):
    return {report.code for report in scene.reports}


@pytest.mark.parametrize(
    ("zone", "code", "touch"),
    [
        (prim("Cube", "zone", "", f"{COLLIDES} {TRIGGER}"), "trigger", False),
        (prim("Plane", "zone", "", f"{COLLIDES} {TRIGGER}"), "trigger", False),
        (prim("Mesh", "zone", SQUARE, f"{COLLIDES} {TRIGGER}"), "trigger-is-mesh", True),
        (prim("Scope", "zone", prim("Cube", "a"), f"{COLLIDES} {TRIGGER}"), "trigger", False),
        (prim("Scope", "zone", prim("Cube", "a", "", TRIGGER), COLLIDES), "", True),
        (prim("Scope", "zone", prim("Cube", "a", "", COLLIDES), f"{COLLIDES} {TRIGGER}"), "trigger", True),
    ],
)
def test_a_trigger_is_not_solid(tmp_path, zone, code, touch):
    """But a triangle mesh is; PhysxTriggerAPI on the child of a container has no effect."""
    scene = read(tmp_path, BALL, zone)
    assert bool(len(collision_pairs(scene))) == touch
    assert bool(scene.triggers) == (code == "trigger")
    assert {found for found in codes(scene) if found.startswith("trigger")} == ({code} if code else set())


def test_attributes_of_a_trigger_are_known(tmp_path):
    zone = prim("Cube", "zone", 'uniform token physxTrigger:enterScriptType = "inlineScript"', f"{COLLIDES} {TRIGGER}")
    assert "unknown-attribute" not in codes(read(tmp_path, BALL, zone))


def test_a_trigger_has_no_mass(tmp_path):
    """A disabled one has, and a body of triggers alone has moments of one unit."""
    light, heavy = prim("Cube", "a", "double size = 1", COLLIDES), "double size = 1"
    zone, off = (prim("Cube", "b", f"{heavy}\n{line}", f"{COLLIDES} {TRIGGER}") for line in ("", OFF))
    for shapes, mass in ((light + zone, 1000.0), (light + off, 2000.0), (zone, 1.0)):
        scene = read(tmp_path, prim("Xform", "crate", shapes, RIGID))
        assert scene.articulations[0].links[0].mass == pytest.approx(mass)
    np.testing.assert_allclose(scene.articulations[0].links[0].inertia, np.eye(3))
    assert {"mass-missing", "inertia-of-triggers"} <= codes(scene)


OFF = "bool physics:collisionEnabled = 0"


def group(name, who, filtered=""):
    lines = [f"rel collection:colliders:includes = [{', '.join(f'<{path}>' for path in who)}]"]
    lines += [f"rel physics:filteredGroups = <{filtered}>"] if filtered else []
    return prim("PhysicsCollisionGroup", name, "\n".join(lines), "CollectionAPI:colliders")


@pytest.mark.parametrize(
    ("names", "touch"), [(("m", "k"), False), (("k", "m"), True), (("a10", "a9"), True), (("Z", "b"), True)]
)
def test_of_several_groups_the_first_by_path_counts(tmp_path, names, touch):
    """Whatever the order in the file: only the second group is filtered."""
    free, filtered = names
    first, second = group(free, ["/ball"]), group(filtered, ["/ball"], "/wall")
    wall = prim("Cube", "block", "", COLLIDES) + group("wall", ["/block"])
    for order in ((first, second), (second, first)):
        scene = read(tmp_path, BALL, wall, *order)
        assert bool(len(collision_pairs(scene))) == touch
        (report,) = (report for report in scene.reports if report.code == "several-groups")
        assert (report.prim, report.related) == ("/ball/shape", f"/{min(names)}")


@pytest.mark.parametrize(("inverted", "filtered", "touch"), [(0, "", 1), (0, "/h", 0), (1, "", 0), (1, "/h", 1)])
def test_the_scene_may_invert_the_filter_of_groups(tmp_path, inverted, filtered, touch):
    flag = f"bool physxScene:invertCollisionGroupFilter = {inverted}"
    groups = group("g", ["/ball"], filtered), group("h", ["/block"])
    scene = read(tmp_path, BALL, prim("Cube", "block", "", COLLIDES), *groups, scene=flag)
    assert len(collision_pairs(scene)) == touch
    assert not codes(scene) & {"engine-internal", "contact-attribute"}
