"""The tasks of the registry, one a file."""

from pathlib import Path

SCENES = Path(__file__).parents[1] / "scenes"
