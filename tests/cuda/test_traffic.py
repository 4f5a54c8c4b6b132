"""The model of a GPU's caches: hits by the last use, lines that are written back, and the bounds of a rate."""

import numpy as np
import pytest
import traffic
from traffic import LINE, Trace, misses, predict, trace_of

STEPS, LINES = 3, 40


def cyclic(lines: int = LINES, stores: bool = False, own: bool = True, instructions: float = 3e4) -> Trace:
    """A trace whose steps touch some lines one after the other."""
    each = np.tile(np.arange(lines), STEPS)
    return Trace(each, np.full(len(each), stores), np.full(len(each), own), STEPS, instructions)


@pytest.mark.parametrize(("size", "missed"), [(LINES, 0), (LINES - 1, LINES)])
def test_a_line_stays_until_as_many_others_were_touched(size, missed):
    """Of lines in turn all hit, or none if the cache lacks room for one."""
    assert misses(cyclic(), size) == (missed, 0)


def test_what_was_written_is_written_back_when_it_leaves():
    """Each time; stores do not wait for their line."""
    assert misses(cyclic(stores=True), LINES - 1) == (0, LINES)
    assert misses(cyclic(stores=True), LINES) == (0, 0)


def test_lines_that_all_worlds_share_are_not_counted():
    """They take room, but stay where they are."""
    assert misses(cyclic(own=False), LINES - 1) == (0, 0)


def test_a_trace_tells_own_lines_from_shared_ones():
    """A line that a thread of another warp touches is of all worlds; a word is address, store, thread."""
    words = [(5 * LINE + 4) << 2, 7 * LINE << 2 | 2, 9 * LINE << 2 | 1, (5 * LINE + 8) << 2 | 1, 7 * LINE << 2]
    found = trace_of(np.array(words, np.uint64), 1, 5.0)
    assert found.lines.tolist() == [5, 7, 7]
    assert found.stores.tolist() == [False, True, False]
    assert found.own.tolist() == [False, True, True]
    assert (found.loads, found.writes) == (1.0, 1.0)


def test_a_rate_is_below_each_of_its_bounds():
    """By twice as many worlds the bound of latency doubles while multiprocessors have room, and not beyond."""
    few, more, most = (predict(cyclic(), worlds, 16) for worlds in (4224, 8448, 16 * 4224))
    assert more.latency_bound == pytest.approx(2.0 * few.latency_bound)
    assert predict(cyclic(), 32 * 4224, 16).rate == pytest.approx(most.rate)
    for it in (few, more, most):
        assert it.rate <= min(it.latency_bound, it.memory_bound)


def test_lines_beyond_the_caches_share_cost_memory():
    """As many bytes as loads and written lines, of each world."""
    shared = traffic.FAR // (traffic.MULTIPROCESSORS * 16)
    assert predict(cyclic(shared), 67584, 16).memory == 0.0
    assert predict(cyclic(shared + 1), 67584, 16).memory == pytest.approx(4.0 * (shared + 1))
