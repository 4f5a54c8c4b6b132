"""Worlds that a GPU steps at once, and parameters that they share: few lines of its caches."""

from dataclasses import replace

import numpy as np
import pytest

import fajin
from fajin import device as devices
from fajin.device import batch, cuda_driver
from fajin.device.batch import MOST_WARPS, SCHEDULERS, SWEPT, Batch, warps_at_once, worlds_at_once
from fajin.device.shared_rows import SharedRows

H100 = 228 * 1024 // 128
"""Lines of a multiprocessor."""


@pytest.mark.parametrize("nodes", range(1, 60))
@pytest.mark.parametrize("bits", [32, 64])
def test_the_sweeps_of_all_warps_at_once_stay_in_the_cache(nodes, bits):
    """And one warp more would not; where fewer than a warp per scheduler fit, memory is waited for by all there are."""
    warps, lines = warps_at_once(nodes, H100, bits), SWEPT * nodes * bits // 32
    if warps < MOST_WARPS:
        assert warps * lines <= H100 < (warps + 1) * lines
        assert warps >= SCHEDULERS
    else:
        assert H100 // lines < SCHEDULERS or H100 // lines >= MOST_WARPS


def test_as_many_as_registers_allow_where_nothing_is_known():
    """Sweeps over contacts, and caches of an unknown size."""
    assert warps_at_once(0, H100) == warps_at_once(10, 0) == MOST_WARPS


@pytest.fixture
def h100(monkeypatch):
    """An H100, whose driver says how large it is."""
    monkeypatch.setattr(cuda_driver, "cache_lines", lambda: H100)
    monkeypatch.setattr(cuda_driver, "multiprocessors", lambda: 132)
    return replace(devices.start("cpu"), name="cuda", lanes=1, packed=False, workers=0, compiled=True)


@pytest.mark.parametrize("worlds", [1, 31, 21_120, 21_121, 67_584, 131_072, 1_000_000])
def test_worlds_take_turns_of_equal_length(h100, worlds):
    """As few turns as there can be, of whole tiles; they differ by less than a tile for each turn."""
    most = worlds_at_once(h100, 10, 1)
    assert most == 5 * 32 * 132
    made = Batch(worlds, h100, 1, 1000, most)
    turns = -(-worlds // most)
    assert made.workers_of_worlds <= most
    assert -(-worlds // made.workers_of_worlds) == turns
    assert made.workers_of_worlds - worlds / turns < 32
    assert made.workers_of_worlds % 32 == 0 or turns == 1
    assert made.scratch_places >= made.workers_of_worlds


def test_islands_share_the_warps(h100):
    """Each island of a world has a thread."""
    assert worlds_at_once(h100, 30, 3) == worlds_at_once(h100, 10, 1) // 3
    assert worlds_at_once(h100, 0, 3) == batch.WORLDS_AT_ONCE


def test_shared_numbers_lie_side_by_side():
    """Each in a place of its own, a tile from the next one of its parameter, in as few rows as lengths allow."""
    tile = 4
    counts = {f"p{i}": count for i, count in enumerate((3, 0, 7, 1, 3, 3, 2, 1, 1))}
    rows = SharedRows(counts, tile)
    for i, (name, count) in enumerate(counts.items()):
        rows.write(name, np.arange(1.0, count + 1.0) + 100.0 * i)
    flat = rows.block.ravel()
    for i, (name, count) in enumerate(counts.items()):
        assert flat[rows.first[name] :: tile][:count].tolist() == [100.0 * i + n + 1.0 for n in range(count)]
    assert np.count_nonzero(flat) == sum(counts.values())
    assert rows.block.shape == (7 + 2, tile)  # of the longest of each four


@pytest.mark.slow
def test_what_is_written_on_a_gpu_leaves_the_shared_numbers(scenes):
    """Of one world, too: it gets rows for itself, and the others keep their numbers."""
    sim = fajin.Simulation(fajin.read(scenes / "arm7.usda"), 1, "cpu-lanes", threads=1)
    state, rows = sim._synced_state(), None
    parameters = state.parameters
    parameters.upload()
    rows = np.arange(1.0, 8.0)[None].astype(np.float32)
    parameters.device_buffer("STIFFNESS").write(rows, slice(0, 7))
    memory = state.array("parameters").to_numpy()
    for name, expected in state.model.parameters.items():
        numbers = rows[0] if name == "STIFFNESS" else expected.astype(np.float32)
        first = parameters._first[name]
        assert (memory[first::32][: len(numbers)] == numbers).all(), name
    assert (parameters["STIFFNESS"] == rows).all()
