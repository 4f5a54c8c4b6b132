"""Powers of length in the units of the tables' rows: what a stage unit changes in a number of SI units."""

import re

DIMENSIONS = {"m": 1, "N": 1, "J": 2, "W": 2}
"""Powers of length of units; the others, kg, s and rad, have none."""

POWERS = {"²": 2, "³": 3}


def length_power(unit: str) -> int:
    """Return the power of length in a unit: 2 for "N·m/rad", 0 for "N/(m·s)"."""
    power, groups, sign = 0, [1], 1
    for name, exponent, mark in re.findall(r"([A-Za-z1]+)([²³]?)|([/·()])", unit):
        if mark == "(":
            groups.append(sign)
        elif mark == ")":
            groups.pop()
        elif mark:
            sign = -groups[-1] if mark == "/" else groups[-1]
        else:
            power += sign * DIMENSIONS.get(name, 0) * POWERS.get(exponent, 1)
    return power


def length_powers(meaning: str, width: int) -> tuple[tuple[int, ...], ...]:
    """Return the powers of length of the numbers of a row, `width` of them, for every alternative of its unit.

    The unit is in brackets: alternatives are parted by " | ", halves of the numbers by ", ". Of a pose only the
    position, the first three numbers, has it. A row without a unit has no length.
    """
    found = re.search(r"\[([^]]*)\]", meaning)
    units = found[1].split(" | ") if found else ["1"]
    parts = [[length_power(part) for part in unit.split(", ")] for unit in units]
    if width == POSE:
        return tuple((*powers * 3, 0, 0, 0, 0) for powers in parts)
    return tuple(tuple(power for power in powers for _ in range(width // len(powers))) for powers in parts)


POSE = 7
"""Width of a pose: position and quaternion."""
