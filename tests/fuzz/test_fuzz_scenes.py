"""Mutated scenes are read or refused in one line: no traceback, no NaN, no value taken for another.

`python tests/fuzz/fuzz_scenes.py --files 100000 --step 500` does the same to more of them.
"""

from random import Random

import pytest
from fuzz_scenes import FAILURES, judged, one
from mutants import change_number
from sound_files import bases

BLOCKS, FILES = 4, 100
STEPPED = 30
SHORT = 4_000  # letters of a scene: one joint or two
PENDULUM = "a05_pendulum_paxes"


@pytest.mark.parametrize("block", range(BLOCKS))
def test_mutated_scenes_are_read_or_refused_in_one_line(block):
    """A type alone that holds the same number changes nothing, or is reported."""
    for seed in range(block * FILES, (block + 1) * FILES):
        outcome, made = one(seed, longest=SHORT)
        assert outcome.kind not in FAILURES, f"{outcome.kind}: {outcome.detail} | {made}"


@pytest.mark.parametrize("seed", [16186, 35906, 56776])
def test_lengths_beyond_float_overflow_without_a_warning(seed):
    """The three of 100,000 mutants that NumPy warned of: a scale of 1e300, and links 1e300 apart."""
    outcome, made = one(seed)
    assert outcome.kind not in FAILURES, f"{outcome.kind}: {outcome.detail} | {made}"


def test_what_leaves_the_finite_numbers_is_said():
    """Numbers change, and no kernel with them."""
    text = bases()[PENDULUM]
    assert judged(text, step=True).kind == "stepped"
    for seed in range(STEPPED):
        lines = text.splitlines()
        change = change_number(lines, Random(seed))
        outcome = judged("\n".join(lines) + "\n", step=True)
        assert outcome.kind not in FAILURES, f"{outcome.kind}: {outcome.detail} | {change}"


def test_a_mutant_that_fails_would_be_seen():
    """The judge tells what is refused and what is no USD from what is read."""
    text = bases()[PENDULUM]
    assert judged(text.replace("float physics:mass = 5.0", "float physics:mass = nan")).kind == "refused"
    assert judged(text.replace("def Xform", "def Xform {")).kind == "no USD"
