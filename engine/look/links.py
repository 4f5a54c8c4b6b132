"""Links and joints of a scene as they are drawn, from the trees of the engine."""

from collections import defaultdict

import numpy as np

from ..quaternion import rotate
from ..scene import WORLD, Articulation, Joint, Link, Scene
from .scene import LookJoint, LookLink

AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


def look_links(scene: Scene) -> tuple[LookLink, ...]:
    """Return the links of all articulations and free bodies, in the order of the scene."""
    number = {link.path: i for i, link in enumerate(all_links(scene))}
    parents: dict[str, str] = {}
    for articulation in scene.articulations:
        parents |= {child: parent for child, (parent, _) in tree_joints(articulation).items()}
    return tuple(
        LookLink(link.path.rpartition("/")[2], link.path, number.get(parents.get(link.path, ""), -1), link.com)
        for link in all_links(scene)
    )


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
