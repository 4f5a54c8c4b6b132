"""What the files of the package define and import, read from their text: for the tests in this folder."""

import ast
from functools import cache
from importlib.util import resolve_name
from pathlib import Path

from paths import ROOT

FOLDERS = {"engine": "fajin", "tools": "fajin.tools", "usd_schema": "fajin.usd_schema"}
ADD_ONS = ("blender", "usdview")  # folders of tools/ that other programs load: not of the package
FILES = sorted(
    path.relative_to(ROOT)
    for folder in FOLDERS
    for path in (ROOT / folder).rglob("*.py")
    if path.relative_to(ROOT).parts[1] not in ADD_ONS
)


@cache
def tree(path: Path) -> ast.Module:
    """The parsed text of a file, by its path from the checkout; parsed once for all tests of a process."""
    return ast.parse((ROOT / path).read_text())


def module(path: Path) -> str:
    """Full name of the module in a file."""
    parts = path.with_suffix("").parts
    name = ".".join([FOLDERS.get(parts[0], "tests"), *parts[1:]])
    return name.removesuffix(".__init__")


def package(path: Path) -> str:
    """Full name of the package that the module of a file lies in."""
    return ".".join([FOLDERS.get(path.parts[0], "tests"), *path.parts[1:-1]])


def imported(nodes: ast.AST | list[ast.stmt], path: Path) -> set[str]:
    """Full names of the modules, and of the names from them, that a file imports: anywhere in a tree, or in a list."""
    names = set()
    for node in nodes if isinstance(nodes, list) else ast.walk(nodes):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = resolve_name("." * node.level + (node.module or ""), package(path)) if node.level else node.module
            names |= {f"{base}.{alias.name}" for alias in node.names}
    return names


def defined(body: list[ast.stmt]) -> set[str]:
    """Names that the statements of a module or a class define: functions, classes, assigned names."""
    names = set()
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {name.id for target in targets for name in ast.walk(target) if _is_stored(name)}
    return names


def _is_stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
