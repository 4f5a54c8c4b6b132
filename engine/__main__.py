"""Entry point of `python -m fajin`."""

from .tools.cli import main

main()
