"""PhysicsCollisionAPI on a prim that is not a Gprim makes shapes of its children, as recorded from PhysX."""

import numpy as np
import pytest
from usda import body, prim, stage

import fajin
from fajin.model.collision_pairs import collision_pairs
from fajin.scene import WORLD, ShapeKind

COLLIDES, OFFSETS, MESH = "PhysicsCollisionAPI", "PhysxCollisionAPI", "PhysicsMeshCollisionAPI"
RIGID = "PhysicsRigidBodyAPI"
BALL = body("ball", prim("Sphere", "shape", "double radius = 0.1", COLLIDES))
CUBES = prim("Cube", "a", "double size = 1") + prim("Cube", "b", "double size = 2")
TETRAHEDRON = """point3f[] points = [(0,0,0), (1,0,0), (0,1,0), (0,0,1)]
int[] faceVertexCounts = [3, 3, 3, 3]
int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]"""


def read(folder, *prims):
    return fajin.read(stage(folder, *prims))


def paths(scene):
    return [collider.path for collider in scene.colliders if collider.body != "/ball"]


def codes(scene):
    return [report.code for report in scene.reports]


@pytest.mark.parametrize("kind", ["Scope", "Xform", ""])
def test_the_children_of_a_container_are_shapes(tmp_path, kind):
    scene = read(tmp_path, BALL, prim(kind, "room", CUBES, COLLIDES))
    assert paths(scene) == ["/room/a", "/room/b"]
    assert {collider.container for collider in scene.colliders} == {"", "/room"}
    assert len(collision_pairs(scene)) == 2


@pytest.mark.parametrize(
    "between", [("Xform", ""), ("Scope", ""), ("Xform", RIGID), ("Cube", ""), ("PointInstancer", "")]
)
def test_what_lies_deeper_is_not_a_shape(tmp_path, between):
    """It does not collide in PhysX; a body below has no shape, and what has no body of its own is reported."""
    kind, api = between
    scene = read(tmp_path, BALL, prim("Scope", "room", prim(kind, "deep", prim("Cube", "a"), api), COLLIDES))
    assert paths(scene) == (["/room/deep"] if kind == "Cube" else [])
    assert ("collider-not-a-child" in codes(scene)) == (not api and kind != "PointInstancer")


def test_the_nearest_container_decides(tmp_path):
    """Of two in each other, the inner one has the cubes, and the outer one nothing."""
    inner = prim("Scope", "inner", "bool physics:collisionEnabled = 0\n" + CUBES, COLLIDES)
    assert paths(read(tmp_path, BALL, prim("Scope", "outer", inner, COLLIDES))) == []


def test_a_child_with_the_api_of_its_own_is_a_shape_twice(tmp_path):
    """Mass and all; each of the two may be disabled."""
    doubled = prim("Cube", "a", "double size = 1", COLLIDES)
    scene = read(tmp_path, prim("Xform", "crate", doubled, f"{RIGID} {COLLIDES}"))
    assert paths(scene) == ["/crate/a", "/crate/a"]
    assert scene.articulations[0].links[0].mass == pytest.approx(2000.0)
    off = prim("Cube", "a", "double size = 1\nbool physics:collisionEnabled = 0", COLLIDES)
    scene = read(tmp_path, prim("Xform", "crate", off, f"{RIGID} {COLLIDES}"))
    assert [collider.container for collider in scene.colliders] == ["/crate"]


def test_the_body_of_a_shape_is_that_of_its_container(tmp_path):
    """Also of a child that is a body itself: it has no shape of its own then."""
    child = prim("Cube", "a", "double size = 1", RIGID)
    scene = read(tmp_path, BALL, prim("Scope", "room", child, COLLIDES))
    assert [collider.body for collider in scene.colliders if collider.path == "/room/a"] == [WORLD]
    (link,) = (a.links[0] for a in scene.articulations if a.path == "/room/a")
    assert link.mass == 1.0


def test_offsets_are_those_of_the_container(tmp_path):
    lines = "float physxCollision:contactOffset = {}\nfloat physxCollision:restOffset = {}\n"
    child = prim("Cube", "a", lines.format(0.7, 0.6), OFFSETS)
    scene = read(tmp_path, BALL, prim("Scope", "room", lines.format(0.3, 0.1) + child, f"{COLLIDES} {OFFSETS}"))
    (found,) = (collider for collider in scene.colliders if collider.container)
    assert (found.contact_offset, found.rest_offset) == pytest.approx((0.3, 0.1))


@pytest.mark.parametrize(
    ("container", "child", "kind"),
    [
        ("boundingCube", "boundingSphere", ShapeKind.BOX),
        ("boundingCube", "", ShapeKind.BOX),
        ("", "boundingCube", ShapeKind.CONVEX_HULL),
    ],
)
def test_the_approximation_is_that_of_the_container(tmp_path, container, child, kind):
    said = [f'uniform token physics:approximation = "{token}"\n' if token else "" for token in (container, child)]
    mesh = prim("Mesh", "shape", said[1] + TETRAHEDRON, MESH if child else "")
    scene = read(tmp_path, prim("Xform", "crate", said[0] + mesh, f"{RIGID} {COLLIDES} {MESH if container else ''}"))
    assert [collider.kind for collider in scene.colliders] == [kind]


