"""Memory: what a simulation takes is known before it is there, and what does not fit is refused before anything is."""

from dataclasses import replace

import numpy as np
import pytest

import fajin
from fajin import device as devices
from fajin.device import cuda_driver, free_memory
from fajin.device.bounds import most_in_buffer, most_numbers
from fajin.device.memory_estimate import (
    MEMORY_FRACTION,
    TRACE_BYTES,
    check_frames,
    check_worlds,
    footprint,
    largest_batch,
)
from fajin.device.state import State

WORLDS = 160  # ten packs of sixteen, twenty of eight: more than there are workers
MEMORY = 4 << 20  # [B]


@pytest.fixture(scope="module")
def model(scenes) -> fajin.Model:
    return fajin.compile(fajin.read(scenes / "arm7.usda"))


@pytest.fixture
def little(monkeypatch) -> int:
    """A machine with little memory."""
    monkeypatch.setattr(free_memory, "free_bytes", lambda device="cpu": MEMORY)
    return MEMORY


def allocated(state: State) -> int:
    """Bytes of all device arrays."""
    sizes = {name: int(np.prod(array.shape)) for name, array in state._arrays.items()}
    words = 4 * sizes.pop("topology")
    return words + sum(sizes.values()) * state.device.bits // 8


@pytest.mark.slow
@pytest.mark.parametrize(("device", "precision"), [("cpu", "f32"), ("cpu", "f64"), ("cpu-lanes", "f32")])
def test_a_footprint_is_what_is_allocated(model, device, precision):
    """Every buffer, once all of them were needed; a parameter of every world counts once a world."""
    sim = fajin.Simulation(model, WORLDS, device, precision, threads=1)
    sim.stiffness = np.arange(1.0, WORLDS * len(sim.dof) + 1.0).reshape(WORLDS, -1)
    sim.step()
    sim.read("link_pose")
    needs = footprint(sim._synced_state(), varying=("STIFFNESS",))
    assert allocated(sim._synced_state()) == needs.shared + WORLDS * (needs.world + needs.scratch)


def test_worlds_come_in_packs(model):
    """bytes(W) grows by a pack of worlds at a time, and by the same each time."""
    needs = footprint(State(model, WORLDS, devices.start("cpu", worlds=WORLDS, threads=1)))
    lanes = needs.device.lanes
    sizes = [needs.bytes(worlds) for worlds in (1, lanes, lanes + 1, 2 * lanes + 1)]
    assert sizes[0] == sizes[1]
    assert np.diff(sizes[1:]).tolist() == [lanes * (needs.world + needs.host)] * 2


def test_a_recorded_frame_counts_once_a_world(model):
    """On the host, beside what one launch keeps on the device."""
    state = State(model, WORLDS, devices.start("cpu", worlds=WORLDS))
    none, one, many = (footprint(state, frames=frames) for frames in (0, 1, 101))
    assert many.shared == one.shared >= none.shared + TRACE_BYTES // 2
    assert many.host - one.host == 100 * (one.host - none.host) > 0


def test_the_largest_batch_fits_and_one_pack_more_does_not(model, little):
    """And is refused in one line, before an array is made, with the number that fits."""
    most = largest_batch(model, "cpu", threads=1)
    place = devices.start("cpu", threads=1, worlds=most)
    needs = footprint(State(model, most, place))
    assert needs.bytes(most) <= MEMORY_FRACTION * little < needs.bytes(most + place.lanes)
    fajin.Simulation(model, most, "cpu", threads=1)
    with pytest.raises(fajin.OutOfMemory, match=f"worlds = {most + 1:,}: .* must be at most {most:,}") as refused:
        fajin.Simulation(model, most + 1, "cpu", threads=1)
    assert "\n" not in str(refused.value)


def test_nothing_is_allocated_for_worlds_that_do_not_fit(model, monkeypatch):
    """Not one array."""
    monkeypatch.setattr(State, "array", lambda *_: pytest.fail("an array was made"))
    with pytest.raises(fajin.OutOfMemory):
        fajin.Simulation(model, 10**9, "cpu")


def test_a_recording_that_does_not_fit_is_refused_before_the_first_step(model, little):
    """`stream` has the same frames piece by piece."""
    sim = fajin.Simulation(model, 16, "cpu", threads=1)
    with pytest.raises(fajin.OutOfMemory, match=r"stream\(\)"):
        sim.run(steps=10**6)
    assert sim.steps == 0
    check_frames(sim._synced_state(), 10)


@pytest.fixture
def plenty(monkeypatch) -> None:
    """A machine with memory for everything."""
    monkeypatch.setattr(free_memory, "free_bytes", lambda device="cpu": None if device == "vulkan" else 1 << 60)


def gpu(name: str, precision: str = "f32") -> devices.Device:
    """A GPU, as far as the size of arrays goes."""
    return replace(devices.start("cpu", precision), name=name, lanes=1, packed=False, workers=0)


