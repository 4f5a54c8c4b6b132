# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of links: which object stands for which link of the USD scene, and poses of links put on objects.

Blender's world has z up. A scene with y up is turned by its importer, and a scene in other units than metres scaled.
"""

from collections.abc import Iterable
from math import pi

import bpy
from mathutils import Matrix, Quaternion, Vector

PRIM = "usd_prim"  # custom property of objects: the prim that they were imported from
SCENE = "usd_scene"  # custom property of objects: the file of that prim
TURNS = {"Z": Matrix.Identity(4), "Y": Matrix.Rotation(pi / 2.0, 4, "X")}


def objects_of(source: str) -> dict[str, bpy.types.Object]:
    """Return the objects of a scene's file by prim."""
    return {thing[PRIM]: thing for thing in bpy.data.objects if thing.get(PRIM) and thing.get(SCENE) == source}


def up_of(up_axis: str) -> Matrix:
    """Return the rotation from axes of the USD scene to those of Blender's world."""
    return TURNS[up_axis]


def frame_of(thing: bpy.types.Object) -> Matrix:
    """Return the frame of a link [m] in Blender's world: the pose of its object without scale."""
    place, rotation, _ = thing.matrix_world.decompose()
    return Matrix.LocRotScale(place, rotation, None)


class PosedLinks:
    """Objects of links that follow given poses, until they are released."""

    def __init__(self, source: str, links: Iterable[str], up_axis: str):
        known = objects_of(source)
        self._turn = up_of(up_axis)
        self._things = [(path, known[path]) for path in links if path in known]
        self._things.sort(key=lambda pair: depth(pair[1]))
        self._scale = {path: thing.matrix_world.to_scale() for path, thing in self._things}
        self._before = [(thing, thing.matrix_basis.copy()) for _, thing in self._things]
        self._muted = [c for _, t in self._things for c in t.constraints if c.type == "TRANSFORM_CACHE" and c.enabled]
        for constraint in self._muted:
            constraint.enabled = False

    def __len__(self) -> int:
        """Return the number of links that have an object."""
        return len(self._things)

    def pose(self, poses: dict[str, tuple[float, ...]]) -> None:
        """Put objects at poses of their links: position [m] and rotation as x, y, z, w, in axes of the USD scene."""
        worlds: dict[str, Matrix] = {}
        for path, thing in self._things:
            if path not in poses:
                continue
            x, y, z, *turn = poses[path]
            rotation = Quaternion((turn[3], *turn[:3]))
            wanted = self._turn @ Matrix.LocRotScale(Vector((x, y, z)), rotation, self._scale[path])
            worlds[thing.name] = wanted
            thing.matrix_basis = (world_of(thing.parent, worlds) @ thing.matrix_parent_inverse).inverted() @ wanted

    def release(self) -> None:
        """Put the objects back where they were, and let them follow their motion again."""
        for thing, basis in self._before:
            if exists(thing):
                thing.matrix_basis = basis
        for constraint in self._muted:
            if exists(constraint):
                constraint.enabled = True


def world_of(thing: bpy.types.Object | None, worlds: dict[str, Matrix]) -> Matrix:
    """Return the world matrix of an object whose ancestors may just have been moved."""
    if thing is None:
        return Matrix.Identity(4)
    if thing.name in worlds:
        return worlds[thing.name]
    return world_of(thing.parent, worlds) @ thing.matrix_parent_inverse @ thing.matrix_basis


def depth(thing: bpy.types.Object) -> int:
    """Return the number of ancestors of an object."""
    return 0 if thing.parent is None else 1 + depth(thing.parent)


def exists(thing: object) -> bool:
    """Return whether Blender still has a thing that may have been deleted."""
    try:
        return bool(thing.name)
    except ReferenceError:
        return False
