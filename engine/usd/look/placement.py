"""Placement of drawn prims: the link that carries them, their transform and purpose."""

from collections.abc import Iterator

import numpy as np
from pxr import Gf, Usd, UsdGeom, Vt

from ...scene import InvalidScene
from ...visual.look.scene import GUIDE
from ..read.collision_shapes import is_shape
from ..stage.stage import START, StageReader

LEVEL = 1.0 - 1e-6  # least cosine of the angle between a level plane's normal and the vertical


class Carriers:
    """The links of a scene and their frames, by path."""

    def __init__(self, source: StageReader, paths: list[str]):
        self._source = source
        self._number = {path: i for i, path in enumerate(paths)}
        self._inverse = [source.frame(source.prim(path)).GetInverse() for path in paths]

    def find(self, prim: Usd.Prim) -> int:
        """Return the index of the nearest link at or above a prim; -1 for none."""
        for path in reversed(prim.GetPath().GetPrefixes()):
            if (number := self._number.get(str(path))) is not None:
                return number
        return -1

    def local(self, link: int, world: Gf.Matrix4d) -> np.ndarray:
        """Return a world transform in stage units as one (4, 4) in the frame of a link [m], for column vectors."""
        matrix = np.array(world * self._inverse[link] if link >= 0 else world).T
        matrix[:3, 3] *= self._source.metres
        with np.errstate(over="ignore"):  # what is too far away is not drawn
            return matrix.astype(np.float32)


def has_no_size(prim: Usd.Prim) -> bool:
    """Return whether the scale of a prim is 0 along all axes, as that of boxes of links that are only frames."""
    matrix = UsdGeom.Xformable(prim).GetLocalTransformation(START)
    return not any(matrix[i][j] for i in range(3) for j in range(3))


def drawn_purpose(prim: Usd.Prim) -> str | None:
    """Return the purpose of a prim; None if it is not drawn at all.

    Colliders that are invisible count as guides. A proxy is drawn where its branch has nothing to render.
    """
    image = UsdGeom.Imageable(prim)
    purpose = str(image.ComputePurpose())
    if image.ComputeVisibility(START) == UsdGeom.Tokens.invisible:
        return GUIDE if is_shape(prim) else None
    if purpose == UsdGeom.Tokens.proxy and has_render_sibling(prim):
        return GUIDE if is_shape(prim) else None
    return purpose


def has_render_sibling(prim: Usd.Prim) -> bool:
    """Return whether the branch that holds a proxy also holds a prim to render."""
    root = prim
    while (parent := root.GetParent()) and str(UsdGeom.Imageable(parent).ComputePurpose()) == UsdGeom.Tokens.proxy:
        root = parent
    branch = root.GetParent()
    below = Usd.PrimRange(branch, Usd.TraverseInstanceProxies()) if not branch.IsPseudoRoot() else iter(())
    return any(
        other.IsA("Gprim") and UsdGeom.Imageable(other).ComputePurpose() == UsdGeom.Tokens.render for other in below
    )


def floor_height(source: StageReader, prim: Usd.Prim) -> float | None:
    """Return the height [m] of a level plane that faces up; None for other prims."""
    if prim.GetTypeName() != "Plane" or not is_shape(prim):
        return None
    frame = source.frame(prim)
    axis = {"X": Gf.Vec3d.XAxis(), "Y": Gf.Vec3d.YAxis()}.get(source.token(prim, "axis"), Gf.Vec3d.ZAxis())
    up = 1 if source.up_axis == "Y" else 2
    if np.array(frame.TransformDir(axis))[up] < LEVEL:
        return None
    return float(np.array(frame.ExtractTranslation())[up] * source.metres)


def instance_matrices(source: StageReader, prim: Usd.Prim) -> Iterator[tuple[Usd.Prim, Gf.Matrix4d]]:
    """Yield the prims of a point instancer and their world transforms, once per instance."""
    instancer = UsdGeom.PointInstancer(prim)
    roots = [source.prim(path) for path in instancer.GetPrototypesRel().GetForwardedTargets()]
    which = instancer.GetProtoIndicesAttr().Get(START)
    if not isinstance(which, Vt.IntArray):
        return
    mask = instancer.ComputeMaskAtTime(START)
    places = instancer.ComputeInstanceTransformsAtTime(
        START, START, UsdGeom.PointInstancer.IncludeProtoXform, UsdGeom.PointInstancer.IgnoreMask
    )
    parts = [list(prototype_parts(source, root)) if root else [] for root in roots]
    world = source.matrix(prim)
    for i, (number, place) in enumerate(zip(which, places, strict=False)):
        if 0 <= number < len(parts) and (not mask or mask[i]):
            for part, local in parts[number]:
                yield part, local * place * world


def prototype_parts(source: StageReader, root: Usd.Prim) -> Iterator[tuple[Usd.Prim, Gf.Matrix4d]]:
    """Yield the gprims at or below a prototype and their transforms in its frame."""
    inverse = source.matrix(root).GetInverse()
    for part in Usd.PrimRange(root, Usd.TraverseInstanceProxies(Usd.PrimIsActive)):
        if part.IsA("Gprim"):
            try:
                yield part, source.matrix(part) * inverse
            except InvalidScene:
                continue
