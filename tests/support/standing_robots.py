"""Robots that stand: a table on four ends, and a body on four legs of two joints each."""

from dataclasses import replace

import numpy as np

from fajin.scene import Articulation, Axis, Collider, Joint, JointType, Link, Scene, ShapeKind

UP = np.array((0.0, 0.0, 1.0))
SIDE, TALL, MASS = 0.3, 0.4, 8.0


def table(axis: Axis | None = None, kind: ShapeKind = ShapeKind.SPHERE, name: str = "Y") -> Scene:
    """A box on four ends of radius 5 cm, each on a hinge about y at the box."""
    inertia = tuple(tuple(0.1 * row) for row in np.eye(3))
    links = [Link("/t", mass=MASS, inertia=inertia)]
    joints, colliders = [], [Collider("/t/box", "/t", ShapeKind.BOX, half_extents=(0.2, 0.2, 0.05))]
    turn = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.70710678, 0.70710678))  # x of the shape along y of the link
    for i, (x, y) in enumerate([(SIDE, SIDE), (SIDE, -SIDE), (-SIDE, SIDE), (-SIDE, -SIDE)]):
        path = f"/t/end{i}"
        links.append(Link(path, mass=0.5, com=(0.0, 0.0, -TALL), inertia=inertia))
        place = (x, y, 0.0), (0.0, 0.0, 0.0, 1.0)
        joints.append(Joint(f"{path}/hinge", JointType.REVOLUTE, "/t", path, place, axis=name,
                            axes=(axis or Axis(f"rot{name}", -1.0, 1.0),)))  # fmt: skip
        low = 0.0 if axis else -TALL
        colliders.append(Collider(f"{path}/foot", path, kind, ((0.0, 0.0, low), turn[1]), 0.05, 0.02))
    robot = Articulation("/t", tuple(links), tuple(joints))
    scene = Scene("table", (robot,), colliders=tuple(colliders))
    if axis:  # wheels at the box: nothing is lower
        scene = replace(scene, colliders=(replace(colliders[0], half_extents=(0.2, 0.2, 0.01)), *colliders[1:]))
    return scene


def spider() -> Scene:
    """A body on four legs of a hip and a knee each, which bend in planes at 45 degrees to the body."""
    tensor = tuple(tuple(0.01 * row) for row in np.eye(3))
    links, joints = [Link("/s", pose=((0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 1.0)), mass=MASS, inertia=tensor)], []
    colliders = [Collider("/s/box", "/s", ShapeKind.BOX, half_extents=(0.1, 0.1, 0.05))]
    still = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)
    for i in range(4):
        half = np.pi / 8.0 + i * np.pi / 4.0
        hip = (0.2 * np.cos(2.0 * half), 0.2 * np.sin(2.0 * half), 0.0), (0.0, 0.0, np.sin(half), np.cos(half))
        upper, lower = f"/s/upper{i}", f"/s/lower{i}"
        links += [Link(path, mass=0.3, com=(0.0, 0.0, -0.15), inertia=tensor) for path in (upper, lower)]
        bend = (Axis("rotY", -2.0, 2.0, q=0.4 if i % 2 else -0.3),)
        joints.append(Joint(f"{upper}/hip", JointType.REVOLUTE, "/s", upper, hip, still, axis="Y", axes=bend))
        knee = (0.0, 0.0, -0.3), still[1]
        joints.append(Joint(f"{lower}/knee", JointType.REVOLUTE, upper, lower, knee, still, axis="Y", axes=bend))
        colliders.append(Collider(f"{lower}/foot", lower, ShapeKind.SPHERE, ((0.0, 0.0, -0.3), still[1]), radius=0.03))
    return Scene("spider", (Articulation("/s", tuple(links), tuple(joints)),), colliders=tuple(colliders))
