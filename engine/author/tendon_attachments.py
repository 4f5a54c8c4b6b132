"""Attachments of a spatial tendon as authored in a file."""

from collections.abc import Iterator

from pxr import Usd

from ..usd.read.spatial_tendons import ATTACHMENT_INNER, ATTACHMENT_LEAF
from ..usd.stage.stage import StageReader, instances

Place = tuple[Usd.Prim, str]  # a link or joint, and a schema instance on it


def tendon_attachments(root: Usd.Prim, name: str) -> list[Place]:
    """Return the attachments of the spatial tendon with this name and root link; each after its parent."""
    stage, found = root.GetStage(), [(root, name)]
    source = StageReader(stage)
    others = list(places(stage, ATTACHMENT_INNER, ATTACHMENT_LEAF))
    for prim, instance in found:  # grows during the loop
        here = str(prim.GetPath()), instance
        found += [place for place in others if parent(source, *place) == here and place not in found]
    return found


def parent(source: StageReader, prim: Usd.Prim, instance: str) -> tuple[str, str]:
    """Return path and instance of the parent attachment."""
    head = f"physxTendon:{instance}:parent"
    return str(source.target(prim, f"{head}Link")), source.token(prim, f"{head}Attachment")


def places(stage: Usd.Stage, *kinds: str) -> Iterator[Place]:
    """Yield prims and instances with schemas of these kinds."""
    for prim in stage.Traverse(Usd.TraverseInstanceProxies()):
        for kind in kinds:
            yield from ((prim, instance) for instance in instances(prim, kind))
