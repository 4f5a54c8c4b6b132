"""Marks that move by themselves: those of contacts, and tendons between points of links."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...recording.contact_log import ContactLog
from ...scene import Scene
from .contact_marks import MarkSizes, add_marks, frame_along, mark_matrices
from .scene import OVERLAY, LookScene, Shape
from .track import matrices_of

TENDON = (0.75, 0.1, 0.55)
TENDON_WIDTH = 0.5  # radius of a tendon, by that of the ball of a contact


@dataclass(frozen=True, eq=False)
class MovingMarks:
    """Shapes beside those of a look scene, and their transforms over time."""

    look: LookScene  # with their meshes
    shapes: tuple[Shape, ...]
    sizes: MarkSizes
    contacts: ContactLog | None
    tendons: bool

    @classmethod
    def of(
        cls, scene: Scene, look: LookScene, extent: float, show: Sequence[str], contacts: ContactLog | None
    ) -> "MovingMarks":
        """Return the marks of a scene of this extent [m]; `show` names "contacts" and "tendons"."""
        contacts = contacts if "contacts" in show else None
        with_marks, shapes = add_marks(look, contacts.most if contacts else 0)
        rods = [
            Shape(tendon.path, len(look.meshes) + 1, -1, np.zeros((4, 4), np.float32), TENDON, purpose=OVERLAY)
            for tendon in look.tendons
            for _ in tendon.segments
            if "tendons" in show
        ]
        return cls(with_marks, (*shapes, *rods), MarkSizes.of(scene, extent), contacts, bool(rods))

    def matrices(self, time: float, pose: np.ndarray) -> np.ndarray:
        """Return the transforms (W, N, 4, 4) of the shapes, when the links have poses (W, L, 7)."""
        parts = [np.zeros((len(pose), 0, 4, 4))]
        if self.contacts:
            marks = mark_matrices(self.contacts, time, self.sizes, self.contacts.most)
            parts.append(np.broadcast_to(marks, (len(pose), *marks.shape)))
        if self.tendons:
            segments = [line for tendon in self.look.tendons for line in tendon.segments]
            parts.append(segment_matrices(segments, pose, self.sizes.radius * TENDON_WIDTH))
        return np.concatenate(parts, axis=1)


def segment_matrices(segments: Sequence[tuple], pose: np.ndarray, radius: float) -> np.ndarray:
    """Return the transforms (W, N, 4, 4) of rods between points of links with poses (W, L, 7)."""
    links = matrices_of(pose)
    found = np.zeros((len(pose), len(segments), 4, 4))
    for i, (link, point, other, end) in enumerate(segments):
        starts = links[:, link, :3, :3] @ np.array(point) + links[:, link, :3, 3]
        ends = links[:, other, :3, :3] @ np.array(end) + links[:, other, :3, 3]
        for world, (start, along) in enumerate(zip(starts, ends - starts, strict=True)):
            length = float(np.linalg.norm(along))
            turn = frame_along(along / max(length, 1e-12))
            found[world, i, :3, :3] = turn * (radius, radius, length)
            found[world, i, :3, 3] = start + 0.5 * along
            found[world, i, 3, 3] = 1.0
    return found
