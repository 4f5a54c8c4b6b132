"""Types of the numbers of a scratch row, and the reading of tables of rows."""

ROW_TYPES = {
    "number": 1,
    "integer": 1,  # whole number of each lane: a view of one lane has it as an integer, one of all lanes as a number
    "flag": 1,  # whether something is so, in each lane: 1 or 0 in memory; a view has it as a mask
    "index": 1,  # whole number that all lanes share: every view has it as an integer
    "vector": 3,
    "quaternion": 4,
    "motion": 6,  # angular, linear
    "force": 6,  # torque, force
    "tensor": 6,  # symmetric: xx, xy, xz, yy, yz, zz
    "inertia": 21,  # articulated: I (6), H by columns (9), M (6)
    "response": 21,
    "jacobian": 9,  # of a 1D constraint: linear, angular of body 0, angular of body 1
    "series": 21,  # numbers by index
    "composite": 10,  # composite rigid body: mass, moment (3), inertia (6)
}
"""Number of rows of each type of number."""


def number_rows(rows: str) -> dict[str, tuple[int, str, str]]:
    """Parse `NAME type meaning` lines to {name: (first row, type, meaning)}."""
    table, first = {}, 0
    for line in rows.strip().splitlines():
        name, kind, meaning = line.split(None, 2)
        table[name] = (first, kind, meaning)
        first += ROW_TYPES[kind]
    return table


def alias_rows(table: dict, rows: str) -> dict[str, tuple[int, str, str]]:
    """Parse `NAME type ROW meaning` lines: other names of rows that a later part of the step uses anew."""
    aliases = {}
    for line in rows.strip().splitlines():
        name, kind, row, meaning = line.split(None, 3)
        if ROW_TYPES[kind] > ROW_TYPES[table[row][1]]:
            raise ValueError(f"{name}: {kind} does not fit into {row}")
        aliases[name] = (table[row][0], kind, meaning)
    return aliases
