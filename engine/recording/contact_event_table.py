"""Events of a contact log: from when to when each pair of colliders touched, and how hard."""

import numpy as np


def event_table(time: np.ndarray, start: np.ndarray, pair: np.ndarray, force: np.ndarray) -> dict[str, np.ndarray]:
    """Return the events of a log by begin: `event_pair`, `event_begin`, `event_end` [s], `event_peak_force` [N].

    An event begins with the first frame in which the pair has a contact point, and ends with the first one in which it
    has none, or with the last frame. The force is that along the normals, of all points of the pair.
    """
    frames = len(time)
    frame = np.repeat(np.arange(frames), np.diff(start))
    keys, where = np.unique(pair * (frames + 1) + frame, return_inverse=True)  # one beyond the last parts two pairs
    total = np.bincount(where.reshape(-1), force, len(keys))
    first = np.flatnonzero(np.diff(keys, prepend=-2) != 1)
    touching, begin = np.divmod(keys[first], frames + 1)
    last = np.append(first[1:], len(keys))[: len(first)] - 1
    end = np.minimum(keys[last] % (frames + 1) + 1, frames - 1)
    peak = np.maximum.reduceat(total, first) if len(first) else total
    order = np.lexsort((touching, begin))
    return {
        "event_pair": touching[order],
        "event_begin": time[begin[order]],
        "event_end": time[end[order]],
        "event_peak_force": peak[order],
    }
