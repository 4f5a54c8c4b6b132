"""Writes the reference page of diagnostics: python -m fajin.check.diagnostics_page > docs/diagnostics.md."""

import re
import sys

from ..usd.stage.diagnostic_codes import CODES, DiagnosticCode
from .from_diagnostics import RULES_BY_CODE

HEAD = """# Diagnostics

<!-- Written by `python -m fajin.check.diagnostics_page`; edit engine/usd/stage/diagnostic_codes.py, not this page. -->

A diagnostic reports an authored opinion that fajin ignores, or uses otherwise than authored. `fajin inspect SCENE`
lists the diagnostics of a file; in Python they are `fajin.read(path).reports`. Each has the fields `code`, `prim`,
`attribute`, `value`, `reason`, `fix` and `related`: the other prim, schema, attribute or degree of freedom that the
reason names. A code keeps its meaning, while the wording may change. Filter by code:

```python
import fajin

unknown = [d for d in fajin.read("robot.usda").reports if d.code == "unknown-attribute"]
```

`fajin check` makes findings of diagnostics, under the [rule](checking.md#rules) in the last column. A *note* does not
change the motion. Another finding covers diagnostics without a rule, in more detail.

| code | reason | fix | rule |
|---|---|---|---|
"""


def page() -> str:
    """Return the whole page, in Markdown."""
    return HEAD + "".join(_line(code, row) for code, row in CODES.items())


def _line(code: str, row: DiagnosticCode) -> str:
    rule = RULES_BY_CODE.get(code, "unused-attribute")
    note = " (note)" if row.harmless and rule else ""
    return f"| `{code}` | {as_text(row.message)} | {as_text(row.fix)} | {f'`{rule}`' if rule else ''}{note} |\n"


def as_text(template: str) -> str:
    """Return a template with *word* for each {word} and with <…> as text."""
    return re.sub(r"\{(\w+)[^}]*\}", r"*\1*", template.replace("<", "&lt;"))


if __name__ == "__main__":
    sys.stdout.buffer.write(page().encode())
