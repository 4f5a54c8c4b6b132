"""Entry point of `python -m fajin.tools`."""

from .entry_point import run

run()
