"""Contacts that PhysX reports, in the place of those that steps of a simulation add up for read-outs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..simulation.readout import Readout

REPORTS = "PhysxContactReportAPI"
"""Schema of the bodies and colliders whose contacts PhysX reports."""

TIMES = ("current_air_time", "last_air_time", "current_contact_time", "last_contact_time")
"""Quantities of a read-out that go on from step to step."""


def reporting(scene: Path, path: Path, colliders: Sequence[str]) -> Path:
    """Write a stage above a scene, in which PhysX reports the contacts of colliders; return its path.

    Their bodies report, too: else only what they touch might.
    """
    from pxr import Sdf, Usd  # with the command that needs it

    layer, source = Sdf.Layer.CreateNew(str(path)), Sdf.Layer.FindOrOpen(str(scene))
    layer.subLayerPaths.append(str(scene))
    for name in source.pseudoRoot.ListInfoKeys():
        if name not in ("subLayers", "subLayerOffsets", "documentation", "comment"):
            layer.pseudoRoot.SetInfo(name, source.pseudoRoot.GetInfo(name))
    stage = Usd.Stage.Open(layer)
    for prim in map(stage.GetPrimAtPath, colliders):
        for each in dict.fromkeys((prim.GetPath(), _body_of(prim).GetPath())):
            over = stage.OverridePrim(each)
            over.AddAppliedSchema(REPORTS)
            over.CreateAttribute("physxContactReport:threshold", Sdf.ValueTypeNames.Float, False).Set(0.0)
    layer.Save()
    return path


def _body_of(prim: Any) -> Any:
    """Return the nearest prim from a collider upwards that is a body, or the collider."""
    above = prim
    while above and not above.HasAPI("PhysicsRigidBodyAPI"):
        above = above.GetParent()
    return above or prim


class ReportedContacts:
    """Forces and times of colliders, by the law of `physics.monitors`, from the net forces of every step.

    Args:
        readout: read-out of the simulation that takes them over.
        columns: columns of the colliders in it, (C,).
    """

    def __init__(self, readout: Readout, columns: np.ndarray):
        self._readout, self._columns = readout, columns
        shape = readout.simulation.worlds, len(columns)
        self._times = tuple(np.zeros(shape, np.float32) for _ in TIMES)

    def add(self, forces: np.ndarray, h: float) -> None:
        """Take over the net forces of the steps of a call of `step`, (steps, W, C, 3) [N], steps of h [s]."""
        air, last_air, contact, last_contact = self._times
        sizes = np.linalg.norm(forces, axis=-1)
        for size in sizes:
            touches, air, contact = size > self._readout.force_threshold, air + h, contact + h
            last_air = np.where(touches & (air > h), air, last_air)
            last_contact = np.where(~touches & (contact > h), contact, last_contact)
            air, contact = np.where(touches, 0.0, air), np.where(touches, contact, 0.0)
        self._times = air, last_air, contact, last_contact
        found = dict(zip(TIMES, self._times, strict=True))
        found |= {"net_force": forces[-1].reshape(len(air), -1), "peak_force": sizes.max(0)}
        for name, values in found.items():
            self._readout.write_monitored(name, self._columns, values)
