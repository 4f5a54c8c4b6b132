"""Tables printed by the commands; narrow terminals get short names, fewer columns, and several blocks."""

import re
import sys
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, takewhile
from math import inf
from operator import eq
from typing import Any

from .table_layout import is_plain, plain_lines, wrapped_table

PIPE_WIDTH = 240  # columns if the output is not a terminal
SPEED_UNIT = "[N·m·s/rad | N·s/m]"
SILENT_CELLS = ("0", "∞", "-∞", "–", "")  # a column of one of these alone is left out where space is short
TABLE_EDGE, COLUMN_PADDING = 1, 3  # columns that rich adds to a table, and to each of its columns
PATH = re.compile(r"(?<!\S)/[\w:/]+")
UNIT = re.compile(r"\[[^]]*\]")


class Table:
    """A table whose first `text` columns hold text and whose others hold numbers.

    It is printed as it is where it fits. Elsewhere prims have the shortest unique end of their paths, columns that say
    nothing are left out and named below, and columns of numbers are printed in blocks, each with the first column.
    Only text is wrapped, between words. Without `prims` a word that starts with a slash is not the path of a prim.
    """

    def __init__(self, title: str, text: int, columns: Sequence[str], prims: bool = True):
        self.title, self.text, self.columns, self.prims = title, text, list(columns), prims
        self.rows: list[list[str]] = []

    @property
    def row_count(self) -> int:
        """Return the number of rows."""
        return len(self.rows)

    def add_row(self, *cells: str) -> None:
        """Add a row; missing cells are empty."""
        self.rows.append([*cells, *[""] * (len(self.columns) - len(cells))])

    def with_units_of(self, kinds: set[bool]) -> "Table":
        """Return the table with the units of its joints: "[rad]" of "[rad | m]" where all axes rotate (`{True}`)."""
        result = Table(self.title, self.text, self.columns, self.prims)
        result.rows = self.rows
        if len(kinds) == 1:
            place = 0 if True in kinds else -1
            result.columns = [UNIT.sub(lambda found: _one_unit(found[0], place), name) for name in self.columns]
        return result

    def matching(self, pattern: str) -> "Table":
        """Return the rows of joints of which a regular expression matches a name; none if the table lists no joints."""
        from fajin.selection import names_of

        result, fits = Table(self.title, self.text, self.columns, self.prims), re.compile(pattern).fullmatch
        if self.columns[0] == "joint":
            result.rows = [row for row in self.rows if any(map(fits, names_of(row[0])))]
        return result

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        if sum(self._widths(self.rows)) + TABLE_EDGE + COLUMN_PADDING * len(self.columns) <= options.max_width:
            yield from self._block(range(len(self.columns)), self.rows, self.title, options.max_width)
            return
        rows = self._short_rows()
        widths = self._widths(rows)
        spoken = [
            i
            for i in range(len(self.columns))
            if i < self.text or {row[i] for row in rows} - {*SILENT_CELLS} or len(rows) < 2
        ]
        words = self._widths([[max(cell.split(), key=len, default="") for cell in row] for row in rows])
        if sum(words[: self.text]) + TABLE_EDGE + COLUMN_PADDING * self.text > options.max_width:
            yield from self._paragraphs(rows, spoken, options.max_width)
            return
        for number, block in enumerate(self._blocks(spoken, widths, options.max_width)):
            yield from self._block(block, rows, "" if number else self.title, options.max_width)
        for value in SILENT_CELLS[:4]:
            silent = [i for i in range(len(self.columns)) if i not in spoken and rows[0][i] == value]
            if silent:
                yield f"  {value} for all: {', '.join(' '.join(self.columns[i].split()) for i in silent)}\n"

    def _blocks(self, spoken: list[int], widths: list[int], width: int) -> Iterator[list[int]]:
        """Yield groups of columns that fit, each with the text columns that name the row."""
        names = spoken[: self.text]
        block, used = list(names), sum(widths[i] + COLUMN_PADDING for i in names) + TABLE_EDGE
        for i in spoken[self.text :]:
            if used + widths[i] + COLUMN_PADDING > width and len(block) > 1:
                yield block
                block, used = names[:1], widths[0] + COLUMN_PADDING + TABLE_EDGE
            block.append(i)
            used += widths[i] + COLUMN_PADDING
        yield block

    def _paragraphs(self, rows: list[list[str]], spoken: list[int], width: int) -> Iterator[str]:
        """Yield the title, and each row as a wrapped line of `column cell`."""
        yield self.title
        for row in rows:
            cells = [f"{' '.join(self.columns[i].split())} {row[i]}" if i >= self.text else row[i] for i in spoken]
            line = "; ".join(cell for cell in cells if cell)
            yield textwrap.fill(line, width, initial_indent="  ", subsequent_indent="      ", break_on_hyphens=False)
        yield ""

    def _widths(self, rows: list[list[str]]) -> list[int]:
        """Return the width of each column."""
        return [
            max(len(line) for cell in (name, *(row[i] for row in rows)) for line in cell.split("\n"))
            for i, name in enumerate(self.columns)
        ]

    def _short_rows(self) -> list[list[str]]:
        """Return the rows with short names of prims in the columns of text."""
        if not self.prims:
            return self.rows
        paths = {path for row in self.rows for cell in row[: self.text] for path in PATH.findall(cell)}
        short = _short_paths(sorted(paths))
        return [
            [PATH.sub(lambda found: short[found[0]], cell) if i < self.text else cell for i, cell in enumerate(row)]
            for row in self.rows
        ]

    def _block(self, places: Iterable[int], rows: list[list[str]], title: str, width: int) -> Iterator[Any]:
        """Yield some columns as lines, or as a table of rich where cells must be wrapped to fit the width."""
        places = list(places)
        names, cells = [self.columns[i] for i in places], [[row[i] for i in places] for row in rows]
        widths = self._widths(rows)
        used = sum(widths[i] + COLUMN_PADDING for i in places) + TABLE_EDGE
        if max(used, len(title)) <= width and is_plain(cells):
            yield from plain_lines(title, names, cells, sum(i < self.text for i in places))
            return
        yield wrapped_table(title, names, cells, sum(i < self.text for i in places))


