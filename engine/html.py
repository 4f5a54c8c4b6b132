"""Tables in HTML, for notebooks."""

from collections.abc import Iterable, Sequence
from html import escape

ROWS = 60  # rows shown at most


def html_table(title: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a title and a table; rows beyond `ROWS` are counted."""
    rows = list(rows)
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(_text(cell))}</td>" for cell in row) + "</tr>" for row in rows[:ROWS])
    more = f"<p>and {len(rows) - ROWS} more</p>" if len(rows) > ROWS else ""
    return f"<p>{escape(title)}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def count(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun in singular or plural."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def _text(cell: object) -> str:
    return f"{cell + 0.0:.6g}" if isinstance(cell, float) else str(cell)
