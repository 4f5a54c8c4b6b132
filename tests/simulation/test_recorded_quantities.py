"""Which quantities a recording has, and every which step."""

import numpy as np
import pytest
from broken_state import break_state
from planar_arm import arm, simulation

import fajin
from fajin.recording.recorder import FRAME_QUANTITIES, Spool
from fajin.scene import Drive

ARM = arm(drive=Drive(stiffness=50.0, damping=5.0, target_q=0.3))


def machine(worlds: int = 1, **options) -> fajin.Simulation:
    """A driven arm."""
    return fajin.Simulation(ARM, worlds, **({"device": "cpu", "threads": 1} | options))


@pytest.mark.parametrize("record", [("q",), ("effort", "q"), ("pose",), ("qd", "pose"), FRAME_QUANTITIES])
@pytest.mark.parametrize("worlds", [1, 20])
def test_a_recording_has_what_was_asked_for(record, worlds):
    """The bits of a full recording, every k-th step; the order of the names does not matter."""
    full, chosen = machine(worlds).run(steps=12), machine(worlds).run(steps=12, every=4, record=record)
    assert chosen.quantities == tuple(name for name in FRAME_QUANTITIES if name in record)
    assert np.array_equal(chosen.time, full.time[::4])
    for name in record:
        assert np.array_equal(getattr(chosen, name), getattr(full, name)[::4])
    assert len(chosen) == 4
    assert repr(chosen).startswith("<Recording of 4 frames")


def test_what_was_not_recorded_is_named():
    """Where it is read; parts of the recording know it, too."""
    recording = machine(3).run(steps=4, record=("q", "qd"))
    for part in (recording, recording[1:3], recording.world(2)):
        assert part.quantities == ("q", "qd")
        with pytest.raises(AttributeError, match=r"recording.pose: must be recorded to be read; add 'pose' to record"):
            _ = part.pose
    assert np.array_equal(recording.world(2).q, recording.q[:, [2]])
    with pytest.raises(AttributeError, match="Recording has no 'poses'"):
        _ = recording.poses


def test_pieces_of_a_stream_have_them():
    """Each piece, and what they make together."""
    pieces = list(machine().stream(10, 2, record="effort"))
    assert {piece.quantities for piece in pieces} == {("effort",)}
    whole = machine().run(steps=10, every=2, record=["effort"])
    assert np.array_equal(np.concatenate([piece.effort for piece in pieces]), whole.effort)


def test_a_spool_refuses_less(tmp_path):
    """Files of motions need poses."""
    with pytest.raises(AttributeError, match=r"recording\.qd: must be recorded"):
        Spool(tmp_path).append(machine().run(steps=1, record="q"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"record": ("q", "driven")}, "record = 'driven': must be among q, qd, effort, pose; did you mean"),
        ({"record": ()}, r"record = \(\): must name at least one of q, qd, effort, pose"),
        ({"every": 0}, "every = 0: must be a whole number from 1"),
        ({"every": 2, "fps": 30.0}, "fps, every = 30.0, 2: must not be combined"),
    ],
)
def test_wrong_choices_are_refused(options, message):
    """Before anything moves."""
    sim = machine()
    with pytest.raises(ValueError, match=message):
        sim.run(steps=5, **options)
    assert sim.steps == 0


@pytest.mark.parametrize("record", [("q",), ("effort",), ("pose",)])
def test_a_number_that_is_not_finite_is_found_whatever_is_recorded(record):
    """In what is recorded at its step, elsewhere at the end."""
    sim = simulation(ARM)
    sim.step(3)
    break_state(sim, "qd", (slice(None), sim.dof.index("/arm/elbow:rotZ")))
    with pytest.raises(fajin.NonFinite) as broken:
        sim.run(steps=5, record=record)
    assert broken.value.step == {"q": 4, "effort": 8, "pose": 4}[record[0]]


def test_fewer_quantities_need_less_memory(monkeypatch):
    """Of the trace, and in the estimate before a run."""
    from fajin.device import free_memory
    from fajin.device.memory_estimate import footprint

    sim = machine(16)
    state = sim._synced_state()
    assert state.frame_bytes(("q",)) == 4 * 3 * 16
    assert state.frame_bytes() == 4 * (3 * 3 + 7 * 4) * 16
    few, all_of_them = (footprint(state, frames=100, record=record).host for record in (("q",), FRAME_QUANTITIES))
    assert all_of_them - few == 3 * 100 * 4 * (2 * 3 + 7 * 4)
    monkeypatch.setattr(free_memory, "free_bytes", lambda device="cpu": 3 * 40 * state.frame_bytes(("q",)))
    with pytest.raises(fajin.OutOfMemory, match="frames = 31"):
        sim.run(steps=30)
    sim.run(steps=30, record="q")
