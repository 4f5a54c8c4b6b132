"""Animated attributes of point instancers whose instances are bodies: positions and orientations follow a recording.

An instance moves rigidly with its first body: with the rotation Δ of the body since time 0 and the instancer's world
frame W, its origin is W⁻¹ (p + Δ (o₀ − p₀)) and its orientation W⁻¹ Δ W q₀. Instances without a body stay.
"""

from collections import defaultdict

import numpy as np
from pxr import Sdf, Usd, UsdGeom

from ...quaternion import conjugate, multiply, rotate
from ...recording.recorder import Recording
from ..stage.instancer_expansion import instance_number, instance_of
from ..stage.stage import START
from ..stage.transforms import rigid_frame
from .animated_attributes import AnimatedAttributes, quaternion_of

TYPES = {"positions": "point3f[]", "orientations": "quath[]", "orientationsf": "quatf[]"}


def instancer_tracks(stage: Usd.Stage, recording: Recording) -> list[AnimatedAttributes]:
    """Return the animated attributes of all instancers that have bodies among the links of a recording."""
    columns: dict[Sdf.Path, dict[int, int]] = defaultdict(dict)  # of instancers: number of an instance to its column
    for column, path in enumerate(recording.link):
        if instance := instance_of(stage, path):
            columns[instance.GetParent().GetPath()].setdefault(instance_number(instance), column)
    cache = UsdGeom.XformCache(START)
    return [instancer_track(stage.GetPrimAtPath(path), mine, recording, cache) for path, mine in columns.items()]


def instancer_track(
    prim: Usd.Prim, columns: dict[int, int], recording: Recording, cache: UsdGeom.XformCache
) -> AnimatedAttributes:
    """Return the animated attributes of one instancer; `columns`: the link of the recording for each of its numbers."""
    instancer, metres = UsdGeom.PointInstancer(prim), recording.scene.meters_per_unit
    places = instancer.ComputeInstanceTransformsAtTime(
        START, START, UsdGeom.PointInstancer.ExcludeProtoXform, UsdGeom.PointInstancer.IgnoreMask
    )
    matrices = [place.RemoveScaleShear() for place in places]  # not a unit vector, a quaternion shears
    start = np.array([place.ExtractTranslation() for place in places])
    turned = np.array([quaternion_of(matrix) for matrix in matrices])
    world = cache.GetLocalToWorldTransform(prim)
    numbers, links = np.array(list(columns)), np.array(list(columns.values()))
    prims = [prim.GetStage().GetPrimAtPath(recording.link[column]) for column in links]
    first = [rigid_frame(cache.GetLocalToWorldTransform(body)) for body in prims]
    p0 = np.array([matrix.ExtractTranslation() for matrix in first])
    q0 = np.array([quaternion_of(matrix) for matrix in first])
    frame = quaternion_of(rigid_frame(world))
    into, out = np.array(world), np.array(world.GetInverse())
    arms = start[numbers] @ into[:3, :3] + into[3, :3] - p0

    def values(piece: Recording) -> tuple[np.ndarray, ...]:
        """Return positions and orientations of all instances in the frames of a piece."""
        pose = np.array(piece.pose[:, 0, links], dtype=float)
        turn = multiply(pose[..., 3:] / np.linalg.norm(pose[..., 3:], axis=-1, keepdims=True), conjugate(q0))
        origin = pose[..., :3] / metres + rotate(turn, arms)
        positions = np.repeat(start[None], len(pose), axis=0)
        orientations = np.repeat(turned[None], len(pose), axis=0)
        positions[:, numbers] = origin @ out[:3, :3] + out[3, :3]
        local = multiply(multiply(conjugate(frame), turn), frame)
        orientations[:, numbers] = multiply(local, turned[numbers])
        return positions, orientations, orientations

    moving = any(prim.GetAttribute(name).GetNumTimeSamples() > 1 for name in TYPES)
    return AnimatedAttributes(
        path=prim.GetPath(),
        names=tuple(TYPES),
        types=tuple(TYPES.values()),
        values=values,
        authored=(start[None], turned[None], turned[None]),
        animated=moving,
    )
