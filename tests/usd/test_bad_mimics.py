"""Mimic joints that relate no two degrees of freedom: dropped with one line that says what to write instead."""

import subprocess
import sys
from dataclasses import replace

import pytest
from mimic_joints import follow, simulate
from mimic_joints import pair as rails
from mimic_stages import (
    D6,
    LIMITS,
    LOCKED,
    NEWTON,
    PHYSX,
    TURN,
    d6_apis,
    free,
    mimics,
    newton,
    pair,
    physx,
    reports_of,
)
from usda import ROOT, body, joint, prim, stage

import fajin
from fajin.scene import InvalidScene, Mimic, SolverType

OTHER = prim(
    "Xform",
    "other",
    body("a") + body("b") + joint("lead", TURN, "/other/a", "/other/b", LIMITS),
    f"{ROOT} PhysxArticulationAPI",
)
EXCLUDED = joint("loop", TURN, "/robot/finger", "/robot/knuckle", LIMITS + "bool physics:excludeFromArticulation = 1")
CHAIN = physx(reference="/robot/follower")
LEAD = (TURN, LIMITS, "")


OWN = "/robot/follower.physxMimicJoint:rotX:referenceJoint"
NEWTONS = "/robot/follower.newton:mimic"
FIXED = "PhysicsFixedJoint"
LOCKED_AT_0 = "float physics:lowerLimit = -90\n"


@pytest.mark.parametrize(
    ("follower", "lead", "extra", "words"),
    [
        ((TURN, LIMITS, PHYSX), LEAD, "", ("PhysxMimicJointAPI", "names 0 joints", "name one")),
        ((TURN, LIMITS, NEWTON), LEAD, "", ("NewtonMimicAPI", "names 0 joints", "name one")),
        (
            (TURN, LIMITS + physx(reference="/robot/lead /robot/anchor"), PHYSX),
            *(LEAD, "", (OWN + " = /robot/lead, /robot/anchor", "names 2 joints", "name one")),
        ),
        (
            (TURN, LIMITS + physx(reference="/robot/gone"), PHYSX),
            *(LEAD, "", (OWN + " = /robot/gone", "does not exist", "name a joint")),
        ),
        (
            (TURN, LIMITS + physx(reference="/robot/base"), PHYSX),
            *(LEAD, "", (OWN + " = /robot/base", "not a joint but a Xform", "name a joint")),
        ),
        (
            (TURN, LIMITS + physx(reference="/other/lead"), PHYSX),
            *(LEAD, OTHER, (OWN + " = /other/lead", "is not in its articulation", "name a joint that is")),
        ),
        (
            (TURN, LIMITS + physx(reference="/robot/loop"), PHYSX),
            *(LEAD, EXCLUDED, (OWN + " = /robot/loop", "is excluded from it", "name a joint that is")),
        ),
        (
            (TURN, LIMITS + physx(reference="/robot/anchor"), PHYSX),
            *(LEAD, "", (OWN, "/robot/anchor does not have the free axis rotX", "name a joint that moves")),
        ),
        (
            (TURN, LIMITS + physx(reference="/robot/follower"), PHYSX),
            *(LEAD, "", (OWN, "/robot/follower:rotX follows itself", "name another")),
        ),
        (
            (TURN, LIMITS + physx(), PHYSX),
            *(
                (D6, free("rotY"), d6_apis()),
                "",
                (OWN, "/robot/lead does not have the free axis rotX", "choose among", "rotY"),
            ),
        ),
        (
            (D6, free("rotY") + physx(), d6_apis(PHYSX)),
            *(LEAD, "", (OWN, "/robot/follower does not have the free axis rotX", "choose among", "rotY")),
        ),
        (
            (D6, free("rotX", "rotY") + newton(), d6_apis(NEWTON)),
            *(LEAD, "", (NEWTONS, "must have one axis for NewtonMimicAPI", "rotX, rotY")),
        ),
        (
            (D6, free("rotX").replace(LOCKED, "") + physx(), d6_apis(PHYSX)),
            *(LEAD, "", (OWN, "/robot/follower has free translations", "lock them")),
        ),
        (
            (TURN, LIMITS + physx(), PHYSX),
            *((D6, free("rotX").replace(LOCKED, ""), d6_apis()), "", (OWN, "/robot/lead has free translations")),
        ),
        (
            (TURN, LIMITS + physx(gearing=0), PHYSX),
            LEAD,
            "",
            (":gearing", "its gearing is 0", "author another"),
        ),
        ((TURN, LIMITS + newton(0.0), NEWTON), LEAD, "", (":mimicCoef1", "its gearing is 0", "author another")),
        (
            (TURN, LIMITS + physx(axis="transX"), PHYSX),
            *(LEAD, "", ("the schema has no reference axis transX", "author rotX, rotY or rotZ")),
        ),
        (
            (TURN, LIMITS + physx("angular"), "PhysxMimicJointAPI:angular"),
            *(LEAD, "", ("the schema has no instance angular", "author rotX, rotY or rotZ")),
        ),
        (
            (TURN, LIMITS + physx(), PHYSX),
            (TURN, LOCKED_AT_0, ""),
            "",
            ("/robot/lead:rotX does not have two finite limits",),
        ),
    ],
)
def test_a_mimic_joint_that_relates_nothing_is_dropped(tmp_path, follower, lead, extra, words):
    """PhysX simulates the robot without it: one line names prim, what is authored, the rule and the mend."""
    inside, beside = ("", extra) if extra == OTHER else (extra, "")
    path = stage(tmp_path, pair(follower, lead, extra=inside), beside)
    scene = fajin.read(path)
    assert mimics(scene) == {}
    (line,) = reports_of(scene)
    assert "mimic joint dropped: " in line
    assert all(word in line for word in words), line
    rules = [finding.rule for finding in fajin.check.check(path) if finding.rule.startswith("mimic-")]
    assert rules == ["mimic-without-limits" if "limits" in words[0] else "mimic-relates-nothing"]


