"""The tree of tests: folders of tests, what they share, and recordings; no test imports another."""

import ast

from paths import TESTS

MOST_ENTRIES = 25
"""Names that one sees at a glance."""


def test_the_root_can_be_read_at_a_glance():
    entries = {path.name for path in TESTS.iterdir()} - {"__pycache__"}
    assert len(entries) <= MOST_ENTRIES
    assert {"support", "recorded"} <= entries


def imported_tests(text: str) -> set[str]:
    """Return the modules of tests that a file imports."""
    names = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return {name for name in names if name.rpartition(".")[2].startswith("test_")}


def test_no_test_imports_another():
    """What tests share lies in `support`, or beside them in a module that is no test."""
    importing = {path.relative_to(TESTS): imported_tests(path.read_text()) for path in TESTS.rglob("*.py")}
    assert {path: names for path, names in importing.items() if names} == {}


def test_an_import_of_a_test_is_seen():
    text = "def f():\n    from laws.test_drive import push\nimport test_x\nfrom usda import test_stage"
    assert imported_tests(text) == {"laws.test_drive", "test_x"}
