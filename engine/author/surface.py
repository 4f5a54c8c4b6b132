"""Surfaces of rigid bodies: velocities as of belts and turntables, the slop of contacts, contacts found ahead."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from pxr import Usd

from ..scene import InvalidScene
from ..usd.attributes import BODY_CONTACT, FREE_BODY, SURFACE
from ..usd.read.surface_velocities import SURFACE_SCHEMA
from ..usd.stage.stage import StageReader, schemas
from .attribute_writer import AttributeWriter
from .change import Change


def surface(
    prim: Usd.Prim,
    *,
    linear: Sequence[float] | None = None,
    angular: Sequence[float] | None = None,
    local: bool | None = None,
    contact_slop: float | None = None,
    speculative_ccd: bool | None = None,
) -> list[Change]:
    """Author how a rigid body touches others: the velocity of its surface, its contact slop, contacts found ahead.

    Args:
        prim: a rigid body on an open stage.
        linear: velocity of the surface [m/s]; in local space the file gets it without the scale of the prim.
        angular: angular velocity about the origin of the body [rad/s].
        local: True for velocities in axes of the body, PhysX's default; False for axes of the world.
        contact_slop: length below which lever arms of contacts do not count [m].
        speculative_ccd: whether contacts are found as far ahead as the body may move in a step.

    Raises:
        InvalidScene: the prim is not a rigid body, or a value breaks its rule.
    """
    if "PhysicsRigidBodyAPI" not in schemas(prim):
        raise InvalidScene(
            str(prim.GetPath()),
            "PhysicsRigidBodyAPI",
            "none",
            "a rigid body",
            "apply it; a static surface has no velocity",
        )
    pen = AttributeWriter(prim)
    values: dict[str, Any] = {"linear": linear, "angular": angular, "local": local}
    pen.check_all(SURFACE, values)
    pen.check_all(BODY_CONTACT, {"contact_slop": contact_slop})
    if linear is not None and (pen.values(SURFACE)["local"] if local is None else local):
        scale = StageReader(prim.GetStage()).scale_of(prim)
        values["linear"] = tuple((np.array(linear) / scale).tolist())
    moves = any(value is not None for value in values.values())
    changes = pen.write(SURFACE, values, SURFACE_SCHEMA) if moves else []
    changes += pen.write(BODY_CONTACT, {"contact_slop": contact_slop})
    return changes + pen.write(FREE_BODY, {"speculative_ccd": speculative_ccd})
