"""Contact and rest offsets of colliders, authored or PhysX's defaults."""

from collections.abc import Sequence
from math import hypot, isfinite
from typing import Any

import numpy as np
from pxr import Usd

from ...scene import ShapeKind
from ..attributes import SCENE
from ..stage.stage import StageReader

PLANE_OFFSET = 0.02  # [m] default contact offset of a plane
SHARE_OF_SIZE = np.float32(0.02)  # of the smallest side of a shape's box
LEAST_GRAVITY = 1.0  # [stage units/s²]
CORRECTION = 1e-4  # [stage units] added where an authored contact offset does not exceed the rest offset
RATE = next(row for row in SCENE if row.name == "physxScene:timeStepsPerSecond")
"""Row of the rate that offsets depend on; that of Newton decides on the time step alone."""


def contact_offsets(
    source: StageReader, shape: dict[str, Any], values: dict[str, Any], settings: dict[str, Any]
) -> tuple[float, float]:
    """Return contact and rest offset of a shape [m].

        contact = max(2 max(g, 1) / rate², 0.02 smallest side) + max(rest, 0)    unless authored

    Args:
        source: the reader.
        shape: fields of the `Collider`.
        values: attributes of the collider: contact_offset, rest_offset, margin, gap [m].
        settings: gravity [m/s²] and offset_rate [1/s] of the scene.
    """
    margin = values["margin"] if isfinite(values["margin"]) else 0.0
    rest = values["rest_offset"] if isfinite(values["rest_offset"]) else margin
    contact = values["contact_offset"]
    if contact < 0.0 and values["gap"] >= 0.0:
        contact = values["gap"] + margin
    if contact < 0.0:
        return default_offset(source, shape, settings) + max(rest, 0.0), rest
    if contact <= rest:
        contact = contact + rest + CORRECTION * source.metres
    return contact, rest


def rate_of_offsets(source: StageReader, scenes: Sequence[Usd.Prim]) -> float:
    """Return the steps per second [1/s] that default contact offsets depend on; `scenes`: those of the stage."""
    value = source.held(scenes[0], RATE.name) if scenes else None
    return float(value) if isinstance(value, int | float) and value > 0 else RATE.default


def default_offset(source: StageReader, shape: dict[str, Any], settings: dict[str, Any]) -> float:
    """Return PhysX's contact offset of a shape without a rest offset [m]."""
    if shape["kind"] is ShapeKind.PLANE:
        return PLANE_OFFSET
    gravity = max(hypot(*settings["gravity"]), LEAST_GRAVITY * source.metres)
    share = np.float32(smallest_side(shape) / source.metres) * SHARE_OF_SIZE  # rounded where PhysX rounds
    return max(2.0 * gravity / settings["offset_rate"] ** 2, float(share) * source.metres)


def smallest_side(shape: dict[str, Any]) -> float:
    """Return the smallest side of the box around a shape, along its axes [m]."""
    kind = shape["kind"]
    if kind is ShapeKind.BOX:
        return 2.0 * min(shape["half_extents"])
    if kind in (ShapeKind.CYLINDER, ShapeKind.CONE):
        return 2.0 * min(shape["radius"], shape["half_height"])
    if kind in (ShapeKind.SPHERE, ShapeKind.CAPSULE):
        return 2.0 * shape["radius"]
    return float(np.ptp(np.array(shape["points"]), axis=0).min())
