"""Operations by which a reset makes a number of a world, and the buffers that it writes."""

RESET_BUFFERS = ("state", "results", "sleep", "contacts", "parameters", "monitors")
"""Buffers of a reset, by the first word of rows side by side.

The other words are the first row's place in the first tile, the places of a tile, the number of rows, and the place of
the first of their numbers.
"""

RESET_OPERATIONS = {"given": 0, "add": 1, "scale": 2}
"""Second word of a row: a given number, or the start's plus or times a drawn one."""

ROOT_NUMBERS = 26
"""Numbers of a drawn root: position, quaternion, arm and turn of its tree, lower bounds and spans of six offsets."""
