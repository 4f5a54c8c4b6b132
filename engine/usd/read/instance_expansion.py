"""Expansion of instance copies in a scene: the content of an original is repeated for each copy at the copy's pose."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter, itemgetter

import numpy as np
from pxr import Gf, Sdf

from ...quaternion import multiply, rotate
from ...scene import WORLD, Articulation, Collider, CollisionGroup, Diagnostic, Joint, Pose, Scene
from ...scene.renaming import Part, Renaming, changed
from ..stage.instance_detection import walk
from ..stage.stage import StageReader, schemas
from .collision_filters import GroupsByPath, membership
from .joint_prims import JointPrim
from .joints import read_frames


@dataclass(frozen=True)
class InstanceCopy:
    """A copy of another prim, the original."""

    source: StageReader
    original: Sdf.Path
    path: Sdf.Path

    def renamed(self, said: Part) -> Part:
        """Return a value with every path below the original replaced by the copy's path."""
        renaming = self.source.renamings.setdefault(self.original, Renaming.below(str(self.original)))
        return renaming.renamed(said, str(self.path))

    def articulation(
        self, said: Articulation, frames: Sequence[Gf.Matrix4d], edges: dict[str, JointPrim]
    ) -> Articulation:
        """Return an articulation of the original, whose links have these frames, at the copy's pose."""
        mine, own = self.renamed(said), str(self.path)
        links = [
            changed(link, {"pose": self.source.pose(self.source.prim(own)) if link.path == own else self.moved(frame)})
            for link, frame in zip(mine.links, frames, strict=True)
        ]
        joints = tuple([self.joint(joint, edges) for joint in mine.joints])
        return changed(mine, {"links": tuple(links), "joints": joints})

    def moved(self, frame: Gf.Matrix4d) -> Pose:
        """Return the pose of a link whose original has a frame."""
        return self.source.rigid(frame * self.motion)

    @cached_property
    def motion(self) -> Gf.Matrix4d:
        """Return the transform from the original to the copy."""
        there, here = (self.source.matrix(self.source.prim(path)) for path in (self.original, self.path))
        return (there.GetInverse() * here).RemoveScaleShear()

    def collider(self, said: Collider) -> Collider:
        """Return a collider of the original as one of the copy; one of the world stands at the copy's pose."""
        mine = self.renamed(said)
        return mine if mine.body != WORLD else replace(mine, pose=moved(said.pose, self.source.rigid(self.motion)))

    def joint(self, joint: Joint, edges: dict[str, JointPrim]) -> Joint:
        """Return a joint of the copy, already renamed; a joint to the world gets a different world frame."""
        if WORLD not in (joint.body0, joint.body1):
            return joint
        _, frames = read_frames(self.source, self.edge(edges[self.back(joint.path)]))
        return replace(joint, frame0=frames[0], frame1=frames[1])

    def edge(self, edge: JointPrim) -> JointPrim:
        """Return a joint prim of the original as one between the prims of the copy."""
        prims = [prim and self.source.prim(self.renamed(str(prim.GetPath()))) for prim in (edge.prim, *edge.targets)]
        return replace(edge, prim=prims[0], targets=tuple(prims[1:]), bodies=self.renamed(edge.bodies))

    def back(self, path: str) -> str:
        """Return the original's path for a path of the copy."""
        return str(Sdf.Path(path).ReplacePrefix(self.path, self.original))


