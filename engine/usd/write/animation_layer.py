"""Layers of overs: animated attributes of a recording as defaults and time samples."""

from collections.abc import Iterable

import numpy as np
from pxr import Gf, Sdf, Usd, Vt

from ...recording.recorder import Recording
from .animated_attributes import AnimatedAttributes

ARRAYS = {
    "double3": Vt.Vec3dArray,
    "float3": Vt.Vec3fArray,
    "point3f": Vt.Vec3fArray,
    "half3": Vt.Vec3hArray,
    "quatd": Vt.QuatdArray,
    "quatf": Vt.QuatfArray,
    "quath": Vt.QuathArray,
    "float": Vt.FloatArray,
}
DTYPES = {"double3": "f8", "quatd": "f8", "half3": "f2", "quath": "f2"}  # other types: f4


def value_type(name: str) -> Sdf.ValueTypeName:
    """Return the type of attribute values with that name."""
    return Sdf.ValueTypeNames.Find(name)  # pyright: ignore[reportCallIssue]  # the stub lacks its argument


def write_static(layer: Sdf.Layer, stage: Usd.Stage, track: AnimatedAttributes) -> None:
    """Write the static opinions of an animated prim: transform order, scale, applied schema, and typed prims.

    USD ignores overs below an instanceable prim, so its ancestors become ordinary prims.
    """
    prim = Sdf.CreatePrimInLayer(layer, track.path)
    for name, (kind, value) in track.static.items():
        variability = Sdf.VariabilityUniform if name == "xformOpOrder" else Sdf.VariabilityVarying
        attribute = Sdf.AttributeSpec(prim, name, value_type(kind), variability)
        attribute.default = Vt.TokenArray(value) if name == "xformOpOrder" else _vector(kind, value)
    if track.schema:
        applied = prim.GetInfo("apiSchemas") if prim.HasInfo("apiSchemas") else Sdf.TokenListOp()
        prim.SetInfo("apiSchemas", Sdf.TokenListOp.Create(appendedItems=[*applied.appendedItems, track.schema]))
    for path in track.path.GetPrefixes()[:-1]:
        if stage.GetPrimAtPath(path).IsInstance():
            Sdf.CreatePrimInLayer(layer, path).SetInfo("instanceable", False)


def write_attributes(layer: Sdf.Layer, track: AnimatedAttributes) -> list[Sdf.AttributeSpec]:
    """Create the animated attributes, without a value."""
    prim = Sdf.CreatePrimInLayer(layer, track.path)
    pairs = zip(track.names, track.types, strict=True)
    return [Sdf.AttributeSpec(prim, name, value_type(kind)) for name, kind in pairs]


def write_defaults(layer: Sdf.Layer, track: AnimatedAttributes, first: Recording) -> None:
    """Write the values of a recording of a single frame as default values."""
    for attribute, kind, values in zip(write_attributes(layer, track), track.types, track.values(first), strict=True):
        attribute.default = _array(kind, values)[0]


def write_samples(
    layer: Sdf.Layer, moving: Iterable[AnimatedAttributes], recording: Recording, codes: np.ndarray
) -> None:
    """Write time samples, one per frame, at the time codes (T,)."""
    times = codes.tolist()
    for track in moving:
        attributes = write_attributes(layer, track)
        for attribute, kind, values in zip(attributes, track.types, track.values(recording), strict=True):
            path = attribute.path
            smooth = _continuous(values) if kind.startswith("quat") else values
            for time, value in zip(times, _array(kind, smooth), strict=True):
                layer.SetTimeSample(path, time, value)


def _continuous(rotation: np.ndarray) -> np.ndarray:
    """Return quaternions (T, …, 4) with the sign nearer to the previous one: readers may interpolate the long way."""
    before = np.concatenate([rotation[:1], rotation[:-1]])
    return rotation * np.cumprod(np.where(np.sum(before * rotation, axis=-1) < 0.0, -1.0, 1.0), axis=0)[..., None]


def _array(kind: str, values: np.ndarray):
    """Return values as an array of USD; a list of arrays for values that are arrays."""
    if kind.endswith("[]"):
        return [_array(kind[:-2], frame) for frame in values]
    return ARRAYS[kind].FromNumpy(np.ascontiguousarray(values, DTYPES.get(kind, "f4")))


def _vector(kind: str, value: Gf.Vec3d):
    return _array(kind, np.array([value]))[0]
