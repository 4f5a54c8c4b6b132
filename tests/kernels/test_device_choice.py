"""`auto` is the device that needs less time for a step, by the equation of `device_choice`."""

from math import inf
from types import SimpleNamespace

import pytest

from fajin.device import start_device
from fajin.device.device_choice import ALONE, CONTACTS, EACH, FIRST, H100, IN_PACKS, crossing


def model(islands: int, pairs: int) -> SimpleNamespace:
    """A model of so many islands and pairs of colliders."""
    return SimpleNamespace(tables={"ISLANDS": range(islands), "PAIRS": range(pairs)})


@pytest.mark.parametrize("threads", [1, 2, 8])
@pytest.mark.parametrize(("islands", "pairs"), [(1, 0), (1, 3), (10, 0)])
@pytest.mark.parametrize(("bits", "packs"), [(32, True), (64, True), (32, False)])
def test_cuda_is_faster_from_the_crossing_on(threads, islands, pairs, bits, packs):
    """Time of N tasks: on T threads, and on a GPU, whose first ones cost as much as ten thousand more."""
    least = crossing(model(islands, pairs), bits, threads, packs)
    b, factor = bits / 32, CONTACTS if pairs else 1.0

    def cuda_gains(worlds: float) -> float:
        tasks = worlds * islands
        each = ALONE if worlds <= threads or not packs else IN_PACKS * b
        return tasks / threads * each - factor * (FIRST + tasks * EACH * b)

    assert cuda_gains(least) >= 0.0
    assert least == 1 or cuda_gains(least - 1) <= 0.0 or least - 1 == threads
    assert cuda_gains(10.0 * least) > 0.0


def test_what_moves_the_crossing():
    """More threads, contacts and smaller GPUs move it up; islands move it down; processors without packs, too."""
    base = crossing(None, 32, 4)
    assert crossing(None, 32, 8) > base
    assert crossing(model(1, 1), 32, 4) > base
    assert crossing(None, 32, 4, multiprocessors=H100 // 2) > base
    assert crossing(model(4, 0), 32, 4) < base
    assert crossing(None, 32, 4, packs=False) < base
    assert crossing(None, 32, 64) == inf  # as fast as a GPU


@pytest.fixture
def gpu(monkeypatch):
    """A machine with a GPU on which nothing was started or logged."""
    monkeypatch.setattr(start_device.cuda_driver, "names", lambda: ["a GPU"])
    monkeypatch.setattr(start_device.cuda_driver, "multiprocessors", lambda: H100)
    monkeypatch.setattr(start_device, "_said", set())
    monkeypatch.setattr(start_device, "_start_gpu", lambda name, bits: SimpleNamespace(name=name))
    monkeypatch.setattr(start_device, "runs_machine_code", lambda: True)


def test_the_choice_follows_the_number_of_worlds_and_is_logged_once(gpu, caplog):
    caplog.set_level("INFO", "fajin")
    least = crossing(None, 32, 2)
    for worlds, name in ((1, "cpu"), (int(least), "cuda"), (1, "cpu")):
        assert start_device.start("auto", "f32", 2, worlds).name == name
    assert caplog.messages == [
        f"device cpu: 1 world; cuda is faster from {least:,} worlds on",
        f"device cuda: {least:,} worlds; cuda is faster from {least:,} worlds on",
    ]


def test_the_cpu_runs_where_cuda_does_not_start(gpu, monkeypatch, caplog):
    """And a warning says why."""

    def refuse(name: str, bits: int) -> None:
        raise start_device.DeviceError("device cuda: no")

    monkeypatch.setattr(start_device, "_start_gpu", refuse)
    assert start_device.start("auto", "f32", 2, 10**6).name == "cpu"
    assert caplog.messages == [
        "device auto: the CPU runs, since CUDA, which is faster, does not start: device cuda: no"
    ]
    with pytest.raises(start_device.DeviceError, match="device cuda: no"):
        start_device.start("cuda")


def test_no_choice_is_logged_without_a_gpu(monkeypatch, caplog):
    monkeypatch.setattr(start_device.cuda_driver, "names", list)
    monkeypatch.setattr(start_device, "is_broken", lambda: False)
    caplog.set_level("INFO", "fajin")
    assert start_device.start("auto", "f32", 2, 10**6).name == "cpu"
    assert caplog.messages == []
