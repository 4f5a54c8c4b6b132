"""The answer whether a machine runs packs, which is kept in a file."""

import signal
from types import SimpleNamespace

import pytest

from fajin.compiler import packs


@pytest.fixture
def trials(tmp_path, monkeypatch) -> list[int]:
    """Exit codes of the next trials in an empty cache."""
    codes: list[int] = []
    monkeypatch.setattr(packs, "capability_cache", lambda: tmp_path)
    monkeypatch.setattr(packs.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(packs.subprocess, "run", lambda *_, **__: SimpleNamespace(returncode=codes.pop(0)))
    return codes


@pytest.mark.parametrize(("code", "works"), [(0, True), (1, False), (-signal.SIGABRT, False), (-signal.SIGSEGV, False)])
def test_the_answer_of_a_trial_is_kept(trials, code, works):
    """The second question starts no child."""
    trials.append(code)
    assert packs.supports_packs() is works
    assert trials == []
    assert packs.supports_packs() is works


@pytest.mark.parametrize("text", ["", "y"])
def test_a_file_without_an_answer_is_no_answer(trials, tmp_path, text):
    """Another process is about to write it."""
    trials.append(0)
    packs.supports_packs()
    (file,) = tmp_path.iterdir()
    file.write_text(text)
    trials.append(0)
    assert packs.supports_packs() is True


@pytest.mark.parametrize("code", packs.ENDED)
def test_a_trial_that_was_ended_is_no_answer(trials, tmp_path, code):
    """The machine may run packs all the same."""
    trials.extend((code, 0))
    assert packs.supports_packs() is False
    assert list(tmp_path.iterdir()) == []
    assert packs.supports_packs() is True
