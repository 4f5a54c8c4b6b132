"""No name of a package stands for two things, and documents name tests that exist."""

import ast
import re
from collections import defaultdict
from pathlib import Path

from meta.house import FILES, defined, tree
from paths import ROOT, TESTS

SHARED = {"app": "what Typer calls the commands of a module"}
"""Public names that modules of one package may share, and why."""


def pages() -> dict[str, str]:
    """Documents and settings by path; not the changelog."""
    paths = [path for folder in ("docs", "scenes", "tests", "engine") for path in (ROOT / folder).rglob("*.md")]
    paths += [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "pyproject.toml")]
    return {str(path.relative_to(ROOT)): path.read_text() for path in paths}


def trees() -> dict[str, ast.Module]:
    """The parsed files of the package by path."""
    return {str(path): tree(path) for path in FILES}


def found(pattern: str, files: dict[str, str]) -> set[str]:
    """Where a pattern stands: PATH: TEXT."""
    return {f"{path}: {hit[0]}" for path, text in files.items() for hit in re.finditer(pattern, text)}


def doubled(parsed: dict[str, ast.Module]) -> set[str]:
    """Public names that several modules of a package define: PACKAGE: NAME."""
    owners = defaultdict(set)
    for path, parse in parsed.items():
        for name in defined(parse.body):
            if not name.startswith("_") and name not in SHARED:
                owners[f"{Path(path).parent}: {name}"].add(path)
    return {name for name, paths in owners.items() if len(paths) > 1}


def test_no_package_has_two_public_things_of_one_name():
    """So that a search finds one thing."""
    assert doubled(trees()) == set()


def test_exceptions_end_with_what_they_except():
    names = {name for tree in trees().values() for name in defined(tree.body)}
    assert set(SHARED) <= names


def test_documents_name_tests_that_are_there():
    """As tests/FOLDER/test_NAME.py, FOLDER/test_NAME or the name of a test function."""
    files = list(TESTS.rglob("test_*.py"))
    there = {str(path.relative_to(TESTS).with_suffix("")) for path in files}
    there |= {name for path in files for name in re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE)}
    named = found(r"(?<![\w/])(?:\w+/)*test_\w+(?:\.py)?", pages())
    lost = {name for name in named if name.partition(": ")[2].removeprefix("tests/").removesuffix(".py") not in there}
    assert lost == set()


def test_a_doubled_name_is_seen():
    planted = {"a/x.py": ast.parse("K, L = 1, 2"), "a/y.py": ast.parse("def L(): ...\n_M = 3")}
    assert doubled(planted) == {"a: L"}
