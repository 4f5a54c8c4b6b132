"""Bones: what is drawn of links without geometry, from joint to joint."""

from collections import defaultdict

import numpy as np

from ...geometry.creases import crease_normals
from ...geometry.primitives import Triangles, sphere_triangles
from ...scene import Scene
from .links import all_links, tree_joints
from .scene import Mesh, Shape

COLOR = (0.55, 0.62, 0.72)
JOINT_COLOR = (0.85, 0.45, 0.12)
THICKNESS = 0.12  # of a bone's radius, by the mean length of bones
LEAST = 0.02  # [m] mean length of bones, where joints coincide


def octahedron() -> Triangles:
    """Return a bone of length and radius 1 along z, thickest at a fifth of its length."""
    points = np.array([(0, 0, 0), (1, 0, 0.2), (0, 1, 0.2), (-1, 0, 0.2), (0, -1, 0.2), (0, 0, 1)], float)
    around = [(1, 2), (2, 3), (3, 4), (4, 1)]
    return points, np.array([(0, b, a) for a, b in around] + [(5, a, b) for a, b in around])


def look_mesh(shape: Triangles) -> Mesh:
    """Return triangles with their normals as a mesh."""
    points, triangles, normals = crease_normals(*shape)
    return Mesh(points.astype(np.float32), triangles.astype(np.int32), normals.astype(np.float32))


def draw_bones(scene: Scene) -> tuple[tuple[Mesh, ...], tuple[Shape, ...]]:
    """Return the meshes and shapes of the bones of all links, in the order of the links."""
    ends = bone_ends(scene)
    lengths = [float(np.linalg.norm(tip - start)) for start, tips in ends for tip in tips]
    radius = THICKNESS * max(LEAST, float(np.mean([*filter(None, lengths)] or [0.0])))
    shapes = []
    for number, (link, (start, tips)) in enumerate(zip(all_links(scene), ends, strict=True)):
        ball = np.diag([radius, radius, radius, 1.0])
        ball[:3, 3] = start
        shapes.append(Shape(link.path, 1, number, ball.astype(np.float32), JOINT_COLOR))
        for tip in tips:
            if np.linalg.norm(tip - start) > 1e-6:
                shapes.append(Shape(link.path, 0, number, bone_matrix(start, tip, radius), COLOR))
    return (look_mesh(octahedron()), look_mesh(sphere_triangles(1.0))), tuple(shapes)


def bone_ends(scene: Scene) -> list[tuple[np.ndarray, list[np.ndarray]]]:
    """Return the places of the joint that carries each link, and of its other joints, or of its centre of mass."""
    starts: dict[str, np.ndarray] = {}
    tips: dict[str, list[np.ndarray]] = defaultdict(list)
    for articulation in scene.articulations:
        for child, (parent, joint) in tree_joints(articulation).items():
            frames = (joint.frame0, joint.frame1) if child == joint.body1 else (joint.frame1, joint.frame0)
            starts[child] = np.array(frames[1][0])
            tips[parent].append(np.array(frames[0][0]))
    return [
        (starts.get(link.path, np.zeros(3)), tips.get(link.path) or [np.array(link.com)]) for link in all_links(scene)
    ]


def bone_matrix(start: np.ndarray, tip: np.ndarray, radius: float) -> np.ndarray:
    """Return the transform (4, 4) of a bone from a start to a tip."""
    along = tip - start
    aside = np.cross(along, np.eye(3)[np.abs(along).argmin()])
    aside /= np.linalg.norm(aside)
    matrix = np.eye(4)
    matrix[:3, 0], matrix[:3, 1] = radius * aside, radius * np.cross(along, aside) / np.linalg.norm(along)
    matrix[:3, 2], matrix[:3, 3] = along, start
    return matrix.astype(np.float32)
