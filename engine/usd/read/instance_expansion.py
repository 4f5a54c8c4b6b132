"""Expansion of instance copies in a scene: the content of an original is repeated for each copy at the copy's pose."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, is_dataclass, replace
from functools import cache
from operator import itemgetter
from typing import Any, get_args, get_type_hints

from pxr import Gf, Sdf

from ...scene import WORLD, Articulation, Collider, CollisionGroup, Diagnostic, Joint, Pose, Scene
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

    def renamed(self, said: Any) -> Any:
        """Return a value with every path below the original replaced by the copy's path."""
        if isinstance(said, str):
            return pattern(self.original).sub(str(self.path), said) if str(self.original) in said else said
        if isinstance(said, tuple):
            return tuple(map(self.renamed, said))
        changes = {}
        for name in naming(type(said)):
            value = getattr(said, name)
            changed = self.renamed(value)
            if changed is not value and changed != value:
                changes[name] = changed
        return replace(said, **changes) if changes else said

    def articulation(self, said: Articulation, edges: dict[str, JointPrim]) -> Articulation:
        """Return an articulation of the original at the copy's pose."""
        mine, motion = self.renamed(said), self.motion
        frames = (self.source.frame(self.source.prim(link.path)) * motion for link in said.links)
        links = (replace(link, pose=self.source.rigid(f)) for link, f in zip(mine.links, frames, strict=True))
        return replace(mine, links=tuple(links), joints=tuple(self.joint(joint, edges) for joint in mine.joints))

    @property
    def motion(self) -> Gf.Matrix4d:
        """Return the transform from the original to the copy."""
        there, here = (self.source.matrix(self.source.prim(path)) for path in (self.original, self.path))
        return (there.GetInverse() * here).RemoveScaleShear()

    def collider(self, said: Collider) -> Collider:
        """Return a collider of the original as one of the copy; one of the world stands at the copy's pose."""
        mine = self.renamed(said)
        if mine.body != WORLD:
            return mine
        return replace(mine, pose=self.source.rigid(as_transform(self.source, said.pose) * self.motion))

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


@cache
def pattern(original: Sdf.Path) -> re.Pattern:
    """Return a pattern that matches a prim's path at the beginning of longer paths, anywhere in a text."""
    return re.compile(rf"(?<![\w/]){re.escape(str(original))}(?!\w)")


@cache
def naming(kind: type) -> tuple[str, ...]:
    """Return the names of a dataclass's fields that may contain paths."""
    return tuple(name for name, hint in get_type_hints(kind).items() if holds_text(hint))


def holds_text(hint: Any) -> bool:
    """Return whether a value of a type may contain strings."""
    if is_dataclass(hint):
        return bool(naming(hint))
    return hint is str or any(map(holds_text, get_args(hint)))


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
    joints = [(rank[joint.path], joint) for joint in scene.joints]
    signals = [(rank[signal.dof.partition(":")[0]], signal) for signal in scene.signals]
    for a in scene.articulations:
        for copy in copies_of(source, a.links[0].path):
            articulations.append((rank[str(copy.path)], copy.articulation(a, edges)))
    for joint in scene.joints:
        for copy in copies_of(source, joint.path):
            joints.append((rank[str(copy.path)], copy.joint(copy.renamed(joint), edges)))
    for signal in scene.signals:
        for copy in copies_of(source, signal.dof):
            signals.append((rank[str(copy.path)], copy.renamed(signal)))
    colliders = [(rank[c.path], c) for c in scene.colliders]
    for collider in scene.colliders:
        for copy in copies_of(source, collider.path):
            mine = copy.collider(collider)
            colliders.append((rank[str(copy.path)], mine))
    articulations.sort(key=lambda item: (item[1].free, item[0]))
    return replace(
        scene,
        articulations=tuple(item for _, item in articulations),
        joints=tuple(item for _, item in sorted(joints, key=itemgetter(0))),
        signals=tuple(item for _, item in sorted(signals, key=itemgetter(0))),
        colliders=tuple(item for _, item in sorted(colliders, key=itemgetter(0))),
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
    paths = originals + [copy.renamed(path) for path in originals for copy in copies_of(source, path)]
    ordered = sorted(Sdf.Path(group.path) for group in groups)
    near = GroupsByPath((path, membership(source.prim(str(path)))) for path in ordered)
    members: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        for first in near.groups_of(Sdf.Path(path))[:1]:
            members[str(first)].append(path)
    for group in groups:
        yield replace(group, members=tuple(members[group.path]))


def as_transform(source: StageReader, pose: Pose) -> Gf.Matrix4d:
    """Return a pose [m] as a transform in stage units."""
    (x, y, z, w), place = pose[1], Gf.Vec3d(*pose[0]) / source.metres
    return Gf.Matrix4d(Gf.Rotation(Gf.Quatd(w, x, y, z)), place)


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
