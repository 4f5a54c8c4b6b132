# SPDX-License-Identifier: GPL-3.0-or-later
"""Films: Blender renders the motion with the settings of its scene; a scene without camera or light gets them."""

from math import radians, sin
from pathlib import Path

import bpy
from mathutils import Vector

from .link_objects import objects_of

LENS = radians(40.0)  # field of view of the camera that is added
VIEW = Vector((1.0, -1.4, 0.7))  # from the robot to that camera


def render_film(scene: bpy.types.Scene, source: str, path: Path) -> None:
    """Render the frames of a scene to an .mp4 file at the scene's rate; other settings of the scene are kept."""
    add_camera(scene, source)
    add_light(scene)
    render, image = scene.render, scene.render.image_settings
    before = render.filepath, getattr(image, "media_type", None), image.file_format
    render.filepath = str(path)
    try:
        if before[1] is not None:  # Blender 5 has kinds of media
            image.media_type = "VIDEO"
        image.file_format = "FFMPEG"
        render.ffmpeg.format, render.ffmpeg.codec = "MPEG4", "H264"
        render.use_file_extension = False
        bpy.ops.render.render(animation=True, scene=scene.name)
    finally:
        render.filepath = before[0]
        if before[1] is not None:
            image.media_type = before[1]
        image.file_format = before[2]


def add_camera(scene: bpy.types.Scene, source: str) -> None:
    """Add a camera that sees the robot, if the scene has no camera."""
    if scene.camera is not None:
        return
    low, high = bounds(scene, source)
    centre, radius = (low + high) / 2.0, max((high - low).length / 2.0, 1e-3)
    data = bpy.data.cameras.new("fajin film")
    data.angle = LENS
    camera = bpy.data.objects.new("fajin film", data)
    distance = 1.1 * radius / sin(LENS / 2.0)
    camera.location = centre + VIEW.normalized() * distance
    camera.rotation_euler = VIEW.to_track_quat("Z", "Y").to_euler()
    data.clip_start, data.clip_end = distance / 100.0, distance * 100.0
    scene.collection.objects.link(camera)
    scene.camera = camera


def add_light(scene: bpy.types.Scene) -> None:
    """Add a sun, if the scene has no light."""
    if any(thing.type == "LIGHT" for thing in scene.objects):
        return
    data = bpy.data.lights.new("fajin film", "SUN")
    data.energy = 3.0
    light = bpy.data.objects.new("fajin film", data)
    light.rotation_euler = radians(35.0), radians(20.0), 0.0
    scene.collection.objects.link(light)


def bounds(scene: bpy.types.Scene, source: str) -> tuple[Vector, Vector]:
    """Return the corners of a box around what is drawn of a scene's file, at three frames."""
    robot = set(objects_of(source).values())
    corners, now = [], scene.frame_current
    for frame in (scene.frame_start, (scene.frame_start + scene.frame_end) // 2, scene.frame_end):
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        for thing in scene.objects:
            if thing.type == "MESH" and (thing in robot or family(thing) & robot):
                whole = thing.evaluated_get(graph)
                corners += [whole.matrix_world @ Vector(corner) for corner in whole.bound_box]
    scene.frame_set(now)
    corners = corners or [Vector((-0.5, -0.5, 0.0)), Vector((0.5, 0.5, 1.0))]
    low, high = (Vector(limit(column) for column in zip(*corners, strict=True)) for limit in (min, max))
    return low, high


def family(thing: bpy.types.Object) -> set[bpy.types.Object]:
    """Return the ancestors of an object."""
    return set() if thing.parent is None else {thing.parent} | family(thing.parent)
