"""The names of `import fajin`: what editors complete is what there is."""

import ast
from importlib import import_module
from pathlib import Path
from rlcompleter import Completer

import fajin

STUB = ast.parse(Path(fajin.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
IMPORTS = [node for node in STUB.body if isinstance(node, ast.ImportFrom)]


def test_the_stub_exports_every_public_name_and_no_other():
    """`import x as x` is how a stub exports x."""
    names = [alias for node in IMPORTS for alias in node.names]
    assert all(alias.name == alias.asname for alias in names)
    assert sorted(alias.name for alias in names) == fajin.__all__


def test_a_name_of_the_stub_is_the_object_at_run_time():
    for node in IMPORTS:
        module = import_module(f"fajin.{node.module}" if node.module else "fajin")
        for alias in node.names:
            assert getattr(fajin, alias.name) is getattr(module, alias.name)


def test_the_package_lists_and_completes_its_public_names():
    """As `fajin.<TAB>` does, and no other name, such as a module that happens to be loaded."""
    assert dir(fajin) == fajin.__all__
    completed = Completer({"fajin": fajin}).attr_matches("fajin.")
    assert {name.removeprefix("fajin.").rstrip("()") for name in completed} >= set(fajin.__all__)


def test_the_package_is_marked_as_typed():
    """PEP 561."""
    assert (Path(fajin.__file__).parent / "py.typed").exists()
