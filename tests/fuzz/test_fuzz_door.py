"""Damaged files and scenes give a scene or one line; `python tests/fuzz_sandbox.py usd` does it to more of them."""

import pytest
from fuzz_sandbox import FAILURES, of_json, of_usd

FILES, SCENES = 20, 500
FOUND = (25, 185, 1626, 2574)  # messages of USD not in UTF-8 and of thousands of letters, a scale of 3e-319, an abort


@pytest.mark.usefixtures("sandboxed")
def test_a_damaged_file_is_a_scene_or_one_line(tmp_path):
    """Text, binary or package, in a child of its own."""
    for seed in (*range(FILES), *FOUND):
        verdict = of_usd(seed, tmp_path)
        assert verdict.kind not in FAILURES, f"{seed}: {verdict}"


def test_a_damaged_scene_in_json_is_a_scene_or_refused(tmp_path):
    """No part has another type than its field, and no number is NaN."""
    kinds = set()
    for seed in range(SCENES):
        verdict = of_json(seed, tmp_path)
        kinds.add(verdict.kind)
        assert verdict.kind not in FAILURES, f"{seed}: {verdict}"
    assert kinds == {"scene", "refused"}
