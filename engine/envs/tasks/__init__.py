"""The tasks of the registry, one a file."""

from pathlib import Path

POLICIES = Path(__file__).parents[1] / "policies"
"""Folder of the policies that the package has."""
SCENES = Path(__file__).parents[1] / "scenes"
