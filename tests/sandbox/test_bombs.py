"""Files that made USD crash, wait or fill the memory: at most one line each, within seconds of processor time."""

import os

import pytest
from sandbox.bombs import BOMBS, measure

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")]
SOUND = {
    *("braces, 30,000", "itself", "star of 3,000 joints", "chain of 2,000 joints", "pair with 2,000 joints"),
    *("name of 2 MB", "mesh with an index of -1", "device by reference"),
}
"""Files that may be scenes."""
CPU = 8.0  # [s]; 5 on a processor of its own
PARSED = {"1,500,000 prims": 20.0}
"""Processor time [s] of what USD parses before its prims are counted."""


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_one_line(tmp_path, name):
    """`fajin inspect`, with the processor time of its children."""
    os.mkfifo(tmp_path / "pipe.usda")
    code, _, cpu, said = measure(tmp_path, BOMBS[name]())
    assert (code, said.count("\n")) in ([(2, 1), (0, 0)] if name in SOUND else [(2, 1)]), said
    assert len(said) < 1_000
    assert cpu < PARSED.get(name, CPU)
