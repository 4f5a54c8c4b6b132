"""Fixed tendons as files write them: length = Σ gearing q + offset, gearings per degree, which axes count."""

from math import inf, pi

import pytest
from tendon_scenes import BALL, FIXED, HEAD, NEXT, SLIDE, TURN, finger, gear
from usda import stage

import fajin
from fajin.scene import FixedTendon, TendonAxis

CENTIMETRES = 'metersPerUnit = 0.01\n    kilogramsPerUnit = 0.1\n    upAxis = "Z"'
STIFF = "float physxTendon:t:stiffness = 80\n"


def tendons(scene) -> tuple[FixedTendon, ...]:
    """The fixed tendons of the only articulation."""
    (articulation,) = scene.articulations
    return articulation.fixed_tendons


def told(scene) -> dict[str, str]:
    """What is reported of joints, by prim and attribute."""
    return {f"{r.prim}.{r.attribute}": r.reason for r in scene.reports}


def test_a_fixed_tendon_is_read_in_its_units(tmp_path):
    """Lengths in cm, gearings in cm per degree or 1, gains in 0.1 kg over time; a force coefficient may be an arm."""
    lines = """float physxTendon:t:stiffness = 80
        float physxTendon:t:damping = 2
        float physxTendon:t:limitStiffness = 500
        float physxTendon:t:restLength = 3
        float physxTendon:t:offset = -1
        float physxTendon:t:lowerLimit = -4
        float physxTendon:t:upperLimit = 5
        float[] physxTendon:t:gearing = [0.5]
        float[] physxTendon:t:forceCoefficient = [2]"""
    path = stage(tmp_path, finger((TURN, lines, HEAD), (SLIDE, gear(0.5), NEXT)), metadata=CENTIMETRES)
    (tendon,) = tendons(fajin.read(path))
    near = pytest.approx
    assert tendon == FixedTendon(
        "/robot/j1:t",
        (
            TendonAxis("/robot/j1:rotX", near(0.005 * 180 / pi), 2.0),
            TendonAxis("/robot/j2:transX", 0.5, 1.0),
        ),
        *(near(x) for x in (8.0, 0.2, 50.0, 0.03, -0.01, -0.04, 0.05)),
    )


def test_what_is_not_authored_is_physxs(tmp_path):
    """No gains, no limits, rest length 0; gearing and force coefficient are 1 in the units of the file."""
    path = stage(tmp_path, finger((TURN, "", HEAD), (SLIDE, "", NEXT)), metadata=CENTIMETRES)
    scene = fajin.read(path)
    axes = (TendonAxis("/robot/j1:rotX", pytest.approx(1.8 / pi)), TendonAxis("/robot/j2:transX"))
    assert tendons(scene) == (FixedTendon("/robot/j1:t", axes, lower=-inf, upper=inf),)
    assert told(scene) == {}


def test_the_gearing_is_that_of_the_child_seen_from_its_parent(tmp_path):
    """PhysX gives it no sign where body0 is the link farther from the root."""
    bones = (TURN, gear(0.5), HEAD), (TURN, gear(0.5), NEXT)
    (tendon,) = tendons(fajin.read(stage(tmp_path, finger(*bones, ends=(("base", "l1"), ("l2", "l1"))))))
    assert tendon.axes[0].gearing == tendon.axes[1].gearing > 0.0


@pytest.mark.parametrize(
    ("ends", "taken", "dropped"),
    [
        ((("base", "l1"), ("l1", "l2"), ("l2", "l3")), "123", ""),
        ((("base", "l1"), ("l1", "l2"), ("l1", "l3")), "123", ""),
        ((("base", "l1"), ("base", "l2"), ("l2", "l3")), "1", "23"),  # a sibling of the root's joint
    ],
)
def test_a_tendon_runs_down_the_tree_joint_by_joint(tmp_path, ends, taken, dropped):
    """PhysX drops siblings of the root and what lies behind a gap; the tendon goes on with the rest."""
    bones = ((TURN, gear(1, STIFF), HEAD), (TURN, gear(2), NEXT), (TURN, gear(3), NEXT))
    scene = fajin.read(stage(tmp_path, finger(*bones, ends=ends)))
    (tendon,) = tendons(scene)
    assert [axis.dof for axis in tendon.axes] == [f"/robot/j{i}:rotX" for i in taken]
    assert set(told(scene)) == {f"/robot/j{i}.physxTendon:t:gearing" for i in dropped}


