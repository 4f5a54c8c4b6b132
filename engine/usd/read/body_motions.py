"""Kinematic bodies and colliders of the world that their file moves by time samples."""

from collections.abc import Iterable
from itertools import pairwise
from math import ceil, inf, isfinite

import numpy as np
from pxr import Usd, UsdGeom

from ...quaternion import slerp
from ...scene import Articulation, BodyMotion, InvalidScene, Link, Pose
from ..attributes import BODY
from ..stage.stage import StageReader, schemas
from ..stage.transforms import rigid_frame
from .animation import moving_ops
from .collision_shapes import is_collider, owner_of, shapes_of
from .joint_prims import JointPrim
from .mass import read_link
from .surface_velocities import read_surface

STRAIGHT = 1e-6
"""Largest deviation [m | quaternion] from linear motion between two samples."""
MOST_SAMPLES = 10_000
"""Samples of a motion between two of the file."""


def find_kinematics(source: StageReader, edges: list[JointPrim]) -> dict[str, Usd.Prim]:
    """Return kinematic bodies by path: with a collider, and with time samples or a surface velocity.

    No joint holds them. Colliders of the world that have time samples are among them.

    Args:
        source: the reader.
        edges: all joints.
    """
    holding = {path for edge in edges for prim in edge.targets if prim for path in prim.GetPath().GetAncestorsRange()}
    found = {}
    for shape in (shape for prim in source.prims if is_collider(prim) for shape in shapes_of(prim)):
        owner = owner_of(shape.collider)
        drives = owner is not None and read_surface(source, owner) is not None
        if not moving_ops(source, shape.prim) and not drives:
            continue
        flags = source.values(owner, BODY) if owner else {"enabled": True, "kinematic": True}
        body = owner or shape.prim
        given = flags["enabled"] and flags["kinematic"] and (drives or moving_ops(source, body))
        if given and not holding & {body.GetPath(), shape.collider.GetPath()}:
            found[str(body.GetPath())] = body
    return found


def read_kinematic_body(source: StageReader, prim: Usd.Prim) -> Articulation:
    """Read a kinematic body: an articulation of one link; a moving collider of the world is its own body."""
    path = str(prim.GetPath())
    link = read_link(source, prim) if "PhysicsRigidBodyAPI" in schemas(prim) else Link(path, source.pose(prim))
    return Articulation(path, (link,), (), False, 1, 0, free=True, kinematic=True)


def read_motions(source: StageReader, paths: Iterable[str], step: float) -> tuple[BodyMotion, ...]:
    """Read the motions of kinematic bodies; `step`: time between samples where motion is not linear [s]."""
    prims = (source.prim(path) for path in paths)
    return tuple(read_motion(source, prim, step) for prim in prims if moving_ops(source, prim))


def read_motion(source: StageReader, prim: Usd.Prim, step: float) -> BodyMotion:
    """Read the motion of a body: the samples of the file, and those between where motion is not linear."""
    ops = moving_ops(source, prim)
    codes = sorted({code for op in ops for code in op.GetTimeSamples()})
    source.followed.update((str(op.GetPrimPath()), op.GetName()) for op in ops)
    times, poses = [], []
    for code, after in pairwise([*codes, codes[-1]]):
        count = ceil((after - code) / source.rate / step) if bends(source, prim, code, after) else 1
        for i in range(min(count, MOST_SAMPLES)):
            at = code + (after - code) * i / min(count, MOST_SAMPLES)
            times.append(at / source.rate)
            poses.append(pose_at(source, prim, at))
    return BodyMotion(str(prim.GetPath()), tuple(times), tuple(poses))


def bends(source: StageReader, prim: Usd.Prim, code: float, after: float) -> bool:
    """Return whether a prim leaves the line from its pose at one time code to that at another."""
    if after <= code:
        return False
    start, end = (tuple(map(np.array, pose_at(source, prim, at))) for at in (code, after))
    for share in (0.25, 0.5):
        place, turn = pose_at(source, prim, code + share * (after - code))
        off = np.abs(start[0] + share * (end[0] - start[0]) - place).max()
        q = slerp(start[1], end[1], share)
        if off > STRAIGHT or min(np.abs(q - turn).max(), np.abs(q + turn).max()) > STRAIGHT:
            return True
    return False


def pose_at(source: StageReader, prim: Usd.Prim, code: float) -> Pose:
    """Return the world frame of a prim at a time code [m].

    Raises:
        InvalidScene: it is not finite, or its scale is zero.
    """
    matrix = UsdGeom.XformCache(Usd.TimeCode(code)).GetLocalToWorldTransform(prim)
    sound = 0.0 < abs(matrix.GetDeterminant3()) < inf and all(map(isfinite, np.array(matrix).ravel().tolist()))
    if not sound:
        raise InvalidScene(
            prim.GetPath(), "xformOpOrder", f"a transform at time code {code:g}",
            "finite, and its scale not zero", "correct the time sample",
        )  # fmt: skip
    return source.rigid(rigid_frame(matrix))
