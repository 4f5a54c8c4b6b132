"""Events of a contact log, from rows written by hand and by brute force."""

from itertools import groupby

import numpy as np
import pytest

from fajin.recording.contact_log import ContactLog, event_table, read_contact_log, write_contact_log

DT = 0.01


def log_of(touching: np.ndarray, forces: np.ndarray) -> ContactLog:
    """The log of frames (T, P): whether each pair touches, with two points of half the force each."""
    frame, pair = np.nonzero(touching)
    frame, pair = np.repeat(frame, 2), np.repeat(pair, 2)
    start = np.searchsorted(frame, np.arange(len(touching) + 1))
    rows = len(frame)
    return ContactLog(
        DT * np.arange(len(touching)), start, np.zeros((rows, 3)), np.zeros((rows, 3)), forces[frame, pair] / 2.0, pair,
        tuple(f"a{p}|b" for p in range(touching.shape[1])),
    )  # fmt: skip


def events(touching: np.ndarray, forces: np.ndarray) -> dict[str, np.ndarray]:
    """The events of a log."""
    log = log_of(touching, forces)
    return event_table(log.time, log.start, log.pair, log.force)


@pytest.mark.parametrize("seed", range(4))
def test_events_are_the_runs_of_frames(seed):
    """Each run of frames of a pair is an event; it ends where the pair has no point, or with the log."""
    random = np.random.default_rng(seed)
    touching, forces = random.random((30, 4)) < 0.6, random.uniform(1.0, 5.0, (30, 4))
    expected = []
    for pair in range(4):
        for held, run in groupby(range(30), lambda frame, pair=pair: touching[frame, pair]):
            frames = list(run)
            if held:
                expected.append((frames[0], pair, min(frames[-1] + 1, 29), forces[frames, pair].max()))
    found = events(touching, forces)
    begin, pair, end, peak = zip(*sorted(expected), strict=True)
    assert found["event_pair"].tolist() == list(pair)
    assert found["event_begin"] == pytest.approx(DT * np.array(begin))
    assert found["event_end"] == pytest.approx(DT * np.array(end))
    assert found["event_peak_force"] == pytest.approx(peak)


def test_a_log_without_points_has_no_events():
    assert all(len(values) == 0 for values in events(np.zeros((3, 2), bool), np.ones((3, 2))).values())


def test_the_file_of_a_log_has_its_events(tmp_path):
    """Their pairs are numbered as those of the file, which names only pairs that touch."""
    touching = np.array([[0, 0, 0], [0, 1, 0], [0, 1, 1]], bool)
    write_contact_log(log_of(touching, np.full((3, 3), 2.0)), tmp_path / "log.npz")
    with np.load(tmp_path / "log.npz") as file:
        pairs = file["pairs"][file["event_pair"]].tolist()
        assert (pairs, file["event_begin"].tolist()) == (["a1|b", "a2|b"], [DT, 2 * DT])
    assert len(read_contact_log(tmp_path / "log.npz").time) == 3
