"""How tasks are shared out among workers: all of them, each once, in order, in the 32 bits of a kernel's numbers."""

import numpy as np
import pytest

from fajin import device as devices

MOST = 2**31 - 1
SOME = 5000  # workers that are looked at, of so many at the beginning, in the middle and at the end


def shares(name: str, workers: int, tasks: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Some workers, and the first and the end of the share of each, as a kernel finds them."""
    import taichi as ti

    place = devices.start(name, threads=1, worlds=100)
    share_of = devices.load_physics(place, "world_view").share_of

    @ti.kernel
    def run(which: ti.types.ndarray(ti.i32, 1), found: ti.types.ndarray(ti.i32, 2), workers: ti.i32, tasks: ti.i32):
        for i in range(which.shape[0]):
            first, end = share_of(which[i], workers, tasks)
            found[i, 0], found[i, 1] = first, end

    middle = np.arange(max(0, workers // 2 - SOME), min(workers, workers // 2 + SOME))
    ends = np.arange(min(workers, SOME)), np.arange(max(0, workers - SOME), workers)
    which = np.unique(np.concatenate([ends[0], middle, ends[1]]))
    found = np.zeros((len(which), 2), np.int32)
    with devices.compiler_options(place):
        run(which.astype(np.int32), found, workers, tasks)
    return which, *found.T.astype(np.int64)


@pytest.mark.parametrize("name", ["cpu", "cpu-lanes"], ids=["packs", "single"])
@pytest.mark.parametrize(
    ("workers", "tasks"),
    [
        (1, 7), (7, 7), (8, 100), (12, 1000), (5, 3), (3, MOST), (256, MOST),
        (46_340, 46_340), (46_341, 46_341), (131_072, 131_072), (2**20, 2**20 + 1), (MOST, MOST), (MOST - 1, MOST),
    ],
)  # fmt: skip
def test_every_task_is_done_once(name, workers, tasks):
    """Shares follow each other from 0 to the last task, and none is larger than another by more than one task."""
    which, first, end = shares(name, workers, tasks)
    assert first[which == 0] == 0
    assert end[which == workers - 1] == tasks
    next_ones = np.diff(which) == 1
    assert (end[:-1][next_ones] == first[1:][next_ones]).all()
    assert set((end - first).tolist()) <= {tasks // workers, -(-tasks // workers)}
    before = which * (tasks // workers)
    assert (before <= first).all()
    assert (first <= before + np.minimum(which, tasks % workers)).all()
