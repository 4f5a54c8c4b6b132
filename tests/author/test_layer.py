"""Layers of edits: whole or not at all, over the scene and nothing but it; and joints as they are found in files."""

from math import inf, radians
from pathlib import Path

import pytest
from paths import RECORDINGS
from pxr import Sdf, Usd, UsdGeom, UsdPhysics
from usda import arm, stage

import fajin
from fajin import author
from fajin.atomic_write import OutputError

ROBOT = RECORDINGS / "authored" / "robot.usda"
LIMITED = "float physics:lowerLimit = -90\nfloat physics:upperLimit = 90"


@pytest.fixture
def scene(tmp_path) -> Path:
    """An arm with one limited revolute joint."""
    return stage(tmp_path, arm(LIMITED))


def elbow(path: Path):
    """The axis of the arm's joint, as read."""
    return fajin.read(path).articulations[0].joints[-1].axes[0]


def edit(scene: Path, what: str, *things, **values) -> list:
    """One edit of the arm's joint, into a layer."""
    with author.layer(scene, scene.with_name("edits.usda")) as edited:
        return getattr(author, what)(edited.GetPrimAtPath("/robot/elbow"), *things, **values)


def spoil(prim: Usd.Prim) -> None:
    """A good edit and a bad one."""
    author.drive(prim, stiffness=1.0)
    author.drive(prim, stiffness=-1.0)


def test_an_error_leaves_nothing(tmp_path, scene):
    """Neither a file nor a hidden folder, in a new layer, an old one and in place."""
    for output in (tmp_path / "edits.usda", None):
        before = {path: path.read_bytes() for path in tmp_path.iterdir()}
        with pytest.raises(fajin.InvalidScene), author.layer(scene, output) as edited:
            spoil(edited.GetPrimAtPath("/robot/elbow"))
        assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
        assert elbow(scene).drive is None


def test_nothing_is_authored_by_a_call_that_is_refused(scene):
    """The last of its values is wrong: the first ones and the schema are not there either."""
    edited = Usd.Stage.Open(str(scene))
    prim = edited.GetPrimAtPath("/robot/elbow")
    before = edited.GetRootLayer().ExportToString()
    for call in (
        lambda: author.drive(prim, stiffness=1.0, target_q=inf),
        lambda: author.envelope(prim, max_force=1.0, speed_effort_gradient=-1.0),
        lambda: author.friction(prim, static=1.0, viscous=-1.0),
        lambda: author.limit(prim, lower=-1.0, upper=1.0, max_velocity=-1.0),
        lambda: author.mimic(prim, "/robot/elbow"),
        lambda: author.scene(edited, solver="pgs", duration=-1.0),
        lambda: author.scene(edited, gravity=1.0, position_iterations=0),
        lambda: author.tendon([prim], "cord", gearing=[1.0], stiffness=-1.0),
    ):
        with pytest.raises(fajin.InvalidScene):
            call()
        assert edited.GetRootLayer().ExportToString() == before


def test_the_layer_is_read_as_the_scene_is(tmp_path):
    """Units, up axis, default prim and times of the scene hold for the layer, wherever it lies."""
    other = tmp_path / "deep" / "er"
    other.mkdir(parents=True)
    with author.layer(ROBOT, other / "edits.usda"):
        pass
    mine, theirs = Usd.Stage.Open(str(other / "edits.usda")), Usd.Stage.Open(str(ROBOT))
    assert UsdGeom.GetStageMetersPerUnit(mine) == UsdGeom.GetStageMetersPerUnit(theirs) == 0.01
    assert UsdPhysics.GetStageKilogramsPerUnit(mine) == 0.001
    assert UsdGeom.GetStageUpAxis(mine) == "Z"
    assert mine.GetDefaultPrim().GetPath() == "/robot"
    assert not Path(mine.GetRootLayer().subLayerPaths[0]).is_absolute()


def test_whoever_has_the_layer_open_sees_the_new_edit(tmp_path, scene):
    """USD shares layers in a process: they are reloaded."""
    edit(scene, "drive", stiffness=1.0)
    opened = Usd.Stage.Open(str(tmp_path / "edits.usda"))
    edit(scene, "drive", stiffness=2.0)
    attribute = opened.GetPrimAtPath("/robot/elbow").GetAttribute("drive:angular:physics:stiffness")
    assert attribute.Get() == pytest.approx(2.0 * radians(1.0))


def test_a_layer_that_someone_is_editing_is_left_to_them(tmp_path, scene):
    """What is not saved would be lost."""
    edit(scene, "drive", stiffness=1.0)
    theirs = Sdf.Layer.FindOrOpen(str(tmp_path / "edits.usda"))
    theirs.comment = "mine"
    with pytest.raises(OutputError, match="unsaved changes"):
        edit(scene, "drive", stiffness=2.0)
    assert theirs.comment == "mine"


def test_a_stronger_opinion_is_named(scene):
    """An edit that would have no effect is an error, not a silence."""
    edited = Usd.Stage.Open(str(scene))
    prim = edited.GetPrimAtPath("/robot/elbow")
    with Usd.EditContext(edited, edited.GetSessionLayer()):
        author.drive(prim, stiffness=5.0)
    with pytest.raises(fajin.InvalidScene, match="stronger layer"):
        author.drive(prim, stiffness=1.0)


