"""Copies of a scene side by side: robots and what stands with them, at the places of a square grid."""

from collections.abc import Iterator
from dataclasses import replace
from math import ceil, inf, sqrt

from ..errors import whole
from .articulation import Articulation
from .collider import Collider, ShapeKind
from .collision_filter import CollisionGroup
from .frame import Pose, Vector
from .invalid_scene import InvalidScene
from .joint import WORLD, Joint
from .renaming import Part, Renaming
from .scene import BodyMotion, Scene

ENVS = "/World/envs"
"""Prim of all copies; a copy of /robot is /World/envs/env_0/robot."""
SHARED = "/World/shared"
"""Prim of what stands once; a plane /ground is /World/shared/ground."""
GROUPS = "/World/collisions"
"""Prim of the collision groups that keep copies apart."""
MOST_LINKS = 1 << 20
"""Most links of a scene of copies."""


def replicate(scene: Scene, n: int, spacing: float = 2.0, filtered: bool = True) -> Scene:
    """Return a scene with n copies of a scene, in level rows along x from the place of the original on.

    The copy of a prim PATH is /World/envs/env_I/PATH, with I from 0. Planes of the world stand once, for all copies.

    Args:
        scene: the original.
        n: number of copies.
        spacing: distance between neighbours [m]; 0 for filtered copies at one place.
        filtered: keep copies from colliding with each other, by collision groups as Isaac Lab writes them.

    Raises:
        InvalidScene: the copies have too many links, or copies are filtered and the scene has its own groups.
        TypeError, ValueError: n is not a whole number from 1, or spacing not finite and above 0 (at least 0 if
            filtered).
    """
    check_copies(scene, n, spacing, filtered)
    renaming = Renaming(lambda text: ["", text] if text.startswith("/") else [text])
    copies = [_Copy(i, place, renaming) for i, place in enumerate(places_of_copies(scene, n, spacing))]
    return _joined(scene, copies, filtered)


def check_copies(scene: Scene, n: int, spacing: float, filtered: bool) -> None:
    """Check what `replicate` is called with, and raise its errors."""
    n = whole("n", n, 1)
    if not (0.0 < spacing < inf or (filtered and spacing == 0.0)):
        raise ValueError(f"spacing = {spacing}: must be finite and {'at least' if filtered else 'above'} 0 [m]")
    links = sum(len(articulation.links) for articulation in scene.articulations)
    if n * links > MOST_LINKS:
        rule = f"at most {MOST_LINKS // links:,} for scenes of {links} links"
        raise InvalidScene("", "copies", f"{n:,}", rule, "use worlds: fajin.Simulation(scene, worlds=n)")
    if filtered and (scene.inverted_groups or any(group.filtered for group in scene.collision_groups)):
        rule = "without collision groups that filter"
        raise InvalidScene(file=scene.source, rule=rule, fix="do not filter the copies, or remove the groups")


def places_of_copies(scene: Scene, n: int, spacing: float) -> Iterator[Vector]:
    """Yield the position of each of n copies relative to the original [m]: rows along x, level to gravity."""
    side, level = ceil(sqrt(n)), level_axis(scene)
    for i in range(n):
        across = spacing * (i // side)
        yield (spacing * (i % side), *((across, 0.0) if level == 1 else (0.0, across)))


def level_axis(scene: Scene) -> int:
    """Return the axis, 1 or 2, that is level beside x: y, unless gravity acts along y."""
    return 2 if abs(scene.gravity[1]) > abs(scene.gravity[2]) else 1


def _joined(scene: Scene, copies: list["_Copy"], filtered: bool) -> Scene:
    """Return a scene with all copies."""
    shared = tuple(c for c in scene.colliders if c.body == WORLD and c.kind == ShapeKind.PLANE)
    own = tuple(c for c in scene.colliders if c.body != WORLD or c.kind != ShapeKind.PLANE)
    shared = tuple(replace(c, path=SHARED + c.path) for c in shared)
    trees = [tuple(copy.articulation(a) for a in scene.articulations) for copy in copies]
    order = sorted((a for tree in trees for a in tree), key=lambda a: (a.free, a.kinematic))  # as read
    colliders = [tuple(copy.collider(c) for c in own) for copy in copies]
    groups = tuple(copy.renamed(g) for copy in copies for g in scene.collision_groups)
    return replace(
        scene,
        articulations=tuple(order),
        joints=tuple(copy.joint(joint) for copy in copies for joint in scene.joints),
        signals=tuple(copy.renamed(signal) for copy in copies for signal in scene.signals),
        motions=tuple(copy.motion(motion) for copy in copies for motion in scene.motions),
        colliders=(*shared, *(c for each in colliders for c in each)),
        triggers=tuple(copy.collider(trigger) for copy in copies for trigger in scene.triggers),
        filtered_pairs=tuple(copy.renamed(pair) for copy in copies for pair in scene.filtered_pairs),
        collision_groups=groups + (tuple(_apart(shared, colliders)) if filtered and scene.colliders else ()),
        inverted_groups=scene.inverted_groups or (filtered and bool(scene.colliders)),
        fit=None,
        reports=(),
    )


def _apart(shared: tuple[Collider, ...], copies: list[tuple[Collider, ...]]) -> Iterator[CollisionGroup]:
    """Yield a group per copy, which collides with itself and with the group of what all copies share."""
    common = f"{GROUPS}/shared"
    yield CollisionGroup(common, tuple(c.named for c in shared), (common,))
    for i, colliders in enumerate(copies):
        mine = f"{GROUPS}/group_{i}"
        yield CollisionGroup(mine, tuple(dict.fromkeys(c.named for c in colliders)), (mine, common))


class _Copy:
    """Copy number i of a scene, moved by a vector [m]."""

    def __init__(self, i: int, move: Vector, renaming: Renaming):
        self._prefix, self._move, self._renaming = f"{ENVS}/env_{i}", move, renaming

    def renamed(self, part: Part) -> Part:
        """Return a part of a scene with its paths below the copy's prim."""
        return self._renaming.renamed(part, self._prefix)

    def placed(self, pose: Pose) -> Pose:
        """Return a pose in the world as that of the copy."""
        x, y, z = (a + b for a, b in zip(pose[0], self._move, strict=True))
        return (x, y, z), pose[1]

    def articulation(self, part: Articulation) -> Articulation:
        """Return an articulation of the copy."""
        mine = self.renamed(part)
        links = tuple(replace(link, pose=self.placed(link.pose)) for link in mine.links)
        return replace(mine, links=links, joints=tuple(map(self._held, mine.joints)))

    def joint(self, part: Joint) -> Joint:
        """Return a maximal joint of the copy."""
        return self._held(self.renamed(part))

    def _held(self, joint: Joint) -> Joint:
        """Return a joint whose frame in the world, if it has any, is that of the copy."""
        if joint.body0 == WORLD:
            joint = replace(joint, frame0=self.placed(joint.frame0))
        if joint.body1 == WORLD:
            joint = replace(joint, frame1=self.placed(joint.frame1))
        return joint

    def collider(self, part: Collider) -> Collider:
        """Return a collider of the copy."""
        mine = self.renamed(part)
        return mine if mine.body != WORLD else replace(mine, pose=self.placed(mine.pose))

    def motion(self, part: BodyMotion) -> BodyMotion:
        """Return the motion of a kinematic body of the copy."""
        mine = self.renamed(part)
        return replace(mine, poses=tuple(map(self.placed, mine.poses)))
