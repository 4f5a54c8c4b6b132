"""Names that were replaced stand nowhere, and no name stands for two things: old_names.tsv says what became of each.

A row of it is kind, place, old, new. A *file* is a path; a *symbol* a name defined at the top of a file; a *member* one
of a class, FILE:CLASS; a *row* one of a table in `fajin.tables`; a *word* is a public
name, in code and in documents, where * stands for any letters.
"""

import ast
import csv
import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from meta.house import FILES, defined, tree
from paths import ROOT, TESTS

from fajin.tables import layout, scratch, topology

KEPT = {}
"""Old names that still stand, as (kind, place, old), and why."""

SHARED = {"app": "what Typer calls the commands of a module"}
"""Public names that modules of one package may share, and why."""


@dataclass(frozen=True)
class Renamed:
    """A line of the list."""

    kind: str
    place: str
    old: str
    new: str


with (Path(__file__).parent / "old_names.tsv").open(newline="") as lines:
    LIST = [Renamed(**row) for row in csv.DictReader(lines, delimiter="\t")]


def of(kind: str) -> list[Renamed]:
    """The lines of a kind that are not kept."""
    return [row for row in LIST if row.kind == kind and (kind, row.place, row.old) not in KEPT]


@cache
def texts() -> dict[str, str]:
    """All text that people write and read, by path: code, documents, settings; not the changelog."""
    folders = ("engine", "tools", "usd_schema", "tests", "docs", "scenes")
    paths = [path for folder in folders for end in ("py", "md") for path in (ROOT / folder).rglob(f"*.{end}")]
    paths += [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "pyproject.toml", ".ci/run")]
    return {str(path.relative_to(ROOT)): path.read_text() for path in paths if path != Path(__file__)}


def trees() -> dict[str, ast.Module]:
    """The parsed files of the package by path."""
    return {str(path): tree(path) for path in FILES}


def found(pattern: str, files: dict[str, str]) -> set[str]:
    """Where a pattern stands: PATH: TEXT."""
    return {f"{path}: {hit[0]}" for path, text in files.items() for hit in re.finditer(pattern, text)}


def dotted(path: str) -> str:
    """A file of the package as a module is named."""
    return "fajin." + path.removeprefix("engine/").removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def old_files(files: dict[str, str]) -> set[str]:
    """Where an old path is named, from the checkout or from the package's folder, or its module."""
    olds = {row.old for row in of("file")} - {row.new for row in of("file")}
    paths = {path.removeprefix("engine/") for path in olds if path.count("/") > 1} | olds
    named = "|".join(map(re.escape, sorted(paths | {dotted(path) for path in olds})))
    return found(rf"(?<![\w/.])(?:{named})(?![\w(])", files)


def old_symbols(parsed: dict[str, ast.Module]) -> set[str]:
    """Where an old name is defined at the top of its file, or in its class."""
    hits, names = set(), {path: defined(parse.body) for path, parse in parsed.items()}
    for row in of("symbol"):
        if row.old in names.get(row.place, ()):
            hits.add(f"{row.place}: {row.old}")
    for row in of("member"):
        path, _, name = row.place.partition(":")
        for node in parsed[path].body if path in parsed else ():
            if isinstance(node, ast.ClassDef) and node.name == name and row.old in members(node):
                hits.add(f"{row.place}: {row.old}")
    return hits


def members(node: ast.ClassDef) -> set[str]:
    """Names that a class or its methods give to themselves."""
    stored = (at for at in ast.walk(node) if isinstance(at, ast.Attribute) and isinstance(at.ctx, ast.Store))
    return defined(node.body) | {at.attr for at in stored if isinstance(at.value, ast.Name) and at.value.id == "self"}


def old_imports(files: dict[str, str]) -> set[str]:
    """Where an old name is imported by the full name of its module, also in the text of a program."""
    olds, hits = {(dotted(row.place), row.old) for row in of("symbol")}, set()
    for path, text in files.items():
        for module, names in re.findall(r"from (fajin[\w.]*) import ([\w, ]+)", text):
            hits |= {f"{path}: {module}.{name}" for name in names.split(", ") if (module, name) in olds}
    return hits


