"""Many worlds in one stage: every link is drawn in every world where it is, as it looks in the source."""

from pathlib import Path

import numpy as np
import pytest
from motions import EPS, HARD, motion, problems
from pxr import Usd, UsdGeom, UsdShade

import fajin
from fajin import author
from fajin.usd.write.instancer import Instancer
from fajin.usd.write.output_files import relative

WORLDS = 5
HALF = float(np.finfo(np.float16).eps)

LOOKS = """#usda 1.0
(
    defaultPrim = "World"
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "World" (prepend apiSchemas = ["MaterialBindingAPI"])
{
    rel material:binding = </Looks/Steel>
    def PhysicsScene "physics"
    {
    }
    def Cube "ground"
    {
        double3 xformOp:translate = (0, 0, -2)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
    def Xform "bare" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {
        float physics:mass = 1
    }
    def Xform "box" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])
    {
        def Cube "shape" (prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"])
        {
            rel material:binding = </Looks/Paint>
        }
        def Cube "frame"
        {
        }
        def PhysicsFixedJoint "weld"
        {
            rel physics:body0 = </World/bare>
            rel physics:body1 = </World/box>
        }
    }
}
def Scope "Looks"
{
    def Material "Steel"
    {
    }
    def Material "Paint"
    {
    }
}
"""


def shown(scene: Path, file: Path) -> tuple[Usd.Stage, UsdGeom.PointInstancer, np.ndarray]:
    """A made-up motion of one world in all worlds; the stage, its instancer, and poses (T, L, 7)."""
    recording = motion(fajin.read(scene))
    crowd = Instancer(Usd.Stage.Open(str(scene)), recording.link, WORLDS, None, 30.0)
    for code, pose in enumerate(recording.pose):
        crowd.add(np.broadcast_to(pose, (WORLDS, *pose.shape[1:])), code)
    assert crowd.write(file, relative(scene, file.parent))
    stage = Usd.Stage.Open(str(file))
    return stage, UsdGeom.PointInstancer(stage.GetPrimAtPath("/Worlds")), recording


def links(stage: Usd.Stage, instancer: UsdGeom.PointInstancer) -> list[str]:
    """The link that each prototype shows."""
    prims = [stage.GetPrimAtPath(path) for path in instancer.GetPrototypesRel().GetTargets()]
    return [str(prim.GetInherits().GetAllDirectInherits()[0]) for prim in prims]


@pytest.mark.parametrize("robot", [None, "franka_panda.usda", "newton_ant.usda"])
def test_every_link_is_where_the_motion_written_alone_has_it(tmp_path, robots, robot):
    """X_w = X + place of the world, scale of the source included; nested, scaled, instanced, in centimetres, Y up."""
    scene = robots / robot if robot else tmp_path / "hard.usda"
    if not robot:
        scene.write_text(HARD)
    stage, instancer, recording = shown(scene, tmp_path / "worlds.usdc")
    alone = Usd.Stage.Open(str(fajin.write(recording, tmp_path / "alone.usda")[0]))
    names = links(stage, instancer)
    assert stage.GetEndTimeCode() == len(recording) - 1
    assert stage.GetTimeCodesPerSecond() == 30.0
    columns = [recording.link.index(name) for name in names]
    first, last = alone.GetStartTimeCode(), alone.GetEndTimeCode()
    for frame in (0, len(recording) - 1):
        found = np.array(instancer.ComputeInstanceTransformsAtTime(frame, frame)).reshape(WORLDS, len(names), 4, 4)
        cache = UsdGeom.XformCache(last if frame else first)
        turned = np.array([cache.GetLocalToWorldTransform(alone.GetPrimAtPath(name)) for name in names])[:, :3, :3]
        assert np.abs(found[:, :, :3, :3] - turned).max() <= 2 * HALF * np.abs(turned).max()
        positions = recording.pose[frame, 0, columns, :3] / UsdGeom.GetStageMetersPerUnit(stage)
        places = found[:, :, 3, :3] - positions
        assert np.ptp(places, axis=1).max() <= 4 * EPS * np.abs(found).max()
        apart = np.linalg.norm(places[:, None, 0] - places[None, :, 0], axis=-1)[~np.eye(WORLDS, dtype=bool)]
        assert apart.min() > 0.5
    up = 1 if not robot else 2
    assert np.abs(places[..., up]).max() <= 4 * EPS * np.abs(found).max()
    assert problems(tmp_path / "worlds.usdc") <= problems(scene)


