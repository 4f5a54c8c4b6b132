"""A joint to what stands still in the world keeps its body from colliding with it, as recorded from PhysX."""

import pytest
from usda import body, joint, prim, stage

import fajin
from fajin.model.collision_pairs import collision_pairs

COLLIDES, RIGID = "PhysicsCollisionAPI", "PhysicsRigidBodyAPI"
KINEMATIC, DISABLED = "bool physics:kinematicEnabled = 1\n", "bool physics:rigidBodyEnabled = 0\n"
ARM = body("arm", prim("Cube", "shape", "", COLLIDES))


def met(folder, post, named, lines="", extra=""):
    """Names of the shapes of the post that the arm may touch, with a hinge between both."""
    hinge = joint("hinge", "PhysicsRevoluteJoint", named, "/arm", lines)
    scene = fajin.read(stage(folder, ARM, post, hinge, extra))
    pairs = collision_pairs(scene)
    return sorted({scene.colliders[number].path for pair in pairs for number in pair} - {"/arm/shape"})


def cubes(*names, apis=""):
    return "".join(prim("Cube", name, "", apis) for name in names)


@pytest.mark.parametrize(
    ("post", "named", "touched"),
    [
        (prim("Cube", "post", "", COLLIDES), "/post", []),
        (prim("Cube", "post", prim("Xform", "site"), COLLIDES), "/post/site", []),
        (prim("Cube", "post", prim("Cube", "tip", "", COLLIDES), COLLIDES), "/post/tip", ["/post/tip"]),
        (prim("Xform", "post", cubes("a", apis=COLLIDES)), "/post", ["/post/a"]),
        (prim("Xform", "post", cubes("a"), COLLIDES), "/post", []),
        (prim("Xform", "post", cubes("b", "a"), COLLIDES), "/post/b", ["/post/b"]),
        (prim("Xform", "post", cubes("a", apis=COLLIDES), COLLIDES), "/post/a", ["/post/a"]),
        (prim("Xform", "post", KINEMATIC + cubes("a", "b", apis=COLLIDES), RIGID), "/post/a", []),
        (prim("Xform", "post", DISABLED + cubes("a", "b", apis=COLLIDES), RIGID), "/post", []),
        (prim("Cube", "post", "", COLLIDES), "", ["/post"]),
    ],
)
def test_the_end_is_a_body_or_the_outermost_collider(tmp_path, post, named, touched):
    """All shapes of a body, but only the first one, by name, of a container's children."""
    assert met(tmp_path, post, named) == touched


def test_a_joint_may_enable_the_collisions_of_its_ends(tmp_path):
    post = prim("Cube", "post", "", COLLIDES)
    assert met(tmp_path, post, "/post", "bool physics:collisionEnabled = 1") == ["/post"]
    assert met(tmp_path, post, "/post", "bool physics:jointEnabled = 0") == ["/post"]


def test_the_first_of_two_joints_decides(tmp_path):
    """By path, not as authored."""
    post = prim("Cube", "post", "", COLLIDES)
    other = joint("z", "PhysicsRevoluteJoint", "/post", "/arm", "bool physics:collisionEnabled = 1")
    assert met(tmp_path, post, "/post", extra=other) == []
    assert met(tmp_path, post, "/post", extra=other.replace('"z"', '"a"')) == ["/post"]


def test_a_copy_of_an_instance_has_ends_of_its_own(tmp_path):
    """Each copy of a post with an arm filters its own pair."""
    parts = prim(
        "Xform", "parts", prim("Cube", "post", "", COLLIDES) + body("arm", prim("Cube", "shape", "", COLLIDES))
    )
    parts = parts[:-2] + joint("hinge", "PhysicsRevoluteJoint", "/parts/post", "/parts/arm") + "}\n"
    copies = [
        f'def Xform "copy{i}" (references = </parts>)\n{{\ndouble3 xformOp:translate = ({9 * i}, 0, 0)\n'
        'uniform token[] xformOpOrder = ["xformOp:translate"]\n}\n'
        for i in range(2)
    ]
    scene = fajin.read(stage(tmp_path, parts.replace("def Xform", "class Xform", 1), *copies))
    pairs = {tuple(scene.colliders[n].path for n in pair) for pair in collision_pairs(scene)}
    assert not any(one.split("/")[1] == other.split("/")[1] for one, other in pairs)
    assert ("/copy0/post", "/copy1/arm/shape") in pairs
