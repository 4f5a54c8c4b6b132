"""Transforms of prims, with checks of the op types, because USD evaluates only ops of supported types."""

from functools import lru_cache
from math import inf

import numpy as np
from pxr import Gf, Sdf, Tf, Usd, UsdGeom, Vt

from ...scene import InvalidScene
from ..attributes.kinds import QUATERNIONS, quoted

START = Usd.TimeCode(0.0)
ROUND_OFF = 1e-6
"""Relative difference of squares of scales that single precision explains."""
ORDER = UsdGeom.Tokens.xformOpOrder


class Transforms:
    """World transforms at time 0, in stage units; each op is checked once."""

    def __init__(self):
        self._cache = UsdGeom.XformCache(START)
        self._sound: set[Sdf.Path] = set()  # prims whose own ops are checked
        self._placed: set[Sdf.Path] = set()  # prims whose world transforms are checked

    def world(self, prim: Usd.Prim) -> Gf.Matrix4d:
        """Return the local-to-world transform of a prim.

        Raises:
            InvalidScene: a transform op of the prim or of an ancestor has a wrong type, is singular or is not finite.
        """
        ancestor = prim
        while ancestor and ancestor.GetPath() not in self._sound:
            check_transform(ancestor)
            self._sound.add(ancestor.GetPath())
            ancestor = ancestor.GetParent()
        try:
            matrix = self._cache.GetLocalToWorldTransform(prim)
        except Tf.ErrorException:
            raise InvalidScene(
                prim.GetPath(), ORDER, rule="names of transform ops, also on ancestors", fix="author ops of this prim"
            ) from None
        if prim.GetPath() not in self._placed:
            if not is_sound(matrix, ancestors=True):
                rule, fix = "finite and invertible, with those of its ancestors", "author scales between 1e-12 and 1e12"
                raise InvalidScene(prim.GetPath(), ORDER, rule=rule, fix=fix)
            self._placed.add(prim.GetPath())
        return matrix


def orthogonal_axes(axes: np.ndarray) -> np.ndarray:
    """Return axes, as rows (3, 3), each made orthogonal to those before it."""
    across = axes.copy()
    for i in range(2):
        unit = across[i] / np.sqrt(across[i] @ across[i])
        across[i + 1 :] -= np.outer(across[i + 1 :] @ unit, unit)
    return across


def orthogonal_scale(axes: np.ndarray) -> np.ndarray:
    """Return the lengths (3,) of axes, as rows (3, 3), each across those before it; negative if they are mirrored."""
    return np.array(_scale_of(axes.tobytes()))


def rigid_frame(matrix: Gf.Matrix4d) -> Gf.Matrix4d:
    """Return a transform without scale and shear: its x axis keeps its direction, the others are turned across it."""
    turn = _turn_of(np.array(matrix)[:3, :3].tobytes(), matrix.GetDeterminant3())
    return Gf.Matrix4d(1.0).SetTransform(turn, matrix.ExtractTranslation())


