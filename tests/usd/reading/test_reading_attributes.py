"""Every authored physics attribute is used or reported; names have precedence; time samples are signals."""

from math import isfinite, pi
from pathlib import Path

import pytest
from paths import RECORDINGS
from pxr import Gf, Usd
from usda import METRES, arm, stage

import fajin
from fajin.scene import Drive, Friction, TimeSamples
from fajin.usd.stage.unsupported import NAMESPACES

FILES = sorted([*(RECORDINGS / "joints" / "scenes").glob("*.usda"), *(RECORDINGS / "robots").glob("*.drive.usda")])
DIVERSE = (
    *("a05_pendulum_paxes", "b07_posvel_pgs", "c01_limit_restitution", "c09_newton_vs_axis", "c10_legacy_physxjoint"),
    *("f02_spherical_cone", "f03_d6_drives3_pgs", "f06_float_two", "f12_worldjoint_offset", "g01_zup_cm"),
    *("g03_link_scale", "g04_mass_auto", "h04_arm7_all_pgs4", "isaac_cartpole", "newton_cartpole"),
)


def other(value) -> str:
    """Another value of the same type, as a .usda file writes it; "" for what has no other."""
    if isinstance(value, bool | int):
        return str(int(not value)) if isinstance(value, bool) else str(value + 1)
    if isinstance(value, float):
        return str(0.7 * value + 5.17) if isfinite(value) else "0.25"
    if isinstance(value, Gf.Vec3f | Gf.Vec3d):
        return str(tuple(0.7 * x + 0.17 * (i + 1) for i, x in enumerate(value)))
    if isinstance(value, Gf.Quatf | Gf.Quatd):
        return str((value.GetReal() + 0.3, *(x + 0.2 * (i + 1) for i, x in enumerate(value.GetImaginary()))))
    return ""


def authored(path: Path) -> list[tuple[str, str]]:
    """Every authored physics attribute of a file as (PRIM.attribute, another value)."""
    opened = Usd.Stage.Open(str(path))
    attributes = [a for p in opened.Traverse() for a in p.GetAuthoredAttributes() if a.GetName().startswith(NAMESPACES)]
    return [(str(a.GetPath()), other(a.Get())) for a in attributes if other(a.Get())]


LARGE = {"h04_arm7_all_pgs4": pytest.mark.slow}
"""Scenes with hundreds of attributes, each of which is changed and read once."""


@pytest.mark.parametrize("name", [pytest.param(name, marks=LARGE.get(name, ())) for name in DIVERSE])
def test_every_authored_physics_attribute_is_used_or_reported(name):
    """Another value of it makes another scene, another report, or a refusal."""
    path = next(path for path in FILES if path.name.startswith(f"{name}."))
    scene = fajin.read(path)
    told = {(r.prim, name) for r in scene.reports for name in r.attribute.split(", ")}
    summarised = {name for owner, name in told if owner == "/"}
    for address, value in authored(path):
        owner, name = address.split(".")
        if (owner, name) in told or name in summarised or (owner, "") in told:
            continue
        if name.startswith("limit:"):  # a locked axis stays locked under most other values
            continue
        try:
            changed = fajin.read(path, [f"{address}={value}"]) != scene
        except fajin.InvalidScene:
            changed = True
        assert changed, f"{address}={value}"


def test_unknown_physics_attributes_are_reported(tmp_path):
    """A misspelt name is not dropped in silence."""
    scene = fajin.read(stage(tmp_path, arm("float physics:stifness = 3\nfloat physxNonsense:x = 1")))
    told = {report.attribute: report for report in scene.reports}
    assert {"physics:stifness", "physxNonsense:x"} <= set(told)
    assert str(told["physics:stifness"]) == (
        "/robot/elbow.physics:stifness = 3.0: not a known attribute of UsdPhysics, PhysX or Newton; "
        "did you mean drive:*:physics:stiffness?"
    )


