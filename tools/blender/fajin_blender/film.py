# SPDX-License-Identifier: GPL-3.0-or-later
"""Films: Blender renders the motion with the settings of its scene; a scene without camera or light gets them."""

import contextlib
from math import radians, sin
from pathlib import Path

import bpy
from mathutils import Vector

from .handles import scene_of
from .link_objects import objects_of

LENS = radians(40.0)  # field of view of the camera that is added
VIEW = Vector((1.0, -1.4, 0.7))  # from the robot to that camera


class Film:
    """A film of a scene at its rate, an .mp4 file, rendered while Blender stays usable.

    The file appears when it is complete, and the settings of the scene come back at the end.

    Raises:
        RuntimeError: Blender refuses to render.
    """

    cancellable = False  # by Blender's own button only

    def __init__(self, scene: bpy.types.Scene, source: str, path: Path):
        add_camera(scene, source)
        add_light(scene)
        self.path, self.cancelled, self.running = path, False, True
        self._scene, self._part = scene.session_uid, path.with_suffix(f".part{path.suffix}")
        self._before = settings_of(scene)
        render, image = scene.render, scene.render.image_settings
        render.filepath, render.use_file_extension = str(self._part), False
        if hasattr(image, "media_type"):  # Blender 5 has kinds of media
            image.media_type = "VIDEO"
        image.file_format = "FFMPEG"
        render.ffmpeg.format, render.ffmpeg.codec = "MPEG4", "H264"
        bpy.app.handlers.render_complete.append(self._completed)
        bpy.app.handlers.render_cancel.append(self._cancelled)
        try:
            way = "EXEC_DEFAULT" if bpy.app.background else "INVOKE_DEFAULT"
            if "CANCELLED" in bpy.ops.render.render(way, animation=True, scene=scene.name):
                raise RuntimeError("Blender does not render; wait for the end of its present rendering")
        except RuntimeError:
            self.kill()
            raise
        self.running &= not bpy.app.background

    @property
    def share(self) -> float:
        """Return the share of the frames that are rendered."""
        scene = scene_of(self._scene)
        if scene is None:
            return 0.0
        return (scene.frame_current - scene.frame_start) / (scene.frame_end + 1 - scene.frame_start)

    def kill(self) -> None:
        """Restore the settings, and remove what is rendered of the film."""
        self.cancelled = True
        self.result()

    def result(self) -> bool:
        """Restore the settings and return whether the film is written."""
        self.running = False
        for handlers, own in (
            (bpy.app.handlers.render_complete, self._completed),
            (bpy.app.handlers.render_cancel, self._cancelled),
        ):
            with contextlib.suppress(ValueError):
                handlers.remove(own)
        scene = scene_of(self._scene)
        if scene is not None:  # else another file was opened
            restore(scene, self._before)
        if self.cancelled or not self._part.exists():
            self._part.unlink(missing_ok=True)
            return False
        self._part.replace(self.path)
        return True

    def _completed(self, *_) -> None:
        """Note the end only: Blender calls this from the thread that renders."""
        self.running = False

    def _cancelled(self, *_) -> None:
        self.cancelled, self.running = True, False


def settings_of(scene: bpy.types.Scene) -> tuple:
    """Return the settings that a film changes."""
    render, image = scene.render, scene.render.image_settings
    video = render.ffmpeg.format, render.ffmpeg.codec
    return render.filepath, render.use_file_extension, getattr(image, "media_type", None), image.file_format, video


def restore(scene: bpy.types.Scene, before: tuple) -> None:
    """Put back what `settings_of` returned."""
    render, image = scene.render, scene.render.image_settings
    render.ffmpeg.format, render.ffmpeg.codec = before[4]
    render.filepath, render.use_file_extension = before[:2]
    if before[2] is not None:
        image.media_type = before[2]
    image.file_format = before[3]


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
