"""How tasks are shared out among workers: all of them, each once, in the 32 bits of a kernel's numbers."""

import numpy as np
import pytest

import fajin
from fajin import compiler
from fajin import device as devices
from fajin.device import batch

MOST = 2**31 - 1
SOME = 5000  # workers that are looked at, of so many at the beginning, in the middle and at the end


def shares(name: str, workers: int, tasks: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Some workers, and the first and the end of the turns of each, as a kernel finds them."""
    import taichi as ti

    place = devices.start(name, threads=1, worlds=100)
    share_of = compiler.load_physics(place, "world_view").share_of

    @ti.kernel
    def run(which: ti.types.ndarray(ti.i32, 1), found: ti.types.ndarray(ti.i32, 2), workers: ti.i32, tasks: ti.i32):
        for i in range(which.shape[0]):
            share = share_of(which[i], workers, tasks)
            found[i, 0], found[i, 1] = share.first, share.end

    middle = np.arange(max(0, workers // 2 - SOME), min(workers, workers // 2 + SOME))
    ends = np.arange(min(workers, SOME)), np.arange(max(0, workers - SOME), workers)
    which = np.unique(np.concatenate([ends[0], middle, ends[1]]))
    found = np.zeros((len(which), 2), np.int32)
    with compiler.compiler_options(place):
        run(which.astype(np.int32), found, workers, tasks)
    return which, *found.T.astype(np.int64)


SIZES = pytest.mark.parametrize(
    ("workers", "tasks"),
    [
        (1, 7), (7, 7), (8, 100), (12, 1000), (5, 3), (3, MOST), (256, MOST),
        (46_340, 46_340), (46_341, 46_341), (131_072, 131_072), (2**20, 2**20 + 1), (MOST, MOST), (MOST - 1, MOST),
    ],
)  # fmt: skip


@SIZES
def test_every_task_is_done_once(workers, tasks):
    """On a CPU shares follow each other from 0 to the last task, and differ by at most one task."""
    which, first, end = shares("cpu", workers, tasks)
    assert first[which == 0] == 0
    assert end[which == workers - 1] == tasks
    next_ones = np.diff(which) == 1
    assert (end[:-1][next_ones] == first[1:][next_ones]).all()
    assert set((end - first).tolist()) <= {tasks // workers, -(-tasks // workers)}
    before = which * (tasks // workers)
    assert (before <= first).all()
    assert (first <= before + np.minimum(which, tasks % workers)).all()


@SIZES
def test_neighbouring_workers_of_a_gpu_take_neighbouring_worlds(workers, tasks):
    """Worker n of W takes the worlds n, n + W, n + 2 W … below their number: ⌈(worlds − n)/W⌉ turns."""
    which, first, end = shares("cpu-lanes", workers, tasks)
    assert (first == 0).all()
    assert (end == np.maximum(0, -((which - tasks) // workers))).all()


@pytest.mark.parametrize(("worlds", "at_once"), [(5, 5), (100, 32), (3, 3)])
def test_every_island_of_every_world_is_stepped_once_on_a_gpu(worlds, at_once):
    """Workers of an island have a place of scratch each; a world that waits is stepped in the place of one before."""
    import taichi as ti

    islands, workers = 3, 3 * at_once
    place = devices.start("cpu-lanes", threads=1, worlds=100)
    share_of = compiler.load_physics(place, "world_view").share_of

    @ti.kernel
    def run(found: ti.types.ndarray(ti.i32, 2), places: ti.types.ndarray(ti.i32, 2)):
        for worker in range(workers):
            share = share_of(worker, workers, worlds * islands, islands)
            for turn in range(share.first, share.end):
                index, island, scratch = share.task(turn)
                found[index, island] += 1
                places[index, island] = scratch

    found, places = np.zeros((worlds, islands), np.int32), np.zeros((worlds, islands), np.int32)
    with compiler.compiler_options(place):
        run(found, places)
    assert (found == 1).all()
    assert (places == (np.arange(worlds) % at_once)[:, None]).all()


def test_worlds_that_wait_for_scratch_move_as_the_others(scenes, monkeypatch):
    """To the bit: steps, poses of links, and equations of motion, with scratch for 32 of 100 worlds and for all."""
    found = []
    for at_once in (32, 1 << 17):
        monkeypatch.setattr(batch, "WORLDS_AT_ONCE", at_once)
        sim = fajin.Simulation(fajin.read(scenes / "pendulum.usda"), 100, "cpu-lanes", threads=1)
        sim.qd = np.random.default_rng(0).normal(0.0, 1.0, np.array(sim.qd).shape)
        sim.step(5)
        found.append([sim.read("q"), sim.read("link_velocity"), fajin.dynamics.mass_matrix(sim)])
        stepped = sim._synced_state()
        assert stepped.array("scratch").shape[0] == min(at_once, 128) * stepped.layout.scratch_rows
    assert all((few == all_of_them).all() for few, all_of_them in zip(*found, strict=True))
    assert len(np.unique(found[0][0])) == 100
