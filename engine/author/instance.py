"""Edits below instances, whose prims belong to a prototype."""

from pxr import Usd


def end_instance(stage: Usd.Stage, path: str) -> Usd.Prim:
    """Return the prim of a path, which can be edited, as the instances above it have become prims of their own."""
    while (prim := stage.GetPrimAtPath(path)).IsInstanceProxy():
        while not prim.IsInstance():
            prim = prim.GetParent()
        prim.SetInstanceable(False)
    return prim
