"""Copies by reference are read once, and come out as if each had been read."""

from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from paths import SCENES
from pxr import Sdf, Usd, UsdGeom, UsdPhysics, Vt
from usda import MASS, METRES, arm, body, joint, prim

import fajin
from fajin.usd.read.reader import read_stage
from fajin.usd.stage.instance_detection import find_copies

ROBOTS = ("arm7", "four_bar", "gripper_mimic", "tendon_finger", "floating_chain", "hanging_chain", "spherical")
ULPS = 16.0 * np.finfo(float).eps
"""A pose is one product of transforms, or the product of two of them."""
LENGTH = 20.0  # [m] from end to end of the largest stage here
SAMPLED = """float drive:angular:physics:stiffness = 10
    float drive:angular:physics:targetPosition.timeSamples = { 0: 0, 24: 10 }"""


def place(stage: Usd.Stage, path: str, file: Path, at: tuple, turn: float = 0.0) -> Usd.Prim:
    """A prim that references a file, at a place and turned about z by degrees."""
    xform = UsdGeom.Xform.Define(stage, path)
    xform.GetPrim().GetReferences().AddReference(str(file))
    xform.AddTranslateOp().Set(at)
    xform.AddRotateZOp().Set(turn)
    return xform.GetPrim()


def new_stage(tmp_path) -> Usd.Stage:
    """An empty stage in metres."""
    stage = Usd.Stage.CreateNew(str(tmp_path / "world.usda"))
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdGeom.SetStageUpAxis(stage, "Z")
    stage.DefinePrim("/World", "Xform")
    return stage


def robot_file(tmp_path, *parts: str, name: str = "robot") -> Path:
    """A file whose default prim is /robot."""
    path = tmp_path / f"{name}.usda"
    metadata = f'defaultPrim = "robot"\n    {METRES}'
    path.write_text(f"#usda 1.0\n(\n    {metadata}\n)\n" + "\n".join(parts))
    return path


def both(stage: Usd.Stage) -> tuple[fajin.Scene, fajin.Scene]:
    """The scene as read, and as read of the flattened stage, where no two prims come from one file or are equal."""
    stage.Save()
    path = Path(stage.GetRootLayer().realPath)
    copied, flat = fajin.read(path), flattened(stage)
    flat.Traverse(
        Sdf.Path.absoluteRootPath, lambda at: at.IsPrimPath() and flat.GetPrimAtPath(at).SetInfo("comment", str(at))
    )
    flat.Export(str(path.with_name("flat.usda")))
    assert not find_copies(Usd.Stage.Open(flat))
    return copied, replace(fajin.read(path.with_name("flat.usda")), source=str(path))


def flattened(stage: Usd.Stage) -> Sdf.Layer:
    """A stage in one layer, where every copy is written out."""
    for every in stage.TraverseAll():
        every.SetInstanceable(False)
    return stage.Flatten()


def assert_same(copied: Any, read: Any, where: str = "scene") -> None:
    """Both say the same, all but the last bits of numbers, the counts of what was read, and the order of reports."""
    if isinstance(read, fajin.Scene):
        said = [sorted((r for r in s.reports if r.prim != "/"), key=str) for s in (copied, read)]
        assert said[0] == said[1]
        copied, read = (replace(s, reports=()) for s in (copied, read))
    if is_dataclass(read):
        for field in fields(read):
            assert_same(getattr(copied, field.name), getattr(read, field.name), f"{where}.{field.name}")
    elif isinstance(read, tuple):
        assert len(copied) == len(read), where
        for i, (x, y) in enumerate(zip(copied, read, strict=True)):
            assert_same(x, y, f"{where}[{i}]")
    elif isinstance(read, float):
        assert copied == pytest.approx(read, rel=ULPS, abs=ULPS * LENGTH), where
    else:
        assert copied == read, where