@pytest.mark.parametrize(
    ("name", "schema", "kind"),
    [
        ("drive:angular:physics:stiffness", "PhysicsDriveAPI:angular", "PhysicsRevoluteJoint"),
        ("state:angular:physics:position", "PhysicsJointStateAPI:angular", "PhysicsRevoluteJoint"),
        ("physxJointAxis:angular:armature", "PhysxJointAxisAPI:angular", "PhysicsRevoluteJoint"),
        ("limit:rotX:physics:high", "PhysicsLimitAPI:rotX", "PhysicsJoint"),
    ],
)
def test_an_attribute_without_its_schema_has_no_effect_and_is_reported(tmp_path, name, schema, kind):
    """An attribute of a multiple-apply schema means nothing before the schema is applied."""
    plain, bare, full = (
        fajin.read(stage(tmp_path, arm(f"float {name} = {value}", apis, kind)))
        for value, apis in ((0.0, ""), (3.0, ""), (3.0, schema))
    )
    assert bare.articulations == plain.articulations != full.articulations
    (report,) = (r for r in bare.reports if r.attribute == name)
    assert schema in report.reason


@pytest.mark.parametrize(("name", "value"), [("armature", 3.0), ("maxJointVelocity", 0.5), ("jointFriction", 0.5)])
def test_retired_names_are_reported_with_their_successor(tmp_path, name, value):
    """PhysX ignores physxJoint:*; so do we, aloud."""
    path = stage(tmp_path, arm(f"float physxJoint:{name} = {value}", "PhysxJointAPI"))
    (report,) = (r for r in fajin.read(path).reports if r.attribute == f"physxJoint:{name}")
    assert report.code == "retired-name"
    assert report.related.startswith("physxJointAxis:<axis>:")
    assert report.related in report.fix


@pytest.mark.parametrize(
    ("physx", "newton", "expected"),
    [(2.0, 3.0, 2.0), (None, 3.0, 3.0), (0.0, 3.0, 3.0), (2.0, None, 2.0), (None, None, 0.0)],
)
def test_a_positive_physx_value_comes_before_newtons(tmp_path, physx, newton, expected):
    """Quantity by quantity: PhysX if positive, else Newton, else the default; the loser is reported."""
    lines = [f"float physxJointAxis:angular:armature = {physx}"] * (physx is not None)
    lines += [f"float newton:armature = {newton}"] * (newton is not None)
    scene = fajin.read(stage(tmp_path, arm("\n".join(lines), "PhysxJointAxisAPI:angular NewtonJointAPI")))
    assert scene.articulations[0].joints[0].axes[0].armature == expected
    if physx and newton:
        assert "newton:armature" in {report.attribute for report in scene.reports}


@pytest.mark.parametrize(("newton", "reported"), [("0.25", 0), ("0.5", 1)])
def test_a_second_name_is_reported_where_it_says_something_else(tmp_path, newton, reported):
    """What says the same again is not lost."""
    lines = f"float physxJointAxis:angular:armature = 0.25\nfloat newton:armature = {newton}\n"
    reports = fajin.read(stage(tmp_path, arm(lines, "PhysxJointAxisAPI:angular"))).reports
    assert [report.attribute for report in reports] == ["newton:armature"] * reported


def test_what_no_axis_accepts_is_not_overridden_by_attributes_of_another_meaning(tmp_path):
    """A stiffness that is used does not take precedence over the damping of an axis that the joint lacks."""
    lines = "float drive:angular:physics:stiffness = 1\nfloat drive:transX:physics:damping = 2"
    reports = fajin.read(stage(tmp_path, arm(lines, "PhysicsDriveAPI:angular PhysicsDriveAPI:transX"))).reports
    assert [(report.attribute, report.code) for report in reports] == [("drive:transX:physics:damping", "no-such-axis")]


@pytest.mark.parametrize(("static", "dynamic", "kept"), [("0.3", "0.4", False), ("0.4", "0.4", True)])
def test_an_axis_that_slides_harder_than_it_sticks_has_no_friction(tmp_path, static, dynamic, kept):
    """Nor viscous friction: PhysX refuses all three together. It is told."""
    values = {"staticFrictionEffort": static, "dynamicFrictionEffort": dynamic, "viscousFrictionCoefficient": "1"}
    lines = "\n".join(f"float physxJointAxis:angular:{name} = {value}" for name, value in values.items())
    scene = fajin.read(stage(tmp_path, arm(lines, "PhysxJointAxisAPI:angular")))
    friction = scene.articulations[0].joints[0].axes[0].friction
    assert (friction == Friction()) != kept
    assert friction.dynamic == pytest.approx(0.4 * kept)
    reported = {report.attribute for report in scene.reports}
    assert ("physxJointAxis:angular:dynamicFrictionEffort" in reported) != kept


