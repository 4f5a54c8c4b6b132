"""The path that was probably meant by one that names nothing."""

from difflib import get_close_matches

from pxr import Sdf, Usd

SIMILAR = 0.6  # least similarity of names


def near_path(stage: Usd.Stage, path: str | Sdf.Path) -> str:
    """Return the path of a prim whose names are nearest to a path's, one after the other; "" if one has no like."""
    prim = stage.GetPseudoRoot()
    for name in str(path).strip("/").split("/"):
        children = {child.GetName(): child for child in prim.GetChildren()}
        near = [name] if name in children else get_close_matches(name, children, 1, SIMILAR)
        if not near:
            return ""
        prim = children[near[0]]
    return str(prim.GetPath())
