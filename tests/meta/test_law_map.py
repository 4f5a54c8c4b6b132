"""docs/laws.md leads from every equation of NVIDIA's documents to the code that computes it and to its test."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from meta.house import tree

ROOT = next(folder for folder in Path(__file__).parents if (folder / "pyproject.toml").exists())
PAGE = (ROOT / "docs" / "laws.md").read_text()
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
RANGES = {
    title: range(int(first), int(last) + 1)
    for title, first, last in re.findall(r"^- \[(.+?)\].*: eqs\. (\d+)-(\d+)$", PAGE, re.MULTILINE)
}
PLACE = re.compile(r"`([\w/]+\.py)`:\s+((?:`\w+`(?:, )?)+)")
CITED = re.compile(r"\beqs?\. ((?:\d+(?:-\d+)?(?:, | and )?)+)", re.IGNORECASE)
NUMBERS = re.compile(r"(\d+)(?:-(\d+))?")


def numbers(text: str) -> set[int]:
    """Expand "1, 3-5" to {1, 3, 4, 5}."""
    return {n for first, last in NUMBERS.findall(text) for n in range(int(first), int(last or first) + 1)}


def cited(text: str) -> set[int]:
    """Numbers of the equations that comments and docstrings cite."""
    return {n for group in CITED.findall(text) for n in numbers(group)}


@cache
def definitions(path: Path) -> dict[str, str]:
    """Lines of every function and class of a file, by name, with the comments at their end."""
    text = path.read_text()
    kinds, lines = ast.FunctionDef | ast.ClassDef, text.splitlines()
    nodes = [node for node in ast.walk(tree(path)) if isinstance(node, kinds)]
    return {node.name: "\n".join(lines[node.lineno - 1 : node.end_lineno]) for node in nodes}


def places(text: str) -> list[tuple[Path, str]]:
    """Files and the functions or classes in them that a text names."""
    found = PLACE.findall(text)
    return [(ROOT / "engine" / path, name) for path, names in found for name in re.findall(r"\w+", names)]


def rows(title: str) -> list[list[str]]:
    """Cells of the rows of a section's table."""
    lines = [line for line in SECTIONS[title].splitlines() if line.startswith("| ")]
    return [re.split(r"(?<!\\) \| ", line.strip("| ")) for line in lines[1:]]


def equations(row: list[str]) -> set[int]:
    """Equations of a row; a section, table or sentence of the document has none."""
    return numbers(row[0]) if re.fullmatch(r"[\d, -]+", row[0]) else set()


def test_all_files_and_functions_exist():
    files = {ROOT / "engine" / path for path in re.findall(r"`([\w/]+\.py)`", PAGE)}
    assert len(files) >= 30
    assert [path for path in sorted(files) if not path.is_file()] == []
    named = places(PAGE)
    assert len(named) >= 80
    assert [(path.name, name) for path, name in named if name not in definitions(path)] == []


def test_all_tests_exist():
    known = {name for path in (ROOT / "tests").rglob("test_*.py") for name in definitions(path)}
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    assert len(named) >= 60
    assert sorted(named - known) == []


@pytest.mark.parametrize("title", RANGES)
def test_every_equation_has_a_row(title):
    listed = [n for row in rows(title) for n in equations(row)]
    assert sorted(listed) == list(RANGES[title])


@pytest.mark.parametrize("title", RANGES)
def test_every_equation_is_cited_where_it_is_computed(title):
    missing = {}
    for row in rows(title):
        if not row[2].startswith(("*definition*", "*derivation*")):
            where = places(row[2])
            assert where, row
            found = set().union(*(cited(definitions(path)[name]) for path, name in where))
            if equations(row) - found:
                missing[row[0]] = sorted(equations(row) - found)
    assert missing == {}


@pytest.mark.parametrize("title", [title for title in SECTIONS if title != "The laws of a step"])
def test_every_row_has_a_test(title):
    table = rows(title)
    assert len(table) >= 10
    assert [row[0] for row in table if len(row) != 4 or not re.search(r"`test_\w+`", row[3])] == []


def test_the_four_documents_with_equations_are_there():
    assert {title: RANGES[title].stop - 1 for title in RANGES} == {
        "Implicit Spring Joint Drives": 45,
        "Articulation Joint Drive Performance Envelope": 10,
        "Mimic Joints": 29,
        "1d Constraint Formulation": 72,
    }
    assert set(RANGES) | {"Articulations"} <= set(SECTIONS)


def test_the_page_of_contacts_lists_the_files_of_every_room():
    """The steps of the page stand in the order of the folders, and every file is named once where its folder is."""
    contacts, room, named = ROOT / "engine" / "physics" / "contacts", "", set()
    for line in (ROOT / "docs" / "contact-laws.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) == 4 and cells[3] != "files":
            room = cells[0].strip("`") or room
            inside, _, beside = cells[3].partition("beside the folders")
            named |= {f"{room}{name}" for name in re.findall(r"`(\w+\.py)`", inside)}
            named |= set(re.findall(r"`(\w+\.py)`", beside))
    files = {path.relative_to(contacts).as_posix() for path in contacts.rglob("*.py") if path.name != "__init__.py"}
    assert named == files
