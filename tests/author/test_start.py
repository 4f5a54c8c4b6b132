"""Where a converted robot begins: masses of frames, positions within limits, speeds, and links that overlap."""

import math

import pytest
from pxr import Usd
from usda import MASS, METRES, arm, body, joint, prim, stage

from fajin.author.massless_links import LIGHT, forget_moments, weigh_links
from fajin.conversion.placement import begin_within_limits, free_speeds, has_colliders, set_self_collisions
from fajin.usd.read.mass import PHANTOM_RADIUS
from fajin.usd.read.reader import read_stage

GRAMS = METRES.replace("metersPerUnit = 1", "metersPerUnit = 0.01").replace("PerUnit = 1", "PerUnit = 0.001")
FIXED, HINGE = "PhysicsFixedJoint", "PhysicsRevoluteJoint"
FRAME = prim("Xform", "frame", "", "PhysicsRigidBodyAPI")
POINT = body("point", "float physics:mass = 0.5\nfloat3 physics:diagonalInertia = (0, 0, 0)")
MIMIC = "rel physxMimicJoint:rotX:referenceJoint = </robot/elbow>\nfloat physxMimicJoint:rotX:gearing = 1"
HELD = joint("at", FIXED, "/robot/link", "/robot/frame") + joint("on", FIXED, "/robot/link", "/robot/point")
BALL = prim("Sphere", "ball", "double radius = 1", "PhysicsCollisionAPI")


def opened(folder, *args: str, **options: str) -> Usd.Stage:
    return Usd.Stage.Open(str(stage(folder, arm(*args, **options))))


def test_frames_get_a_mass_that_the_robot_does_not_notice(tmp_path):
    """PhysX would take 1 kg for each; a mass without moments keeps those of PhysX."""
    edited = opened(tmp_path, extra=FRAME + POINT + HELD)
    before = {link.path: link for link in read_stage(edited).articulations[0].links}
    assert before["/robot/frame"].mass == 1.0
    assert weigh_links(edited) == ["/robot/frame"]
    scene = read_stage(edited)
    after = {link.path: link for link in scene.articulations[0].links}
    assert after["/robot/frame"].mass == pytest.approx(LIGHT)
    assert 0.0 < LIGHT <= 1e-3  # of 1 kg, as the link beside it
    assert after["/robot/point"].mass == 0.5
    for i in range(3):
        assert after["/robot/frame"].inertia[i][i] == pytest.approx(0.4 * LIGHT * 0.01)
        assert after["/robot/point"].inertia[i] == pytest.approx(before["/robot/point"].inertia[i])
    assert after["/robot/link"] == before["/robot/link"]
    assert not [report for report in scene.reports if report.code in ("mass-missing", "inertia-missing")]


def test_frames_weigh_as_much_in_other_units(tmp_path):
    text = arm(extra=FRAME + joint("at", FIXED, "/robot/link", "/robot/frame"))
    edited = Usd.Stage.Open(str(stage(tmp_path, text, metadata=GRAMS)))
    weigh_links(edited)
    (frame,) = (one for one in read_stage(edited).articulations[0].links if one.path == "/robot/frame")
    assert frame.mass == pytest.approx(LIGHT)
    assert frame.inertia[0][0] == pytest.approx(0.4 * LIGHT * PHANTOM_RADIUS**2)


def test_moments_of_zero_are_those_of_the_colliders(tmp_path):
    """Along the colliders' axes, as if nothing were authored; other moments stay."""
    rod = prim("Capsule", "rod", "double radius = 0.1\ndouble height = 1\nfloat xformOp:rotateX = 30\n"
               'uniform token[] xformOpOrder = ["xformOp:rotateX"]', "PhysicsCollisionAPI")  # fmt: skip
    nothing = "float physics:mass = 2"
    zero = f"{nothing}\nfloat3 physics:diagonalInertia = (0, 0, 0)\nquatf physics:principalAxes = (1, 0, 0, 0)"
    links = []
    for name, lines in (("zero", zero), ("nothing", nothing)):
        folder = tmp_path / name
        folder.mkdir()
        edited = opened(folder, link=f"{lines}\n{rod}")
        assert forget_moments(edited) == ["/robot/link"] * (name == "zero")
        links.append(next(one for one in read_stage(edited).articulations[0].links if one.path == "/robot/link"))
    assert links[0] == links[1]
    assert abs(links[0].inertia[1][2]) > 0.01


def test_a_robot_without_any_mass_is_left_to_physx(tmp_path):
    path = stage(tmp_path, arm(link="").replace(MASS, ""))
    assert weigh_links(Usd.Stage.Open(str(path))) == []


def test_a_robot_without_colliders_is_told_from_one_with_some(tmp_path):
    """The former gets the shapes that are drawn before it is put on a ground."""
    assert not has_colliders(opened(tmp_path))
    assert has_colliders(opened(tmp_path, link=f"{MASS}\n{BALL}"))


@pytest.mark.parametrize(("lower", "upper", "begin"), [(30, 90, 30), (-90, -30, -30), (-30, 30, None), (30, -30, None)])
def test_joints_begin_within_their_limits(tmp_path, lower, upper, begin):
    """At the nearest limit. Exchanged limits have nothing between them; a joint that follows another has its place."""
    limits = f"float physics:lowerLimit = {lower}\nfloat physics:upperLimit = {upper}"
    follows = joint("wrist", HINGE, "/robot/link", "/robot/tip", f"{limits}\n{MIMIC}", "PhysxMimicJointAPI:rotX")
    edited = opened(tmp_path, limits, extra=body("tip") + follows)
    assert begin_within_limits(edited) == ["/robot/elbow"] * (begin is not None)
    if begin is not None:
        (axis,) = read_stage(edited).articulations[0].joints[0].axes
        assert axis.q == pytest.approx(math.radians(begin), rel=1e-6)
    assert begin_within_limits(edited) == []


@pytest.mark.parametrize(("speed", "freed"), [(0.0, True), (1.0, False)])
def test_a_speed_limit_of_zero_is_removed(tmp_path, speed, freed):
    edited = opened(tmp_path, f"float newton:velocityLimit = {speed}", "NewtonJointAPI")
    (axis,) = read_stage(edited).articulations[0].joints[0].axes
    assert axis.max_velocity == pytest.approx(speed * 0.017453292)
    assert free_speeds(edited) == ["/robot/elbow"] * freed
    (axis,) = read_stage(edited).articulations[0].joints[0].axes
    assert (axis.max_velocity > 1e3) is freed


@pytest.mark.parametrize(
    ("far", "asked", "decided"), [(0.5, None, (False, 1)), (9.0, None, (None, 0)), (0.5, True, (True, 0))]
)
def test_links_that_overlap_at_the_start_do_not_collide(tmp_path, far, asked, decided):
    """Contacts would push them apart; unless the user asks for it. Links that a joint connects never collide."""
    place = f'double3 xformOp:translate = ({far}, 0, 0)\nuniform token[] xformOpOrder = ["xformOp:translate"]'
    at = f"point3f physics:localPos0 = ({far}, 0, 0)"
    third = body("third", f"{MASS}\n{place}\n{BALL}") + joint("wrist", HINGE, "/robot/link", "/robot/third", at)
    text = arm(extra=third).replace(MASS, f"{MASS}\n{BALL}", 1)
    edited = Usd.Stage.Open(str(stage(tmp_path, text)))
    assert set_self_collisions(edited, asked) == decided
    assert read_stage(edited).articulations[0].self_collisions is (decided[0] is not False)