def test_a_joint_of_an_instance_becomes_its_own(tmp_path):
    """Edits do not reach below an instance: the one robot is made unique, the other stays."""
    (tmp_path / "robot").mkdir()
    source = stage(tmp_path / "robot", arm(LIMITED))
    text = 'def Xform "{0}" (\n    instanceable = true\n    references = @robot/scene.usda@</robot>\n)\n{{\n}}\n'
    metadata = "metersPerUnit = 1\n    kilogramsPerUnit = 1"
    (tmp_path / "two.usda").write_text(f"#usda 1.0\n(\n    {metadata}\n)\n{text.format('a')}{text.format('b')}")
    assert source.exists()
    with author.layer(tmp_path / "two.usda", tmp_path / "edits.usda") as edited:
        (at,) = author.select(edited, "/a/elbow")
        author.drive(at.prim, stiffness=3.0)
    drives = [a.joints[-1].axes[0].drive for a in fajin.read(tmp_path / "edits.usda").articulations]
    assert [drive and drive.stiffness for drive in drives] == [pytest.approx(3.0), None]


def test_a_prim_below_an_instance_is_refused(tmp_path):
    """Functions that take prims do not unshare what they are given."""
    (tmp_path / "robot").mkdir()
    stage(tmp_path / "robot", arm(LIMITED))
    edited = Usd.Stage.CreateInMemory()
    prim = edited.DefinePrim("/a", "Xform")
    prim.GetReferences().AddReference(str(tmp_path / "robot" / "scene.usda"), "/robot")
    prim.SetInstanceable(True)
    with pytest.raises(fajin.InvalidScene, match="must be a prim outside instances"):
        author.drive(edited.GetPrimAtPath("/a/elbow"), stiffness=1.0)


def test_names_of_newton_do_not_contradict(tmp_path):
    """Where Newton's names stand, they take the value too: PhysX lets them speak where its own say 0."""
    said = "float newton:armature = 3\nfloat newton:friction = 2\nfloat newton:damping = 1"
    scene = stage(tmp_path, arm(said, "NewtonJointAPI"))
    edit(scene, "armature", armature=0.0)
    edit(scene, "friction", dynamic=0.0)
    found = elbow(tmp_path / "edits.usda")
    assert (found.armature, found.friction.static, found.friction.dynamic) == (0.0, 2.0, 0.0)
    assert found.friction.viscous == pytest.approx(1.0 / radians(1.0))


def test_what_is_removed_says_nothing_and_can_come_back(tmp_path):
    """Removed above the scene: not read, not reported; authored again: as if it had never been away."""
    drive = "float drive:angular:physics:stiffness = 5\n" + LIMITED
    scene = stage(tmp_path, arm(drive, "PhysicsDriveAPI:angular"))
    edit(scene, "remove", "drive")
    after = fajin.read(tmp_path / "edits.usda")
    assert elbow(tmp_path / "edits.usda").drive is None
    assert not [report for report in after.reports if "drive" in report.attribute]
    edit(scene, "drive", damping=2.0)
    assert elbow(tmp_path / "edits.usda").drive.damping == pytest.approx(2.0)
    assert elbow(tmp_path / "edits.usda").drive.stiffness == 0.0


def test_an_edit_of_the_layer_itself_goes_without_a_trace(tmp_path, scene):
    """What the layer added and then took out leaves no block behind."""
    edit(scene, "state", q=0.1)
    edit(scene, "remove", "state")
    layer = Sdf.Layer.FindOrOpen(str(tmp_path / "edits.usda"))
    assert not layer.GetPrimAtPath("/robot/elbow").properties


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("turn", ["/robot/turn:rotZ"]),
        ("turn|slide", ["/robot/turn:rotZ", "/robot/slide:transX"]),
        ("/robot/sl.*", ["/robot/slide:transX"]),
        ("wrist", ["/robot/wrist:rotX", "/robot/wrist:rotY"]),
        (".*:rotY", ["/robot/follow:rotY", "/robot/wrist:rotY"]),
    ],
)
def test_joints_are_selected_by_whole_names(pattern, found):
    """Name, path, or either with the axis; locked axes are not among them."""
    assert [at.name for at in author.select(Usd.Stage.Open(str(ROBOT)), pattern)] == found


def test_a_gain_of_another_type_is_told_in_its_own_units(scene):
    """From 1/s² to N·m/rad: both sides of a change say what they are."""
    edit(scene, "drive", type="acceleration", stiffness=100.0)
    changes = edit(scene, "drive", type="force", stiffness=50.0)
    (line,) = [str(change) for change in changes if change.attribute.endswith("stiffness")]
    name = "/robot/elbow.drive:angular:physics:stiffness"
    assert line == f"{name}: 1.74533 1/(s²·deg) → 0.872665 N·m/deg (100 1/(s²·rad) → 50 N·m/rad)"


def test_a_frequency_is_that_of_the_inertia_the_joint_moves(scene):
    """k = ω² I and d = 2 ζ ω I, of I = 1/(M⁻¹)ᵢᵢ at the initial pose; ω² and 2 ζ ω of an acceleration drive."""
    from fajin.model.mass_matrix import effective_inertia

    moved = effective_inertia(fajin.read(scene))["/robot/elbow:rotX"]
    path = scene.with_name("edits.usda")
    edit(scene, "drive", natural_frequency=20.0, damping_ratio=0.7)
    assert elbow(path).drive.stiffness == pytest.approx(400.0 * moved, rel=1e-6)
    assert elbow(path).drive.damping == pytest.approx(28.0 * moved, rel=1e-6)
    edit(scene, "drive", natural_frequency=20.0, damping_ratio=0.7, type="acceleration")
    assert (elbow(path).drive.stiffness, elbow(path).drive.damping) == pytest.approx((400.0, 28.0), rel=1e-6)
