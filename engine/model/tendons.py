"""Tables of tendons: the axes of fixed tendons, the strands and segments of spatial tendons."""

import numpy as np

from ..scene import Articulation, Attachment, FixedTendon, InvalidScene, SpatialTendon
from ..tables.topology import NODE
from .builder import Builder
from .maximal_joints import add_side


def add_tendons(b: Builder, articulation: Articulation) -> dict[str, int]:
    """Append the tendons of one articulation, spatial tendons first; return the words with their indices.

    Raises:
        InvalidScene: an axis or a link does not exist, an axis is not connected to the others, or segments form a loop.
    """
    first = len(b.tables["TENDONS"])
    for tendon in articulation.spatial_tendons:
        _add_spatial(b, tendon)
    for tendon in articulation.fixed_tendons:
        _add_fixed(b, articulation, tendon)
    return {"TENDON": first, "TENDON_END": len(b.tables["TENDONS"])}


def _add_tendon(b: Builder, tendon: FixedTendon | SpatialTendon) -> int:
    """Append a tendon's own parameters; return its index among all tendons."""
    for name in ("stiffness", "damping", "limit_stiffness", "offset"):
        b.rows[f"TENDON_{name.upper()}"].append(getattr(tendon, name))
    return len(b.rows["TENDON_STIFFNESS"]) - 1


def _add_end(b: Builder, name: str, lengths: FixedTendon | Attachment, **words: int) -> None:
    """Append a tendon end with its lengths."""
    b.branch.append(name)
    rest, lower, upper = lengths.rest_length, lengths.lower, lengths.upper
    for name, value in (("TENDON_REST_LENGTH", rest), ("TENDON_LOWER", lower), ("TENDON_UPPER", upper)):
        b.rows[name].append(value)
    b.add("TENDONS", STRAND_END=len(b.tables["STRANDS"]), **words)


def _add_strand(b: Builder, node: int, words: dict[str, int], gearing: float, force: float) -> int:
    """Append a strand that pulls the link of a node; return its index."""
    b.rows["TENDON_GEARING"].append(gearing)
    b.rows["FORCE_COEFFICIENT"].append(force)
    return b.add("STRANDS", SIDE=add_side(b, node), **words)


def _add_fixed(b: Builder, articulation: Articulation, tendon: FixedTendon) -> None:
    """Append a fixed tendon. PhysX measures its joint positions from parent to child, whichever link is body 1."""
    first = len(b.tables["STRANDS"])
    body0 = {joint.path: joint.body0 for joint in articulation.joints}
    node_of = {b.dof[node[NODE["DOF"]]]: k for k, node in enumerate(b.nodes) if node[NODE["DOF"]] >= 0}
    strands: dict[int, int] = {}
    start, lead = -1, 1.0  # of the first axis
    for axis in tendon.axes:
        if axis.dof not in node_of:
            raise InvalidScene(tendon.path, "axes", axis.dof, "a degree of freedom of the articulation", "name another")
        node = node_of[axis.dof]
        carrier, base = b.nodes[node][NODE["LAST"]], b.nodes[node][NODE["PARENT_LAST"]]
        sense = -1.0 if body0[axis.dof.rpartition(":")[0]] == b.links[b.nodes[carrier][NODE["LINK"]]].path else 1.0
        if not strands:
            start, lead = base, sense
        elif base not in strands and base != start:
            raise InvalidScene(tendon.path, "axes", axis.dof, "beside another joint of the tendon", "leave no gap")
        words = {"NODE": node, "PREVIOUS": strands.get(base, -1), "REVERSED": int(sense != lead)}
        gearing, force = sense * axis.gearing, sense * axis.force_coefficient
        strands[carrier] = _add_strand(b, carrier, words, gearing, force)
    words = {
        "SPATIAL": 0,
        "TENDON": _add_tendon(b, tendon),
        "START": add_side(b, start),
        "SEGMENT": 0,
        "SEGMENT_END": 0,
    }
    _add_end(b, tendon.path, tendon, STRAND=first, **words)


def _add_spatial(b: Builder, tendon: SpatialTendon) -> None:
    first, index = len(b.tables["ATTACHMENTS"]), _add_tendon(b, tendon)
    nodes = []
    for i, attachment in enumerate(tendon.attachments):
        if attachment.link not in b.carriers:
            raise InvalidScene(
                tendon.path, "attachments", attachment.link, "a link of the articulation", "name another"
            )
        if (attachment.parent < 0) != (i == 0) or attachment.parent >= i:
            raise InvalidScene(
                tendon.path, f"attachments[{i}].parent", attachment.parent, "an attachment before it", "reorder them"
            )
        nodes.append(b.carriers[attachment.link])
        link = b.nodes[nodes[-1]][NODE["LINK"]]
        b.add("ATTACHMENTS", LINK=link)
        b.rows["ATTACHMENT"].extend(np.subtract(attachment.position, b.links[link].com))
    leaves = [i for i, attachment in enumerate(tendon.attachments) if attachment.leaf]
    for i in leaves:
        leaf = tendon.attachments[i]
        start, course = len(b.tables["SEGMENTS"]), [i]
        while course[-1]:
            course.append(tendon.attachments[course[-1]].parent)
        for near, far in zip(course[:0:-1], course[-2::-1], strict=True):
            b.add("SEGMENTS", NEAR=first + near, FAR=first + far)
            b.rows["SEGMENT_GEARING"].append(tendon.attachments[far].gearing)
        strand = _add_strand(b, nodes[i], {"NODE": -1, "PREVIOUS": -1, "REVERSED": 0}, 1.0, 1.0)
        words = {"SPATIAL": 1, "TENDON": index, "START": add_side(b, nodes[0]), "STRAND": strand}
        name = tendon.path if len(leaves) == 1 else f"{tendon.path}:{leaves.index(i)}"
        _add_end(b, name, leaf, SEGMENT=start, SEGMENT_END=len(b.tables["SEGMENTS"]), **words)
