"""Checks of the prims with tendon schemas: joints of trees and links only."""

from pxr import Usd

from ...scene import Articulation, InvalidScene
from ..attributes import ARTICULATION
from ..stage.diagnostic_codes import Reason
from ..stage.stage import StageReader, schemas
from .fixed_tendons import AXIS_API, AXIS_ROOT_API, report_instance
from .spatial_tendons import ATTACHMENT_INNER, ATTACHMENT_LEAF
from .spatial_tendons import ATTACHMENT_ROOT as ROOT_ATTACHMENT

SCHEMA_PRIMS = {  # schema: the prims to which it applies
    AXIS_ROOT_API: "joint of an articulation's tree",
    AXIS_API: "joint of an articulation's tree",
    ROOT_ATTACHMENT: "link of an articulation",
    ATTACHMENT_INNER: "link of an articulation",
    ATTACHMENT_LEAF: "link of an articulation",
}


def check_places(source: StageReader, articulations: list[Articulation]) -> None:
    """Raise InvalidScene for a tendon axis outside the joints of trees, or an attachment outside the links.

    Tendons of articulations that the file disables are reported instead.

    Raises:
        InvalidScene: a tendon schema is on another prim.
    """
    joints = {joint.path for a in articulations for joint in a.joints}
    links = {link.path for a in articulations if not a.free for link in a.links}
    off = any(switched_off(source, prim) for prim in source.prims)
    for prim in source.prims:
        path = str(prim.GetPath())
        for schema in schemas(prim):
            kind, _, name = schema.partition(":")
            if kind not in SCHEMA_PRIMS or path in (joints if kind in (AXIS_ROOT_API, AXIS_API) else links):
                continue
            if not off:
                raise InvalidScene(path, schema, rule=f"on a {SCHEMA_PRIMS[kind]}", fix="apply it to one, or remove it")
            reason = Reason("tendon-disabled-articulation", kind=SCHEMA_PRIMS[kind])
            report_instance(source, prim, name, reason)


def switched_off(source: StageReader, prim: Usd.Prim) -> bool:
    """Return whether a prim is the root of an articulation that the file disables."""
    return "PhysicsArticulationRootAPI" in schemas(prim) and not source.values(prim, ARTICULATION)["enabled"]
