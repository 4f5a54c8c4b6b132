"""Writes the page of dispositions: python -m fajin.check.dispositions_page > docs/dispositions.md."""

import sys

from ..usd.dispositions import PART, READ, SCHEMAS
from ..usd.stage.diagnostic_codes import CODES
from .diagnostics_page import as_text

DISPOSITIONS_HEAD = """# What is not simulated

<!-- Written by `python -m fajin.check.dispositions_page`; edit engine/usd/dispositions/, not this page. -->

Every attribute, API schema and prim type of UsdPhysics, `physx-usd-schemas` and `newton-usd-schemas` has one of three
dispositions. It acts: [USD attributes](usd-attributes.md) lists those. Or PhysX's motion depends on it, and fajin does
not simulate it: `fajin check` reports it under the rule `not-simulated`, `fajin simulate` in one line of warnings, and
`fajin inspect` among what is not used. Or it does not matter, and `fajin check` notes why. A value that requests
nothing, such as `enableCCD = false` or an infinite break force, is not reported, nor is what does not act in PhysX
either, such as a lock of a link of an articulation. A name that no schema has is unknown, and gets a suggestion.
"""
MISSING_HEAD = """
## PhysX's motion depends on it

| schemas and attributes | what happens | what helps | code |
|---|---|---|---|
"""
SAME_HEAD = """
## It does not matter

| schemas and attributes | reason | code |
|---|---|---|
"""


def dispositions_page() -> str:
    """Return the whole page, in Markdown."""
    used = names_by_code()
    lines: dict[bool, list[str]] = {True: [], False: []}
    for code, names in used.items():
        row = CODES[code]
        fix = f" {as_text(row.fix)} |" if row.missing else ""
        lines[row.missing].append(f"| {listed(names)} | {as_text(row.message)} |{fix} `{code}` |\n")
    return DISPOSITIONS_HEAD + MISSING_HEAD + "".join(lines[True]) + SAME_HEAD + "".join(lines[False])


def names_by_code() -> dict[str, list[str]]:
    """Return the schemas and attributes of each code; the attributes of a feature share the row of its schemas."""
    used: dict[str, list[str]] = {code: [] for code, row in CODES.items() if row.missing}
    for schema in SCHEMAS.values():
        for code, name in ((schema.code, schema.name), *((row.code, row.name) for row in schema.rows)):
            if code not in ("", PART) and name not in (*READ, *used.setdefault(code, [])):
                used[code].append(name)
    return {code: names for code, names in used.items() if names}


def listed(names: list[str]) -> str:
    """Return names in code, separated by commas."""
    return ", ".join(f"`{name}`" for name in names)


if __name__ == "__main__":
    sys.stdout.buffer.write(dispositions_page().encode())
