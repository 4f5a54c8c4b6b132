"""Transform ops with time samples."""

from pxr import Usd

from ..stage.stage import StageReader


def moving_ops(source: StageReader, prim: Usd.Prim) -> list[Usd.Attribute]:
    """Return the transform ops of a prim and the prims above it that have several time samples."""
    found = []
    for ancestor in (prim, *ancestors(prim)):
        names = [name for name in ancestor.GetAuthoredPropertyNames() if name.startswith("xformOp:")]
        attributes = [attribute for name in names if (attribute := ancestor.GetAttribute(name))]
        found += [attribute for attribute in attributes if source.varies(attribute)]
    return found


def ancestors(prim: Usd.Prim) -> list[Usd.Prim]:
    """Return the prims above a prim, the nearest first."""
    found = []
    while (prim := prim.GetParent()) and not prim.IsPseudoRoot():
        found.append(prim)
    return found
