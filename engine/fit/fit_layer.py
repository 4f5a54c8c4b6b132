"""Layer of a fit, written from plain values by the child process that opens the scene."""

from collections.abc import Mapping, Sequence
from typing import Any

from .. import author
from ..author import Change, layer_edits
from ..scene import FitRecord, FittedParameter

ENVELOPE = {
    "max_actuator_velocity": "maxActuatorVelocity",
    "velocity_dependent_resistance": "velocityDependentResistance",
    "speed_effort_gradient": "speedEffortGradient",
}
"""Attributes of PhysX's performance envelope, by quantity."""
OF_DRIVE = ("stiffness", "damping", "max_force")
"""Quantities that a drive has."""


def prepare() -> None:
    """Load what `author_values` needs."""
    layer_edits.prepare()


def author_values(
    path: str,
    output: str,
    settings: Mapping[str, Any],
    gains: Sequence[Sequence[Any]],
    owners: Sequence[Mapping[str, Any]],
    delays: Sequence[int],
    joints: Sequence[str],
    record: Mapping[str, Any],
    root: str,
) -> list[Any]:
    """Write the layer of a fit over a scene; return the changes for JSON.

    Args:
        path: the scene.
        output: the layer.
        settings: arguments of `author.scene`.
        gains: (joint, axis, stiffness, damping) of each drive that the fit has and the scene has not.
        owners: per degree of freedom or link: `owner`; `values` by quantity; `names` of the parameters by quantity;
            `friction` (static, dynamic) of a degree of freedom; values of the `body` of a link, by attribute.
        delays: fitted delays of the commands [steps].
        joints: paths of the joints of the logs, which have these delays.
        record: fields of a `FitRecord`.
        root: folder that must contain all layers.

    Raises:
        InvalidScene, OutputError: as of `fajin.author.layer`.
    """
    layer_edits.read_all(path, [], root)
    changes: list[Change] = []
    written: dict[str, list[str]] = {}
    with author.layer(path, output, trusted=True) as stage:
        for name, value in settings.items():
            changes += author.scene(stage, **{name: value})
        for joint, axis, stiffness, damping in gains:
            changes += author.drive(stage.GetPrimAtPath(joint), stiffness=stiffness, damping=damping, axis=axis)
        for entry in owners:
            done = _of_owner(stage, **{key: value for key, value in entry.items() if key != "names"})
            for change in (change for some in done.values() for change in some):
                changes += [change] if change not in changes else []
            for quantity, name in entry["names"].items():
                attributes = [change.attribute for change in done.get(quantity, ())]
                written[name] = [attribute for attribute in attributes if ":" in attribute]
        for steps in delays:
            changes += author.delay(stage, steps, joints)
        author.fit_record(stage, _record(**record), written)
    return layer_edits.plain_changes(changes)


def _record(parameters: Sequence[Mapping[str, Any]], **fields: Any) -> FitRecord:
    return FitRecord(parameters=tuple(FittedParameter(**parameter) for parameter in parameters), **fields)


def _of_owner(
    stage: Any,
    owner: str,
    values: Mapping[str, float],
    friction: Sequence[float | None] = (None, None),
    body: Mapping[str, Any] | None = None,
) -> dict[str, list[Change]]:
    """Author the values of one degree of freedom or link; return the changes by quantity."""
    if not owner:
        return {}
    if body is not None:
        return _body(stage.GetPrimAtPath(owner), values, body)
    path, _, token = owner.rpartition(":")
    prim, at = stage.GetPrimAtPath(path), {"axis": token}
    done: dict[str, list[Change]] = {}
    if "armature" in values:
        done["armature"] = author.armature(prim, values["armature"], **at)
    if {"coulomb", "static_ratio", "viscous"} & set(values):
        static, dynamic = friction
        done["coulomb"] = author.friction(prim, static=static, dynamic=dynamic, viscous=values.get("viscous"), **at)
        done["viscous"] = [c for c in done["coulomb"] if "iscous" in c.attribute or c.attribute == "newton:damping"]
        done["coulomb"] = [c for c in done["coulomb"] if c not in done["viscous"]]
        done["static_ratio"] = [c for c in done["coulomb"] if "static" in c.attribute]
    for quantity in OF_DRIVE:
        if quantity in values:
            done[quantity] = author.drive(prim, **{quantity: values[quantity]}, **at)  # pyright: ignore[reportArgumentType]
    for quantity, name in ENVELOPE.items():
        if quantity in values:
            instance = author.select(stage, owner.replace(".", r"\."))[0].instance
            attribute = f"physxDrivePerformanceEnvelope:{instance}:{name}"
            done[quantity] = author.attribute(prim, attribute, values[quantity])
    return done


def _body(prim: Any, values: Mapping[str, float], body: Mapping[str, Any]) -> dict[str, list[Change]]:
    """Author mass, centre of mass and inertia of a link; return the changes by quantity."""
    changes = [change for name, value in body.items() for change in author.attribute(prim, name, value)]
    masses = [change for change in changes if change.attribute == "physics:mass"]
    rest = [change for change in changes if change not in masses]
    return {**{name: masses for name in ("mass", "payload") if name in values}, "body": masses + rest}