def test_friction_is_that_of_the_child_and_density_that_of_the_container(tmp_path):
    lines = "float physics:staticFriction = {0}\nfloat physics:dynamicFriction = {0}\nfloat physics:density = {1}"
    stuffs = [
        prim("Material", name, lines.format(*numbers), "PhysicsMaterialAPI")
        for name, numbers in {"one": (0.1, 300), "two": (0.9, 700)}.items()
    ]
    bind, api = "rel material:binding:physics = </{}>\n", "MaterialBindingAPI"
    child = prim("Cube", "a", "double size = 1\n" + bind.format("two"), api)
    scene = read(tmp_path, *stuffs, prim("Xform", "crate", bind.format("one") + child, f"{RIGID} {COLLIDES} {api}"))
    assert scene.colliders[0].material.static_friction == pytest.approx(0.9)
    assert scene.articulations[0].links[0].mass == pytest.approx(300.0)


@pytest.mark.parametrize(("holder", "mass"), [("container", 10.0), ("child", 9000.0)])
def test_a_mass_of_the_container_is_that_of_each_shape(tmp_path, holder, mass):
    """The centre is the mean then, whatever the sizes; masses of the children have no effect."""
    api, line = "PhysicsMassAPI", "float physics:mass = 5\n"
    at = 'double3 xformOp:translate = (1, 0, 0)\nuniform token[] xformOpOrder = ["xformOp:translate"]\n'
    own = holder == "child"
    cubes = "".join(
        prim("Cube", name, f"double size = {size}\n" + at * moved + line * own, api * own)
        for name, size, moved in (("a", 1, 1), ("b", 2, 0))
    )
    shapes = prim("Xform", "shapes", line * (not own) + cubes, f"{COLLIDES} {api * (not own)}")
    link = read(tmp_path, prim("Xform", "crate", shapes, RIGID)).articulations[0].links[0]
    assert link.mass == pytest.approx(mass)
    assert link.com == pytest.approx((0.5 if not own else 1.0 / 9.0, 0.0, 0.0))


@pytest.mark.parametrize(("named", "touch"), [("room", False), ("room/a", True), ("", False)])
@pytest.mark.parametrize("by", ["pair", "group"])
def test_filters_name_the_container(tmp_path, by, named, touch):
    """Names of its children have no effect; prims above name it, too."""
    path = f"/house/{named}".rstrip("/")
    house = prim("Xform", "house", prim("Scope", "room", CUBES, COLLIDES))
    if by == "pair":
        extra = prim("Scope", "filter", f"rel physics:filteredPairs = [</ball>, <{path}>]", "PhysicsFilteredPairsAPI")
        ball = BALL.replace('"PhysicsMassAPI"', '"PhysicsMassAPI", "PhysicsFilteredPairsAPI"', 1)
        ball = ball.replace("{\n", f"{{\nrel physics:filteredPairs = <{path}>\n", 1)
    else:
        ball = BALL
        extra = "".join(
            prim("PhysicsCollisionGroup", name, f"rel collection:colliders:includes = <{who}>\n{rest}", APPLIED)
            for name, who, rest in (("g", path, "rel physics:filteredGroups = </h>"), ("h", "/ball", ""))
        )
    assert bool(len(collision_pairs(read(tmp_path, ball, house, extra)))) == touch


APPLIED = "CollectionAPI:colliders"


def test_a_moving_child_is_its_own_kinematic_body(tmp_path):
    moved = "double3 xformOp:translate.timeSamples = {0: (0, 0, 0), 48: (4, 0, 0)}\n"
    cube = prim("Cube", "a", moved + 'uniform token[] xformOpOrder = ["xformOp:translate"]')
    scene = read(tmp_path, BALL, prim("Scope", "room", cube + prim("Cube", "b"), COLLIDES))
    assert [motion.body for motion in scene.motions] == ["/room/a"]
    assert {c.path: c.body for c in scene.colliders if c.container} == {"/room/a": "/room/a", "/room/b": WORLD}


def test_children_of_an_instance_are_shapes(tmp_path):
    parts = prim("Xform", "parts", CUBES).replace("def", "class", 1)
    text = prim("Xform", "room", "", COLLIDES).replace(
        '"PhysicsCollisionAPI"]', '"PhysicsCollisionAPI"]\n    instanceable = true\n    prepend references = </parts>'
    )
    assert paths(read(tmp_path, BALL, parts, text)) == ["/room/a", "/room/b"]


def test_contents_survive_json(tmp_path):
    from fajin.scene.serialization import from_json, to_json

    scene = read(tmp_path, BALL, prim("Scope", "room", CUBES, COLLIDES))
    assert from_json(to_json(scene)) == scene
    assert np.isfinite(scene.colliders[0].contact_offset)


@pytest.mark.parametrize(
    ("named", "offset", "reported"),
    [
        ("/room", (0, 0, 1), True),
        ("/room/a", (0, 0, 1), True),
        ("/room", (0, 0, 0), False),
        ("/alone", (0, 0, 0), False),
    ],
)
def test_a_joint_to_a_container_is_reported_where_its_first_shape_is_moved(tmp_path, named, offset, reported):
    """PhysX adds the transform of that shape to the frame of the joint."""
    moved = "double3 xformOp:translate = {}\nuniform token[] xformOpOrder = ['xformOp:translate']\n"
    first = prim("Cube", "a", moved.format(offset))
    alone = prim("Cube", "alone", moved.format((0, 0, 9)), COLLIDES)
    joint = prim("PhysicsRevoluteJoint", "hinge", f"rel physics:body0 = <{named}>\nrel physics:body1 = </ball>")
    scene = read(tmp_path, BALL, alone, prim("Xform", "room", first + prim("Cube", "b"), COLLIDES), joint)
    assert ("joint-to-container" in codes(scene)) == reported
