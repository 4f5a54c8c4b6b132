"""Entry point of `python -m fajin`."""

from .tools.entry_point import run

run()
