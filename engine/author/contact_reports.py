"""Stages in which PhysX reports contacts."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pxr import Sdf, Usd

REPORTS = "PhysxContactReportAPI"
"""Schema of the bodies and colliders whose contacts PhysX reports."""


def report_contacts(scene: Path, path: Path, colliders: Sequence[str]) -> Path:
    """Write a stage above a scene, in which PhysX reports the contacts of colliders; return its path.

    Their bodies report, too: else only what they touch might.

    Args:
        scene: the file with the colliders, which does not change.
        path: the file to write.
        colliders: prim paths.
    """
    layer, source = Sdf.Layer.CreateNew(str(path)), Sdf.Layer.FindOrOpen(str(scene))
    layer.subLayerPaths.append(str(Path(scene).resolve()))
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
