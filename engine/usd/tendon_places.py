"""Where tendon schemas may stand: on joints of trees and on links, nowhere else."""

from ..scene import Articulation, InvalidScene
from .attachments import INNER, LEAF
from .attachments import ROOT as ROOT_ATTACHMENT
from .stage import Source, schemas
from .tendon_axes import AXIS, ROOT

ON_JOINTS, ON_LINKS = (ROOT, AXIS), (ROOT_ATTACHMENT, INNER, LEAF)


def check_places(source: Source, articulations: list[Articulation]) -> None:
    """Raise InvalidScene for a tendon axis on what is no joint of a tree, and for an attachment on what is no link."""
    joints = {joint.path for a in articulations for joint in a.joints}
    links = {link.path for a in articulations if not a.free for link in a.links}
    for prim in source.prims:
        path = str(prim.GetPath())
        for schema in schemas(prim):
            kind = schema.partition(":")[0]
            if kind in ON_JOINTS and path not in joints:
                raise InvalidScene(
                    f"{path}.{schema}: the prim is no joint of an articulation's tree; apply it to one, or remove it"
                )
            if kind in ON_LINKS and path not in links:
                raise InvalidScene(
                    f"{path}.{schema}: the prim is no link of an articulation; apply it to a link, or remove it"
                )
