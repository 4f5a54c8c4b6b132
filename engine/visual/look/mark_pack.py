"""Contacts and tendons in the data of a page; its script `marks.js` places them as `moving_marks` does."""

from typing import Any

import numpy as np

from ...recording.contact_log import ContactLog
from .contact_marks import MARK_COLORS, MarkSizes, mark_meshes
from .moving_marks import TENDON, TENDON_WIDTH
from .pack import Buffers, pack_mesh
from .scene import LookScene


def marks_head(look: LookScene, sizes: MarkSizes, most: int, buffers: Buffers) -> dict[str, Any]:
    """Return the part of a header that draws marks, of at most `most` contact points at a time."""
    if not (most or look.tendons):
        return {}
    segments = [[link, *point, other, *end] for tendon in look.tendons for link, point, other, end in tendon.segments]
    return {
        "marks": {
            "meshes": [pack_mesh(mesh, buffers) for mesh in mark_meshes()],
            "colors": [*MARK_COLORS, TENDON],
            "sizes": {
                "radius": sizes.radius,
                "normal": sizes.normal,
                "perNewton": sizes.per_newton,
                "longest": sizes.longest,
                "tendon": TENDON_WIDTH * sizes.radius,
            },
            "most": most,
            "segments": segments,
        }
    }


def contact_frames(log: ContactLog, times: np.ndarray, buffers: Buffers) -> dict[str, Any]:
    """Return the part of a header with the contacts of each frame of a page: point, normal and force."""
    rows = [log.at(float(time)) for time in times]
    starts = np.concatenate([[0], np.cumsum([row.stop - row.start for row in rows])])
    values = np.column_stack([log.point, log.normal, log.force[:, None]])
    picked = np.concatenate([values[:0], *(values[row] for row in rows)])
    return {"contacts": {"starts": buffers.add(starts.astype("u4")), "values": buffers.add(picked.astype("f4"))}}
