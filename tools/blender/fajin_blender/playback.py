# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions of fajin on imported objects: each follows its prim in the motion's file."""

from importlib.util import find_spec
from pathlib import Path

import bpy

from .link_objects import PRIM, motions_of, objects_of

SAME = 1e-9  # largest difference of an element of two equal matrices
READS_USD = hasattr(bpy.types, "USDHook") and find_spec("pxr") is not None
"""False where a distribution builds Blender without USD; a hook would end a Blender that lacks USD's Python."""


class ImportHook(bpy.types.USDHook if READS_USD else object):
    """Writes each object's prim on it, so that it finds its motion."""

    bl_idname = "fajin_prims"
    bl_label = "fajin: prims of objects"

    @staticmethod
    def on_import(context) -> bool:
        """Record the path of the prim of each imported object."""
        for path, blocks in context.get_prim_map().items():
            for block in blocks:
                if isinstance(block, bpy.types.Object):
                    block[PRIM] = str(path)
        return True


def play(scene: bpy.types.Scene, source: str, motion: Path) -> int:
    """Let the objects of a USD scene follow a motion at its rate; return how many do."""
    from pxr import Usd

    stage, still = Usd.Stage.Open(str(motion)), Usd.Stage.Open(bpy.path.abspath(source))
    stage.Reload()
    rate = stage.GetTimeCodesPerSecond()
    scene.render.fps, scene.render.fps_base = round(rate), round(rate) / rate  # else 24: the importer leaves it
    scene.frame_start, scene.frame_end = int(stage.GetStartTimeCode()), int(stage.GetEndTimeCode())
    cache = cache_of(motion)
    moving = 0
    for path, thing in objects_of(source).items():
        if not differs(stage.GetPrimAtPath(path), still.GetPrimAtPath(path), stage.GetStartTimeCode()):
            continue
        follow = next(iter(motions_of(thing)), None) or thing.constraints.new("TRANSFORM_CACHE")
        follow.cache_file, follow.object_path = cache, path
        moving += 1
    return moving


def differs(prim, still, start: float) -> bool:
    """Return whether a prim moves in a motion, or rests elsewhere than in the scene, as a wheel that starts turned."""
    from pxr import Gf, UsdGeom

    xform = UsdGeom.Xformable(prim)
    if not xform or xform.TransformMightBeTimeVarying():
        return bool(xform)
    here, there = xform.GetLocalTransformation(start), UsdGeom.Xformable(still).GetLocalTransformation()
    return not Gf.IsClose(here, there, SAME)


def cache_of(motion: Path) -> bpy.types.CacheFile:
    """Return Blender's cache of a motion, read again if it exists."""
    cache = next((c for c in bpy.data.cache_files if Path(bpy.path.abspath(c.filepath)) == motion), None)
    if cache is not None:
        cache.filepath = str(motion)
        return cache
    before = set(bpy.data.cache_files)
    bpy.ops.cachefile.open(filepath=str(motion))
    return (set(bpy.data.cache_files) - before).pop()