def test_newtons_friction_is_static_and_dynamic_friction(tmp_path):
    """One number seeds both; damping is the viscous part, per degree."""
    lines = "float newton:friction = 2\nfloat newton:damping = 1"
    scene = fajin.read(stage(tmp_path, arm(lines, "NewtonJointAPI")))
    friction = scene.articulations[0].joints[0].axes[0].friction
    assert (friction.static, friction.dynamic, friction.viscous) == (2.0, 2.0, pytest.approx(180.0 / pi))


def test_a_drive_exists_where_its_schema_is_applied(tmp_path):
    """Without a gain it is still a drive: it bounds the user's effort."""
    scene = fajin.read(stage(tmp_path, arm("", "PhysicsDriveAPI:angular")))
    assert scene.articulations[0].joints[0].axes[0].drive == Drive()


def test_a_target_beyond_a_turn_is_wrapped_on_a_joint_without_limits(tmp_path):
    """400° is 40° where nothing holds the joint within a turn, and 400° where limits do."""
    lines = "float drive:angular:physics:targetPosition = 400"
    limits = "\nfloat physics:lowerLimit = -500\nfloat physics:upperLimit = 500"
    for more, expected in (("", 40.0), (limits, 400.0)):
        scene = fajin.read(stage(tmp_path, arm(lines + more, "PhysicsDriveAPI:angular")))
        assert scene.articulations[0].joints[0].axes[0].drive.target_q == pytest.approx(expected * pi / 180.0)


def test_time_samples_of_drives_and_limits_are_signals(tmp_path):
    """Times are time codes over timeCodesPerSecond, values SI; the value at time 0 is the axis's own."""
    lines = """float drive:angular:physics:targetPosition.timeSamples = {
            0: 10,
            50: 20,
        }
        float physics:lowerLimit = -90
        float physics:upperLimit.timeSamples = {
            25: 90,
            75: 45,
        }
        float newton:armature.timeSamples = {
            0: 1,
            50: 2,
        }"""
    path = stage(tmp_path, arm(lines, "PhysicsDriveAPI:angular"), metadata=METRES + "\n    timeCodesPerSecond = 50")
    scene = fajin.read(path)
    axis = scene.articulations[0].joints[0].axes[0]
    assert axis.drive.target_q == pytest.approx(10.0 * pi / 180.0)
    assert axis.upper == pytest.approx(pi / 2.0)
    radians = tuple(pytest.approx(x * pi / 180.0) for x in (10.0, 20.0, 90.0, 45.0))
    assert scene.signals == (
        TimeSamples("/robot/elbow:rotX", "target_q", (0.0, 1.0), radians[:2]),
        TimeSamples("/robot/elbow:rotX", "upper", (0.5, 1.5), radians[2:]),
    )
    (report,) = (r for r in scene.reports if r.attribute == "newton:armature")
    assert "time samples" in report.reason


@pytest.mark.parametrize(
    ("scene", "dt"),
    [
        ("", 1 / 60),
        ("uint physxScene:timeStepsPerSecond = 240", 1 / 240),
        ("int newton:timeStepsPerSecond = 500", 1 / 500),
    ],
)
def test_the_step_is_the_files(tmp_path, scene, dt):
    """PhysX's rate, else Newton's, else 60 Hz."""
    assert fajin.read(stage(tmp_path, arm(), scene=scene)).dt == dt


def test_a_missing_layer_is_told_in_one_line(tmp_path, capfd):
    """USD's own words become a report and do not reach stderr."""
    lost = 'def Xform "mesh" (\n    references = @./lost.usda@\n)\n{\n}\n'
    scene = fajin.read(stage(tmp_path, arm(), lost))
    assert any("lost.usda" in report.reason for report in scene.reports)
    assert not any("\n" in str(report) for report in scene.reports)
    assert capfd.readouterr() == ("", "")
