"""Mimic joints as files write them: q + gearing q_reference + offset = 0, in the file's units."""

from math import radians

import pytest
from mimic_stages import (
    BALL,
    D6,
    LIMITS,
    NEWTON,
    PHYSX,
    SLIDE,
    TURN,
    d6_apis,
    free,
    mimics,
    newton,
    pair,
    physx,
    reports_of,
)
from usda import METRES, stage

import fajin
from fajin.scene import Mimic

CENTIMETRES = METRES.replace("metersPerUnit = 1\n", "metersPerUnit = 0.01\n")


def only(scene) -> Mimic:
    """The mimic of the follower, which has one axis."""
    ((name, mimic),) = mimics(scene).items()
    assert name.startswith("/robot/follower:")
    return mimic


UNIT = {TURN: radians(1.0), SLIDE: 0.01}


@pytest.mark.parametrize("lead", [TURN, SLIDE])
@pytest.mark.parametrize("follower", [TURN, SLIDE])
@pytest.mark.parametrize("reader", ["physx", "newton"])
def test_gearing_and_offset_are_in_the_units_of_the_file(tmp_path, follower, lead, reader):
    """Gearing: own unit per unit of the reference; offset: own unit; degrees and stage lengths of 1 cm."""
    written = physx(gearing=3, offset=7) if reader == "physx" else newton(-3, -7)
    robot = pair((follower, LIMITS + written, PHYSX if reader == "physx" else NEWTON), (lead, LIMITS, ""))
    scene = fajin.read(stage(tmp_path, robot, metadata=CENTIMETRES))
    token = "rotX" if lead == TURN else "transX"
    gearing, offset = 3.0 * UNIT[follower] / UNIT[lead], 7.0 * UNIT[follower]
    assert only(scene) == Mimic(((f"/robot/lead:{token}", pytest.approx(gearing)),), pytest.approx(offset))
    assert not reports_of(scene)


@pytest.mark.parametrize("lead", [TURN, SLIDE])
@pytest.mark.parametrize("follower", [TURN, SLIDE])
def test_a_gearing_that_is_not_authored_is_one_in_the_units_of_the_file(tmp_path, follower, lead):
    """The schema's default has the schema's unit."""
    robot = pair((follower, LIMITS + physx(), PHYSX), (lead, LIMITS, ""))
    mimic = only(fajin.read(stage(tmp_path, robot, metadata=CENTIMETRES)))
    ((_, gearing),) = mimic.references
    assert gearing == pytest.approx(UNIT[follower] / UNIT[lead])


def test_newton_follows_what_it_mimics(tmp_path):
    """q = coef0 + coef1 q_reference is q + gearing q_reference + offset = 0 with both signs turned."""
    mimic = only(fajin.read(stage(tmp_path, pair((TURN, LIMITS + newton(0.5, 10.0), NEWTON)))))
    assert mimic == Mimic((("/robot/lead:rotX", -0.5),), pytest.approx(-radians(10.0)))


@pytest.mark.parametrize(("frequency", "ratio"), [(60.0, 0.5), (0.0, 1.0), (-1.0, -1.0)])
def test_compliance_is_in_radians_per_second_and_negative_is_none(tmp_path, frequency, ratio):
    """The natural frequency is used as it is written, not 2π times it."""
    lines = LIMITS + physx(naturalFrequency=frequency, dampingRatio=ratio)
    mimic = only(fajin.read(stage(tmp_path, pair((TURN, lines, PHYSX)))))
    assert (mimic.natural_frequency, mimic.damping_ratio) == (max(0.0, frequency), max(0.0, ratio))


def test_swapped_bodies_change_no_sign(tmp_path):
    """Both positions are in the authored sense."""
    lines = LIMITS + physx(gearing=2, offset=3)
    plain, swapped = (
        fajin.read(stage(tmp_path, pair((TURN, lines, PHYSX), ends=ends)))
        for ends in (("/robot/base", "/robot/finger"), ("/robot/finger", "/robot/base"))
    )
    assert only(swapped) == only(plain)


@pytest.mark.parametrize("kind", [TURN, SLIDE])
@pytest.mark.parametrize("instance", ["rotX", "rotY"])
def test_a_joint_of_one_axis_needs_no_instance(tmp_path, kind, instance):
    """Instance and reference axis are ignored."""
    lines = LIMITS + 'uniform token physics:axis = "Z"\n' + physx(instance, axis="rotY")
    scene = fajin.read(stage(tmp_path, pair((kind, lines, f"PhysxMimicJointAPI:{instance}"))))
    assert only(scene) == Mimic((("/robot/lead:rotX", pytest.approx(1.0 if kind == TURN else 180.0 / 3.14159265)),))
    assert reports_of(scene) == []


