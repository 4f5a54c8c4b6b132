"""Files that made USD crash, wait or fill the memory: at most one line each, and none needs its limit of time."""

import os

import pytest
from sandbox.bombs import BOMBS, measure, star

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")]
SOUND = {
    *("braces, 30,000", "itself", "star of 3,000 joints", "chain of 2,000 joints", "pair with 2,000 joints"),
    *("name of 2 MB", "mesh with an index of -1", "device by reference"),
}
"""Files that may be scenes."""


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_one_line(tmp_path, name):
    """`fajin inspect` with its own limits: it refuses a bomb before the limit of processor time does."""
    os.mkfifo(tmp_path / "pipe.usda")
    code, _, _, said = measure(tmp_path, BOMBS[name]())
    assert (code, said.count("\n")) in ([(2, 1), (0, 0)] if name in SOUND else [(2, 1)]), said
    assert len(said) < 1_000
    assert "processor time" not in said


def test_a_bomb_within_its_limit_is_one_line(tmp_path):
    """Reading 50,000 joints takes more than a second of processor time, and the line says so."""
    code, _, _, said = measure(tmp_path, star(50_000), "cpu=1")
    assert (code, said.count("\n")) == (2, 1), said
    assert "within 1 s of processor time" in said
