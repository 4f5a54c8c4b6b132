"""Operations by which a reset makes a number of a world, and the buffers that it writes."""

RESET_BUFFERS = ("state", "results", "sleep", "contacts")
"""Buffers of a reset, by the first word of a row."""

RESET_OPERATIONS = {"start": 0, "given": 1, "add": 2, "scale": 3}
"""Third word of a row: the number of the start, a given one, or the start's plus or times a drawn one."""

ROOT_NUMBERS = 26
"""Numbers of a drawn root: position, quaternion, arm and turn of its tree, lower bounds and spans of six offsets."""
