"""The page of USD attributes is what the attribute table says."""

from pathlib import Path

import pytest

from fajin.usd.attributes import TABLE
from fajin.usd.attributes.attribute_page import UNAUTHORED
from fajin.usd.attributes.meanings import SECTIONS

ROOT = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())
PAGE = ROOT / "docs" / "usd-attributes.md"


def test_every_row_of_the_table_is_on_the_page_once():
    assert sorted(map(id, TABLE)) == sorted(id(row) for section in SECTIONS for row in section.rows)
    assert {row.name for row in TABLE} >= UNAUTHORED


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.title)
def test_each_row_has_a_meaning_and_each_meaning_a_row(section):
    """Rows of one name in one section share a meaning, and so must share their unit, default and rule."""
    assert set(section.meanings) == {row.name for row in section.rows}
    for name in section.meanings:
        alike = {(row.unit, row.linear, row.rule, row.default) for row in section.rows if row.name == name}
        assert len(alike) == 1, name
