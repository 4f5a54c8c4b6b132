"""Tendons and loops that cannot be are refused in one line that names prim, attribute, value, rule and mend."""

import pytest
from one_hold import held
from refusals import contains, refusal
from tendon_scenes import BALL, FIXED, HEAD, NEXT, SLIDE, TURN, chain, finger, gear, point, schemas
from usda import arm, body, joint, prim, stage

import fajin

OUT = "bool physics:excludeFromArticulation = 1\n"
ROOT = (point("r"), schemas(r="Root"))


def test_a_distance_has_its_minimum_below_its_maximum(tmp_path):
    with pytest.raises(fajin.InvalidScene) as error:
        held(tmp_path, "PhysicsDistanceJoint", "float physics:minDistance = 3\nfloat physics:maxDistance = 2")
    assert contains(str(error.value), "/hold.physics:minDistance = 3", "physics:maxDistance = 2", "exchange")


def test_a_loop_joint_of_a_body_with_itself_is_refused(tmp_path):
    line = refusal(stage(tmp_path, body("ball"), joint("bad", TURN, "/ball", "/ball", OUT)))
    assert contains(line, "/bad.physics:body1", "must be another body")


@pytest.mark.parametrize(
    ("name", "value", "apis"),
    [
        ("physxLimit:angular:stiffness", "-1", "PhysxLimitAPI:angular"),
        ("physxLimit:angular:damping", "nan", "PhysxLimitAPI:angular"),
        ("physxLimit:angular:restitution", "1.5", "PhysxLimitAPI:angular"),
        ("drive:angular:physics:damping", "-1", "PhysicsDriveAPI:angular"),
    ],
)
def test_the_gains_of_a_loop_joint_have_their_rules(tmp_path, name, value, apis):
    lines = "float physics:lowerLimit = -20\nfloat physics:upperLimit = 20\n"
    with pytest.raises(fajin.InvalidScene) as error:
        held(tmp_path, TURN, f"{lines}float {name} = {value}", apis)
    assert contains(str(error.value), f"/hold.{name} = {value}", "must be", "author")


@pytest.mark.parametrize("name", ["springStiffness", "springDamping"])
def test_the_spring_of_a_distance_joint_has_its_rules(tmp_path, name):
    line = f"float physxPhysicsDistanceJoint:{name} = -1"
    with pytest.raises(fajin.InvalidScene) as error:
        held(tmp_path, "PhysicsDistanceJoint", line, "PhysxPhysicsDistanceJointAPI")
    assert contains(str(error.value), f"/hold.physxPhysicsDistanceJoint:{name} = -1", "0 or more")


def test_a_tendon_needs_a_root(tmp_path):
    line = refusal(stage(tmp_path, finger((TURN, "", ""), (TURN, gear(1), NEXT))))
    assert contains(
        line, "/robot/j2.PhysxTendonAxisAPI:t", "must be on a joint of an articulation with", HEAD, "apply it"
    )


@pytest.mark.parametrize("bones", [((FIXED, gear(1), HEAD),), ((TURN, gear(1), HEAD), (FIXED, gear(1), NEXT))])
def test_a_tendon_runs_over_joints_that_move(tmp_path, bones):
    line = refusal(stage(tmp_path, finger(*bones)))
    assert contains(line, f"/robot/j{len(bones)}.physxTendon:t:gearing", "fixed or locked", "revolute or prismatic")


def test_the_gearings_of_a_tendon_are_not_all_0(tmp_path):
    """One that is not is enough: a root of gearing 0 spans the branches below it."""
    bones = (TURN, gear(0), HEAD), (SLIDE, gear(0), NEXT)
    line = refusal(stage(tmp_path, finger(*bones)))
    assert contains(line, "/robot/j1.physxTendon:t:gearing = 0", "other than 0", "length per position")
    assert fajin.read(stage(tmp_path, finger(bones[0], (SLIDE, gear(1), NEXT))))


