"""Motions to record: what they need, and what they determine."""

from dataclasses import replace

import numpy as np
import pytest
from fit.arm import arm

from fajin.errors import InputError
from fajin.fit.excitation import ExcitationOptions, find_motions
from fajin.fit.piece import Piece
from fajin.fit.rollout import Rollout
from fajin.model.model import compile

FEW = ExcitationOptions(seconds=3.0, candidates=4, threads=1)


def test_motions_become_smaller_until_drives_are_strong_enough():
    """Within 80 % of their efforts; each joint still moves."""
    model = compile(arm({"max_force": 25.0}))
    (motion,) = find_motions(model, ["armature"], FEW).motions
    rollout = Rollout(model, [], threads=1)
    from fajin.fit import MotionLog

    log = MotionLog("", "", motion.time, motion.dof, (0, 1), motion.target_q, motion.target_q)
    _, effort = rollout.simulate(None, [Piece(log, log.q[0], 0.0 * log.q[0])], effort=True)
    assert 10.0 < np.abs(effort).max() <= 20.0
    assert np.ptp(motion.target_q, axis=0).min() > 0.1
    strong = find_motions(compile(arm()), ["armature"], FEW).motions[0]
    assert np.ptp(strong.target_q[:, 0]) > 1.3 * np.ptp(motion.target_q[:, 0])


def test_a_drive_that_cannot_hold_its_load_is_named():
    """12.3 N·m hold both links, 2.5 the outer one."""
    with pytest.raises(InputError, match=r"hold their load with 80 % of max_force, unlike joint0; select others"):
        find_motions(compile(arm({"max_force": 6.0})), ["armature"], FEW)


def test_a_parameter_without_a_trace_is_silent():
    """A bound on the effort that no motion reaches."""
    found = find_motions(compile(arm()), ["joint0:armature", "joint1:max_force"], replace(FEW, seconds=2.0))
    assert found.identifiability.silent == ("joint1:max_force",)
    assert found.deviations[1] > 1e3


def test_motions_are_messages_of_commands(tmp_path):
    """A robot's driver plays them; joints have their short names."""
    pytest.importorskip("mcap")
    from fajin.fit.excitation import Motion
    from fajin.recording.mcap_log import read_joint_states
    from fajin.tools.excite import _write_messages

    time, dof = np.arange(3) * 0.01, compile(arm()).dof
    motion = Motion(time, dof, ("rad", "rad"), np.arange(6.0).reshape(3, 2), np.eye(1))
    _write_messages(motion, tmp_path / "a.mcap")
    with pytest.raises(InputError, match="must have messages"):
        read_joint_states(tmp_path / "a.mcap")
    from mcap.reader import make_reader

    with (tmp_path / "a.mcap").open("rb") as file:
        assert [channel.topic for _, channel, _ in make_reader(file).iter_messages()] == ["/joint_commands"] * 3
