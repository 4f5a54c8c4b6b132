"""What a spatial tendon runs through, as it stands in a file."""

from collections.abc import Iterator

from pxr import Usd

from ..usd.spatial_tendons import ATTACHMENT_INNER, ATTACHMENT_LEAF
from ..usd.stage import StageReader, instances

Place = tuple[Usd.Prim, str]  # a link or joint, and the instance of the schemas there


def tendon_attachments(root: Usd.Prim, name: str) -> list[Place]:
    """The attachments of the spatial tendon of that name that begins at a link; those behind others after them."""
    stage, found = root.GetStage(), [(root, name)]
    source = StageReader(stage)
    others = list(places(stage, ATTACHMENT_INNER, ATTACHMENT_LEAF))
    for prim, instance in found:  # grows
        here = str(prim.GetPath()), instance
        found += [place for place in others if parent(source, *place) == here and place not in found]
    return found


def parent(source: StageReader, prim: Usd.Prim, instance: str) -> tuple[str, str]:
    """Path and instance of the attachment before another."""
    head = f"physxTendon:{instance}:parent"
    return str(source.target(prim, f"{head}Link")), source.token(prim, f"{head}Attachment")


def places(stage: Usd.Stage, *kinds: str) -> Iterator[Place]:
    """Where schemas of these kinds are applied."""
    for prim in stage.Traverse(Usd.TraverseInstanceProxies()):
        for kind in kinds:
            yield from ((prim, instance) for instance in instances(prim, kind))
