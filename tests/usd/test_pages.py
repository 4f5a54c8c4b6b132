"""Pages that a command writes from a table are what the command prints."""

import subprocess
import sys

import pytest
from paths import ROOT

PAGES = {
    "usd-attributes": "fajin.usd.attributes.attribute_page",
    "dispositions": "fajin.check.dispositions_page",
    "diagnostics": "fajin.check.diagnostics_page",
}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_what_its_command_prints(page):
    """After a change of the table: python -m MODULE > docs/PAGE.md."""
    printed = subprocess.run([sys.executable, "-m", PAGES[page]], check=True, capture_output=True).stdout.decode()
    assert printed == (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
