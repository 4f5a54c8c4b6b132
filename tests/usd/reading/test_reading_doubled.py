"""Several joints between one pair of bodies: which act, which have no effect, and that none makes a robot leave."""

from dataclasses import replace

import numpy as np
import pytest
from usda import arm, aside, joint, stage

import fajin

HINGE, SLIDE, BALL, FIXED = (f"Physics{kind}Joint" for kind in ("Revolute", "Prismatic", "Spherical", "Fixed"))
BOTH = "/robot/base", "/robot/link"
ABOUT = {axis: f'uniform token physics:axis = "{axis}"' for axis in "XYZ"}


def acting(tmp_path, kind: str, *extra: str) -> tuple[list[str], list[str]]:
    """Names of the joints of an arm that act, in their order, and of those that are reported to have no effect."""
    scene = fajin.read(stage(tmp_path, arm(kind=kind, extra="\n".join(extra))))
    idle = [report.prim for report in scene.reports if "has no effect, as in PhysX" in report.reason]
    paths = [joint.path for joint in scene.articulations[0].joints], idle
    return tuple([path.removeprefix("/robot/") for path in part] for part in paths)


@pytest.mark.parametrize(
    ("kind", "line", "acts"), [(HINGE, "", 1), (HINGE, aside(0.1), 2), (SLIDE, "", 1), (SLIDE, aside(0.1), 1)]
)
def test_of_joints_that_do_the_same_one_acts(tmp_path, kind, line, acts):
    """Hinges about one line, and slides along one direction; hinges side by side are a linkage."""
    names = ["elbow", "twin"]
    assert acting(tmp_path, kind, joint("twin", kind, *BOTH, line)) == (names[:acts], names[acts:])


@pytest.mark.parametrize(
    ("kind", "other", "kept"),
    [
        (HINGE, ("a", HINGE, ""), "a"),  # the first path of one type
        (BALL, ("z", HINGE, ABOUT["Y"]), "z"),  # the first type, whatever the path
        (HINGE, ("z", FIXED, ""), "z"),
        (FIXED, ("a", HINGE, ""), "elbow"),
        (FIXED, ("z", FIXED, ""), "elbow"),
    ],
)
def test_physx_decides_which_one_acts(tmp_path, kind, other, kept):
    """By type, then by path, as recorded; what holds the bodies together leaves nothing for another joint."""
    name, other_kind, line = other
    (acts, idle) = acting(tmp_path, kind, joint(name, other_kind, *BOTH, line))
    assert (acts, sorted([*acts, *idle])) == ([kept], sorted(["elbow", name]))


def test_axes_that_only_together_are_dependent(tmp_path):
    """Three parallel hinges in one plane move a body in two ways; a third beside that plane adds one."""
    second, third = (joint(f"j{i}", HINGE, *BOTH, aside(0.1 * i)) for i in (1, 2))
    assert acting(tmp_path, HINGE, second, third) == (["elbow", "j1"], ["j2"])
    third = joint("j2", HINGE, *BOTH, aside(0.1).replace(", 0)", ", 0.1)"))
    assert acting(tmp_path, HINGE, second, third) == (["elbow", "j1", "j2"], [])


def test_a_joint_beside_the_tree_is_no_double(tmp_path):
    """It is a constraint: both hold."""
    twin = joint("twin", HINGE, *BOTH, "bool physics:excludeFromArticulation = true")
    scene = fajin.read(stage(tmp_path, arm(extra=twin)))
    assert ([j.path for j in scene.joints], len(scene.articulations[0].joints)) == (["/robot/twin"], 1)


def test_a_doubled_joint_moves_as_one(tmp_path):
    """With its drive: to the bit as if the copy were not there, and no number is infinite."""
    drive = "float drive:angular:physics:stiffness = 1\nfloat physxJointAxis:angular:armature = 0.1"
    apis = "PhysicsDriveAPI:angular PhysxJointAxisAPI:angular"
    twin = joint("twin", HINGE, *BOTH, drive, apis)
    moved = [
        fajin.Simulation(fajin.read(stage(tmp_path, arm(drive, apis, extra=extra)))).run(steps=60)
        for extra in ("", twin)
    ]
    np.testing.assert_array_equal(moved[0].q, moved[1].q)
    assert np.ptp(moved[0].q) > 0.01


def test_a_scene_with_a_doubled_joint_is_refused(tmp_path):
    """One made in Python: the mass matrix would be singular, every number NaN after a step."""
    scene = fajin.read(stage(tmp_path, arm()))
    (robot,) = scene.articulations
    twin = replace(robot.joints[0], path="/robot/twin")
    doubled = replace(scene, articulations=(replace(robot, joints=(*robot.joints, twin)),))
    with pytest.raises(
        fajin.InvalidScene,
        match="/robot/elbow, /robot/twin: must be independent: each must add a motion of /robot/link",
    ) as e:
        fajin.Simulation(doubled)
    assert "\n" not in str(e.value)
