"""Spatial tendons: springs along lines through points of links, from PhysxTendonAttachment schemas on bodies."""

from dataclasses import dataclass, replace
from math import hypot
from typing import Any

import numpy as np
from pxr import Usd

from ...quaternion import rotate
from ...scene import Attachment, InvalidScene, Joint, Link, SpatialTendon
from ..attributes import ATTACHMENT, LENGTHS, TENDON
from ..attributes.kinds import quoted
from ..stage.diagnostic_codes import Reason
from ..stage.stage import StageReader, instances
from .fixed_tendons import check_lengths, descent, report_idle_limit, report_instance
from .mass import NO_TURN, mass_frame

ATTACHMENT_ROOT, ATTACHMENT_INNER, ATTACHMENT_LEAF = (
    f"PhysxTendonAttachment{kind}API" for kind in ("Root", "", "Leaf")
)


@dataclass(frozen=True)
class Point:
    """One attachment schema on a link."""

    prim: Usd.Prim
    link: Link
    schema: str  # ROOT | INNER | LEAF
    name: str  # schema instance

    @property
    def place(self) -> str:
        """Return the name of the attachment: link and instance."""
        return f"{self.link.path}:{self.name}"

    def error(self, attribute: str, value: Any, rule: str, fix: str) -> InvalidScene:
        """Return an error about one of its attributes."""
        return InvalidScene(self.link.path, f"physxTendon:{self.name}:{attribute}", quoted(value), rule, fix)


def read_spatial_tendons(
    source: StageReader, root: str, links: list[Link], joints: tuple[Joint, ...]
) -> tuple[SpatialTendon, ...]:
    """Read the spatial tendons of an articulation; PhysX visits its links, breadth first, from the last to the first.

    Raises:
        InvalidScene: a parent is missing, unknown or a leaf, or attachments form a ring.
    """
    order = {path: i for i, path in enumerate([root, *(child for _, _, child in descent(root, joints))])}
    points = find_points(source, sorted(links, key=lambda link: order[link.path], reverse=True))
    parents = {place: find_parent(source, point, points) for place, point in points.items()}
    for place in points:
        check_attachment_ring(points, parents, place)
    roots = [point for point in points.values() if point.schema == ATTACHMENT_ROOT]
    tendons = (read_spatial_tendon(source, root, points, parents) for root in roots)
    return tuple(tendon for tendon in tendons if tendon)


def find_points(source: StageReader, links: list[Link]) -> dict[str, Point]:
    """Return attachments by place, link by link, in name order on each link.

    If several schemas have one name, the root takes precedence over the leaf, and both over the attachment included in
    them.
    """
    points = {}
    for link in links:
        prim = source.prim(link.path)
        here = [
            Point(prim, link, schema, n)
            for schema in (ATTACHMENT_INNER, ATTACHMENT_LEAF, ATTACHMENT_ROOT)
            for n in instances(prim, schema)
        ]
        for point in sorted(here, key=lambda point: point.name):
            weaker = points.get(point.place)
            if weaker and weaker.schema == ATTACHMENT_LEAF:
                reason = Reason("attachment-overridden", related=f"{ATTACHMENT_ROOT}:{point.name}")
                source.report(prim, f"{ATTACHMENT_LEAF}:{point.name}", reason)
            points[point.place] = point
    return points


def find_parent(source: StageReader, point: Point, points: dict[str, Point]) -> str | None:
    """Return the place of an attachment's parent; None for a root."""
    if point.schema == ATTACHMENT_ROOT:
        return None
    head = f"physxTendon:{point.name}:"
    target = source.target(point.prim, f"{head}parentLink")
    name = source.token(point.prim, f"{head}parentAttachment")
    if target is None:
        raise point.error("parentLink", "none", "a link, as only a root has no parent", "name the parent's link")
    if str(target) not in {other.link.path for other in points.values()}:
        raise point.error(
            "parentLink", target, "a link of the same articulation with an attachment", "name such a link"
        )
    parent = points.get(f"{target}:{name}")
    if parent is None:
        there = ", ".join(other.name for other in points.values() if other.link.path == str(target))
        raise point.error("parentAttachment", name, f"an attachment of {target}", f"name one of {there}")
    if parent.schema == ATTACHMENT_LEAF:
        raise point.error("parentAttachment", name, "no leaf, where a tendon ends", "name another attachment")
    return parent.place


def check_attachment_ring(points: dict[str, Point], parents: dict[str, str | None], place: str) -> None:
    """Raise InvalidScene if the parents of an attachment form a ring."""
    seen: set[str] = set()
    at: str | None = place
    while at is not None:
        if at in seen:
            point = points[place]
            name = (parents[place] or "").rpartition(":")[2]
            raise point.error(
                "parentAttachment",
                name,
                "an attachment that does not close a ring",
                f"make one of them a {ATTACHMENT_ROOT} or attach one to it",
            )
        seen.add(at)
        at = parents[at]