@pytest.mark.parametrize("kind", [TURN, FIXED])
def test_a_gap_ends_a_tendon(tmp_path, kind):
    """A joint without the schema, whether it moves or not."""
    scene = fajin.read(stage(tmp_path, finger((TURN, gear(1), HEAD), (kind, "", ""), (TURN, gear(3), NEXT))))
    assert [axis.dof for axis in tendons(scene)[0].axes] == ["/robot/j1:rotX"]
    assert "joint by joint" in told(scene)["/robot/j3.physxTendon:t:gearing"]


def test_a_joint_of_several_axes_takes_no_tendon(tmp_path):
    """PhysX drops it, and what lies behind it."""
    scene = fajin.read(stage(tmp_path, finger((TURN, gear(1), HEAD), (BALL, gear(2), NEXT), (TURN, gear(3), NEXT))))
    assert [axis.dof for axis in tendons(scene)[0].axes] == ["/robot/j1:rotX"]
    assert set(told(scene)) == {f"/robot/j{i}.physxTendon:t:gearing" for i in (2, 3)}
    headless = fajin.read(stage(tmp_path, finger((BALL, gear(1, STIFF), HEAD), (TURN, gear(2), NEXT))))
    assert tendons(headless) == ()
    assert set(told(headless)) == {
        "/robot/j1.physxTendon:t:gearing, physxTendon:t:stiffness",
        "/robot/j2.physxTendon:t:gearing",
    }


def test_tendons_come_by_root_joint_then_by_name(tmp_path):
    """By type and path of the root joint, wherever it is in the tree, on one joint by name, as PhysX solves them."""
    double = "PhysxTendonAxisRootAPI:t PhysxTendonAxisRootAPI:a"
    bones = ((TURN, "", HEAD), (SLIDE, "", HEAD), (TURN, "", HEAD), (TURN, "", double))
    ends = (("l1", "l4"), ("base", "l2"), ("base", "l3"), ("base", "l1"))
    paths = [tendon.path for tendon in tendons(fajin.read(stage(tmp_path, finger(*bones, ends=ends))))]
    assert [path[7:] for path in paths] == ["j1:t", "j3:t", "j4:a", "j4:t", "j2:t"]  # PhysX ranks hinges before sliders


def test_two_tendons_of_one_name_have_their_own_branches(tmp_path):
    """A finger each; the second root of a chain is no axis of the first."""
    bones = ((TURN, "", HEAD), (TURN, "", NEXT), (TURN, "", HEAD), (TURN, "", NEXT))
    ends = (("base", "l1"), ("l1", "l2"), ("base", "l3"), ("l3", "l4"))
    found = tendons(fajin.read(stage(tmp_path, finger(*bones, ends=ends))))
    assert [[axis.dof[7:9] for axis in tendon.axes] for tendon in found] == [["j1", "j2"], ["j3", "j4"]]


def test_a_switched_off_tendon_is_not_made(tmp_path):
    """It is reported once, with none of its attributes."""
    off = gear(1, "bool physxTendon:t:tendonEnabled = 0\n" + STIFF)
    scene = fajin.read(stage(tmp_path, finger((TURN, off, HEAD), (TURN, gear(2), NEXT))))
    assert tendons(scene) == ()
    assert told(scene) == {"/robot/j1.physxTendon:t:tendonEnabled": "the tendon is disabled"}


def test_the_stiffness_of_a_limit_needs_a_limit(tmp_path):
    """Else it is reported; one limit is enough."""
    lines = "float physxTendon:t:limitStiffness = 2\n"
    scene = fajin.read(stage(tmp_path, finger((TURN, lines, HEAD))))
    assert "without" in told(scene)["/robot/j1.physxTendon:t:limitStiffness"]
    limited = lines + "float physxTendon:t:lowerLimit = -1"
    assert told(fajin.read(stage(tmp_path, finger((TURN, limited, HEAD))))) == {}


def test_of_several_gearings_the_first_counts(tmp_path):
    """As in PhysX; an array is there for joints of several axes, which it does not support."""
    scene = fajin.read(stage(tmp_path, finger((SLIDE, "float[] physxTendon:t:gearing = [2, 3]", HEAD))))
    assert tendons(scene)[0].axes[0].gearing == 2.0
    assert "first" in told(scene)["/robot/j1.physxTendon:t:gearing"]


def test_samples_of_a_tendon_are_reported(tmp_path):
    """The value at time 0 holds."""
    lines = "float physxTendon:t:stiffness.timeSamples = {\n    0: 10,\n    50: 20,\n}"
    scene = fajin.read(stage(tmp_path, finger((TURN, lines, HEAD))))
    assert tendons(scene)[0].stiffness == 10.0
    assert "time samples" in told(scene)["/robot/j1.physxTendon:t:stiffness"]