def test_instance_and_reference_axis_pick_the_axes_of_d6_joints(tmp_path):
    """Two axes of one joint may follow two of another."""
    lines = physx("rotY", axis="rotZ", gearing=2) + physx("rotZ", axis="rotX", gearing=3)
    follower = (D6, free("rotY", "rotZ") + lines, d6_apis("PhysxMimicJointAPI:rotY PhysxMimicJointAPI:rotZ"))
    scene = fajin.read(stage(tmp_path, pair(follower, (D6, free("rotX", "rotZ"), d6_apis()))))
    assert mimics(scene) == {
        "/robot/follower:rotY": Mimic((("/robot/lead:rotZ", 2.0),)),
        "/robot/follower:rotZ": Mimic((("/robot/lead:rotX", 3.0),)),
    }
    assert not reports_of(scene)


def test_two_axes_of_one_joint_may_be_bound(tmp_path):
    """The reference may be the joint itself, on another axis."""
    lines = free("rotX", "rotY") + physx("rotX", "/robot/follower", axis="rotY")
    scene = fajin.read(stage(tmp_path, pair((D6, lines, d6_apis(PHYSX)))))
    assert mimics(scene) == {"/robot/follower:rotX": Mimic((("/robot/follower:rotY", 1.0),))}


def test_the_swings_of_a_ball_may_be_bound(tmp_path):
    """A spherical joint with a limited cone has two limited rotations."""
    cone = "float physics:coneAngle0Limit = 20\n    float physics:coneAngle1Limit = 20\n    "
    lines = cone + physx("rotY", "/robot/follower", axis="rotZ")
    scene = fajin.read(stage(tmp_path, pair((BALL, lines, "PhysxMimicJointAPI:rotY"))))
    assert mimics(scene) == {"/robot/follower:rotY": Mimic((("/robot/follower:rotZ", 1.0),))}


def test_physx_comes_before_newton(tmp_path):
    """Where both are applied, everything that Newton's says is reported."""
    lines = LIMITS + physx(gearing=2) + newton(5.0)
    scene = fajin.read(stage(tmp_path, pair((TURN, lines, f"{NEWTON} {PHYSX}"))))
    assert only(scene).references == (("/robot/lead:rotX", 2.0),)
    (line,) = reports_of(scene)
    assert all(name in line for name in ("newton:mimicJoint", "mimicCoef0", "mimicCoef1", "takes precedence"))


def test_a_mimic_that_is_switched_off_is_none(tmp_path):
    """mimicEnabled false leaves the joint to itself, and says so."""
    scene = fajin.read(stage(tmp_path, pair((TURN, LIMITS + newton(more="bool newton:mimicEnabled = 0"), NEWTON))))
    assert not mimics(scene)
    (line,) = reports_of(scene)
    assert "disables the mimic joint" in line


@pytest.mark.parametrize("lines", [physx(gearing=2), newton(2.0)], ids=["physx", "newton"])
def test_attributes_without_the_schema_bind_nothing_and_are_reported(tmp_path, lines):
    """Each name is told to lack its schema."""
    scene = fajin.read(stage(tmp_path, pair((TURN, LIMITS + lines, ""))))
    assert not mimics(scene)
    names = {report.attribute for report in scene.reports if "imic" in report.attribute}
    assert len(names) == lines.count("imicJ") + lines.count("Coef")
    assert all("applied" in report.reason for report in scene.reports if report.attribute in names)


@pytest.mark.parametrize(
    ("follower", "lead", "loose"),
    [
        ((TURN, physx(), PHYSX), (TURN, LIMITS, ""), "follower"),
        ((SLIDE, physx(), PHYSX), (TURN, "", ""), "lead"),
        ((TURN, newton(), NEWTON), (TURN, LIMITS, ""), "follower"),
    ],
)
def test_a_rotation_without_limits_follows_and_leads_nothing(tmp_path, follower, lead, loose):
    """As in PhysX, which simulates the robot without that mimic joint; one line says which rotation and why."""
    scene = fajin.read(stage(tmp_path, pair(follower, lead)))
    (line,) = (line for line in reports_of(scene) if "dropped" in line)
    assert f"/robot/{loose}:rotX does not have two finite limits; author both" in line
    assert not mimics(scene)
