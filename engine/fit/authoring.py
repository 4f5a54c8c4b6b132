"""Authoring of a fit: a layer over the scene with the fitted values, their intervals, and the step they belong to."""

from collections.abc import Mapping
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..log_cholesky import SHAPE, inertia_of, matrix_of, shape_of
from ..model.model import compile
from ..scene import FitRecord, FittedParameter, InvalidScene, Link, Scene
from ..scene_file import read
from .link_inertia import CENTRE
from .parameters import OF_LINK
from .result import Fit, FittedValue, rms_of

if TYPE_CHECKING:
    from ..author import Change

UNWRITTEN = ("delay", "bias")
"""Quantities without an attribute of a joint; they are in the record of the layer. Newton's actuators have a delay."""


def author_fit(fit: Fit, scene: str | Path, output: str | Path) -> "list[Change]":
    """Write the fitted values to a layer over the scene; return the changes.

    The layer has the gains, step and solver of the fit where they differ from the scene's.

    Raises:
        InvalidScene, OutputError: as of `fajin.author.layer`.
    """
    from ..author.confined_edits import changes_of, write_layer

    return changes_of(write_layer(f"{__package__}.fit_layer:author_values", scene, output, edits_of(fit, scene)))


def edits_of(fit: Fit, scene: str | Path) -> dict[str, Any]:
    """Return what the layer of a fit over a scene contains, as values for JSON: the arguments of `author_values`."""
    owners = []
    for owner in dict.fromkeys(_owner(fit, one) for one in fit.values):
        of_owner = [one for one in fit.values if _owner(fit, one) == owner]
        values = {one.parameter.quantity: float(one.value) for one in of_owner}
        for column, value in _fixed(fit, owner).items():
            values.setdefault(column, float(value))
        entry = {"owner": owner, "names": {one.parameter.quantity: one.name for one in of_owner}, "values": values}
        if owner and set(OF_LINK) & set(values):
            entry["body"] = _body(fit, owner, values)
        elif owner:
            entry["friction"] = friction_of(fit, owner, values)
        owners.append(entry)
    delays = [max(0, round(one.value / fit.scene.dt)) for one in fit.values if one.parameter.quantity == "delay"]
    joints = sorted({name.rpartition(":")[0] for error in fit.errors for name in error.log.dof})
    settings, gains = _settings(fit, read(scene))
    return {
        "settings": settings,
        "gains": gains,
        "owners": owners,
        "delays": delays,
        "joints": joints,
        "record": asdict(record_of(fit)),
    }


def _owner(fit: Fit, one: FittedValue) -> str:
    """Return the degree of freedom or link of a parameter; "" for the log."""
    p = one.parameter
    if p.column < 0:
        return ""
    model = compile(fit.scene)
    return [link for link in model.link if link][p.column] if p.quantity in OF_LINK else model.dof[p.column]


def _fixed(fit: Fit, owner: str) -> dict[str, float]:
    """Return the fixed quantities of a degree of freedom."""
    return {quantity: values[owner] for quantity, values in fit.fixed.items() if owner in values}


def _settings(fit: Fit, before: Scene) -> tuple[dict[str, Any], list[Any]]:
    """Return step, solver and iterations of the fit that the scene does not have, and gains by joint and axis."""
    settings: dict[str, Any] = {}
    if abs(fit.scene.dt - before.dt) > 1e-9 * before.dt:
        settings["dt"] = fit.scene.dt
    if fit.scene.solver != before.solver:
        settings["solver"] = fit.scene.solver.name
    for name in ("position_iterations", "velocity_iterations"):
        counts = [{getattr(a, name) for a in scene.articulations if not a.free} for scene in (fit.scene, before)]
        if counts[0] != counts[1] and len(counts[0]) == 1:
            settings[name] = counts[0].pop()
    gains, old = [], dict(_axes(before))
    for name, axis in _axes(fit.scene):
        drives = axis.drive, old[name].drive
        if axis.drive and (drives[1] is None or _gains(drives[0]) != _gains(drives[1])):
            path, _, token = name.rpartition(":")
            gains.append([path, token, *_gains(axis.drive)])
    return settings, gains


def _gains(drive: Any) -> tuple[float, float]:
    return drive.stiffness, drive.damping