def add_copies(scene: Scene, source: StageReader, edges: dict[str, JointPrim]) -> Scene:
    """Return the scene with the content of its originals repeated for each of their copies, in stage order.

    Args:
        scene: the originals, and all content without copies.
        source: the reader, which has the list of copies.
        edges: the joint prims by path.
    """
    if not source.copies:
        return scene
    rank = {str(prim.GetPath()): i for i, prim in enumerate(walk(source.stage, source.copies))}
    articulations = [(min(rank[link.path] for link in a.links), a) for a in scene.articulations]
    for a in scene.articulations:
        frames = [source.frame(source.prim(link.path)) for link in a.links]
        for copy in copies_of(source, a.links[0].path):
            articulations.append((rank[str(copy.path)], copy.articulation(a, frames, edges)))
    colliders, reached = [], 0
    for collider in scene.colliders:
        reached = max(reached, rank[collider.path])  # shapes of a container have an order of their own
        colliders.append((reached, collider))
        colliders += [(rank[str(c.path)], c.collider(collider)) for c in copies_of(source, collider.path)]
    articulations.sort(key=lambda item: (item[1].free, item[1].kinematic, item[0]))

    def with_copies(items: Sequence[Part], path_of: Callable, copied: Callable) -> tuple[Part, ...]:
        """Return items and their copies in stage order."""
        found = [(rank[path_of(item).partition(":")[0]], item) for item in items]
        for item in items:
            found += [(rank[str(copy.path)], copied(copy, item)) for copy in copies_of(source, path_of(item))]
        return tuple(item for _, item in sorted(found, key=itemgetter(0)))

    return replace(
        scene,
        articulations=tuple(item for _, item in articulations),
        joints=with_copies(scene.joints, attrgetter("path"), lambda c, joint: c.joint(c.renamed(joint), edges)),
        signals=with_copies(scene.signals, attrgetter("dof"), lambda c, signal: c.renamed(signal)),
        colliders=tuple(item for _, item in sorted(colliders, key=itemgetter(0))),
        triggers=with_copies(scene.triggers, attrgetter("path"), lambda c, trigger: c.collider(trigger)),
        filtered_pairs=(*scene.filtered_pairs, *repeated_pairs(scene, source)),
        collision_groups=tuple(groups_with_copies(scene, source)),
    )


def repeated_pairs(scene: Scene, source: StageReader) -> Iterator[tuple[str, str]]:
    """Yield the filtered pairs of the originals for their copies."""
    for pair in scene.filtered_pairs:
        for copy in copies_of(source, pair[0]):
            yield copy.renamed(pair)


def groups_with_copies(scene: Scene, source: StageReader) -> Iterator[CollisionGroup]:
    """Yield the collision groups, those in copies among them, with the copies of colliders that each includes."""
    groups = list(scene.collision_groups)
    groups += [copy.renamed(group) for group in scene.collision_groups for copy in copies_of(source, group.path)]
    originals = [str(prim.GetPath()) for prim in source.prims if groups and "PhysicsCollisionAPI" in schemas(prim)]
    copied = [copy.renamed(path) for path in originals for copy in copies_of(source, path)]
    ordered = sorted(Sdf.Path(group.path) for group in groups)
    near = GroupsByPath((path, membership(source.prim(str(path)))) for path in ordered)
    members: dict[str, list[str]] = defaultdict(list)
    firsts = [near.groups_of(Sdf.Path(path))[:1] for path in originals]  # which are reported already
    firsts += [near.first_of(source, Sdf.Path(path)) for path in copied]
    for path, found in zip(originals + copied, firsts, strict=True):
        for first in found:
            members[str(first)].append(path)
    for group in groups:
        yield replace(group, members=tuple(members[group.path]))


def moved(pose: Pose, motion: Pose) -> Pose:
    """Return a pose in the world after a motion; the length of its quaternion stays."""
    place = rotate(np.array(motion[1]), np.array(pose[0])) + motion[0]
    x, y, z, w = multiply(np.array(motion[1]), np.array(pose[1])).tolist()
    return tuple(place.tolist()), (x, y, z, w)


def reports_of_copies(source: StageReader) -> Iterator[Diagnostic]:
    """Yield the diagnostics of the originals for their copies."""
    for report in source.reports:
        for copy in copies_of(source, report.prim):
            yield copy.renamed(report)


def copies_of(source: StageReader, path: str) -> Iterator[InstanceCopy]:
    """Yield the copies of the original that contains a path."""
    if not source.copies:
        return
    for prefix in Sdf.Path(path.partition(":")[0]).GetPrefixes():
        for copy in source.copies_of.get(prefix, ()):
            yield InstanceCopy(source, prefix, copy)
