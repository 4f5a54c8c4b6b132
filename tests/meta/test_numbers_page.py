"""The page of all numbers on the device, which is written from their tables."""

from paths import ROOT

from fajin.device.numbers_page import page
from fajin.tables.layout import PARAMETERS, STATE
from fajin.tables.scratch import SCRATCHES


def test_the_page_is_that_of_the_tables():
    """After a change of a table: python -m fajin.device.numbers_page > docs/device-numbers.md."""
    assert (ROOT / "docs/device-numbers.md").read_text() == page()


def test_every_number_has_a_line():
    """A row of a table is a line of the page, by the name that kernels use."""
    lines = page().splitlines()
    rows = [*(name for name, *_ in STATE), *PARAMETERS, *(name for table in SCRATCHES.values() for name in table)]
    assert len(rows) > 400
    for name in rows:
        assert any(line.startswith(f"| `{name.lower()}` |") for line in lines), name
