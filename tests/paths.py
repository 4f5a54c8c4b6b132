"""Where things of the checkout lie."""

from pathlib import Path

TESTS = Path(__file__).parent
ROOT = TESTS.parent
SCENES = ROOT / "scenes"
