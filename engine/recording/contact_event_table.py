"""Events of a contact log: from when to when each pair of colliders touched, and how hard."""

from typing import Protocol

import numpy as np


class ContactRows(Protocol):
    """The contact points of frames, as `ContactLog` has them."""

    @property
    def time(self) -> np.ndarray: ...

    @property
    def start(self) -> np.ndarray: ...

    @property
    def force(self) -> np.ndarray: ...

    @property
    def pair(self) -> np.ndarray: ...


def event_table(log: ContactRows) -> dict[str, np.ndarray]:
    """Return the events of a log by begin: `event_pair`, `event_begin` and `event_end` [s], `event_peak_force` [N].

    An event begins with the first frame in which the pair has a contact point, and ends with the first one in which it
    has none, or with the last frame. The force is that along the normals, of all points of the pair.
    """
    frames = len(log.time)
    frame = np.repeat(np.arange(frames), np.diff(log.start))
    keys, where = np.unique(log.pair * (frames + 1) + frame, return_inverse=True)  # one beyond the last parts two pairs
    force = np.bincount(where.reshape(-1), log.force, len(keys))
    first = np.flatnonzero(np.diff(keys, prepend=-2) != 1)
    pair, begin = np.divmod(keys[first], frames + 1)
    last = np.append(first[1:], len(keys))[: len(first)] - 1
    end = np.minimum(keys[last] % (frames + 1) + 1, frames - 1)
    peak = np.maximum.reduceat(force, first) if len(first) else force
    order = np.lexsort((pair, begin))
    return {
        "event_pair": pair[order],
        "event_begin": log.time[begin[order]],
        "event_end": log.time[end[order]],
        "event_peak_force": peak[order],
    }
