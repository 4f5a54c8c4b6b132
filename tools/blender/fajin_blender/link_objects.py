# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of links: which object stands for which link of the USD scene, and poses of links put on objects.

Blender's world has z up. A scene with y up is turned by its importer, and a scene in other units than metres scaled.
"""

from collections.abc import Iterable
from math import pi

import bpy
from mathutils import Matrix, Quaternion, Vector

from .handles import objects_by_uid

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
    """Objects of links that follow given poses, until they are released; an undo meanwhile does not end it."""

    def __init__(self, source: str, links: Iterable[str], up_axis: str):
        known = objects_of(source)
        self._turn = up_of(up_axis)
        things = sorted(((path, known[path]) for path in links if path in known), key=lambda pair: depth(pair[1]))
        self._links = {path: thing.session_uid for path, thing in things}
        self._scale = {path: thing.matrix_world.to_scale() for path, thing in things}
        self._before = {thing.session_uid: thing.matrix_basis.copy() for _, thing in things}
        self._following = {(t.session_uid, c.name) for _, t in things for c in motions_of(t) if c.enabled}

    def __len__(self) -> int:
        """Return the number of links that have an object."""
        return len(self._links)

    def pose(self, poses: dict[str, tuple[float, ...]]) -> None:
        """Put objects at poses of their links: position [m] and rotation as x, y, z, w, in axes of the USD scene."""
        things = objects_by_uid()
        self._follow_motions(things, False)
        worlds: dict[str, Matrix] = {}
        for path, uid in self._links.items():
            thing = things.get(uid)
            if thing is None or path not in poses:
                continue
            x, y, z, *turn = poses[path]
            rotation = Quaternion((turn[3], *turn[:3]))
            wanted = self._turn @ Matrix.LocRotScale(Vector((x, y, z)), rotation, self._scale[path])
            worlds[thing.name] = wanted
            thing.matrix_basis = (world_of(thing.parent, worlds) @ thing.matrix_parent_inverse).inverted() @ wanted

    def release(self) -> None:
        """Put the objects back where they were, and let them follow their motion again."""
        things = objects_by_uid()
        for uid, basis in self._before.items():
            if uid in things:
                things[uid].matrix_basis = basis
        self._follow_motions(things, True)

    def _follow_motions(self, things: dict[int, bpy.types.Object], follow: bool) -> None:
        """Let the objects that followed a motion at the start follow it or not."""
        for uid, name in self._following:
            constraint = things[uid].constraints.get(name) if uid in things else None
            if constraint is not None and constraint.enabled != follow:
                constraint.enabled = follow


def motions_of(thing: bpy.types.Object) -> list[bpy.types.Constraint]:
    """Return the constraints by which an object follows a motion."""
    return [one for one in thing.constraints if one.type == "TRANSFORM_CACHE"]


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