@pytest.mark.parametrize(("text", "api"), [(physx(), PHYSX), (newton(), NEWTON)])
def test_a_fixed_joint_with_a_mimic_tag_is_a_note(tmp_path, text, api):
    """Converters write such tags; without motion there is nothing to relate."""
    path = stage(tmp_path, pair((FIXED, text, api), LEAD))
    scene = fajin.read(path)
    assert mimics(scene) == {}
    (line,) = reports_of(scene)
    assert "a fixed joint does not follow another joint" in line
    assert not [finding for finding in fajin.check.check(path) if finding.rule.startswith("mimic-")]


def test_of_two_mimic_joints_on_one_axis_the_first_instance_counts(tmp_path):
    """rotX before rotY, in whatever order they are applied, as in PhysX."""
    lines = LIMITS + physx("rotY", gearing=3) + physx("rotX", gearing=2)
    apis = "PhysxMimicJointAPI:rotY PhysxMimicJointAPI:rotX"
    scene = fajin.read(stage(tmp_path, pair((TURN, lines, apis), LEAD)))
    assert mimics(scene) == {"/robot/follower:rotX": Mimic((("/robot/lead:rotX", 2.0),))}
    (line,) = reports_of(scene)
    assert line.startswith("/robot/follower.physxMimicJoint:rotY:gearing, ")
    assert "already follows /robot/lead:rotX; remove one of the two" in line


def test_the_axis_of_a_d6_joint_needs_no_limits(tmp_path):
    """A hinge does, which PhysX would let turn round; those of a D6 joint it takes as they are."""
    loose = free("rotX", "rotY").replace("= -90", "= -inf").replace("= 90", "= inf")
    robot = pair((TURN, LIMITS + physx(axis="rotY"), PHYSX), (D6, loose, d6_apis()))
    scene = fajin.read(stage(tmp_path, robot))
    assert mimics(scene) == {"/robot/follower:rotX": Mimic((("/robot/lead:rotY", 1.0),))}
    assert reports_of(scene) == []


def test_a_ring_of_mimic_joints_is_an_error(tmp_path):
    """PhysX solves it: without it the robot would be another."""
    robot = pair((TURN, LIMITS + physx(), PHYSX), (TURN, LIMITS + CHAIN, PHYSX))
    with pytest.raises(InvalidScene) as error:
        fajin.read(stage(tmp_path, robot))
    line = str(error.value)
    assert "\n" not in line
    assert all(
        word in line for word in ("do not follow /robot/lead:rotX through others", "remove one of the mimic joints")
    ), line


@pytest.mark.parametrize(
    ("values", "words"),
    [({"gearing": "inf"}, (":gearing = inf", "must be")), ({"offset": "nan"}, (":offset = nan", "must be"))],
)
def test_a_mimic_joint_of_no_number_is_an_error(tmp_path, values, words):
    """One line."""
    with pytest.raises(InvalidScene) as error:
        fajin.read(stage(tmp_path, pair((TURN, LIMITS + physx(**values), PHYSX), LEAD)))
    assert all(word in str(error.value) for word in words)


def test_a_ring_ends_the_command(tmp_path):
    """Exit code 2, one line, nothing written."""
    path = stage(tmp_path, pair((TURN, LIMITS + physx(), PHYSX), (TURN, LIMITS + CHAIN, PHYSX)))
    command = [sys.executable, "-m", "fajin", "simulate", str(path), "-o", str(tmp_path / "out.usda"), "--steps", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    (line,) = done.stderr.strip().splitlines()
    assert "through others" in line
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


B = "/m/j1:transZ"


@pytest.mark.parametrize(
    ("mimic", "words"),
    [
        (Mimic(()), ("references = ()", "add a pair")),
        (
            Mimic((("/m/j2:transZ", 1.0),)),
            ("(/m/j2:transZ, 1.0): must be a degree of freedom of the articulation", "name one that is"),
        ),
        (Mimic((("/m/j0:transZ", 1.0),)), ("(/m/j0:transZ, 1.0)", "that appears once", "name another")),
        (Mimic(((B, 1.0), (B, 2.0))), (f"({B}, 2.0)", "that appears once", "add up its gearings")),
        (Mimic(((B, 0.0),)), (f"({B}, 0.0)", "finite and not zero", "remove the pair")),
        (Mimic(((B, float("nan")),)), ("nan", "finite and not zero")),
        (Mimic(((B, 1.0),), float("inf")), ("offset = inf", "must be finite")),
        (Mimic(((B, 1.0),), 0.0, -1.0), ("natural_frequency = -1.0", "not negative")),
        (Mimic(((B, 1.0),), 0.0, 1.0, float("nan")), ("damping_ratio = nan", "must be finite")),
    ],
)
def test_a_scene_in_python_is_held_to_the_same(mimic, words):
    """The line names the degree of freedom, the field, its value, the rule and the mend."""
    machine = rails(follow(1.0))
    joints = (replace(machine.joints[0], axes=(replace(machine.joints[0].axes[0], mimic=mimic),)), machine.joints[1])
    with pytest.raises(InvalidScene) as error:
        simulate(replace(machine, joints=joints), SolverType.TGS)
    line = str(error.value)
    assert line.startswith("/m/j0:transZ.mimic.")
    assert "\n" not in line
    assert all(word in line for word in words), line
