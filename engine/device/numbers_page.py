"""Writes the page of all numbers on the device: buffers, parameters, scratch and words, from their tables.

python -m fajin.device.numbers_page > docs/device-numbers.md
"""

import sys
from collections.abc import Iterable

from ..tables import layout
from ..tables.contacts import CONTACT_STATE, CONTACT_TYPES
from ..tables.layout import PARAMETERS
from ..tables.monitors import MONITORS
from ..tables.scratch import ALIASES, SCRATCHES
from ..tables.scratch_rows import ROW_TYPES
from ..tables.topology import TABLES

HEAD = """# Numbers on the device

<!-- Written by `python -m fajin.device.numbers_page`; edit the files of engine/tables/, not this page. -->

Every number that kernels read or write, by the name that it has there: `w.state.q[dof]`, `w.param.stiffness[dof]`,
`w.node[k].qd`. [Architecture](architecture.md) says who owns the buffers and how long they last. Lengths are in stage
units.

*Rows* is the number of floats of an item, with their type. *Of* names the owner by a letter: S scene, L links, D dofs,
N nodes, A articulations, M mimic joints, K their terms, a actuators, c commands that they hold, p points of
their bounds, J maximal joints, X their axes, T tendons, E their ends, R their strands, P segments and B attachments of
spatial ones, C colliders, G pairs, W slots of pairs, w slots that pairs share, Z contact points, b bodies with
colliders, O convex hulls, V vertices, U faces, Q bounding boxes. In the state of contacts: f friction patches, F their
anchors, H persistent manifolds, Y their points, B numbers that pairs had, I islands, G articulations.
"""
VIEWS = {
    "State": ("w.state", layout.STATE),
    "Results of the last step": ("w.results", layout.STEP_RESULTS),
    "Sleep": ("w.sleep", layout.SLEEP),
    "Contacts": ("w.contacts", CONTACT_STATE),
    "Links": ("the buffer `links`", layout.LINKS),
    "Statistics": ("w.statistics", layout.STATISTICS),
    "Monitors": ("w.monitors", MONITORS),
}


def page() -> str:
    """Return the whole page, in Markdown."""
    parts = [HEAD]
    for title, (view, rows) in VIEWS.items():
        types = CONTACT_TYPES if rows is CONTACT_STATE else {}
        lines = (
            (name, owner, _width(types[name]) if types else width, meaning) for name, owner, width, meaning in rows
        )
        parts.append(f"\n## {title}\n\n{_quoted(view)}\n\n{_table(('name', 'of', 'rows', 'meaning'), lines)}")
    lines = ((row.name, row.owner, row.width, row.meaning) for row in PARAMETERS.values())
    parts.append(f"\n## Parameters\n\n`w.param`\n\n{_table(('name', 'of', 'rows', 'meaning'), lines)}")
    parts.append("\n## Scratch and words\n\nItems of a table have rows of scratch, which last for a step, and words:")
    parts.append(" whole numbers that all worlds share. `engine/tables/topology.py` says what the words mean.\n")
    for table, words in TABLES.items():
        parts.append(f"\n### {table}\n\nWords: {', '.join(f'`{word}`' for word in words)}\n")
        rows = [(name, _width(kind), meaning) for name, (_, kind, meaning) in SCRATCHES.get(table, {}).items()]
        rows += [(name, f"{_width(kind)}, anew", text) for name, (_, kind, text) in ALIASES.get(table, {}).items()]
        if rows:
            parts.append(f"\n{_table(('name', 'rows', 'meaning'), rows)}")
    return "".join(parts)


def _quoted(view: str) -> str:
    return view if "`" in view else f"`{view}`"


def _width(kind: str) -> str:
    """Return the rows of a type, and its name where a number is not meant."""
    return str(ROW_TYPES[kind]) + ("" if kind == "number" else f" {kind}")


def _table(header: tuple[str, ...], lines: Iterable[tuple]) -> str:
    """Return a table, in Markdown."""
    text = f"| {' | '.join(header)} |\n|{'---|' * len(header)}\n"
    for name, *rest in lines:
        cells = (f"`{name.lower()}`", *(str(cell).replace("|", "\\|") for cell in rest))
        text += f"| {' | '.join(cells)} |\n"
    return text


if __name__ == "__main__":
    sys.stdout.buffer.write(page().encode())
