"""Shapes that show what has no geometry: frames of links, joint axes, centres of mass, inertia, bones."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...geometry.primitives import box_triangles, cylinder_triangles, sphere_triangles
from ...scene import Scene, Vector
from .bones import draw_bones, look_mesh
from .scene import GUIDE, OVERLAY, LookScene, Shape
from .track import matrices_of

SIZE = 0.05  # of a frame, by the extent of the scene
AXIS_COLORS = ((0.85, 0.1, 0.1), (0.1, 0.6, 0.1), (0.1, 0.25, 0.9))
JOINT = (0.95, 0.45, 0.05)
COM = (0.9, 0.75, 0.05)
INERTIA = {"color": (0.45, 0.2, 0.75), "opacity": 0.35, "roughness": 1.0}
COLLIDER = {"color": (0.1, 0.7, 0.25), "opacity": 0.5, "roughness": 1.0, "metallic": 0.0}
ROD, BALL, BOX = 0, 1, 2  # meshes


def overlay_scene(source: Scene, scene: LookScene, show: Sequence[str], extent: float) -> LookScene:
    """Return a look scene whose visual shapes include overlays.

    Args:
        source: the scene.
        scene: what is drawn of it.
        show: names of `choices.OVERLAYS`.
        extent: size of the scene [m]; frames are a twentieth of it.
    """
    meshes = (*scene.meshes, look_mesh(cylinder_triangles(1.0, 1.0)), look_mesh(sphere_triangles(1.0)))
    meshes += (look_mesh(box_triangles(np.ones(3))),)
    shapes = list(scene.shapes)
    if "colliders" in show:
        guides = (shape for shape in scene.colliders if shape.purpose == GUIDE)
        shapes += [replace(shape, purpose="default", **COLLIDER) for shape in guides]
    found: list[Shape] = []
    size = SIZE * extent
    if "frames" in show:
        for i, link in enumerate(scene.links):
            found += [rod(link.path, i, np.zeros(3), np.eye(3)[k], size, AXIS_COLORS[k]) for k in range(3)]
    if "joints" in show:
        for joint in scene.joints:
            axis = np.array(joint.axis)
            start = np.array(joint.position) - 0.5 * size * axis
            found.append(rod(joint.path, joint.link, start, axis, 1.5 * size, JOINT))
    if "com" in show:
        for i, link in enumerate(scene.links):
            matrix = np.diag([0.25 * size] * 3 + [1.0])
            matrix[:3, 3] = link.com
            found.append(Shape(link.path, BALL, i, matrix.astype(np.float32), COM))
    if "inertia" in show:
        found += inertia_shapes(scene)
    shapes += [replace(shape, mesh=shape.mesh + len(scene.meshes), purpose=OVERLAY) for shape in found]
    if "bones" in show:
        bones, parts = draw_bones(source)
        shapes += [replace(part, mesh=part.mesh + len(meshes), purpose=OVERLAY) for part in parts]
        meshes += bones
    return replace(scene, meshes=meshes, shapes=tuple(shapes))


def inertia_shapes(scene: LookScene) -> list[Shape]:
    """Return the even boxes with the mass and inertia of the links."""
    found = []
    for i, link in enumerate(scene.links):
        matrix = matrices_of(np.array([*link.box_pose[0], *link.box_pose[1]]))
        matrix[:3, :3] *= np.maximum(link.box, 1e-6)
        found.append(Shape(link.path, BOX, i, matrix.astype(np.float32), **INERTIA))
    return found


def rod(path: str, link: int, start: np.ndarray, axis: np.ndarray, length: float, color: Vector) -> Shape:
    """Return a thin rod from a point along an axis, of a length [m]."""
    aside = np.cross(axis, np.eye(3)[np.abs(axis).argmin()])
    aside /= np.linalg.norm(aside)
    matrix = np.eye(4)
    matrix[:3, 0], matrix[:3, 1] = 0.04 * length * aside, 0.04 * length * np.cross(axis, aside)
    matrix[:3, 2], matrix[:3, 3] = length * axis, start + 0.5 * length * axis
    return Shape(path, ROD, link, matrix.astype(np.float32), color)
