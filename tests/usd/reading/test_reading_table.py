"""Each row of the attribute table acts: authored with another value it makes another scene."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from every_attribute import another, everything, place_of
from pxr import Usd

import fajin
from fajin import author
from fajin.usd.attributes import TABLE
from fajin.usd.stage.stage import StageReader, schemas
from fajin.usd_schema.declared import declared_type

ROWS = {row.name: row for row in reversed(TABLE)}.values()  # of a name with two meanings the joint's
EPS = float(np.finfo(np.float32).eps)


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> tuple[Path, fajin.Scene]:
    """A file in which each row of the table has a prim to stand on, and its scene."""
    path = everything(tmp_path_factory.mktemp("whole"))
    return path, fajin.read(path)


@pytest.fixture(scope="module")
def scaled(tmp_path_factory) -> Path:
    """The file in centimetres and grams."""
    path = everything(tmp_path_factory.mktemp("scaled"))
    text = path.read_text().replace("metersPerUnit = 1", "metersPerUnit = 0.01")
    path.write_text(text.replace("kilogramsPerUnit = 1", "kilogramsPerUnit = 0.001"))
    return path


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_attribute_of_the_table_changes_the_scene(whole, row):
    """Authored with another value than its default, each name of the table makes another scene."""
    path, before = whole
    place, axis = place_of(row.name)
    override = f"{place}.{row.name.format(axis=axis)}={another(row)}"
    assert replace(fajin.read(path, [override]), reports=()) != replace(before, reports=())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_attribute_is_authored_in_si_and_read_back(scaled, tmp_path, row):
    """What goes in in SI units and radians comes back, through the file's units: centimetres and grams."""
    place, axis = place_of(row.name)
    name, value = row.name.format(axis=axis), given(row)
    with author.layer(scaled, tmp_path / "edits.usda") as stage:
        author.attribute(stage.GetPrimAtPath(place), name, value)
    stage = Usd.Stage.Open(str(tmp_path / "edits.usda"))
    prim = stage.GetPrimAtPath(place)
    found = StageReader(stage).values(
        prim, [row], axis, rotational=place not in ("/robot/slide", "/robot/shift", "/robot/sum")
    )
    if row.tokens is None:
        np.testing.assert_allclose(found[row.field], value, rtol=2 * EPS)
    else:
        assert found[row.field] == row.convert(value, 1.0)
    typed = stage.GetRootLayer().GetAttributeAtPath(f"{place}.{name}").typeName
    assert typed == declared_type(name, schemas(prim)) or not name.startswith(("physx", "fajin"))


def given(row):
    """Another value than the default, as a Python user gives it."""
    value = {"physics:minDistance": 0.1}.get(row.name, another(row))  # [m], below the largest
    if isinstance(value, str) and value.startswith("["):
        value = tuple(part.strip().strip('"') for part in value.strip("[]").split(","))
        value = value if row.tokens else tuple(map(float, value))
    return float(value) if isinstance(row.default, float) else value
