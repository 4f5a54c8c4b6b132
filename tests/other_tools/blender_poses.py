"""Poses of links in Blender, as it evaluates them, beside those of the motion's USD file."""

import json

from bpy_module import bpy
from pxr import Usd, UsdGeom


def poses(state, frame: int) -> dict:
    """World matrices of imported objects at a frame, as Blender evaluates them."""
    bpy.context.scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    things = [o for o in bpy.data.objects if o.get("usd_scene") == state.source]
    return {o["usd_prim"]: o.evaluated_get(graph).matrix_world.copy() for o in things}


def links(state) -> list[str]:
    """Prims of the links, as fajin names them."""
    return [link["prim"] for robot in json.loads(state.document)["articulations"] for link in robot["links"]]


def in_blender(vector, up_axis: str) -> tuple[float, float, float]:
    """A vector of the scene in Blender's axes, in double precision, which Blender's own vectors lack."""
    x, y, z = vector
    return (x, -z, y) if up_axis == "Y" else (x, y, z)


def apart(vector, wanted) -> float:
    """Largest difference of a coordinate of two vectors."""
    return max(abs(a - b) for a, b in zip(vector, wanted, strict=True))


def distance(matrix, place, up_axis: str) -> float:
    """Largest coordinate between an object and a place [m] of the scene."""
    return apart(matrix.translation, in_blender(place, up_axis))


def turn(matrix, wanted, up_axis: str) -> float:
    """Largest coordinate between the directions of an object's axes and those of a frame of the scene."""
    axes = [in_blender(wanted.GetRow3(i).GetNormalized(), up_axis) for i in range(3)]
    return max(apart(matrix.col[i].xyz.normalized(), axes[i]) for i in range(3))


def compare(state) -> dict:
    """Largest distances between links' objects and the motion's file: [m], of axes; comparisons, missing links."""
    stage = Usd.Stage.Open(str(state.motion))
    stage.Reload()
    metres = UsdGeom.GetStageMetersPerUnit(stage)
    scene = bpy.context.scene
    found = {
        "rate": [scene.render.fps / scene.render.fps_base, stage.GetTimeCodesPerSecond()],
        "frames": [scene.frame_start, scene.frame_end, stage.GetStartTimeCode(), stage.GetEndTimeCode()],
    }
    worst, turned, count, missing = 0.0, 0.0, 0, set()
    for frame in (scene.frame_start, scene.frame_start + 30, scene.frame_end):
        cache, known = UsdGeom.XformCache(frame), poses(state, frame)
        for path in links(state):
            if path not in known:
                missing.add(path)
                continue
            wanted = cache.GetLocalToWorldTransform(stage.GetPrimAtPath(path))
            worst = max(worst, distance(known[path], wanted.ExtractTranslation() * metres, state.up_axis))
            turned = max(turned, turn(known[path], wanted, state.up_axis))
            count += 1
    return {**found, "worst": worst, "turned": turned, "compared": count, "missing_links": sorted(missing)}
