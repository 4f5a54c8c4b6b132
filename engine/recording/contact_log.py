"""Contact logs: the contact points of every recorded frame of one world, as an .npz file beside its motion.

The points of a frame are those of its last step, of which the solver had the positions at the start. The initial frame
has none. The file also has the events: when each pair began and ceased to touch, and its peak force; and, of a scene
with triggers, when each shape came into a trigger and left it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ..atomic_write import OutputError, staging_directory
from ..errors import InputError
from ..npz import read_archive, write_archive

FORM = "fajin contact log 1"
WIDTHS = {"point": (3,), "normal": (3,), "force": (), "pair": ()}


@dataclass(frozen=True, eq=False)
class ContactLog:
    """N contact points of T frames, ordered by frame."""

    time: np.ndarray  # (T,) [s]
    start: np.ndarray  # (T + 1,) the points of frame t are the rows start[t] to start[t + 1]
    point: np.ndarray  # (N, 3) position, world axes [m]
    normal: np.ndarray  # (N, 3) unit vector from the second collider to the first, world axes
    force: np.ndarray  # (N,) along the normal on the first collider, the mean of a step [N]
    pair: np.ndarray  # (N,) place in `pairs`
    pairs: Sequence[str] = ()  # P names "collider|collider"
    triggers: dict[str, np.ndarray] = field(default_factory=dict)  # arrays of `trigger_table`; none without triggers

    def at(self, time: float) -> slice:
        """Return the rows of the frame nearest to a time [s]."""
        if not len(self.time):
            return slice(0, 0)
        after = int(np.clip(np.searchsorted(self.time, time), 1, max(1, len(self.time) - 1)))
        after = min(after, len(self.time) - 1)
        before = max(after - 1, 0)
        frame = before if time - self.time[before] <= self.time[after] - time else after
        return slice(int(self.start[frame]), int(self.start[frame + 1]))

    @property
    def most(self) -> int:
        """Return the greatest number of points of a frame."""
        return int(np.diff(self.start).max(initial=0))


class StepContacts(Protocol):
    """The contact points of a step, as `Simulation.contacts` has them."""

    @property
    def pairs(self) -> Sequence[str]: ...

    @property
    def index(self) -> np.ndarray: ...

    @property
    def point(self) -> np.ndarray: ...

    @property
    def normal(self) -> np.ndarray: ...

    @property
    def impulse(self) -> np.ndarray: ...

    def __getitem__(self, worlds: int, /) -> "StepContacts":
        """Return the points of one world."""
        ...


class Overlaps(Protocol):
    """Events of triggers, as `TriggerEvents` has them."""

    trigger: list[str]
    collider: list[str]

    def update(self) -> None: ...

    @property
    def table(self) -> np.ndarray: ...


class ContactRecorder:
    """A contact log that grows frame by frame.

    Args:
        triggers: events of triggers, which each frame updates; None for a scene without triggers.
    """

    def __init__(self, triggers: Overlaps | None = None) -> None:
        self._triggers = triggers
        self._times: list[float] = []
        self._counts: list[int] = []
        self._rows: dict[str, list[np.ndarray]] = {name: [] for name in WIDTHS}
        self._pairs: Sequence[str] = ()

    def add(self, time: float, contacts: StepContacts | None = None, dt: float = 1.0, world: int = 0) -> None:
        """Append a frame with the contacts of its last step; None for the initial frame.

        Args:
            time: of the frame [s].
            contacts: the contact points of the step.
            dt: the length of the step [s].
            world: the world whose points are kept.
        """
        self._times.append(time)
        self._counts.append(0)
        if self._triggers:
            self._triggers.update()
        if contacts is None:
            return
        mine = contacts[world]
        self._counts[-1], self._pairs = len(mine.index), mine.pairs
        values = {"point": mine.point, "normal": mine.normal, "force": mine.impulse / dt, "pair": mine.index}
        for name, rows in values.items():
            self._rows[name].append(np.asarray(rows))

    def log(self) -> ContactLog:
        """Return all frames so far."""
        start = np.concatenate([[0], np.cumsum(self._counts)]).astype(np.int64)
        rows: dict[str, np.ndarray] = {name: np.concatenate([np.zeros((0, *width), np.float32), *self._rows[name]])
                for name, width in WIDTHS.items()}  # fmt: skip
        rows["pair"] = rows["pair"].astype(np.int64)
        events = trigger_table(self._triggers) if self._triggers else {}
        return ContactLog(np.array(self._times), start, **rows, pairs=self._pairs, triggers=events)


def trigger_table(events: Overlaps) -> dict[str, np.ndarray]:
    """Return the events of triggers by begin.

    `trigger_event_trigger` (place in `triggers`), `trigger_event_collider` (place in `trigger_colliders`),
    `trigger_event_begin` and `trigger_event_end` [s], `trigger_event_lasts`.
    """
    table = events.table
    used, place = np.unique(table["collider"], return_inverse=True)
    return {
        "triggers": np.array(events.trigger, dtype=str),
        "trigger_colliders": np.array([events.collider[i] for i in used], dtype=str),
        "trigger_event_trigger": table["trigger"].astype(np.int64),
        "trigger_event_collider": place.reshape(-1),
        **{f"trigger_event_{name}": table[name] for name in ("begin", "end", "lasts")},
    }


def check_contact_log(path: Path) -> None:
    """Check before a simulation that its contact log can be written afterwards.

    Raises:
        OutputError: unknown suffix, or a folder that is not writable.
    """
    if path.suffix != ".npz":
        raise OutputError(f"{path}: contact logs must be .npz; choose this suffix")
    with staging_directory(path):
        pass


def write_contact_log(log: ContactLog, path: Path) -> None:
    """Write a contact log atomically.

    Raises:
        OutputError: full disk, or a folder that is not writable.
    """
    used, place = np.unique(log.pair, return_inverse=True)
    names = np.array([log.pairs[i] for i in used], dtype=str)
    arrays = {"time": log.time, "start": log.start, "pair": place.reshape(-1), "pairs": names}
    arrays |= {name: np.asarray(getattr(log, name), np.float32) for name in ("point", "normal", "force")}
    arrays |= event_table(log.time, log.start, place.reshape(-1), log.force) | log.triggers
    try:
        write_archive(path, FORM, arrays, compressed=True)
    except OSError as error:
        raise OutputError.of(path, error) from None


def read_contact_log(path: Path) -> ContactLog:
    """Read a contact log.

    Raises:
        InputError: the file is missing, damaged or not a contact log.
    """
    fix = "write it by fajin simulate --contact-log"

    def broken(rule: str) -> InputError:
        return InputError(f"{path}: must be {rule}; {fix}")

    arrays = read_archive(path, FORM, broken)
    try:
        rows: dict[str, Any] = {name: arrays[name] for name in ("time", "start", *WIDTHS)}
        log = ContactLog(**rows, pairs=tuple(arrays["pairs"]))
    except KeyError as error:
        raise broken(f"a {FORM} with {error.args[0]}") from None
    sound = len(log.start) == len(log.time) + 1 and (np.diff(log.start) >= 0).all()
    count = int(log.start[-1]) if sound else -1
    if not sound or any(getattr(log, name).shape != (count, *width) for name, width in WIDTHS.items()):
        raise broken(f"a {FORM} whose arrays have as many rows as its frames")
    return log


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