def _axes(scene: Any) -> list[tuple[str, Any]]:
    return [
        (f"{joint.path}:{axis.token}", axis) for a in scene.articulations for joint in a.joints for axis in joint.axes
    ]


def friction_of(fit: Fit, owner: str, values: Mapping[str, float]) -> tuple[float | None, float | None]:
    """Return static and dynamic friction of a degree of freedom; None where they stay."""
    if not {"coulomb", "static_ratio"} & set(values):
        return None, None
    friction = dict(_axes(fit.scene))[owner].friction
    dynamic = values.get("coulomb", friction.dynamic)
    ratio = friction.static / friction.dynamic if friction.dynamic > 0.0 else 1.0
    return dynamic * values.get("static_ratio", ratio), dynamic


def _body(fit: Fit, owner: str, values: Mapping[str, float]) -> dict[str, Any]:
    """Return mass, centre of mass and inertia of a link by attribute; a payload at its centre leaves the inertia."""
    link = _link(fit, owner)
    mass = values.get("mass", link.mass)
    inertia = np.array(link.inertia) * (mass / link.mass)
    if set(SHAPE) & set(values):
        shape = [values.get(name, at) for name, at in zip(SHAPE, shape_of(inertia, mass), strict=True)]
        inertia = matrix_of(inertia_of(np.array([shape]), np.array([mass]))[0])
    moments, axes = np.linalg.eigh(inertia)
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] *= -1.0
    return {
        "physics:mass": mass + values.get("payload", 0.0),
        "physics:centerOfMass": [float(values.get(name, at)) for name, at in zip(CENTRE, link.com, strict=True)],
        "physics:diagonalInertia": [float(moment) for moment in moments],
        "physics:principalAxes": quaternion_of(axes),
    }


def _link(fit: Fit, path: str) -> Link:
    for robot in fit.scene.articulations:
        for link in robot.links:
            if link.path == path:
                return link
    raise InvalidScene(path, rule="a link of the scene", fix="fit a link by its name")


def quaternion_of(R: np.ndarray) -> tuple[float, float, float, float]:
    """Return the quaternion (x, y, z, w) of a rotation matrix."""
    K = np.array(
        [
            [R[0, 0] - R[1, 1] - R[2, 2], 0, 0, 0],
            [R[1, 0] + R[0, 1], R[1, 1] - R[0, 0] - R[2, 2], 0, 0],
            [R[2, 0] + R[0, 2], R[2, 1] + R[1, 2], R[2, 2] - R[0, 0] - R[1, 1], 0],
            [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], R[0, 0] + R[1, 1] + R[2, 2]],
        ]
    )
    _, vectors = np.linalg.eigh(K)
    x, y, z, w = map(float, vectors[:, -1])
    return x, y, z, w


def record_of(fit: Fit) -> FitRecord:
    """Return the record of a fit for its layer."""
    robots = [a for a in fit.scene.articulations if not a.free] or list(fit.scene.articulations)
    return FitRecord(
        dt=fit.scene.dt,
        solver=fit.scene.solver.name,
        position_iterations=robots[0].position_iterations,
        velocity_iterations=robots[0].velocity_iterations,
        parameters=tuple(_parameter(fit, one) for one in fit.values),
        covariance=tuple(map(float, fit.covariance.ravel())),
        logs=_named(fit, False),
        held_back=_named(fit, True),
        chi_squared=float(fit.chi_squared),
        error=rms_of([e for e in fit.errors if not e.held_back]),
        held_back_error=float(np.nan_to_num(rms_of([e for e in fit.errors if e.held_back]))),
        version=_version(),
    )


def _parameter(fit: Fit, one: FittedValue) -> FittedParameter:
    owner, quantity = _owner(fit, one), one.parameter.quantity
    of_link = quantity in OF_LINK
    prim = owner if of_link else owner.rpartition(":")[0]
    return FittedParameter(
        one.name,
        "" if quantity in UNWRITTEN else prim,
        owner,
        quantity,
        one.value,
        float(np.nan_to_num(one.deviation)),
        one.parameter.unit,
        one.at_bound,
        _link(fit, owner).mass if of_link else 0.0,
    )


def _named(fit: Fit, held: bool) -> tuple[str, ...]:
    return tuple(f"{e.log.name} {e.log.sha256}".strip() for e in fit.errors if e.held_back == held)


def _version() -> str:
    try:
        return version("fajin")
    except PackageNotFoundError:
        return ""
