# SPDX-License-Identifier: GPL-3.0-or-later
"""Axes and limits of joints, drawn over the 3D view: those of the selected joint thick."""

import json
from collections.abc import Iterator

import bpy
import gpu
from gpu_extras.batch import batch_for_shader
from mathutils import Vector

from .axis_document import axes_of
from .link_objects import frame_of, objects_of, up_of
from .markers import AXIS, HAND, LIMIT, Marker, marker_size, markers_of

COLOURS = {AXIS: (0.2, 0.6, 1.0, 0.9), LIMIT: (1.0, 0.75, 0.1, 0.9), HAND: (1.0, 0.25, 0.2, 1.0)}
WIDTHS = {False: 1.5, True: 4.0}  # [px] by whether the joint is the selected one

_markers: tuple[str, list[Marker]] = ("", [])
_handle = None


def markers_of_scene(state) -> list[Marker]:
    """Return the markers of a scene; computed anew where its document has changed."""
    global _markers
    if _markers[0] != state.document:
        document = json.loads(state.document or "{}")
        size = marker_size(document) if document else 0.0
        found = [m for _, joint, axis in axes_of(document) for m in markers_of(joint, axis, size)] if document else []
        _markers = state.document, found
    return _markers[1]


def world_lines(state) -> Iterator[tuple[Marker, list[Vector]]]:
    """Yield each marker with its points in Blender's world, at the present poses of the objects."""
    things, world = objects_of(state.source), up_of(state.up_axis)
    for marker in markers_of_scene(state):
        thing = things.get(marker.body)
        frame = frame_of(thing) if thing else None if marker.body else world
        if frame is not None:
            yield marker, [frame @ Vector(point) for point in marker.points]


def draw() -> None:
    """Draw the markers of the scene on show; called by Blender for each 3D view."""
    state = bpy.context.scene.fajin
    if not (state.show_markers and state.joints):
        return
    selected = state.joints[min(state.active, len(state.joints) - 1)].dof
    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    _, _, width, height = gpu.state.viewport_get()
    shader.uniform_float("viewportSize", (width, height))
    gpu.state.blend_set("ALPHA")
    for marker, points in world_lines(state):
        shader.uniform_float("color", COLOURS[marker.kind])
        shader.uniform_float("lineWidth", WIDTHS[marker.dof == selected])
        batch_for_shader(shader, "LINES", {"pos": points}).draw(shader)
    gpu.state.blend_set("NONE")


def register() -> None:
    """Draw from now on, where Blender has windows."""
    global _handle
    if not bpy.app.background:
        _handle = bpy.types.SpaceView3D.draw_handler_add(draw, (), "WINDOW", "POST_VIEW")


def unregister() -> None:
    """Undo `register`."""
    global _handle
    if _handle is not None:
        bpy.types.SpaceView3D.draw_handler_remove(_handle, "WINDOW")
        _handle = None
