"""Spatial tendons: springs along lines through points of links."""

from collections.abc import Sequence

import numpy as np
from pxr import Usd

from ..quaternion import conjugate, rotate
from ..scene import InvalidScene
from ..usd.attributes import ATTACHMENT, LENGTHS, TENDON
from ..usd.read.mass import NO_TURN, mass_frame, read_link
from ..usd.read.spatial_tendons import ATTACHMENT_INNER, ATTACHMENT_LEAF, ATTACHMENT_ROOT
from ..usd.stage.stage import StageReader, schemas
from .attribute_writer import AttributeWriter
from .change import Change
from .remove import erase
from .tendon import check_tendon
from .tendon_attachments import Place, tendon_attachments

Point = tuple[Usd.Prim, Sequence[float]]
ROWS = {ATTACHMENT_ROOT: (*ATTACHMENT, *TENDON), ATTACHMENT_INNER: ATTACHMENT, ATTACHMENT_LEAF: (*ATTACHMENT, *LENGTHS)}


def spatial_tendon(  # one parameter an attribute
    points: Sequence[Point],
    name: str,
    *,
    gearing: Sequence[float] | None = None,
    stiffness: float | None = None,
    damping: float | None = None,
    limit_stiffness: float | None = None,
    rest_length: float | None = None,
    offset: float | None = None,
    lower: float | None = None,
    upper: float | None = None,
    enabled: bool | None = None,
) -> list[Change]:
    """Author a tendon through points; l = Σ gearing |segment| + offset, F = -stiffness (l - rest_length) - damping l̇.

    Args:
        points: links and points in their frames [m], from one end to the other; at least two.
        name: of the tendon: letters, digits and _.
        gearing: of each segment, one fewer than points; default 1.
        stiffness: [N/m].
        damping: [N·s/m].
        limit_stiffness: [N/m], acts beyond lower and upper.
        rest_length: [m]; if it was never authored, the length between the prims in their authored poses.
        offset: [m].
        lower: [m].
        upper: [m].
        enabled: True if the tendon is simulated.

    Raises:
        InvalidScene: fewer than two points, a prim is not a rigid body, or a value breaks its rule.
    """
    check_tendon(name, rest_length, (lower, upper))
    pieces = [None, *(gearing or [None] * (len(points) - 1))]
    if len(points) < 2 or len(pieces) != len(points):
        raise InvalidScene(
            f"tendon {name}",
            "gearing",
            f"{len(pieces) - 1} numbers",
            f"one for each segment of {len(points)} points, of which it needs two",
            "give one per segment",
        )
    whole = {"stiffness": stiffness, "damping": damping, "limit_stiffness": limit_stiffness, "offset": offset}
    whole |= {"rest_length": rest_length, "lower": lower, "upper": upper, "enabled": enabled}
    names = [name, *(f"{name}_{i}" for i in range(1, len(points)))]
    pens = [AttributeWriter(prim, instance=instance) for (prim, _), instance in zip(points, names, strict=True)]
    kinds = [ATTACHMENT_ROOT, *[ATTACHMENT_INNER] * (len(points) - 2), ATTACHMENT_LEAF]
    places = [in_mass_frame(prim, point) for prim, point in points]
    said = [{"position": place, "gearing": piece, **whole} for place, piece in zip(places, pieces, strict=True)]
    for pen, kind, values in zip(pens, kinds, said, strict=True):
        pen.check_all(ROWS[kind], values)
    changes = cleared([(pen.prim, instance) for pen, instance in zip(pens, names, strict=True)], kinds)
    for i, (pen, kind, values) in enumerate(zip(pens, kinds, said, strict=True)):
        changes += pen.write(ROWS[kind], values, f"{kind}:{names[i]}")
        if i:
            changes.append(pen.relate(f"physxTendon:{names[i]}:parentLink", [pens[i - 1].prim]))
            changes.append(pen.point(f"physxTendon:{names[i]}:parentAttachment", names[i - 1]))
    return changes


def cleared(points: list[Place], kinds: list[str]) -> list[Change]:
    """Remove attachments that a tendon with this root had before and no longer has, or no longer has in this kind."""
    wanted, changes = dict(zip(points, kinds, strict=True)), []
    for prim, instance in dict.fromkeys([*tendon_attachments(*points[0]), *points]):
        kind = wanted.get((prim, instance))
        stays = f"{kind}:{instance}" in schemas(prim)
        others = [f"{other}:{instance}" for other in ROWS if other != kind]
        changes += erase(prim, others, [] if stays else [f"physxTendon:{instance}:*"])
    return changes


def in_mass_frame(prim: Usd.Prim, point: Sequence[float]) -> tuple[float, ...]:
    """Return a point of a link in PhysX's coordinates: along the principal axes, from the centre of mass [m]."""
    if "PhysicsRigidBodyAPI" not in schemas(prim):
        raise InvalidScene(prim.GetPath(), rule="a rigid body, as a spatial tendon runs through links", fix="name one")
    source = StageReader(prim.GetStage())
    from_com = np.array(point, dtype=float) - np.array(read_link(source, prim).com)
    turned = rotate(conjugate(np.array(mass_frame(source, prim) or NO_TURN)), from_com)
    return tuple(float(x) for x in turned / source.scale_of(prim))
