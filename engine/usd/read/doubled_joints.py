"""Joints between the same two bodies of a tree: the effective joints and the redundant joints."""

from ...joint_stacking import independent
from ...scene import Joint, physx_sort_key
from ..stage.diagnostic_codes import Reason
from ..stage.stage import StageReader
from .joint_prims import JointPrim
from .joints import read_joint


def read_joints(source: StageReader, edges: list[JointPrim]) -> tuple[list[JointPrim], tuple[Joint, ...]]:
    """Return the effective joints of a tree, in stage order, and their prims; report the redundant joints.

    Joints between the same two bodies are sorted by type and path, as in PhysX. The first joint is kept, and each
    further joint that adds an independent motion. A joint without axes fixes the bodies together and comes first.
    """
    joints = [read_joint(source, edge) for edge in edges]
    kept: dict[frozenset, list[Joint]] = {}
    for joint in sorted(joints, key=lambda joint: (bool(joint.axes), physx_sort_key(joint))):
        others = kept.setdefault(frozenset((joint.body0, joint.body1)), [])
        if all(independent([*others, joint], body) for body in (joint.body0, joint.body1)):
            others.append(joint)
            continue
        code = "joint-doubled" if others[0].axes else "joint-beside-fixed"
        source.report(joint.path, "", Reason(code, related=others[0].path))
    acting = {joint.path for others in kept.values() for joint in others}
    pairs = [(edge, joint) for edge, joint in zip(edges, joints, strict=True) if joint.path in acting]
    return [edge for edge, _ in pairs], tuple(joint for _, joint in pairs)
