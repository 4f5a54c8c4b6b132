"""Which columns of a quantity a key means: by index, slice, list, name or regular expression.

A string of letters, digits, `_`, `/` and `:` is a name and means one column. Any other string is a regular expression
and means, in their order, all columns of which it fits a whole name; however many these are, they are an axis of the
result. So `q[:, "elbow"]` is (W,), and `q[:, "elbow|wrist"]` is (W, 2).
"""

import re
from collections.abc import Sequence

NAME = re.compile(r"[\w/:]*")
NOUNS = {
    "dof": "degree of freedom",
    "maximal_dof": "driven axis outside the trees",
    "link": "link",
    "articulation": "articulation",
    "maximal_joint": "joint outside the trees",
    "tendon": "tendon",
    "axis": "axis",
}


def resolve_key(key, columns: Sequence[str], of: str):
    """The key with names and regular expressions as indices; what names nothing stays as it is.

    Args:
        key: index, slice, mask, name, regular expression, or a list of these.
        columns: names of the columns.
        of: what they are, see `NOUNS`.

    Raises:
        KeyError: nothing, or for a name more than one column, is called that.
    """
    if isinstance(key, str):
        return column(key, columns, of) if NAME.fullmatch(key) else match_columns(key, columns, of)
    if isinstance(key, list | tuple) and any(isinstance(part, str) for part in key):
        chosen = [resolve_key(part, columns, of) for part in key]
        return [i for part in chosen for i in (part if isinstance(part, list) else [part])]
    return key


def column(name: str, columns: Sequence[str], of: str = "dof") -> int:
    """Index of a column by its full name, its prim's path, its prim's name, or that with the axis.

    Raises:
        KeyError: nothing, or more than one column, is called that.
    """
    for names in zip(*map(names_of, columns), strict=True):
        found = [i for i, n in enumerate(names) if n == name]
        if len(found) == 1:
            return found[0]
        if found:
            raise KeyError(f"{name!r} is the name of {', '.join(columns[i] for i in found)}; give the full one")
    raise KeyError(f"no {NOUNS[of]} {name!r}; there are {', '.join(columns)}")


def match_columns(pattern: str, columns: Sequence[str], of: str) -> list[int]:
    """Indices of all columns of which a regular expression fits one of the names.

    Raises:
        KeyError: there is none, or it is no regular expression.
    """
    try:
        fits = re.compile(pattern).fullmatch
    except re.error as error:
        raise KeyError(f"{pattern!r} is no regular expression: {error}") from None
    found = [i for i, full in enumerate(columns) if any(map(fits, names_of(full)))]
    if not found:
        raise KeyError(f"no {NOUNS[of]} fits {pattern!r}; there are {', '.join(columns)}")
    return found


def names_of(full: str) -> tuple[str, str, str, str]:
    """What a column is called: "/arm/elbow:rotZ", "/arm/elbow", "elbow", "elbow:rotZ"."""
    path = full.partition(":")[0]
    return full, path, path.rpartition("/")[2], full.rpartition("/")[2]