def read_spatial_tendon(
    source: StageReader, root: Point, points: dict[str, Point], parents: dict[str, str | None]
) -> SpatialTendon | None:
    """Read the tendon of a root; None if it is disabled or has no leaf."""
    attachments, places = [read_root(source, root)], [root.place]
    for index, place in enumerate(places):  # grows during the loop
        for point in points.values():
            if parents[point.place] == place:
                places.append(point.place)
                attachments.append(read_attachment(source, point, index))
    values = source.values(root.prim, TENDON, root.name)
    if not values.pop("enabled"):
        attribute = f"physxTendon:{root.name}:tendonEnabled"
        source.report(root.prim, attribute, Reason("tendon-disabled"), False)
        return None
    report_dead_ends(source, [points[place] for place in places], parents)
    attachments = at_rest(attachments, [drawn(source, points[place]) for place in places])
    leaves = [attachment for attachment in attachments if attachment.leaf]
    report_idle_limit(source, root.prim, root.name, values["limit_stiffness"], leaves)
    return SpatialTendon(root.place, tuple(attachments), **values) if leaves else None


def report_dead_ends(source: StageReader, points: list[Point], parents: dict[str, str | None]) -> None:
    """Report attachments without a leaf below them."""
    alive = set()
    for point in points:
        at = point.place if point.schema == ATTACHMENT_LEAF else None
        while at is not None:
            alive.add(at)
            at = parents[at]
    for point in points:
        if point.place not in alive:
            reason = Reason("attachment-without-leaf", related=ATTACHMENT_LEAF)
            report_instance(source, point.prim, point.name, reason)


def read_root(source: StageReader, root: Point) -> Attachment:
    """Read the attachment of a root; PhysX uses a gearing of 1."""
    values = source.values(root.prim, ATTACHMENT, root.name)
    if values["gearing"] != 1.0:
        attribute = f"physxTendon:{root.name}:gearing"
        source.report(root.prim, attribute, Reason("attachment-root-gearing"), values["gearing"])
    return Attachment(root.link.path, position(source, root, values["position"]))


def read_attachment(source: StageReader, point: Point, parent: int) -> Attachment:
    """Read an attachment with a parent."""
    values = source.values(point.prim, ATTACHMENT, point.name)
    attachment = Attachment(point.link.path, position(source, point, values["position"]), parent, values["gearing"])
    if point.schema != ATTACHMENT_LEAF:
        return attachment
    lengths = source.values(point.prim, LENGTHS, point.name)
    check_lengths(source, point.prim, point.name, lengths)
    lengths["rest_length"] = max(-1.0, lengths["rest_length"])
    return replace(attachment, leaf=True, **lengths)


def drawn(source: StageReader, point: Point) -> np.ndarray:
    """Return the world position of an attachment, with localPos interpreted in the prim frame [m]."""
    local = np.array(source.values(point.prim, ATTACHMENT, point.name)["position"])
    place, turn = point.link.pose
    return np.array(place) + rotate(np.array(turn), local * source.scale_of(point.prim))


def at_rest(attachments: list[Attachment], points: list[np.ndarray]) -> list[Attachment]:
    """Return the attachments; leaves without a rest length get the length between the prims in the file, as in PhysX.

    PhysX measures this length between points of the links, not of their mass frames, at the poses of the prims, not the
    joints.
    """
    lengths = [0.0]
    for attachment, point in zip(attachments[1:], points[1:], strict=True):
        piece = hypot(*(points[attachment.parent] - point))
        lengths.append(lengths[attachment.parent] + attachment.gearing * piece)
    pairs = zip(attachments, lengths, strict=True)
    return [replace(a, rest_length=length) if a.leaf and a.rest_length < 0.0 else a for a, length in pairs]


def position(source: StageReader, point: Point, local: tuple[float, ...]) -> tuple[float, float, float]:
    """Return a point in the link frame [m] from PhysX's authored coordinates.

    PhysX interprets localPos in the mass frame, despite the name: along the principal axes, from the centre of mass.
    """
    scaled = np.array(local) * source.scale_of(point.prim)
    axes = mass_frame(source, point.prim)
    if axes is None:
        source.report(point.prim, f"physxTendon:{point.name}:localPos", Reason("attachment-axes"), local)
    turned = rotate(np.array(axes or NO_TURN), scaled)
    x, y, z = map(float, np.array(point.link.com) + turned)
    return x, y, z
