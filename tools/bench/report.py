"""What was measured, for readers and for programs: rows as a table that can be pasted into a page, as CSV, as JSON.

A row is {heading: number or text}; rows of one study have the same headings, but those of peers that are not there.
"""

import csv
import json
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def headings(rows: list[Row]) -> list[str]:
    """Of all rows, in the order in which they first appear."""
    return list(dict.fromkeys(heading for row in rows for heading in row))


def table(rows: list[Row]) -> Any:
    """The rows in Markdown: what is text is at the left."""
    from rich.box import MARKDOWN
    from rich.markup import escape
    from rich.table import Table

    result = Table(box=MARKDOWN)
    for heading in headings(rows):
        words = any(isinstance(row.get(heading), str) for row in rows)
        result.add_column(escape(heading), justify="left" if words else "right", overflow="fold")
    for row in rows:
        result.add_row(*(escape(cell(row.get(heading))) for heading in headings(rows)))
    return result


def cell(value: Any) -> str:
    """A number in three digits, or all of them before its point; a dash for what was not measured."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def write_csv(rows: list[Row], path: Path) -> None:
    """All digits, one line a row.

    Raises:
        OutputError: it cannot be written.
    """

    def write(draft: Path) -> None:
        with draft.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, headings(rows))
            writer.writeheader()
            writer.writerows(rows)

    written(path, write)


def write_json(command: list[str], machine: str, records: list[dict], path: Path) -> None:
    """Every single measurement.

    Raises:
        OutputError: it cannot be written.
    """
    text = json.dumps({"command": command, "machine": machine, "results": records}, indent=1)
    written(path, lambda draft: draft.write_text(f"{text}\n", encoding="utf-8"))


def written(path: Path, write: Any) -> None:
    """Have a file written whole, or not at all."""
    from fajin.atomic_write import commit, staging_directory

    with staging_directory(path) as folder:
        draft = folder / path.name
        write(draft)
        commit(draft, path)