@pytest.mark.parametrize("instanceable", [False, True], ids=["references", "instances"])
def test_copies_of_every_kind_of_robot_come_out_as_if_each_were_read(tmp_path, instanceable):
    """Fixed, floating and hanging bases, loops, mimic joints, tendons, cones: in the order of the stage."""
    stage = new_stage(tmp_path)
    for i in range(3):
        for k, robot in enumerate(ROBOTS):
            path = f"/World/{robot}_{i}"
            place(stage, path, SCENES / f"{robot}.usda", (5 * i, 3 * k, i), 40.0 * i).SetInstanceable(instanceable)
    assert len(find_copies(stage)) == 2 * len(ROBOTS)
    copied, read = both(stage)
    assert_same(copied, read)
    written = Usd.Stage.Open(flattened(stage))
    assert len(find_copies(written)) == 2 * len(ROBOTS)
    assert_same(replace(read_stage(written), source=copied.source), read)


def test_signals_free_bodies_and_joints_to_the_world_are_copied(tmp_path):
    """A joint to nothing stays where the world is; one to a prim that stands still moves with it."""
    drive = arm(SAMPLED, "PhysicsDriveAPI:angular", extra=body("stone") + prim("Xform", "post"))
    hung = prim(
        "Xform",
        "robot",
        body("bob", apis="PhysicsArticulationRootAPI")
        + prim("Xform", "post")
        + joint("hinge", "PhysicsRevoluteJoint", "/robot/post", "/robot/bob")
        + body("ball")
        + joint("chain", "PhysicsDistanceJoint", "", "/robot/ball", "float physics:maxDistance = 2"),
    )
    stage = new_stage(tmp_path)
    files = robot_file(tmp_path, drive), robot_file(tmp_path, hung, name="hung")
    for i in range(2):
        for k, file in enumerate(files):
            place(stage, f"/World/r{k}{i}", file, (i + 1.0, k, 0.0), 90.0 * i)
    assert len(find_copies(stage)) == 2
    copied, read = both(stage)
    assert len(copied.signals) == 2
    assert len(copied.joints) == 2
    assert_same(copied, read)


def test_copies_keep_the_order_of_bodies_and_shapes_and_the_length_of_quaternions(tmp_path):
    """Kinematic bodies are last; a container's own order of shapes; PhysX's quaternion of a cylinder along z."""
    solid = "PhysicsCollisionAPI"
    belt = body("belt", f"bool physics:kinematicEnabled = 1\n{prim('Cube', 'shape', apis=solid)}")
    crate = body("crate", "\n".join((MASS, prim("Cube", "a", apis=solid), prim("Cube", "b", apis=solid))), solid)
    roll = prim("Cylinder", "roll", 'uniform token axis = "Z"', solid)
    file = robot_file(tmp_path, prim("Xform", "robot", belt + crate + roll))
    stage = new_stage(tmp_path)
    for i in range(3):
        place(stage, f"/World/hall_{i}", file, (5.0 * i, 0.0, 0.0), 30.0 * i)
    assert len(find_copies(stage)) == 2
    copied, read = both(stage)
    assert [c.path[-1] for c in read.colliders if "crate" in c.path] == ["a", "b"] * 6
    assert_same(copied, read)


def test_a_copy_of_a_copied_environment_is_copied(tmp_path):
    """Environments that inherit the first one, as cloners write them."""
    stage = new_stage(tmp_path)
    place(stage, "/World/env_0/robot", SCENES / "arm7.usda", (0, 0, 1))
    for i in range(1, 4):
        xform = UsdGeom.Xform.Define(stage, f"/World/env_{i}")
        xform.GetPrim().GetInherits().AddInherit("/World/env_0")
        xform.AddTranslateOp().Set((2.0 * i, 0, 0))
    assert len(find_copies(stage)) == 2
    assert_same(*both(stage))


def test_copies_are_in_the_collision_groups_that_include_them(tmp_path):
    """Environments in groups of their own, as cloners write them, and a group within what is copied."""
    groups = """def PhysicsCollisionGroup "feet"
    {
        rel collection:colliders:includes = </robot/link>
        rel physics:filteredGroups = </robot/feet>
    }"""
    shape, stone = (prim("Cube", name, apis="PhysicsCollisionAPI") for name in ("shape", "stone"))
    file = robot_file(tmp_path, arm(link=f"{MASS}\n{shape}", extra=stone + groups))
    stage = new_stage(tmp_path)
    for i in range(3):
        place(stage, f"/World/env_{i}", file, (3.0 * i, 0, 0))
        group = UsdPhysics.CollisionGroup.Define(stage, f"/World/group_{i}")
        group.GetCollidersCollectionAPI().CreateIncludesRel().AddTarget(f"/World/env_{i}/stone")
        group.CreateFilteredGroupsRel().SetTargets([f"/World/group_{k}" for k in range(3) if k != i])
    assert len(find_copies(stage)) == 2
    copied, read = ({g.path: (set(g.members), g.filtered) for g in s.collision_groups} for s in both(stage))
    assert len(read) == 6
    assert copied == read


