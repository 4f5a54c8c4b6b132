"""Entry point of `python -m fajin.tools`."""

from fajin.tools.cli import main

main()
