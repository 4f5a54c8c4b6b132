"""The cost of reading grows in proportion to the number of joints, whatever their tree looks like."""

import sys
from collections.abc import Callable

import pytest

import fajin

HEAD = """#usda 1.0
(
    upAxis = "Z"
)
def Xform "w" (prepend apiSchemas = ["PhysicsArticulationRootAPI"])
{
"""
BODY = """    def Xform "b{0}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {{
        float physics:mass = 1
        float3 physics:diagonalInertia = (0.1, 0.1, 0.1)
    }}
"""
JOINT = """    def PhysicsRevoluteJoint "j{1}"
    {{
        rel physics:body0 = </w/b{0}>
        rel physics:body1 = </w/b{1}>
        uniform token physics:axis = "Y"
    }}
"""
PARENTS = {"star": lambda i: 0, "chain": lambda i: i - 1, "binary": lambda i: (i - 1) // 2}


def robot(joints: int, parent: Callable[[int], int]) -> str:
    """A floating robot whose i-th link hangs on the link `parent(i)`."""
    bodies = "".join(BODY.format(i) for i in range(joints + 1))
    return HEAD + bodies + "".join(JOINT.format(parent(i), i) for i in range(1, joints + 1)) + "}\n"


def lines_run(action: Callable[[], object]) -> int:
    """Number of lines of fajin that an action runs; each round of a comprehension is one."""
    count = 0

    def trace(frame, event, _):
        nonlocal count
        if event == "line":
            count += 1
        return trace if "/usd/" in frame.f_code.co_filename or frame.f_code.co_filename == "<string>" else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        action()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("shape", PARENTS)
def test_twice_as_many_joints_take_twice_the_work(tmp_path, shape):
    """A loop over pairs of joints or bodies would quadruple its part."""
    path = tmp_path / "robot.usda"
    work = []
    for joints in (100, 200):
        path.write_text(robot(joints, PARENTS[shape]))
        work.append(lines_run(lambda: fajin.read(path)))
    assert work[1] < 2.05 * work[0]


def test_the_root_of_a_floating_chain_is_its_middle(tmp_path):
    """The body with the shortest way to the farthest; from the ends of a longest path, or from each body."""
    (tmp_path / "chain.usda").write_text(robot(6, PARENTS["chain"]))
    (scene,) = fajin.read(tmp_path / "chain.usda").articulations
    assert scene.links[0].path == "/w/b3"
