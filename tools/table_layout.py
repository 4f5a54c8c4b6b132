"""Layout of tables: lines of text where no cell is wrapped, as rich's tables take long; else a table of rich."""

from collections.abc import Iterator, Sequence
from typing import Any


def is_plain(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether every cell is one line of letters of the width 1."""
    return all((cell.isascii() and cell.isprintable()) or _is_narrow(cell) for row in rows for cell in row)


def _is_narrow(cell: str) -> bool:
    from rich.cells import cell_len

    return cell.isprintable() and cell_len(cell) == len(cell)


def plain_lines(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], text: int) -> Iterator[Any]:
    """Yield title, headings, a rule and rows as segments of rich, laid out as by `box.SIMPLE_HEAD`.

    Args:
        title: line above the table; "" for none.
        headings: of the columns; a line break starts another line.
        rows: cells by row, for which `is_plain` holds.
        text: number of columns that are aligned to the left; the others are aligned to the right.
    """
    from rich.segment import Segment
    from rich.style import Style

    bold = Style(bold=True)
    heads = [heading.split("\n") for heading in headings]
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(heads)
    widths = [max(map(len, (*head, *cells))) for head, cells in zip(heads, columns, strict=True)]
    form = "  " + "   ".join(f"{{:{'<' if i < text else '>'}{width}}}" for i, width in enumerate(widths)) + "  \n"
    total = sum(widths) + 3 * len(widths) + 1
    high = max(map(len, heads))
    if title:
        yield Segment(f"{title:{total}}\n", bold)
    yield Segment(" " * total + "\n")
    for line in zip(*([""] * (high - len(head)) + head for head in heads), strict=True):
        yield Segment(form.format(*line), bold)
    yield Segment(" " + "─" * (total - 2) + " \n")
    for row in rows:
        yield Segment(form.format(*row))
    yield Segment(" " * total + "\n")


def wrapped_table(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], text: int) -> Any:
    """Return a table of rich, which wraps cells between words, or between the numbers of a vector."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    result = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for i, heading in enumerate(headings):
        wraps = any(" " in row[i] for row in rows)
        result.add_column(heading, justify="left" if i < text else "right", no_wrap=not wraps)
    for row in rows:
        result.add_row(*map(Text, row))
    return result