def change(stage: Usd.Stage, what: str) -> None:
    """Make the second of two robots something else than a copy."""
    robot = stage.GetPrimAtPath("/World/b")
    if what == "an opinion below":
        stage.OverridePrim("/World/b/link").CreateAttribute("physics:mass", Sdf.ValueTypeNames.Float).Set(7.0)
    elif what == "an opinion on it":
        iterations = "physxArticulation:solverPositionIterationCount"
        robot.CreateAttribute(iterations, Sdf.ValueTypeNames.Int).Set(7)
    elif what == "a scale":
        UsdGeom.Xformable(robot).AddScaleOp().Set((2.0, 2.0, 2.0))
    elif what == "a schema above":
        robot = place(stage, "/World/above/b", Path(stage.GetRootLayer().realPath).parent / "robot.usda", (0, 3, 0))
        stage.RemovePrim("/World/b")
        stage.GetPrimAtPath("/World/above").ApplyAPI("MaterialBindingAPI")
    elif what == "a joint from outside":
        tie = stage.DefinePrim("/World/tie", "PhysicsFixedJoint")
        tie.CreateRelationship("physics:body0").SetTargets(["/World/b/link"])
        tie.CreateRelationship("physics:body1").SetTargets(["/World/a/link"])
        tie.CreateAttribute("physics:excludeFromArticulation", Sdf.ValueTypeNames.Bool).Set(True)
    elif what == "another file":
        references = robot.GetReferences()
        references.ClearReferences()
        references.AddReference(str(SCENES / "arm7.usda"))


CHANGES = (
    "an opinion below", "an opinion on it", "a scale", "a schema above", "a joint from outside", "another file"
)  # fmt: skip


@pytest.mark.parametrize("what", CHANGES)
def test_what_says_anything_else_is_read_by_itself(tmp_path, what):
    """What differs in more than its place is no copy."""
    stage = new_stage(tmp_path)
    file = robot_file(tmp_path, arm())
    for i, name in enumerate("ab"):
        place(stage, f"/World/{name}", file, (i, 0, 0))
    stage.Save()
    assert len(find_copies(stage)) == 1
    change(stage, what)
    assert not find_copies(stage)
    assert_same(*both(stage))


def differ(layer: Sdf.Layer, what: str, folder: Path) -> None:
    """Make the second of two robots that are written out something else than a copy."""
    link, mesh = (layer.GetPrimAtPath(f"/World/b/{name}") for name in ("link", "stone"))
    if what == "a number":
        link.attributes["physics:mass"].default = 7.0
    elif what == "a point of a mesh":
        points = np.array(mesh.attributes["points"].default)
        points[-1] += 1e-6
        mesh.attributes["points"].default = Vt.Vec3fArray.FromNumpy(points)
    elif what == "a target":
        layer.GetPrimAtPath("/World/b/elbow").relationships["physics:body1"].targetPathList.explicitItems = [
            "/World/a/link"
        ]
    elif what == "a sublayer":
        over = Sdf.Layer.CreateNew(str(folder / "over.usda"))
        Sdf.CreatePrimInLayer(over, "/World/b/link").SetInfo("customData", {"a": 1})
        over.Save()
        layer.subLayerPaths.append(over.identifier)
    elif what == "a place below":
        Sdf.AttributeSpec(link, "xformOp:translate", Sdf.ValueTypeNames.Double3).default = (1.0, 2.0, 3.0)
    elif what == "a place over time":
        layer.SetTimeSample("/World/b.xformOp:rotateZ", 5.0, 10.0)
    elif what == "a switch":
        layer.GetPrimAtPath("/World/b/stone").SetInfo("active", False)


OTHERWISE = ("a number", "a target", "a sublayer", "a switch", "a place below", "a place over time")


