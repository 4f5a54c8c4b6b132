"""Poses of robots: where their bases are in the world."""

import re
from collections.abc import Sequence
from math import inf, isfinite
from typing import Any

import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom

from ..scene import WORLD, Articulation, InvalidScene, Scene
from ..stance.extents import lowest_of, shapes_of
from ..stance.ground import CLEARANCE, ground_height, up_of
from ..stance.tree import Tree
from ..usd.read.reader import read_stage
from ..usd.stage.stage import START, StageReader
from ..usd.stage.transforms import rigid_frame
from .base import anchors
from .change import Change

ALL = ".*"


def base_pose(
    stage: Usd.Stage,
    *,
    height: float | None = None,
    touch: bool = False,
    position: Sequence[float] | None = None,
    rotation: Sequence[float] | None = None,
    robot: str = ALL,
) -> list[Change]:
    """Move robots so that their bases are at a pose of the world; joints that fix a base to the world move along.

    Args:
        stage: an open stage.
        height: of the base's origin along the up axis [m].
        touch: True for the height at which the lowest collider touches the ground, a level plane or 0.
        position: (x, y, z) of the base's origin [m].
        rotation: (x, y, z, w) of the base.
        robot: regular expression that matches names or paths of robots.

    Raises:
        InvalidScene: no robot matches, the pose is for several robots, or joints hold a robot in the world.
    """
    scene = read_stage(stage)
    up = np.eye(3)["XYZ".index(UsdGeom.GetStageUpAxis(stage))]
    chosen = select_robots(scene, robot)
    if position is not None and len(chosen) > 1:
        raise InvalidScene("", "pose", robot, "for one robot", "name it: --robot REGEX")
    numbers = [x for x in (height, *(position or ()), *(rotation or ())) if x is not None]
    if not all(map(isfinite, numbers)):
        raise InvalidScene("", "pose", numbers, "finite numbers", "give such numbers")
    changes = []
    for one in chosen:
        place, turn = (np.array(part, float) for part in one.links[0].pose)
        if position is not None:
            place = np.array(position, float)
        turn = turn if rotation is None else np.array(rotation, float)
        if touch:
            place = place + up * _rise(scene, one, up, (place, turn))
        elif height is not None:
            place = place + up * (height - place @ up)
        changes += move_robot(stage, one, (place, turn))
    return changes


def select_robots(scene: Scene, pattern: str) -> list[Articulation]:
    """Return the articulations whose name or path a regular expression matches as a whole.

    Raises:
        InvalidScene: none matches.
    """
    robots = [one for one in scene.articulations if not one.free]
    if not robots:
        raise InvalidScene(file=scene.source, rule="a scene with an articulation", fix="name a file with a robot")
    try:
        found = [one for one in robots if any(re.fullmatch(pattern, name) for name in _names(one))]
    except re.error as error:
        raise InvalidScene("", "robot", pattern, f"a regular expression ({error})", "correct the expression") from None
    if not found:
        known = ", ".join(one.links[0].path for one in robots)
        raise InvalidScene("", "robot", pattern, "a regular expression that matches a robot", f"there are {known}")
    return found


def _names(robot: Articulation) -> set[str]:
    """Return the paths of a robot's root and of the prims above it, and their last elements."""
    paths = {str(prefix) for path in (robot.path, robot.links[0].path) for prefix in Sdf.Path(path).GetPrefixes()}
    return paths | {path.rpartition("/")[2] for path in paths}


def _rise(scene: Scene, robot: Articulation, up: np.ndarray, pose: tuple[np.ndarray, np.ndarray]) -> float:
    """Return the height by which a robot must rise so that its lowest collider touches the ground [m]."""
    tree = Tree(robot)
    low = lowest_of(shapes_of(tree, scene.colliders), tree.place(tree.q, pose), up)
    if low == inf:
        raise InvalidScene(
            robot.path, "height", "touch", "for a robot with colliders that collide", "give a height, or add colliders"
        )
    return (ground_height(scene, up_of(scene)) or 0.0) - low + CLEARANCE


