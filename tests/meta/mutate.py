"""Break random lines of the engine and see whether the tests notice; by hand, not in CI.

    python tests/meta/mutate.py --mutants 100 --seed 1 engine/physics engine/usd

copies the checkout, changes one expression of one file at a time and runs the tests of its folder until the first that
fails. The table names every mutant and the test that killed it. A survivor is a missing test, or a change that changes
nothing: judge each.
"""

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTS = {
    "engine/physics": ("parity", "laws", "dynamics", "simulation", "kernels", "batch"),
    "engine/usd": ("usd", "mass", "parity", "author", "check", "simulation"),
}
"""Folders of tests, those first that kill the most."""

SWAPS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.Gt, ast.GtE: ast.Lt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.And: ast.Or, ast.Or: ast.And, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One changed expression: its file and line, what stood there and what stands there now."""

    path: str
    line: int
    before: str
    after: str
    text: str  # of the whole file


def changed(node: ast.AST) -> ast.AST | None:
    """Return a changed copy of an expression, or None if it is not one of those that are changed."""
    kinds = (ast.BinOp, ast.BoolOp, ast.Compare, ast.Constant, ast.UnaryOp)
    new = ast.parse(ast.unparse(node), mode="eval").body if isinstance(node, kinds) else None
    match new:
        case ast.BinOp() if type(new.op) in SWAPS:
            new.op = SWAPS[type(new.op)]()
        case ast.BoolOp():
            new.op = SWAPS[type(new.op)]()
        case ast.Compare() if type(new.ops[0]) in SWAPS:
            new.ops[0] = SWAPS[type(new.ops[0])]()
        case ast.Constant(value=bool()):
            new.value = not new.value
        case ast.Constant(value=int() | float()):
            new.value = new.value + 1
        case ast.UnaryOp(op=ast.Not()):
            new = new.operand
        case _:
            return None
    return new


def annotations(tree: ast.AST) -> set[int]:
    """Return the ids of all nodes within annotations, decorators and docstrings, where a change means nothing."""
    skipped = set()
    for node in ast.walk(tree):
        for name in ("annotation", "returns", "decorator_list"):
            inner = getattr(node, name, None) or []
            for part in inner if isinstance(inner, list) else [inner]:
                skipped |= {id(n) for n in ast.walk(part)}
    return skipped


def mutants(folders: list[str], count: int, seed: int) -> list[Mutant]:
    """Return `count` mutants of the files of some folders, drawn at random, each at another place."""
    draw, places = random.Random(seed), []
    for path in sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py")):
        text = path.read_text()
        tree = ast.parse(text)
        skipped = annotations(tree)
        for node in ast.walk(tree):
            if id(node) not in skipped and (new := changed(node)) is not None:
                places.append((path, text, node, ast.unparse(new)))
    return [mutant(*place) for place in draw.sample(places, min(count, len(places)))]


def mutant(path: Path, text: str, node: ast.expr, after: str) -> Mutant:
    """Return a file's text with one expression replaced."""
    lines = [line.encode() for line in text.splitlines(keepends=True)]
    start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
    end = sum(map(len, lines[: node.end_lineno - 1])) + node.end_col_offset
    source = b"".join(lines)
    new = source[:start] + f"({after})".encode() + source[end:]
    return Mutant(str(path.relative_to(ROOT)), node.lineno, source[start:end].decode(), after, new.decode())


def killer(copy: Path, one: Mutant, seconds: float) -> str:
    """Return the first test that fails with a mutant in place; "" if all pass."""
    folder = next(name for name in TESTS if one.path.startswith(name))
    target = copy / one.path
    kept = target.read_text()
    target.write_text(one.text)
    paths = os.pathsep.join((str(copy / "tests"), str(copy / "tests" / "cuda")))
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-q",
        "-n",
        "0",
        "--no-header",
        "-p",
        "no:cacheprovider",
        *(f"tests/{name}" for name in TESTS[folder]),
    ]
    try:
        done = subprocess.run(
            command, cwd=copy, env=os.environ | {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True, text=True, timeout=seconds, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "no end"
    finally:
        target.write_text(kept)
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return (failed or [done.stdout[-200:] + done.stderr[-200:]])[0].split(" - ")[0] if done.returncode else ""


def main() -> None:
    """Print a line per mutant and the share that was killed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="+", choices=list(TESTS))
    parser.add_argument("--mutants", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1200.0, help="time for the tests of one mutant")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "fajin"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", "__pycache__", "*.egg-info"))
        # The copy goes first on the path, under the name of the package.
        (copy / "tests" / "fajin").symlink_to(copy / "engine")
        for name in ("tools", "usd_schema"):
            if not (copy / "engine" / name).exists():
                (copy / "engine" / name).symlink_to(copy / name)
        killed = 0
        chosen = mutants(options.folders, options.mutants, options.seed)
        for number, one in enumerate(chosen, 1):
            test = killer(copy, one, options.seconds)
            killed += bool(test)
            word = "killed  " if test else "SURVIVED"
            print(f"{number:4} {word} {one.path}:{one.line}  {one.before} -> {one.after}  {test}", flush=True)
        print(f"{killed} of {len(chosen)} killed")


if __name__ == "__main__":
    main()