def rigid_poses(matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return positions (N, 3) and quaternions (N, 4), as (x, y, z, w), of the rigid frames of transforms (N, 4, 4).

    A quaternion is the row of 4 q qᵀ with the largest diagonal element, made a unit: no difference of near numbers.
    """
    handed = np.linalg.det(matrices[:, :3, :3])
    x, y = matrices[:, 0, :3], matrices[:, 1, :3]
    x = x / np.copysign(np.linalg.norm(x, axis=1), handed)[:, None]
    y = y - np.einsum("ni,ni->n", y, x)[:, None] * x
    y /= np.copysign(np.linalg.norm(y, axis=1), handed)[:, None]
    (a, b, c), (d, e, f), (g, h, i) = x.T, y.T, np.cross(x, y).T
    products = np.array(
        [
            [1.0 + a - e - i, b + d, c + g, f - h],
            [b + d, 1.0 - a + e - i, f + h, g - c],
            [c + g, f + h, 1.0 - a - e + i, b - d],
            [f - h, g - c, b - d, 1.0 + a + e + i],
        ]
    ).transpose(2, 0, 1)
    largest = np.diagonal(products, axis1=1, axis2=2).argmax(axis=1)
    quaternions = products[np.arange(len(products)), largest]
    return matrices[:, 3, :3], quaternions / np.linalg.norm(quaternions, axis=1)[:, None]


@lru_cache(maxsize=1024)
def _scale_of(axes: bytes) -> tuple[float, ...]:
    """Return the scale of axes, given as the bytes of an array: many prims have equal axes."""
    rows = np.frombuffer(axes).reshape(3, 3)
    lengths = np.sqrt((orthogonal_axes(rows) ** 2).sum(axis=1))
    return tuple(np.copysign(lengths, np.linalg.det(rows)).tolist())


@lru_cache(maxsize=1024)
def _turn_of(axes: bytes, determinant: float) -> Gf.Matrix3d:
    """Return the orthogonal unit axes of axes, given as the bytes of an array: many prims have equal axes."""
    across = orthogonal_axes(np.frombuffer(axes).reshape(3, 3))
    units = across / np.copysign(np.sqrt((across**2).sum(axis=1)), determinant)[:, None]
    return Gf.Matrix3d(*units.ravel().tolist())


def shears(matrix: Gf.Matrix4d) -> bool:
    """Return whether what is turned below a transform is sheared: its scale is not the same along all axes."""
    axes = np.array(matrix.ExtractRotationMatrix())
    products = axes @ axes.T
    largest = float(products.diagonal().max())
    return bool(np.abs(products - largest * np.eye(3)).max() > ROUND_OFF * largest)


def is_sound(matrix: Gf.Matrix4d, ancestors: bool = False) -> bool:
    """Return whether a transform is finite, and its volume ratio far from the ends of double precision."""
    largest = 1e150 if ancestors else 1e36  # of one op: scales of 1e12
    ratio = abs(matrix.GetDeterminant3())
    return 1.0 / largest <= ratio <= largest and bool(np.isfinite(np.array(matrix)).all())


def check_transform(prim: Usd.Prim) -> None:
    """Raise InvalidScene for transform ops that USD cannot evaluate, that are not finite or that are singular."""
    if not prim.IsA("Xformable"):
        return
    xform = UsdGeom.Xformable(prim)
    order = xform.GetXformOpOrderAttr().Get(START)
    if not isinstance(order, Vt.TokenArray | None):
        raise InvalidScene(
            prim.GetPath(), ORDER, quoted(order), "an array of tokens", "author the names of transform ops"
        )
    if not order:
        return
    try:
        ops = xform.GetOrderedXformOps()
        for op in ops:
            check_op(prim, op)
        xform.TransformMightBeTimeVarying()
    except Tf.ErrorException:
        raise InvalidScene(
            prim.GetPath(),
            ORDER,
            quoted(list(order)),
            "names of transform ops whose time codes are finite",
            "author such ops",
        ) from None


def check_op(prim: Usd.Prim, op: UsdGeom.XformOp) -> None:
    """Raise InvalidScene for one op; the message names it."""
    value, place = op.Get(START), (prim.GetPath(), op.GetOpName())
    turns = op.GetOpType() == UsdGeom.XformOp.TypeOrient and value is not None
    try:
        matrix = op.GetOpTransform(START)
    except Tf.ErrorException:
        matrix = None
    length = value.GetLength() if turns and isinstance(value, QUATERNIONS) else None
    if matrix is None or (turns and length is None):
        raise InvalidScene(
            *place,
            quoted(value),
            "of a type that USD supports for this op",
            "author double3, quatd, double or matrix4d",
        )
    if not is_sound(matrix) or (length is not None and not 0.0 < length < inf):
        raise InvalidScene(
            *place, quoted(value), "finite, and a quaternion or scale not zero", "author one that can be inverted"
        )