def move_robot(stage: Usd.Stage, robot: Articulation, pose: tuple[np.ndarray, np.ndarray]) -> list[Change]:
    """Author the world pose [m] of a robot's root link; all links and anchors keep their places relative to it."""
    links = {link.path for link in robot.links}
    if any(WORLD in (joint.body0, joint.body1) for joint in robot.joints):
        raise InvalidScene(robot.path, "base", "", "that of a robot without joints to the world", "edit those joints")
    source = StageReader(stage)
    root = stage.GetPrimAtPath(robot.links[0].path)
    cache = UsdGeom.XformCache(START)
    worlds = {path: cache.GetLocalToWorldTransform(stage.GetPrimAtPath(path)) for path in links}
    goal = Gf.Matrix4d(
        Gf.Rotation(Gf.Quatd(float(pose[1][3]), *map(float, pose[1][:3]))),
        Gf.Vec3d(*(float(x) / source.metres for x in pose[0])),
    )
    shift = rigid_frame(worlds[robot.links[0].path]).GetInverse() * goal
    fixed = {str(prim.GetPath()): prim for prim in anchors(stage, links)}
    for prim in fixed.values():
        _move_anchor(prim, shift, links)
    place: Any = worlds[robot.links[0].path].ExtractTranslation()
    before = [float(x) * source.metres for x in place]
    for path in sorted(links, key=len):
        prim = stage.GetPrimAtPath(path)
        now = UsdGeom.XformCache(START).GetLocalToWorldTransform(prim)
        wanted = worlds[path] * shift
        if not Gf.IsClose(now, wanted, 1e-9):
            _set_world(prim, wanted)
    place = goal.ExtractTranslation()
    after = [float(x) * source.metres for x in place]
    changes = [Change(str(root.GetPath()), "position", before, after, "m", before, after, "m")]
    old, new = (_turn(matrix) for matrix in (worlds[robot.links[0].path], goal))
    if not np.allclose(old, new, atol=1e-9) and not np.allclose(old, -new, atol=1e-9):
        changes.append(Change(str(root.GetPath()), "rotation", [*map(float, old)], [*map(float, new)]))
    return changes


def _turn(matrix: Gf.Matrix4d) -> np.ndarray:
    """Return the rotation of a transform (x, y, z, w)."""
    turn = rigid_frame(matrix).ExtractRotationQuat().GetNormalized()
    return np.array([*turn.GetImaginary(), turn.GetReal()])


def _set_world(prim: Usd.Prim, world: Gf.Matrix4d) -> None:
    """Author the transform of a prim so that it is at a world transform."""
    if prim.IsInstanceProxy():
        raise InvalidScene(str(prim.GetPath()), rule="a prim outside instances", fix="make the instance unique first")
    form = UsdGeom.Xformable(prim)
    above = UsdGeom.XformCache(START).GetParentToWorldTransform(prim)
    local = world * (Gf.Matrix4d(1.0) if form.GetResetXformStack() else above.GetInverse())
    turn, place = rigid_frame(local), local.ExtractTranslation()
    scale = Gf.Vec3d(*(local.GetRow3(i).GetLength() for i in range(3)))
    reset = form.GetResetXformStack()
    ops = [op.GetOpName() for op in form.GetOrderedXformOps()]
    scaled = not Gf.IsClose(scale, Gf.Vec3d(1.0), 1e-9)
    wanted = ["xformOp:translate", "xformOp:orient", *["xformOp:scale"] * scaled]
    if ops[: len(wanted)] != wanted or len(ops) > 3:
        form.ClearXformOpOrder()
        form.AddTranslateOp(UsdGeom.XformOp.PrecisionDouble)
        form.AddOrientOp(_precision(prim, "xformOp:orient", UsdGeom.XformOp.PrecisionDouble))
        if len(wanted) == 3:
            form.AddScaleOp(_precision(prim, "xformOp:scale", UsdGeom.XformOp.PrecisionFloat))
        form.SetResetXformStack(reset)
    values = {"xformOp:translate": place, "xformOp:orient": turn.ExtractRotationQuat(), "xformOp:scale": scale}
    for name in wanted:
        attribute = prim.GetAttribute(name)
        attribute.Set(attribute.GetTypeName().type.pythonClass(values[name]))


def _precision(prim: Usd.Prim, name: str, default: UsdGeom.XformOp.Precision) -> UsdGeom.XformOp.Precision:
    """Return the precision of an existing op, or a default."""
    known = prim.GetAttribute(name)
    return UsdGeom.XformOp(known).GetPrecision() if known else default


def _move_anchor(prim: Usd.Prim, shift: Gf.Matrix4d, links: set[str]) -> None:
    """Move the world's end of a joint that holds a robot by a world transform."""
    source = StageReader(prim.GetStage())
    for end in (0, 1):
        targets = prim.GetRelationship(f"physics:body{end}").GetTargets()
        if targets and str(targets[0]) in links:
            continue
        place, turn = (prim.GetAttribute(f"physics:local{part}{end}") for part in ("Pos", "Rot"))
        frame = Gf.Matrix4d(Gf.Rotation(Gf.Quatd(turn.Get() or Gf.Quatf(1.0))), Gf.Vec3d(place.Get() or Gf.Vec3f(0.0)))
        holder = prim.GetStage().GetPrimAtPath(targets[0]) if targets else None
        above = source.frame(holder) if holder else Gf.Matrix4d(1.0)
        moved = frame * above * shift * above.GetInverse()
        place.Set(Gf.Vec3f(moved.ExtractTranslation()))
        turn.Set(Gf.Quatf(moved.ExtractRotationQuat().GetNormalized()))