def _one_unit(unit: str, place: int) -> str:
    """Return the unit of rotations (0) or of slides (-1): "[m per m]" of "[rad | m per rad | m]"."""
    return "[" + " per ".join(part.split(" | ")[place] for part in unit[1:-1].split(" per ")) + "]"


def _short_paths(paths: Sequence[str]) -> dict[str, str]:
    """Return the shortest unique end of each path; the axis of a joint is left out where the joint has only one."""
    prims = [path.partition(":")[0] for path in paths]
    axes = Counter(prims)
    backward = sorted({tuple(prim.split("/")[:0:-1]) for prim in prims})  # neighbours have the longest common ends
    shared = [0, *(_common(*pair) for pair in pairwise(backward)), 0]
    ends = {parts: parts[max(pair) :: -1] for parts, pair in zip(backward, pairwise(shared), strict=False)}
    short = {"/".join(("", *parts[::-1])): "/".join(end) for parts, end in ends.items()}
    tokens = {path: path.partition(":")[2] for path in paths}
    return {
        path: short[prim] + (f":{tokens[path]}" if tokens[path] and axes[prim] > 1 else "")
        for path, prim in zip(paths, prims, strict=True)
    }


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the common start of two sequences."""
    return sum(1 for _ in takewhile(bool, map(eq, one, other)))


def table(title: str, text: int, *columns: str) -> Table:
    """Return an empty table whose first `text` columns hold text and whose others hold numbers."""
    return Table(title, text, columns)


def number(value: float) -> str:
    """Return a number with six digits, without a sign on zero; infinity as ∞."""
    if abs(value) == inf:
        return "∞" if value > 0.0 else "-∞"
    return f"{value + 0.0:.6g}"


def number_with_spread(scene: Any, owner: str, quantity: str, value: float) -> str:
    """Return a number, with half its 95 % interval if it was fitted: "0.0513 ± 0.002"."""
    fit = scene.fit
    named = {"static": ("coulomb",), "mass": ("mass", "payload")}.get(quantity, (quantity,))
    found = next((p for name in named if fit and (p := fit.of(owner, name))), None)
    if found is None:
        return number(value)
    return f"{number(value)} (at bound)" if found.at_bound else f"{number(value)} ± {1.959964 * found.deviation:.2g}"


def every_axis(owners: Iterable[Any]) -> list[tuple[Any, Any]]:
    """Return all pairs of a joint and one of its axes, of articulations or of a scene (its maximal joints)."""
    return [(joint, axis) for owner in owners for joint in owner.joints for axis in joint.axes]


def print_table(title: str, text: int, columns: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    """Print a table."""
    result = table(title, text, *columns)
    for row in rows:
        result.add_row(*row)
    console().print(result)


def console() -> Any:
    """Return a console that is wide if the output is not a terminal."""
    from rich.console import Console

    terminal = Console(highlight=False, markup=False)
    return terminal if terminal.is_terminal else Console(width=PIPE_WIDTH, highlight=False, markup=False)


def terminal_width(error: bool = False) -> int | None:
    """Return the columns of the terminal; None if the output, or stderr with `error`, is not a terminal."""
    from rich.console import Console

    terminal = Console(stderr=error)
    return terminal.width if terminal.is_terminal else None


def print_lines(lines: Iterable[str]) -> None:
    """Print lines; a terminal breaks long ones between words and indents what follows, files keep whole lines."""
    width = terminal_width()
    for line in lines:
        print(folded(line, width))


def print_message(text: str) -> None:
    """Print a message on stderr as a line that begins with `fajin: `; a terminal breaks it as `print_lines` does."""
    print(folded(f"fajin: {text}", terminal_width(error=True)), file=sys.stderr)


def folded(line: str, width: int | None) -> str:
    """Return a line, broken between words where it is longer than a width; what follows is indented."""
    if width is None or len(line) <= width:
        return line
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    return textwrap.fill(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
