"""Reports of measurements: Markdown table, CSV and JSON.

A row is {heading: number or text}; rows of one study have equal headings, except for missing peers.
"""

import csv
import json
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def headings(rows: list[Row]) -> list[str]:
    """Return the headings of all rows, in order of first appearance."""
    return list(dict.fromkeys(heading for row in rows for heading in row))


def table(rows: list[Row]) -> Any:
    """Return the rows as a Markdown table, with text columns left-aligned."""
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
    """Return a value as text: three digits, or all digits before the point; a dash for a missing value."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def write_csv(rows: list[Row], path: Path) -> None:
    """Write the rows with all digits, one line per row.

    Raises:
        OutputError: the file cannot be written.
    """

    def write(draft: Path) -> None:
        with draft.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, headings(rows))
            writer.writeheader()
            writer.writerows(rows)

    written(path, write)


def write_json(command: list[str], machine: str, records: list[dict], path: Path) -> None:
    """Write all measurements as JSON.

    Raises:
        OutputError: the file cannot be written.
    """
    text = json.dumps({"command": command, "machine": machine, "results": records}, indent=1)
    written(path, lambda draft: draft.write_text(f"{text}\n", encoding="utf-8"))


def written(path: Path, write: Any) -> None:
    """Write a file atomically."""
    from fajin.atomic_write import commit, staging_directory

    with staging_directory(path) as folder:
        draft = folder / path.name
        write(draft)
        commit(draft, path)