@pytest.mark.parametrize(
    ("shape", "what"),
    [("Mesh", "a point of a mesh"), *((shape, what) for shape in ("Mesh", "Cube", "Sphere") for what in OTHERWISE)],
)
def test_what_is_written_otherwise_is_read_by_itself(tmp_path, shape, what):
    """Copies by their text have equal text, arrays included, in each way in which it is compared."""
    points = ", ".join(f"({i % 5}, {i // 5 % 5}, {i // 25})" for i in range(100))
    stone = prim(shape, "stone", f"point3f[] points = [{points}]" if shape == "Mesh" else "double size = 1")
    layer = Sdf.Layer.CreateAnonymous(".usda")
    robots = [arm(extra=stone).replace("robot", name) for name in "ab"]
    layer.ImportFromString(
        f"#usda 1.0\n(\n    {METRES}\n)\n" + prim("Xform", "World", "".join(robots)).replace("</", "</World/")
    )
    for i, name in enumerate("ab"):
        turn = Sdf.AttributeSpec(layer.GetPrimAtPath(f"/World/{name}"), "xformOp:rotateZ", Sdf.ValueTypeNames.Double)
        turn.default = 40.0 * i
        turn.documentation = f"turned\nby {40 * i}" if shape == "Sphere" else ""
        order = Sdf.AttributeSpec(turn.owner, "xformOpOrder", Sdf.ValueTypeNames.TokenArray, Sdf.VariabilityUniform)
        order.default = Vt.TokenArray(["xformOp:rotateZ"])
    assert find_copies(Usd.Stage.Open(layer)) == {Sdf.Path("/World/b"): Sdf.Path("/World/a")}
    differ(layer, what, tmp_path)
    assert not find_copies(Usd.Stage.Open(layer))


def test_a_joint_that_leads_out_of_a_prim_keeps_it_from_being_copied(tmp_path):
    """Robots that inherit a class whose joint names a body of the stage are tied to that one body."""
    stage = new_stage(tmp_path)
    tied = joint("tie", "PhysicsFixedJoint", "/World/stone", "/kind/bob", "bool physics:excludeFromArticulation = 1")
    kind = prim("Xform", "kind", body("bob") + tied).replace("def", "class", 1)
    robots = [f'def Xform "{name}" (\n    prepend inherits = </kind>\n)\n{{\n}}\n' for name in "ab"]
    world = prim("Xform", "World", body("stone") + "".join(robots))
    stage.GetRootLayer().ImportFromString(f"#usda 1.0\n(\n    {METRES}\n)\n{kind}{world}")
    assert stage.GetPrimAtPath("/World/b/bob")
    assert not find_copies(stage)
    assert_same(*both(stage))


def test_parts_of_one_body_that_reference_one_file_stand_each_at_its_place(tmp_path):
    """As the feet of a table, or the wheels of a trolley that do not turn."""
    stage = new_stage(tmp_path)
    UsdPhysics.RigidBodyAPI.Apply(stage.DefinePrim("/World/table", "Xform"))
    foot = robot_file(tmp_path, prim("Xform", "robot", prim("Cube", "shape", apis="PhysicsCollisionAPI")), name="foot")
    for i in range(3):
        place(stage, f"/World/table/foot_{i}", foot, (2.0 * i, 0.0, 1.0), 30.0 * i)
    copied, read = both(stage)
    assert [collider.pose[0][0] for collider in copied.colliders] == [0.0, 2.0, 4.0]
    assert_same(copied, read)


def test_copies_move_as_robots_that_were_read_alone(tmp_path):
    """The same motion, seen from where each stands, to the round-off of its poses."""
    stage = new_stage(tmp_path)
    for i in range(3):
        place(stage, f"/World/r{i}", SCENES / "double_pendulum.usda", (4.0 * i, 0, 0), 30.0 * i)
    stage.Save()
    sim = fajin.Simulation(fajin.read(tmp_path / "world.usda"), precision="f64")
    sim.step(60)
    q = np.array(sim.q).reshape(3, -1)
    np.testing.assert_allclose(q, q[[0, 0, 0]], rtol=0.0, atol=1e3 * ULPS)
    assert np.abs(q - np.array(fajin.Simulation(sim.scene).q).reshape(3, -1)).max() > 0.1
