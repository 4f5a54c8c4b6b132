"""Offsets of joints that fix a base: the base keeps its pose, as in PhysX, whatever the joint's frames say."""

from math import degrees

from pxr import Gf, Usd

from ...scene import WORLD, Pose
from ..stage.diagnostic_codes import Reason
from ..stage.stage import StageReader
from .instance_expansion import copies_of
from .joint_prims import JointPrim
from .joints import read_frames

BASE_TOLERANCE = 1e-4  # [m | rad / 2] tolerance between a joint and the base that it fixes


def report_offsets(source: StageReader, edge: JointPrim) -> None:
    """Report a joint that fixes the base at another pose, and its copies: the base keeps its pose, as in PhysX."""
    end = edge.bodies.index(WORLD)
    _, frames = read_frames(source, edge)
    held, below, base = as_matrix(frames[end]), as_matrix(frames[1 - end]), edge.other(WORLD)
    offset = offset_of(held, below * as_matrix(source.pose(source.prim(base))))
    report_offset(source, edge.prim, offset)
    for copy in copies_of(source, edge.path):
        if edge.targets[end] is None:  # else the end in the world moves with the copy
            offset = offset_of(held, below * as_matrix(source.pose(source.prim(copy.renamed(base)))))
        report_offset(source, source.prim(copy.renamed(edge.path)), offset)


def offset_of(held: Gf.Matrix4d, stands: Gf.Matrix4d) -> tuple[float, float]:
    """Return distance [m] and angle [degrees] between the ends of a joint."""
    distance = (held.ExtractTranslation() - stands.ExtractTranslation()).GetLength()
    return distance, (held.GetInverse() * stands).ExtractRotation().GetAngle()


def report_offset(source: StageReader, prim: Usd.Prim, offset: tuple[float, float]) -> None:
    """Report a joint whose ends have an offset, as of `offset_of`."""
    distance, angle = offset
    if distance > BASE_TOLERANCE or angle > degrees(2.0 * BASE_TOLERANCE):
        names = ", ".join(f"physics:local{part}{end}" for end in (0, 1) for part in ("Pos", "Rot"))
        source.report(prim, names, Reason("base-offset", distance=distance, angle=angle), everywhere=False)


def as_matrix(pose: Pose) -> Gf.Matrix4d:
    """Return a rigid frame as a transform."""
    (x, y, z, w), place = pose[1], Gf.Vec3d(*pose[0])
    return Gf.Matrix4d(Gf.Rotation(Gf.Quatd(w, x, y, z)), place)
