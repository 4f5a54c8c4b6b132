"""Links and joints of a scene as they are drawn, from the trees of the engine."""

from collections import defaultdict
from itertools import pairwise

import numpy as np

from ...quaternion import rotate
from ...scene import WORLD, Articulation, Joint, Link, Pose, Scene, Vector
from .scene import LookJoint, LookLink, LookTendon

AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


def look_links(scene: Scene) -> tuple[LookLink, ...]:
    """Return the links of all articulations and free bodies, in the order of the scene."""
    number = {link.path: i for i, link in enumerate(all_links(scene))}
    parents: dict[str, str] = {}
    for articulation in scene.articulations:
        parents |= {child: parent for child, (parent, _) in tree_joints(articulation).items()}
    found = []
    for link in all_links(scene):
        edges, pose = inertia_box(link)
        name, parent = link.path.rpartition("/")[2], number.get(parents.get(link.path, ""), -1)
        found.append(LookLink(name, link.path, parent, link.com, edges, pose))
    return tuple(found)


def inertia_box(link: Link) -> tuple[Vector, Pose]:
    """Return edges and pose in the link frame of the even box with the link's mass and inertia.

    A box with edges a, b, c has I_x = m (b² + c²) / 12, so a² = 6 (I_y + I_z - I_x) / m.
    """
    principal, axes = np.linalg.eigh(np.array(link.inertia, float))
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] *= -1.0
    squares = 6.0 * (principal.sum() - 2.0 * principal) / max(link.mass, 1e-12)
    a, b, c = np.sqrt(np.maximum(squares, 0.0)).tolist()
    x, y, z, w = quaternion_of(axes).tolist()
    return (a, b, c), (link.com, (x, y, z, w))


def quaternion_of(turn: np.ndarray) -> np.ndarray:
    """Return the quaternion (x, y, z, w) of a rotation (3, 3): its eigenvector of the greatest eigenvalue."""
    (a, b, c), (d, e, f), (g, h, i) = turn
    symmetric = np.array(
        [[a - e - i, b + d, c + g, h - f], [b + d, e - a - i, f + h, c - g], [c + g, f + h, i - a - e, d - b],
         [h - f, c - g, d - b, a + e + i]]
    )  # fmt: skip
    return np.linalg.eigh(symmetric)[1][:, -1]


def look_tendons(scene: Scene, joints: tuple[LookJoint, ...]) -> tuple[LookTendon, ...]:
    """Return the tendons of a scene: a spatial one along its attachments, a fixed one from joint to joint."""
    number = {link.path: i for i, link in enumerate(all_links(scene))}
    place = {joint.dof: joint for joint in joints}
    found = []
    for articulation in scene.articulations:
        for tendon in articulation.spatial_tendons:
            ends = [(number[one.link], one.position) for one in tendon.attachments]
            lines = [(*ends[one.parent], *ends[i]) for i, one in enumerate(tendon.attachments) if one.parent >= 0]
            found.append(LookTendon(tendon.path, tuple(lines)))
        for tendon in articulation.fixed_tendons:
            ends = [(place[axis.dof].link, place[axis.dof].position) for axis in tendon.axes if axis.dof in place]
            lines = [(*one, *other) for one, other in pairwise(ends)]
            found.append(LookTendon(tendon.path, tuple(lines)))
    return tuple(found)


def look_joints(scene: Scene) -> tuple[LookJoint, ...]:
    """Return the degrees of freedom of all trees, in the frames of the links that they move."""
    number = {link.path: i for i, link in enumerate(all_links(scene))}
    found = []
    for articulation in scene.articulations:
        for child, (_, joint) in tree_joints(articulation).items():
            position, rotation = joint.frame1 if child == joint.body1 else joint.frame0
            for axis in joint.axes:
                direction = rotate(np.array(rotation), np.array(AXES[axis.token[-1]]))
                found.append(
                    LookJoint(
                        joint.path.rpartition("/")[2],
                        joint.path,
                        f"{joint.path}:{axis.token}",
                        number[child],
                        position,
                        (float(direction[0]), float(direction[1]), float(direction[2])),
                        axis.rotational,
                    )
                )
    return tuple(found)


def all_links(scene: Scene) -> list[Link]:
    """Return the links of a scene in its order."""
    return [link for articulation in scene.articulations for link in articulation.links]


def tree_joints(articulation: Articulation) -> dict[str, tuple[str, Joint]]:
    """Return parent and joint of each link that a joint carries, from the root outward; the parent may be `WORLD`."""
    ends = defaultdict(list)
    for joint in articulation.joints:
        ends[joint.body0].append((joint.body1, joint))
        ends[joint.body1].append((joint.body0, joint))
    carried: dict[str, tuple[str, Joint]] = {}
    reached = {WORLD}
    for start in (WORLD, articulation.links[0].path):
        waiting = [start]
        reached.add(start)
        for parent in waiting:
            for child, joint in ends[parent]:
                if child not in reached:
                    carried[child] = parent, joint
                    reached.add(child)
                    waiting.append(child)
    return carried
