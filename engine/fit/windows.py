"""Windows of logs: short pieces that each start from a measured state, so that errors do not add up."""

from collections.abc import Sequence

from .motion_log import MotionLog
from .piece import Piece
from .start_state import state_at

LEAST_WINDOW = 10


def windows_of(logs: Sequence[MotionLog], seconds: float, dt: float) -> list[list[Piece]]:
    """Return the pieces of each log, about `seconds` long, in groups with equal joints, steps and rows.

    A log that is shorter than two windows has none.
    """
    groups: dict[tuple[int, int, tuple[int, ...]], list[Piece]] = {}
    for log in logs:
        count = int(log.seconds / seconds)
        rows = len(log) // max(count, 1)
        if count < 2 or rows < LEAST_WINDOW:
            continue
        for first in range(0, len(log) - rows + 1, rows):
            piece = Piece(log.rows(slice(first, first + rows), ""), *state_at(log, first, dt))
            groups.setdefault((piece.steps(dt), rows, log.column), []).append(piece)
    return [groups[key] for key in sorted(groups)]