def old_words(files: dict[str, str]) -> set[str]:
    """Where an old public name stands as a word of its own."""
    words = (re.escape(row.old).replace(r"\*", r"\w*") for row in of("word"))
    return set().union(*(found(("" if word[:2] == r"\." else r"(?<!\w)") + word + r"(?!\w)", files) for word in words))


def tables() -> dict[str, set[str]]:
    """The names in each table of numbers and words."""
    rows = {name: set(table) for name, table in vars(scratch).items() if name.endswith("_SCRATCH")}
    rows |= {name: set(words) for name, words in topology.TABLES.items()} | {"HEADER": set(topology.HEADER)}
    for name in ("STATE", "STEP_RESULTS", "SLEEP", "STATISTICS"):
        rows[name] = {row[0] for row in getattr(layout, name)}
    return rows | {"PARAMETERS": set(layout.PARAMETERS)}


def doubled(parsed: dict[str, ast.Module]) -> set[str]:
    """Public names that several modules of a package define: PACKAGE: NAME."""
    owners = defaultdict(set)
    for path, parse in parsed.items():
        for name in defined(parse.body):
            if not name.startswith("_") and name not in SHARED:
                owners[f"{Path(path).parent}: {name}"].add(path)
    return {name for name, paths in owners.items() if len(paths) > 1}


def test_no_old_file_is_there_or_named():
    """Neither by its path nor as a module."""
    new = {row.new for row in of("file")}
    assert [row.old for row in of("file") if (ROOT / row.old).exists() and row.old not in new] == []
    assert old_files(texts()) == set()


def test_no_old_name_is_defined():
    """In the file that held it, or in its class; nor imported."""
    assert old_symbols(trees()) == set()
    assert old_imports(texts()) == set()


def test_no_table_has_an_old_row():
    """But where it is the new name of another one."""
    new = {(row.place, row.new) for row in of("row")}
    names = tables()
    old = {(row.place, row.old) for row in of("row") if row.old in names[row.place]}
    assert old - new == set()


def test_no_old_public_name_stands_anywhere():
    """In code, help and documents."""
    assert old_words(texts()) == set()


def test_no_package_has_two_public_things_of_one_name():
    """So that a search finds one thing."""
    assert doubled(trees()) == set()


def test_what_is_kept_still_stands():
    """An exception ends with what it excepts."""
    assert set(KEPT) <= {(row.kind, row.place, row.old) for row in LIST}
    names = {name for tree in trees().values() for name in defined(tree.body)}
    assert set(SHARED) <= names


def test_documents_name_tests_that_are_there():
    """As tests/FOLDER/test_NAME.py, FOLDER/test_NAME or the name of a test function."""
    pages = {path: text for path, text in texts().items() if path.endswith((".md", ".toml"))}
    files = list(TESTS.rglob("test_*.py"))
    there = {str(path.relative_to(TESTS).with_suffix("")) for path in files}
    there |= {name for path in files for name in re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE)}
    named = found(r"(?<![\w/])(?:\w+/)*test_\w+(?:\.py)?", pages)
    lost = {name for name in named if name.partition(": ")[2].removeprefix("tests/").removesuffix(".py") not in there}
    assert lost == set()


@pytest.mark.parametrize("kind", ["file", "symbol", "member", "import", "word", "doubled"])
def test_a_planted_old_name_is_seen(kind):
    """One of each kind."""
    seen = {
        "file": lambda: old_files({"a.md": "see `engine/columns.py`, jobs/crew.py and fajin.model.nodes"}),
        "symbol": lambda: old_symbols({"engine/physics/step.py": ast.parse("def fly_alone():\n    pass\n")}),
        "member": lambda: old_symbols(
            {"engine/jobs/description/job.py": ast.parse("class Job:\n    def span(self): ...\n")}
        ),
        "import": lambda: old_imports({"a.py": "run('from fajin.jobs.execution.payload import JobPayload, run')"}),
        "word": lambda: old_words({"a.py": "sim.take_over(sim.driven)\nsim.settled()\nmistake_over = minus_outer"}),
        "doubled": lambda: doubled({"a/x.py": ast.parse("K, L = 1, 2"), "a/y.py": ast.parse("def L(): ...\n_M = 3")}),
    }[kind]()
    assert len(seen) == {"file": 3, "symbol": 1, "member": 1, "import": 1, "word": 3, "doubled": 1}[kind]
