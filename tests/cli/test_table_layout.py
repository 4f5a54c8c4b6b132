"""Tables that fit are laid out as rich lays them out, in a time that grows with their cells; short names of prims."""

import io
import time
from random import Random

import pytest
from rich.console import Console

from fajin.tools.table import Table, _short_paths, folded
from fajin.tools.table_layout import wrapped_table

WORDS = ("", "0", "-∞", "link 1", "1.25 ± 0.01", "ä", "/robot/elbow:rotX", "(0, 1, 2)", "x" * 20)
HEADINGS = ("joint", "lower\n[rad | m]", "mass [kg]", "a\nb\nc")


def printed(item: object, width: int = 200) -> str:
    terminal = Console(width=width, file=io.StringIO(), highlight=False, markup=False)
    terminal.print(item)
    return terminal.file.getvalue()


@pytest.mark.parametrize("seed", range(20))
def test_lines_equal_a_table_of_rich(seed):
    draw = Random(seed)
    names = [draw.choice(HEADINGS) for _ in range(draw.randint(2, 6))]
    table = Table("Title", draw.randint(1, len(names)), names)
    for _ in range(draw.randint(1, 5)):
        table.add_row(*(draw.choice(WORDS) for _ in names))
    assert printed(table) == printed(wrapped_table("Title", names, table.rows, table.text))


@pytest.mark.parametrize("cell", ["two\nlines", "日本", "tab\there", "bell\x07"])
def test_other_cells_are_left_to_rich(cell):
    table = Table("Title", 1, ["name", "value"])
    table.add_row(cell, "1")
    assert printed(table) == printed(wrapped_table("Title", ["name", "value"], table.rows, 1))


@pytest.mark.parametrize(
    ("kinds", "units"),
    [
        ({True}, ["rad", "rad per rad", "/deg", "N·m·s/rad", "kg"]),
        ({False}, ["m", "m per m", "/length", "N·s/m", "kg"]),
        ({True, False}, ["rad | m", "rad | m per rad | m", "/deg | /length", "N·m·s/rad | N·s/m", "kg"]),
        (set(), ["rad | m", "rad | m per rad | m", "/deg | /length", "N·m·s/rad | N·s/m", "kg"]),
    ],
)
def test_headings_have_the_units_of_the_axes(kinds, units):
    """Robots without a slide are shown without metres, and the reverse."""
    both = ["rad | m", "rad | m per rad | m", "/deg | /length", "N·m·s/rad | N·s/m", "kg"]
    table = Table("Title", 1, ["joint", *(f"x\n[{unit}]" for unit in both)])
    table.add_row("elbow", *"12345")
    chosen = table.with_units_of(kinds)
    assert (chosen.columns, chosen.rows) == (["joint", *(f"x\n[{unit}]" for unit in units)], table.rows)


@pytest.mark.parametrize("width", [20, 40, None])
def test_a_message_is_broken_between_words(width):
    line = "fajin: warning: a message that is longer than the terminal is wide"
    lines = folded(line, width).split("\n")
    assert (len(lines) == 1) is (width is None)
    assert all(len(each) <= (width or len(line)) for each in lines)
    assert " ".join(" ".join(lines).split()) == line


def test_time_to_print_grows_with_the_rows():
    """Ten thousand rows of ten columns take less than two seconds of processor time; rich's tables take 15."""
    table = Table("Title", 1, ["joint", *"abcdefghi"])
    for i in range(10_000):
        table.add_row(f"/star/j{i}", *["1.25"] * 9)
    began = time.process_time()
    assert printed(table).count("\n") == 10_005
    assert time.process_time() - began < 2.0


def brute(paths: list[str]) -> dict[str, str]:
    """The definition of the shortest unique end."""
    prims = {path: path.partition(":")[0].split("/")[1:] for path in paths}
    ends = {}
    for path, parts in prims.items():
        others = [other for other in prims.values() if other != parts]
        count = next(
            n for n in range(1, len(parts) + 1) if n == len(parts) or all(other[-n:] != parts[-n:] for other in others)
        )
        axis, twins = path.partition(":")[2], list(prims.values()).count(parts)
        ends[path] = "/".join(parts[-count:]) + (f":{axis}" if axis and twins > 1 else "")
    return ends


@pytest.mark.parametrize("seed", range(20))
def test_short_names_are_the_shortest_unique_ends(seed):
    draw = Random(seed)
    names = {"/" + "/".join(draw.choices("abc", k=draw.randint(1, 4))) for _ in range(30)}
    axes = {f"{name}:{draw.choice(('rotX', 'rotY'))}" for name in draw.choices(sorted(names), k=20)}
    paths = sorted(names | axes)
    assert _short_paths(paths) == brute(paths)


def test_a_table_without_prims_has_no_short_names():
    """A narrow one, too."""
    assert _short_paths([]) == {}


def test_time_to_shorten_names_grows_with_their_number():
    began = time.process_time()
    assert len(_short_paths([f"/star/link{i}/joint:rotX" for i in range(30_000)])) == 30_000
    assert time.process_time() - began < 2.0
