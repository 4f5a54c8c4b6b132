"""Random articulations of every joint type: branches, reversed bodies, stacked joints, fixed and floating bases."""

from dataclasses import replace

import numpy as np

from fajin.scene import Articulation, Axis, Joint, JointType, Link, Scene, SolverType

TOKENS = {
    "fixed": (JointType.FIXED, ""),
    "revolute": (JointType.REVOLUTE, "X"),
    "limited": (JointType.REVOLUTE, "Z"),
    "prismatic": (JointType.PRISMATIC, "Y"),
    "spherical": (JointType.SPHERICAL, "XYZ"),
    "d6-one": (JointType.D6, "Y"),
    "d6-two": (JointType.D6, "XZ"),
    "d6-three": (JointType.D6, "XYZ"),
}
KINDS = (*TOKENS, "stacked")
"""Every kind of joint; a stacked one is a revolute and a prismatic joint between the same two links."""


def random_tree(seed: int, kinds: tuple[str, ...] = KINDS, floating: bool = False) -> Scene:
    """A tree with one joint of each kind in random order, random shape, random state and no row that acts.

    PGS, no drives, no damping, no speed limits; the limited joint is far from its limits. A base that does not float
    is held by `fixed_base` for an even seed and hangs on a joint to the world for an odd one.
    """
    rng = np.random.default_rng(seed)
    hangs = not floating and seed % 2 == 1
    order = [str(kind) for kind in rng.permutation(kinds)]
    links = [_link(rng, 0)]
    joints = [] if not hangs else [_joint(rng, "revolute", "root", "", links[0].path)]
    for i, kind in enumerate(order, 1):
        links.append(_link(rng, i))
        parent = links[max(0, i - int(rng.integers(1, 4)))].path
        bodies = (parent, links[-1].path) if rng.random() < 0.5 else (links[-1].path, parent)
        if kind == "stacked":
            joints += _stack(rng, i, bodies, parent)
        else:
            joints.append(_joint(rng, kind, f"{kind.replace('-', '_')}{i}", *bodies))
    if floating:
        links[0] = replace(links[0], velocity=_vector(rng), angular_velocity=_vector(rng))
    articulation = Articulation("/tree", tuple(links), tuple(joints), fixed_base=not floating and not hangs)
    return Scene("random_tree", (articulation,), tuple(5.0 * rng.normal(size=3)), solver=SolverType.PGS)


def edited(scene: Scene, links=lambda link: link, axes=lambda axis: axis, **changes) -> Scene:
    """The scene with functions applied to each link and each axis, and other fields of it replaced."""
    articulations = tuple(
        replace(
            articulation,
            links=tuple(links(link) for link in articulation.links),
            joints=tuple(replace(j, axes=tuple(axes(axis) for axis in j.axes)) for j in articulation.joints),
        )
        for articulation in scene.articulations
    )
    return replace(scene, articulations=articulations, **changes)


def _vector(rng, size: float = 1.0) -> tuple:
    return tuple(float(x) for x in rng.uniform(-size, size, 3))


def _pose(rng, reach: float = 0.3) -> tuple:
    orientation = rng.normal(size=4)
    return _vector(rng, reach), tuple(float(x) for x in orientation / np.linalg.norm(orientation))


def _link(rng, i: int) -> Link:
    mass = rng.uniform(0.5, 3.0)
    points = rng.normal(size=(6, 3)) * 0.2  # a cloud of masses is a body that can exist
    inertia = mass / len(points) * sum(p @ p * np.eye(3) - np.outer(p, p) for p in points)
    return Link(
        f"/tree/link{i}", _pose(rng), mass, _vector(rng, 0.2), tuple(map(tuple, inertia.tolist())),
        angular_damping=0.0, max_angular_velocity=np.inf,
    )  # fmt: skip


def _joint(rng, kind: str, name: str, body0: str, body1: str) -> Joint:
    type, letters = TOKENS[kind]
    reach = 3.0 if kind == "limited" else np.inf
    prefix = "trans" if type == JointType.PRISMATIC else "rot"
    axes = tuple(Axis(prefix + x, -reach, reach, q=rng.uniform(-1, 1), qd=rng.uniform(-2, 2)) for x in letters)
    return Joint(f"/tree/{name}", type, body0, body1, _pose(rng), _pose(rng), axes=axes)


def _stack(rng, i: int, bodies: tuple[str, str], parent: str) -> list[Joint]:
    """A revolute and a prismatic joint between the same links, whose frames agree where both are at zero."""
    first = _joint(rng, "revolute", f"stacked{i}a", *bodies)
    second = replace(_joint(rng, "prismatic", f"stacked{i}b", *bodies), frame0=first.frame0, frame1=first.frame1)
    return [first, second]
