"""Launches end after a quarter of a second, so that Ctrl-C is answered while kernels run."""

import os
import signal
from threading import Event, Timer

import pytest
from planar_arm import arm, simulation

from fajin.simulation.launch_length import LAUNCH_SECONDS, LaunchLength


def lengths(seconds_per_step: list[float]) -> list[int]:
    """Steps of the launches, where a step of each takes this time."""
    length, found = LaunchLength(), []
    for seconds in seconds_per_step:
        found.append(length.most)
        length.measure(length.most, length.most * seconds)
    return found


def test_launches_grow_to_a_quarter_of_a_second():
    """Eightfold; a launch that compiled does not count for long."""
    assert lengths([1e-3] * 5) == [1, 8, 64, 250, 250]
    assert lengths([20.0, *[1e-3] * 4]) == [1, 1, 8, 64, 250]


def test_launches_shrink_at_once():
    """Contacts make steps dearer."""
    assert lengths([1e-3] * 4 + [1e-1] * 2)[-1] == 2
    assert lengths([1.0] * 4) == [1, 1, 1, 1]


def test_short_launches_teach_only_that_less_is_possible():
    """A single step costs mostly its launch."""
    length = LaunchLength()
    length.most = 1000
    length.measure(10, 0.001)
    assert length.most == 1000
    length.measure(10, 0.1)
    assert length.most == 25
    length.measure(0, 5.0)
    assert length.most == 25


class Gpu:
    """A device whose launches take time after their calls have returned, and its clock [s]."""

    def __init__(self, seconds_per_step: float):
        self.now, self.end, self.each = 0.0, 0.0, seconds_per_step

    def launch(self, steps: int) -> None:
        self.end = max(self.now, self.end) + steps * self.each

    def finish(self) -> None:
        self.now = max(self.now, self.end)


@pytest.mark.parametrize("asked", [10**6, 10, 1])
def test_no_more_than_two_launches_are_under_way_on_a_gpu(monkeypatch, asked):
    """However short they are: what is under way takes half a second at most, once the length is known."""
    gpu = Gpu(1e-3)
    monkeypatch.setattr("fajin.simulation.launch_length.perf_counter", lambda: gpu.now)
    length, under_way, launched = LaunchLength(gpu.finish, waits=True), [], []
    while sum(launched) < 3000:
        steps = min(asked, length.most)
        with length.launch(steps):
            gpu.launch(steps)
            under_way.append(gpu.end - gpu.now)
        launched.append(steps)
        gpu.now += 1e-5  # of the host
    assert max(under_way) <= 2.0 * LAUNCH_SECONDS
    assert length.most == pytest.approx(LAUNCH_SECONDS / gpu.each, abs=10)
    if asked > 1000:
        assert launched[:4] == [1, 8, 64, length.most]


def test_a_gpu_that_is_ahead_is_not_waited_for(monkeypatch):
    """Only once for as many steps as the longest launch may have."""
    gpu, waits = Gpu(1e-3), []
    monkeypatch.setattr("fajin.simulation.launch_length.perf_counter", lambda: gpu.now)
    length = LaunchLength(lambda: (waits.append(gpu.now), gpu.finish()), waits=True)
    length.most = 100
    for _ in range(40):
        with length.launch(5):
            gpu.launch(5)
    assert len(waits) == 1 + (40 - 20) * 5 // length.most


@pytest.mark.parametrize("ask", [lambda sim: sim.step(10**9), lambda sim: list(sim.stream(10**9, 10**9))])
def test_ctrl_c_is_answered_at_the_end_of_the_launch(ask, monkeypatch):
    """While kernels run, also between frames; the simulation goes on from there."""
    sim = simulation(arm(qd=1.0))
    sim.step(1)
    interrupted, after = Event(), []
    state = sim._synced_state()
    run = state.run

    def launch(*given):
        known = interrupted.is_set()
        run(*given)
        after.append(known)

    def interrupt() -> None:
        interrupted.set()
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(state, "run", launch)
    Timer(0.5, interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        ask(sim)
    assert sum(after) <= 1  # one may begin between the two lines of interrupt
    monkeypatch.undo()
    before = sim.steps
    assert 1 < before < 10**9
    sim.step(1)
    assert sim.steps == before + 1
