"""Which body is the root where the articulation root is applied above the bodies: as recorded from PhysX (ovphysx 0.7).

A case is the bodies in the order of the file, the joints between them as pairs of letters, w for the world, and the
root. Small signs after a pair: x excluded from the articulation, o disabled.
"""

import pytest
from usda import MASS, ROOT, body, joint, prim, stage

import fajin

MIDDLE = {
    "equals: the first path, not the first in the file": ("ba", "ba", "a"),
    "capitals come first": ("aZ", "aZ", "Z"),
    "two in the middle: the first met in depth from the first path": ("cbza", "cb bz za", "z"),
    "the same, where the first path is in the middle": ("mnzbcd", "mn nz zb bc cd", "b"),
    "an excluded joint shortens ways": ("abcde", "ab bc cd de aex", "a"),
    "and counts as a joint among equals": ("abcde", "ab bc cd de adx", "d"),
    "one to the world as well": ("abcd", "ab bc cd cwx", "c"),
    "a disabled one does not": ("abcd", "ab bc cd cwo", "b"),
}
HELD = {
    "the one that is held": ("abc", "ab bc wc", "c"),
    "of two the one with more joints": ("abcd", "ab bc cd wa wc", "c"),
    "of equals the first met in depth from the first path": ("cba", "cb ba wc wa", "a"),
    "excluded joints count": ("abc", "ab bc wa wc cwx", "c"),
}
ITERATIONS = "int physxArticulation:solverPositionIterationCount = {}\n"
SIGNS = {"x": "bool physics:excludeFromArticulation = 1", "o": "bool physics:jointEnabled = 0"}


def root(folder, names: str, pairs: str, parents=()) -> str:
    """Name of the root of the bodies; `parents` are pairs of a body and the one it is nested in."""
    inside = dict(parents)
    path = {name: "/".join(["/robot", *reversed(list(above(name, inside)))]) for name in names} | {"w": ""}
    parts = [nest(name, names, inside) for name in names if name not in inside]
    for i, (one, other, *signs) in enumerate(pairs.split()):
        lines = "\n".join(SIGNS[sign] for sign in signs)
        kind = "PhysicsFixedJoint" if "w" in (one, other) else "PhysicsRevoluteJoint"
        parts.append(joint(f"j{i}", kind, path[one], path[other], lines))
    scene = fajin.read(stage(folder, prim("Xform", "robot", "\n".join(parts), ROOT)))
    (articulation,) = scene.articulations
    return articulation.links[0].path[-1]


def above(name: str, inside: dict):
    """A body and those it is nested in, inside out."""
    while name:
        yield name
        name = inside.get(name)


def nest(name: str, names: str, inside: dict) -> str:
    """A body with the bodies nested in it."""
    children = [nest(child, names, inside) for child in names if inside.get(child) == name]
    return body(name, "\n".join([MASS, *children]))


@pytest.mark.parametrize("case", MIDDLE)
def test_a_floating_robot_has_its_root_in_the_middle(tmp_path, case):
    """Where the farthest body is the fewest joints away; among equals the one with the most joints, then the first."""
    names, pairs, expected = MIDDLE[case]
    assert root(tmp_path, names, pairs) == expected


@pytest.mark.parametrize(
    ("parents", "expected"),
    [(["ba", "cb", "dc", "ed"], "a"), (["ac", "bc", "dc", "ec"], "c"), (["ba", "cb", "dc"], "c")],
    ids=["in_a_row", "side_by_side", "all_but_one"],
)
def test_the_body_that_all_others_are_nested_in_is_the_root(tmp_path, parents, expected):
    """Wherever the joints have their middle."""
    assert root(tmp_path, "abcde", "ab bc cd de", parents) == expected


@pytest.mark.parametrize("case", HELD)
def test_the_root_of_a_robot_that_the_world_holds(tmp_path, case):
    """A body joined to the world; of several the one with the most joints, then the first."""
    names, pairs, expected = HELD[case]
    assert root(tmp_path, names, pairs) == expected


@pytest.mark.parametrize("inner", ["", "c", "j1"], ids=["above", "on_a_body", "on_a_joint"])
def test_the_outermost_of_several_articulation_roots_counts(tmp_path, inner):
    """Wherever the inner one is, the middle is the root; the inner one is told, and its attributes do not act."""
    parts = [body(name, apis=ROOT * (name == inner)) for name in "abc"]
    ends = (("/top/robot/a", "/top/robot/b"), ("/top/robot/b", "/top/robot/c"))
    parts += [
        joint(f"j{i}", "PhysicsRevoluteJoint", *pair, apis=ROOT * (inner == f"j{i}")) for i, pair in enumerate(ends)
    ]
    robot = prim(
        "Xform", "robot", "\n".join([ITERATIONS.format(5), *parts]), ROOT * (not inner) + " PhysxArticulationAPI"
    )
    above = prim("Xform", "top", ITERATIONS.format(9) + robot, f"{ROOT} PhysxArticulationAPI")
    scene = fajin.read(stage(tmp_path, above))
    (articulation,) = scene.articulations
    assert (articulation.links[0].path, articulation.position_iterations) == ("/top/robot/b", 9)
    assert f"/top/robot/{inner}".rstrip("/") in {r.prim for r in scene.reports if r.attribute == ROOT}


def test_a_disabled_articulation_root_disables_those_below_it(tmp_path):
    """All bodies are free, and joints outside the trees tie them."""
    parts = [body("a"), body("b"), joint("j", "PhysicsRevoluteJoint", "/top/robot/a", "/top/robot/b")]
    robot = prim("Xform", "robot", "\n".join(parts), ROOT)
    off = "bool physxArticulation:articulationEnabled = 0\n"
    scene = fajin.read(stage(tmp_path, prim("Xform", "top", off + robot, f"{ROOT} PhysxArticulationAPI")))
    assert [articulation.free for articulation in scene.articulations] == [True, True]
    assert len(scene.joints) == 1


@pytest.mark.parametrize("where", ["above", "joint", "body"])
def test_a_joint_that_moves_the_base_in_the_world_is_reported(tmp_path, where):
    """PhysX holds the base still, unless the root is applied to it: then it moves there, too."""
    anchor = joint("slide", "PhysicsPrismaticJoint", "", "/robot/a", apis=ROOT if where == "joint" else "")
    elbow = joint("elbow", "PhysicsRevoluteJoint", "/robot/a", "/robot/b")
    parts = (body("a", MASS, ROOT if where == "body" else ""), body("b"), anchor, elbow)
    path = stage(tmp_path, prim("Xform", "robot", "\n".join(parts), ROOT if where == "above" else ""))
    moved = [report.prim for report in fajin.read(path).reports if report.code == "base-moves"]
    assert moved == ([] if where == "body" else ["/robot/slide"])