@pytest.mark.parametrize(
    ("name", "precision", "numbers"),
    [("cuda", "f32", 2**30), ("cuda", "f64", 2**30), ("vulkan", "f32", 2**29), ("vulkan", "f64", 2**28)],
)
def test_an_index_bounds_the_worlds_of_a_gpu(model, plenty, name, precision, numbers):
    """However much memory is free: CUDA indexes 2³⁰ numbers of an array of tiles, Vulkan 2³¹ bytes."""
    state = State(model, 1, gpu(name, precision))
    most = numbers // max(state.layout.sizes.values()) // 32 * 32
    for varying in ((), ("STIFFNESS",)):
        assert footprint(state, varying).most() == most
    over = State(model, most + 1, state.device)
    with pytest.raises(
        fajin.OutOfMemory, match=f"elements of one array; must be at most {over.worlds - 1:,}; split"
    ) as refused:
        check_worlds(over)
    assert "\n" not in str(refused.value)
    check_worlds(State(model, over.worlds - 1, state.device))


@pytest.mark.parametrize("lanes", [1, 16])
def test_an_index_bounds_the_worlds_of_a_cpu(model, plenty, lanes):
    """2²⁸ packs of numbers; parameters of every world may be wider than the state."""
    place = replace(devices.start("cpu"), lanes=lanes, packed=True)
    state = State(model, 1, place)
    rows = {name: len(model.parameters[name]) for name in model.parameters}
    needs = footprint(state, rows)
    assert sum(rows.values()) > max(state.layout.sizes.values())
    assert needs.most() == 2**28 * lanes // sum(rows.values()) // lanes * lanes
    assert footprint(state).most() == 2**28 * lanes // max(state.layout.sizes.values()) // lanes * lanes


def test_scratch_of_all_workers_can_be_indexed(model):
    """On a machine of many cores a large scene has fewer workers, not wrong addresses."""
    state = State(model, 1, replace(devices.start("cpu"), packed=True, workers=1 << 20))
    assert 4 << 20 > state.batch.most_workers == 2**28 // state.layout.scratch_rows > 1000
    assert replace(state.batch, scratch_rows=2**28 + 1).most_workers == 1


def test_worlds_take_turns_in_the_scratch_of_a_gpu(model, monkeypatch):
    """A GPU has scratch for 131,072 worlds at once, or for as many whole tiles as an index can address."""
    monkeypatch.setattr(cuda_driver, "cache_lines", lambda: 0)  # of unknown size
    state = State(model, 1 << 20, gpu("cuda"))
    assert state.batch.most_workers == 1 << 17
    needs = footprint(state)
    shared = needs.shared + (1 << 20) * (needs.world + needs.host)
    assert needs.bytes(1 << 20) == shared + (1 << 17) * 4 * state.layout.scratch_rows
    assert replace(state.batch, scratch_rows=2**20 - 1).most_workers == 1024


@pytest.mark.parametrize("free", [1 << 22, 1 << 30, 1 << 36])
def test_the_largest_batch_of_a_gpu_fits_and_one_tile_more_does_not(model, monkeypatch, free):
    """With worlds that have scratch of their own, and with more."""
    monkeypatch.setattr(free_memory, "free_bytes", lambda device="cpu": free if device == "cuda" else 1 << 60)
    needs = footprint(State(model, 1, gpu("cuda")))
    most = needs.most()
    on_gpu = replace(needs, host=0)
    assert on_gpu.bytes(most) <= MEMORY_FRACTION * free < on_gpu.bytes(most + 1) or most == needs.indexed


def test_no_array_is_made_that_an_index_does_not_reach(model):
    """The trace of a launch, the answer of an equation of motion: one line, with the worlds that fit."""
    sim = fajin.Simulation(model, 20, "cpu-lanes", threads=1)
    state = sim._synced_state()
    numbers = max(rows.stop for rows in state.frame_rows().values())
    frames = 2**30 // (32 * numbers) + 1
    fit = 2**30 // (frames * numbers)
    with pytest.raises(
        fajin.OutOfMemory, match=rf"worlds = 32: {frames * numbers:,} .*trace.*; must be at most {fit:,}"
    ):
        state.run(frames, 1, sim.dt, 0)
    with pytest.raises(
        fajin.OutOfMemory, match=r"worlds = 20: .*mass_matrix.* elements of one array; must be at most 10;"
    ):
        state.query_dynamics("mass_matrix", np.zeros(8, np.int32), 200_000_000)
    assert most_numbers(state.device) == 2**31 - 1
    assert most_in_buffer(state.device) == 2**30


@pytest.mark.slow
def test_a_long_recording_comes_in_short_traces(model):
    """A launch records 16 MiB at most, or one frame: as many numbers as the state has, which an index reaches."""
    sim = fajin.Simulation(model, 20, "cpu-lanes", threads=1)
    sim.run(steps=600)
    assert 4 * sim._synced_state().array("trace").shape[0] <= TRACE_BYTES


def test_control_groups_bound_what_is_free(tmp_path, monkeypatch):
    """The tightest of all groups around the process; files at hand are as good as free; "max" is no bound."""
    (tmp_path / "cgroup").write_text("1:cpu:/x\n0::/job/step\n")
    monkeypatch.setattr(free_memory, "GROUPS", tmp_path)
    monkeypatch.setattr(free_memory, "MINE", tmp_path / "cgroup")
    for folder, most in (("job", "5000"), ("job/step", "max")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "memory.max").write_text(f"{most}\n")
        (tmp_path / folder / "memory.current").write_text("4000\n")
        (tmp_path / folder / "memory.stat").write_text("anon 3300\ninactive_file 700\n")
    assert free_memory.free_bytes() == 5000 - 4000 + 700
