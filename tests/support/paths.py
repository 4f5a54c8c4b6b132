"""Where things of the checkout lie."""

from pathlib import Path

TESTS = Path(__file__).parents[1]
RECORDINGS = TESTS / "recorded"
ROOT = TESTS.parent
SCENES = ROOT / "scenes"