def test_looks_stay_and_physics_goes(tmp_path):
    """Materials bound above a link and outside it, the ground and all; no body, joint or collider."""
    scene = tmp_path / "looks.usda"
    scene.write_text(LOOKS)
    stage, instancer, _ = shown(scene, tmp_path / "worlds.usdc")
    assert links(stage, instancer) == ["/World/box"]  # nothing is drawn of the other
    (path,) = instancer.GetPrototypesRel().GetTargets()
    bound = {
        name: UsdShade.MaterialBindingAPI(stage.GetPrimAtPath(path.AppendChild(name)))
        .ComputeBoundMaterial()[0]
        .GetPath()
        for name in ("shape", "frame")
    }
    assert bound == {"shape": "/Looks/Paint", "frame": "/Looks/Steel"}
    drawn = [prim for prim in stage.Traverse() if prim.IsA(UsdGeom.Gprim)]
    assert [str(prim.GetPath()) for prim in drawn] == ["/World/ground", f"{path}/shape", f"{path}/frame"]
    assert not any("Physics" in name for prim in stage.Traverse() for name in prim.GetAppliedSchemas())
    assert not any("Joint" in prim.GetTypeName() for prim in stage.Traverse())


def test_what_left_the_finite_numbers_stays_where_it_was(tmp_path, robots):
    """A broken world does not take the others' stage with it."""
    recording = motion(fajin.read(robots / "newton_ant.usda"))
    crowd = Instancer(Usd.Stage.Open(str(robots / "newton_ant.usda")), recording.link, 2, 3.0, 30.0)
    poses = np.concatenate([recording.pose[0], recording.pose[0]])
    crowd.add(poses, 0.0)
    poses[1, 2] = np.nan
    crowd.add(poses, 1.0)
    assert crowd.write(tmp_path / "worlds.usdc", str(robots / "newton_ant.usda"))
    stage = Usd.Stage.Open(str(tmp_path / "worlds.usdc"))
    instancer = UsdGeom.PointInstancer(stage.GetPrimAtPath("/Worlds"))
    first, second = (np.array(instancer.GetPositionsAttr().Get(code)) for code in (0, 1))
    assert (first == second).all()
    half = len(first) // 2
    assert np.allclose(np.linalg.norm(first[half:] - first[:half], axis=1), 3.0, atol=8 * EPS)


def test_links_that_reference_one_file_share_a_prototype(tmp_path, scenes):
    """Of copies in a stage; one with another colour has a prototype of its own. All stand where they moved."""
    path = tmp_path / "copies.usda"
    author.copies(scenes / "arm7.usda", path, 4)
    stage = Usd.Stage.Open(str(path))
    shape = next(p for p in stage.Traverse() if "env_2/" in str(p.GetPath()) and p.IsA(UsdGeom.Gprim))
    UsdGeom.Gprim(shape).CreateDisplayColorAttr([(1, 0, 0)])
    stage.Save()
    recording = motion(fajin.read(path))
    (file,) = fajin.write(recording, tmp_path / "many.usdc", instancer=True)
    crowd = Usd.Stage.Open(str(file))
    instancer = UsdGeom.PointInstancer(crowd.GetPrimAtPath("/Worlds"))
    drawn = len(instancer.GetProtoIndicesAttr().Get()) // 4
    names = links(crowd, instancer)
    assert len(names) == drawn + 1
    assert len([name for name in names if "env_2" in name]) == 1
    for frame in (0, len(recording) - 1):
        found = np.array(instancer.ComputeInstanceTransformsAtTime(frame, frame))[:, 3, :3]
        expected = recording.pose[frame, 0, :, :3] / UsdGeom.GetStageMetersPerUnit(crowd)
        apart = np.linalg.norm(found[:, None] - expected[None], axis=-1).min(axis=1)
        assert apart.max() <= 4 * EPS * np.abs(expected).max()


def test_an_instancer_is_not_flattened(tmp_path, scenes):
    with pytest.raises(ValueError, match="flatten, instancer = True: must not be combined"):
        fajin.write(motion(fajin.read(scenes / "arm7.usda")), tmp_path / "a.usdc", flatten=True, instancer=True)
