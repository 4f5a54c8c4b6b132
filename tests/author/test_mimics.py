"""Mimic joints as they are authored: under both names, soft ones, and of one reference or many."""

from pathlib import Path

import pytest
from paths import RECORDINGS
from pxr import Sdf, Usd
from usda import arm, body, joint, stage

import fajin
from fajin import author

ROBOT = RECORDINGS / "authored" / "robot.usda"
LIMITED = "float physics:lowerLimit = -90\nfloat physics:upperLimit = 90"


def pair(folder: Path, kind: str = "PhysicsRevoluteJoint") -> Path:
    """Two joints in a row, limited."""
    link = joint("wrist", kind, "/robot/link", "/robot/hand", LIMITED)
    return stage(folder, arm(LIMITED, extra=body("hand") + link))


def test_both_names_of_a_mimic_joint_mean_the_same(tmp_path):
    """Read from PhysX's names, or from Newton's alone."""
    scene = pair(tmp_path)
    with author.layer(scene, tmp_path / "edits.usda") as edited:
        author.mimic(edited.GetPrimAtPath("/robot/wrist"), "/robot/elbow", gearing=-2.0, offset=0.3)

    def mimic(path: Path):
        joints = fajin.read(path).articulations[0].joints
        return next(j for j in joints if j.path == "/robot/wrist").axes[0].mimic

    both = mimic(tmp_path / "edits.usda")
    assert not [report for report in fajin.read(tmp_path / "edits.usda").reports if "imic" in report.attribute]
    edited = Usd.Stage.Open(str(tmp_path / "edits.usda"))
    edited.GetPrimAtPath("/robot/wrist").RemoveAppliedSchema("PhysxMimicJointAPI:rotX")
    edited.Export(str(tmp_path / "newton.usda"))
    assert mimic(tmp_path / "newton.usda") == both
    assert both.references == (("/robot/elbow:rotX", -2.0),)
    assert both.offset == pytest.approx(0.3)


def test_a_soft_mimic_joint_has_no_name_of_newton(tmp_path):
    """Newton's would be hard, and PhysX solves both; what was written for a hard one goes."""
    edits = tmp_path / "edits.usda"
    for soft in ({}, {"natural_frequency": 20.0, "damping_ratio": 0.5}):
        with author.layer(pair(tmp_path), edits) as edited:
            author.mimic(edited.GetPrimAtPath("/robot/wrist"), "/robot/elbow", gearing=-2.0, **soft)
        opened = Usd.Stage.Open(str(edits))
        prim = opened.GetPrimAtPath("/robot/wrist")
        assert ("NewtonMimicAPI" in prim.GetPrimTypeInfo().GetAppliedAPISchemas()) == (not soft)
        assert bool(prim.GetRelationship("newton:mimicJoint").GetTargets()) == (not soft)


def test_a_mimic_joint_of_many_moves_as_its_equation(tmp_path):
    """q + Σ gearing q_reference + offset = 0 at the end of a motion of a slide and a turn."""
    with author.layer(ROBOT, tmp_path / "edits.usda") as edited:
        turn, slide, follow = (edited.GetPrimAtPath(f"/robot/{name}") for name in ("turn", "slide", "follow"))
        for prim in (turn, follow):
            author.limit(prim, lower=-2.0, upper=2.0)
        author.mimic(follow, [turn, slide], gearing=[0.5, 3.0], offset=0.1)
        author.drive(turn, stiffness=100.0, damping=10.0, target_q=0.4)
        author.drive(slide, stiffness=1000.0, damping=100.0, target_q=-0.05)
        author.scene(edited, gravity=0.0)
    sim = fajin.Simulation(fajin.read(tmp_path / "edits.usda"))
    sim.step(300)
    q = {name: float(sim.q[0, name]) for name in ("turn", "slide", "follow")}
    assert q["turn"] == pytest.approx(0.4, abs=0.01)
    assert q["slide"] == pytest.approx(-0.05, abs=0.001)
    assert q["follow"] == pytest.approx(-0.5 * q["turn"] - 3.0 * q["slide"] - 0.1, abs=1e-5)


def test_a_mimic_joint_of_many_comes_before_those_of_one(tmp_path):
    """Where names of PhysX and Newton stand beside fajin's own, these count and those are reported."""
    with author.layer(pair(tmp_path), tmp_path / "edits.usda") as edited:
        prim = edited.GetPrimAtPath("/robot/wrist")
        author.mimic(prim, "/robot/elbow", gearing=-2.0)
        prim.AddAppliedSchema("FajinMimicAPI:rotX")
        prim.CreateRelationship("fajinMimic:rotX:references").SetTargets(["/robot/elbow"])
        prim.CreateAttribute("fajinMimic:rotX:gearings", Sdf.ValueTypeNames.FloatArray).Set([0.5])
    scene = fajin.read(tmp_path / "edits.usda")
    wrist = next(joint for joint in scene.articulations[0].joints if joint.path == "/robot/wrist")
    assert wrist.axes[0].mimic.references == (("/robot/elbow:rotX", 0.5),)
    assert [report.reason for report in scene.reports if "imic" in report.attribute] == [
        "FajinMimicAPI takes precedence"
    ] * 2


@pytest.mark.parametrize(("gearings", "axes"), [([0.5, 1.0], []), ([], []), ([0.5], ["rotX", "rotY"])])
def test_a_mimic_joint_of_many_needs_one_gearing_a_reference(tmp_path, gearings, axes):
    """Counts that do not fit are named."""
    edited = Usd.Stage.Open(str(pair(tmp_path)))
    prim = edited.GetPrimAtPath("/robot/wrist")
    prim.AddAppliedSchema("FajinMimicAPI:rotX")
    prim.CreateRelationship("fajinMimic:rotX:references").SetTargets(["/robot/elbow"])
    for name, kind, values in (("gearings", "float[]", gearings), ("axes", "token[]", axes)):
        if values:
            prim.CreateAttribute(f"fajinMimic:rotX:{name}", Sdf.ValueTypeNames.Find(kind)).Set(values)
    edited.Save()
    said = f"has 1 references, {len(gearings)} gearings and {len(axes) or 1} axes"
    (report,) = (r for r in fajin.read(tmp_path / "scene.usda").reports if "fajinMimic" in r.attribute)
    assert said in report.reason