@pytest.mark.parametrize("extra", ["", OUT])
def test_a_tendon_axis_stands_on_a_joint_of_a_tree(tmp_path, extra):
    """Neither on a joint outside the trees nor on another prim."""
    stray = joint("stray", TURN, "/robot/base", "/robot/link", OUT, NEXT) if extra else prim("Scope", "stray", "", HEAD)
    line = refusal(stage(tmp_path, arm(extra=stray)))
    assert contains(line, "/robot/stray.PhysxTendonAxis", "must be on a joint of an articulation's tree", "apply it")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("stiffness", "-1", ("0 or more",)),
        ("damping", "nan", ("0 or more",)),
        ("limitStiffness", "-2", ("0 or more",)),
        ("offset", "inf", ("finite",)),
        ("gearing", "nan", ("finite", "[1]")),
        ("gearing", "[]", ("finite", "[1]")),
        ("lowerLimit", "6", ("upperLimit = 5", "exchange")),
    ],
)
def test_the_numbers_of_a_tendon_have_their_rules(tmp_path, name, value, words):
    kind = "float[]" if "[" in value else "float"
    lines = f"float physxTendon:t:upperLimit = 5\n{kind} physxTendon:t:{name} = {value}"
    line = refusal(stage(tmp_path, finger((TURN, lines, HEAD))))
    assert contains(line, f"/robot/j1.physxTendon:t:{name} = {value}", *words)


def test_an_attachment_stands_on_a_link(tmp_path):
    """Neither on a free body nor on a prim inside a link nor on a joint."""
    line = refusal(stage(tmp_path, arm(), body("ball", apis=schemas(r="Root"))))
    assert contains(line, "/ball.PhysxTendonAttachmentRootAPI:r", "must be on a link of an articulation", "apply it")
    line = refusal(stage(tmp_path, arm(link=prim("Scope", "knob", "", schemas(k="Leaf")))))
    assert contains(line, "/robot/link/knob.PhysxTendonAttachmentLeafAPI:k", "must be on a link")
    line = refusal(stage(tmp_path, arm(apis=schemas(v=""))))
    assert contains(line, "/robot/elbow.PhysxTendonAttachmentAPI:v", "must be on a link")


@pytest.mark.parametrize(
    ("leaf", "words"),
    [
        (point("k"), ("parentLink = none", "must be a link", "name the parent's link")),
        (point("k", "lost:r"), ("parentLink = /robot/lost", "link of the same articulation")),
        (point("k", "c:r"), ("parentLink = /robot/c", "with an attachment")),
        (point("k", "a:s"), ("parentAttachment = s", "must be an attachment of /robot/a", "one of r")),
        (point("k", "b:m"), ("parentAttachment = m", "must be no leaf", "name another")),
    ],
)
def test_an_attachment_has_a_parent_in_its_articulation(tmp_path, leaf, words):
    links = ROOT, (leaf + point("m", "a:r"), schemas(k="Leaf", m="Leaf")), ("", "")
    line = refusal(stage(tmp_path, chain(*links)))
    assert contains(line, "/robot/b.physxTendon:k:", *words)


def test_attachments_of_another_articulation_are_out_of_reach(tmp_path):
    twin = chain(ROOT, ("", "")).replace('"robot"', '"twin"').replace("/robot/", "/twin/")
    leaf = point("k", "a:r").replace("/robot/a", "/twin/a"), schemas(k="Leaf")
    line = refusal(stage(tmp_path, chain(("", ""), leaf), twin))
    assert contains(line, "/robot/b.physxTendon:k:parentLink = /twin/a", "same articulation")


@pytest.mark.parametrize("ring", [{"u": "b:u"}, {"u": "b:v", "v": "b:u"}])
def test_attachments_do_not_go_round_in_a_ring(tmp_path, ring):
    lines = "".join(point(name, parent) for name, parent in ring.items())
    links = ROOT, (lines, schemas(**dict.fromkeys(ring, ""))), (point("k", "b:u"), schemas(k="Leaf"))
    line = refusal(stage(tmp_path, chain(*links)))
    assert contains(line, ":parentAttachment = ", "ring", "PhysxTendonAttachmentRootAPI")


def test_the_limits_of_a_leaf_are_in_order(tmp_path):
    leaf = point("k", "a:r", lowerLimit=3, upperLimit=2), schemas(k="Leaf")
    line = refusal(stage(tmp_path, chain(ROOT, leaf)))
    assert contains(line, "/robot/b.physxTendon:k:lowerLimit = 3", "upperLimit = 2", "exchange")


def test_a_switched_off_robot_may_keep_its_tendons(tmp_path):
    """They are reported: PhysX drops them too."""
    off = "bool physxArticulation:articulationEnabled = 0\n"
    scene = fajin.read(stage(tmp_path, finger((TURN, gear(1), HEAD), (BALL, gear(1), NEXT), root=off)))
    assert not any(a.fixed_tendons for a in scene.articulations)
    assert {"/robot/j1", "/robot/j2"} <= {r.prim for r in scene.reports if "disabled" in r.reason}
