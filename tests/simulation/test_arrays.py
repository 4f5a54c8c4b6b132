"""Quantities to and from arrays of others, without a copy too many and with nothing left behind."""

import gc
from pathlib import Path

import numpy as np
import pytest
from planar_arm import arm, simulation
from random_tree import random_tree

from fajin.device import Device
from fajin.device.buffer import Buffer
from fajin.device.dlpack import as_device_array, wait_for_producer
from fajin.scene import Drive

DEVICES = pytest.mark.parametrize("device", ["cpu", "cpu-lanes"])


class Lent:
    """An array that speaks DLPack and nothing else."""

    def __init__(self, array: np.ndarray, device: tuple[int, int] | None = None):
        self._array, self._device = array, device

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._device or self._array.__dlpack_device__()


class LentOnCuda(Lent):
    """The same on CUDA, where its reader names the stream that shall wait."""

    def __dlpack__(self, stream=None):
        self.streams = [*getattr(self, "streams", ()), stream]


class LentOfOld(Lent):
    """The same by a DLPack that cannot say whether its memory may be written."""

    def __dlpack__(self, stream=None):
        return self._array.__dlpack__()


@pytest.mark.parametrize(
    ("device", "worlds", "precision"),
    [("cpu", 1, "f32"), ("cpu", 7, "f32"), ("cpu", 32, "f32"), ("cpu", 37, "f64"), ("cpu-lanes", 7, "f32")],
)
def test_what_is_written_is_read(device, worlds, precision):
    """Every quantity that can be set, whole and for some worlds, in the state and among the parameters."""
    sim = simulation(random_tree(1, floating=True), worlds, device=device, precision=precision)
    rng = np.random.default_rng(0)
    for quantity in sim.quantities():
        if quantity.readonly or quantity.of != "dof":
            continue
        least = -3.0 if quantity.name == "lower" else 0.1  # below every upper limit
        values = rng.uniform(least, least + 0.9, (worlds, len(sim.dof))).astype(f"f{4 if precision == 'f32' else 8}")
        sim.write(quantity.name, values)
        assert np.array_equal(sim.read(quantity.name), values), quantity.name
        some = np.arange(worlds)[:: max(1, worlds // 3)][::-1]
        values[some] *= 1.5
        sim.write(quantity.name, values[some], some)
        assert np.array_equal(sim.read(quantity.name), values), quantity.name
        assert np.array_equal(sim.read(quantity.name, worlds=some), values[some]), quantity.name


@DEVICES
def test_an_array_is_filled_where_it_lies(device):
    """`out` is the array that was given, NumPy's or one that speaks DLPack; its neighbours are left alone."""
    sim = simulation(arm(), 20, device=device)
    sim.q = np.arange(60.0).reshape(20, 3)
    room = np.full((22, 3), -1.0)
    for out in (room[1:-1], Lent(room[1:-1]), LentOfOld(room[1:-1])):
        room[:] = -1.0
        assert sim.read("q", out=out) is out
        assert np.array_equal(room[1:-1], sim.q)
        assert (room[[0, -1]] == -1.0).all()
    pose = np.empty((2, 4, 7))
    sim.read("link_pose", out=Lent(pose), worlds=[19, 3])
    assert np.array_equal(pose, sim.link_pose[[19, 3]])
    limits = np.empty((20, 3))
    assert np.isinf(sim.read("upper", out=limits)).all()


@DEVICES
def test_an_array_of_others_drives(device):
    """Targets by DLPack act as those by name, and the gains that were set before stay."""
    driven, named = (simulation(arm(drive=Drive(stiffness=20.0)), 20, device=device, precision="f32") for _ in range(2))
    target = np.random.default_rng(0).uniform(-1, 1, (20, 3)).astype(np.float32)
    driven.damping[:, "elbow"] = named.damping[:, "elbow"] = np.arange(20.0)
    for _ in range(3):
        target = target + np.float32(0.1)
        driven.write("target_q", Lent(target))
        named.target_q = target
        for sim in (driven, named):
            sim.step(5)
    assert np.array_equal(driven.q, named.q)
    assert np.array_equal(driven.damping, named.damping)
    driven.upper[3, "elbow"] = 0.1  # the device's rows survive that parameters are laid out anew
    assert np.array_equal(driven.target_q, target)


@pytest.mark.parametrize(("precision", "dtype"), [("f32", "float32"), ("f64", "float64")])
def test_tensors_of_torch_are_taken(precision, dtype):
    """Where it is installed: filled where they lie, whole and of some worlds; another type is refused."""
    torch = pytest.importorskip("torch")
    sim = simulation(arm(drive=Drive()), 20, precision=precision)
    tensor = torch.arange(60, dtype=getattr(torch, dtype)).reshape(20, 3)
    sim.write("target_q", tensor)
    out = torch.empty_like(tensor)
    assert sim.read("target_q", out=out) is out
    assert torch.equal(out, tensor)
    sim.write("q", -tensor[:2], worlds=[19, 4])
    room = torch.full((4, 3), 7.0, dtype=tensor.dtype)
    sim.read("q", out=room[1:3], worlds=[4, 19])
    assert torch.equal(room, torch.stack([room[0], -tensor[1], -tensor[0], room[3]]))
    assert (room[[0, 3]] == 7.0).all()
    with pytest.raises(TypeError, match=f"has dtype (torch.)?float16; pass 20×3 numbers of {dtype}"):
        sim.read("q", out=torch.empty((20, 3), dtype=torch.float16))
    with pytest.raises(ValueError, match="is not contiguous"):
        sim.read("q", out=torch.empty((3, 20), dtype=tensor.dtype).T)


@pytest.mark.parametrize("number", [(2, 1), (2, -1), (13, 0), (1, 0)])
def test_an_array_on_another_gpu_is_refused(number):
    """Taichi runs on the first GPU that the process sees: a tensor of the second would be read where nothing lies."""
    cuda = Device("cuda", 1, False, 32, 0)
    with pytest.raises(
        ValueError, match=rf"target_q: is on DLPack device \({number[0]}, {number[1]}\), must be on \(2, 0\)"
    ):
        as_device_array(Lent(np.zeros((4, 3), np.float32), number), "target_q", (4, 3), cuda)


def test_the_producer_of_a_tensor_is_waited_for():
    """By DLPack: it is handed the stream of Taichi's kernels, the legacy default one, and has that wait for its own."""
    array = LentOnCuda(np.zeros((4, 3), np.float32), (2, 0))
    wait_for_producer(array)
    assert array.streams == [1]


@pytest.mark.parametrize(
    ("array", "error", "message"),
    [
        (np.zeros((3, 3)), ValueError, r"has shape \(3, 3\); pass 4×3 numbers of float64 on cpu"),
        (np.zeros((4, 3), np.float32), TypeError, "has dtype float32; pass 4×3 numbers of float64"),
        ([[0.0] * 3] * 4, TypeError, "= list: must be 4×3"),
        (
            Lent(np.zeros((4, 3)), (2, 0)),
            ValueError,
            r"is on DLPack device \(2, 0\), must be on \(1, 0\); pass .* on cpu",
        ),
        (np.zeros((4, 6))[:, ::2], ValueError, "is not contiguous"),
        (np.zeros(12).reshape(3, 4).T, ValueError, "is not contiguous"),
    ],
    ids=["shape", "precision", "list", "device", "strided", "transposed"],
)
def test_an_array_that_does_not_fit_is_refused(array, error, message):
    """With what was expected; nothing is written."""
    with pytest.raises(error, match=message):
        simulation(arm(), 4).read("q", out=array)


def test_what_cannot_be_written_leaves_everything():
    """Wrong names, worlds, shapes and types."""
    sim = simulation(arm(), 4)
    before = sim.save()
    read_only = np.zeros((4, 3))
    read_only.flags.writeable = False
    for call, error, message in (
        (lambda: sim.write("speed", np.zeros((4, 3))), KeyError, "no field 'speed'; did you mean 'qd'"),
        (lambda: sim.read("dt"), KeyError, "no field 'dt'"),
        (lambda: sim.write("q", np.zeros(3)), ValueError, "pass 4×3"),
        (lambda: sim.write("q", np.zeros((2, 3)), [0, 4]), IndexError, r"worlds = \[0, 4\]: must be from 0 to 3"),
        (lambda: sim.write("q", np.zeros((2, 3)), [1, 1]), IndexError, "must name each world once"),
        (lambda: sim.write("q", np.zeros((4, 3), complex)), TypeError, "has dtype complex128; pass 4×3"),
        (lambda: sim.read("q", out=read_only), ValueError, "read-only"),
    ):
        with pytest.raises(error, match=message):
            call()
    after = sim.save()
    assert all(np.array_equal(after.rows[name], before.rows[name]) for name in before.rows)


def test_idle_lanes_follow_the_last_world():
    """They compute, too: what they hold must be a state like any other."""
    sim = simulation(arm(drive=Drive()), 13)
    sim.q = np.arange(39.0).reshape(13, 3)
    sim.write("target_q", np.ones((1, 3)), [12])
    sim.write("qd", np.ones((2, 3)), [12, 4])
    for rows in (sim._synced_state().buffer("state"), sim._synced_state().parameters.device_buffer("TARGET_Q")):
        idle = rows.memory[-1, :, 5:]
        assert idle.size
        assert np.array_equal(idle, np.broadcast_to(rows.memory[-1, :, 4:5], idle.shape))


def test_reading_a_row_costs_that_row(monkeypatch):
    """Not the state: a quantity is fetched by its own rows."""
    sim, fetched, fill = simulation(arm(drive=Drive()), 40), [], Buffer.fill

    def seen(buffer, target, rows, *worlds):
        fetched.append((rows, target.shape))
        return fill(buffer, target, rows, *worlds)

    monkeypatch.setattr(Buffer, "fill", seen)
    sim.read("q")
    sim.read("qd", worlds=[3, 5])
    at = sim._synced_state().layout.rows
    assert fetched == [(at["Q"], (40, 3)), (at["QD"], (2, 3))]


def resident() -> int:
    """Bytes of memory in use."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
@DEVICES
def test_reads_and_writes_leave_nothing_behind(device):
    """Memory in use grows by less than ten bytes a read or write, of which the smallest object has more, and a page.

    The least of three rounds counts: the allocator may keep a block of another thread in one of them.
    """
    sim = simulation(arm(drive=Drive()), 40, device=device)
    out, target = Lent(np.empty((40, 3))), Lent(np.zeros((40, 3)))

    def growth(times: int) -> int:
        before = resident()
        for _ in range(times):
            sim.read("q", out=out)
            sim.read("link_velocity", worlds=[3])
            sim.write("target_q", target)
        return resident() - before

    growth(2_000)
    assert min(growth(2_000) for _ in range(3)) < 10 * 3 * 2_000 + 65_536
