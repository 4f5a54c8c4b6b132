"""Selection of columns of a quantity by index, slice, list, name or regular expression.

A string of letters, digits, `_`, `/` and `:` is a name and selects one column. Any other string is a regular
expression. It selects all columns of which it matches a whole name, in column order, and adds an axis to the result,
even for one match. So `q[:, "elbow"]` has shape (W,), and `q[:, "elbow|wrist"]` has shape (W, 2). The name of a pair of
colliders, "foot|ground", is a name where pairs are selected.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

NAME = re.compile(r"[\w/:]*")
NOUNS = {
    "dof": "degree of freedom",
    "maximal_dof": "driven axis outside the trees",
    "actuator": "degree of freedom with an explicit actuator",
    "bound_point": "point of an actuator's bound by position",
    "link": "link",
    "articulation": "articulation",
    "maximal_joint": "joint outside the trees",
    "tendon": "tendon",
    "axis": "axis",
    "pair": "pair of colliders",
    "pair_kind": "pair of colliders",
}


class NamedColumns(tuple[str, ...]):
    """Names of columns, of which `index` finds a column by any of its names.

    Args:
        columns: full names.
        of: the kind of column, a key of `NOUNS`.
    """

    of: str

    def __new__(cls, columns: Iterable[str], of: str = "dof") -> "NamedColumns":
        names = super().__new__(cls, columns)
        names.of = of
        return names

    def __getnewargs__(self) -> tuple[tuple[str, ...], str]:
        return tuple(self), self.of

    def index(self, value: Any, *bounds: Any) -> int:
        """Return the index of a column by full name, prim path, prim name, or prim name with the axis.

        Raises:
            KeyError: no column, or more than one column, has this name.
        """
        return super().index(value, *bounds) if bounds or not isinstance(value, str) else column(value, self, self.of)


def resolve_key(key: Any, columns: Sequence[str], of: str) -> Any:
    """Return the key with names and regular expressions replaced by indices; other keys are returned unchanged.

    Args:
        key: index, slice, mask, name, regular expression, or a list of these.
        columns: names of the columns.
        of: the kind of column, a key of `NOUNS`.

    Raises:
        KeyError: no column matches, or a name matches more than one column.
    """
    if isinstance(key, str):
        named = NAME.fullmatch(key) or (of in ("pair", "pair_kind") and any(key in names_of(full) for full in columns))
        return column(key, columns, of) if named else match_columns(key, columns, of)
    if isinstance(key, list | tuple) and any(isinstance(part, str) for part in key):
        chosen = [resolve_key(part, columns, of) for part in key]
        return [i for part in chosen for i in (part if isinstance(part, list) else [part])]
    return key


def column(name: str, columns: Sequence[str], of: str = "dof") -> int:
    """Return the index of a column by full name, prim path, prim name, or prim name with the axis.

    Raises:
        KeyError: no column, or more than one column, has this name.
    """
    for names in zip(*map(names_of, columns), strict=True):
        found = [i for i, n in enumerate(names) if n == name]
        if len(found) == 1:
            return found[0]
        if found:
            raise KeyError(f"{name!r} is the name of {', '.join(columns[i] for i in found)}; give the full name")
    raise KeyError(f"no {NOUNS[of]} {name!r}{_nearest(name, columns)}")


def match_columns(pattern: str, columns: Sequence[str], of: str) -> list[int]:
    """Return the indices of all columns of which a regular expression matches one of the names.

    Raises:
        KeyError: no column matches, or `pattern` is not a regular expression.
    """
    try:
        fits = re.compile(pattern).fullmatch
    except re.error as error:
        raise KeyError(f"{pattern!r} is not a regular expression: {error}") from None
    found = [i for i, full in enumerate(columns) if any(map(fits, names_of(full)))]
    if not found:
        raise KeyError(f"no {NOUNS[of]} matches {pattern!r}{_nearest(pattern, columns)}")
    return found


def names_of(full: str) -> tuple[str, str, str, str]:
    """Return the names of a column: "/arm/elbow:rotZ", "/arm/elbow", "elbow", "elbow:rotZ"; of a pair "foot|ground"."""
    if "|" in full:
        short = "|".join(path.rpartition("/")[2] for path in full.split("|"))
        return full, full, short, short
    path = full.partition(":")[0]
    return full, path, path.rpartition("/")[2], full.rpartition("/")[2]


def match_names(names: Sequence[str], known: Sequence[str]) -> dict[str, str]:
    """Return {name: known name} by full name, path, prim name or prim name with the axis, where just one fits."""
    places: list[dict[str, list[str]]] = [{}, {}, {}, {}]
    for full in known:
        for place, short in zip(places, names_of(full), strict=True):
            place.setdefault(short, []).append(full)
    found = {}
    for name in names:
        for place, short in zip(places, names_of(name), strict=True):
            fits = [full for key in {name, short} for full in place.get(key, ())]
            if len(fits) == 1:
                found[name] = fits[0]
                break
    return found


def _nearest(name: str, columns: Sequence[str]) -> str:
    """Return the suggestion of a name among the short and the full names of columns; all columns if none is near."""
    near = suggestion(name, dict.fromkeys(names_of(full)[kind] for kind in (2, 3, 0) for full in columns))
    return near or f"; there are {', '.join(columns)}"


def short_names(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the shortest unique name of each column: "elbow", "elbow:rotZ", "/arm/elbow", or the full name."""
    kinds = [[names[kind] for names in map(names_of, columns)] for kind in (2, 3, 1, 0)]
    counts = [Counter(kind) for kind in kinds]
    return tuple(
        next(name for count, name in zip(counts, names, strict=True) if count[name] == 1 or name == columns[i])
        for i, names in enumerate(zip(*kinds, strict=True))
    )


OTHER_WORDS = {  # words of other tools for quantities and methods
    "kp": "stiffness",
    "kd": "damping",
    "pos_target": "target_q",
    "vel_target": "target_qd",
    "target": "target_q",
    "position": "q",
    "velocity": "qd",
    "speed": "qd",
    "torque": "effort",
    "effort_limit": "max_force",
    **dict.fromkeys(("names", "joint_names", "dof_names", "joints"), "dof"),
    **dict.fromkeys(("body_names", "bodies"), "link"),
    **dict.fromkeys(("to_pandas", "to_dataframe", "dataframe"), "to_frame"),
    "snapshot": "save",
    "restore": "load",
}


def suggestion(name: str, names: Iterable[str]) -> str:
    """Return "; did you mean 'NAME'?" with the nearest of some names; "" if none is near."""
    names = list(names)
    other = OTHER_WORDS.get(name)
    near = [other] if other in names else get_close_matches(name, names, 1)
    return f"; did you mean {near[0]!r}?" if near else ""
