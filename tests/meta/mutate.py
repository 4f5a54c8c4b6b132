"""Break random lines of the engine and see whether the tests notice; by hand, not in CI.

    python tests/meta/mutate.py --mutants 50 --seed 1 engine/usd
    python tests/meta/mutate.py --mutants 50 --seed 1 engine/physics
    python tests/meta/mutate.py --mutants 50 --seed 1 engine/physics/contacts

copies the checkout and runs the tests of a folder once unbroken, noting which functions each calls. Then it changes one
expression of one file at a time and runs the tests that call its function, the cheap ones first, until the first that
fails. The table names every mutant and the test that killed it. A survivor is a missing test, or a change that changes
nothing: judge each.

Kernels go to caches of their own: each mutant starts with those of the unbroken code. A mutant that needs three times
the processor time of the unbroken code has no end, and counts as killed.
"""

import argparse
import ast
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from calls_of_tests import Calls

ROOT = Path(__file__).parents[2]
TESTS = {
    "engine/physics": ("parity", "laws", "dynamics", "simulation", "kernels"),
    "engine/physics/contacts": ("contacts",),
    "engine/usd": ("usd", "check", "meta/test_docs_attributes.py", "parity", "author"),
}
"""Folders of tests, those first that kill the most."""

SWAPS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.Gt, ast.GtE: ast.Lt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.And: ast.Or, ast.Or: ast.And, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One changed expression: its file, line and function, what stood there and what stands there now."""

    path: str
    line: int
    function: int  # its first line; 0 outside functions
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


def meaningless(tree: ast.AST) -> set[int]:
    """Return the ids of all nodes where a change means nothing.

    Annotations, decorators, parts of messages, `zip(…, strict=True)`, and what only a type checker or a command runs.
    """
    skipped = set()
    for node in ast.walk(tree):
        parts = [getattr(node, name, None) for name in ("annotation", "returns")]
        parts += getattr(node, "decorator_list", [])
        if isinstance(node, ast.JoinedStr):
            parts += [node]
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "zip":
            parts += node.keywords
        if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "__name__ == '__main__'"):
            parts += [node]
        skipped |= {id(inner) for part in parts if part for inner in ast.walk(part)}
    return skipped


def functions(tree: ast.AST) -> dict[int, int]:
    """Return, by the id of a node, the first line of the innermost function around it, decorators included."""
    first = {}
    for node in ast.walk(tree):  # outer functions come before inner ones
        if isinstance(node, ast.FunctionDef):
            line = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            first |= {id(inner): line for part in node.body for inner in ast.walk(part)}
    return first


def mutants(folder: str, count: int, seed: int) -> list[Mutant]:
    """Return `count` mutants of the files of a folder, drawn at random, each at another place."""
    draw, places = random.Random(seed), []
    for path in sorted((ROOT / folder).rglob("*.py")):
        text = path.read_text()
        tree = ast.parse(text)
        skipped, function = meaningless(tree), functions(tree)
        for node in ast.walk(tree):
            if id(node) not in skipped and (new := changed(node)) is not None:
                places.append((path, text, node, function.get(id(node), 0), ast.unparse(new)))
    return [mutant(*place) for place in draw.sample(places, min(count, len(places)))]


def mutant(path: Path, text: str, node: ast.expr, function: int, after: str) -> Mutant:
    """Return a file's text with one expression replaced."""
    lines = [line.encode() for line in text.splitlines(keepends=True)]
    start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
    end = sum(map(len, lines[: node.end_lineno - 1])) + node.end_col_offset
    source = b"".join(lines)
    new, name = source[:start] + f"({after})".encode() + source[end:], str(path.relative_to(ROOT))
    return Mutant(name, node.lineno, function, source[start:end].decode(), after, new.decode())


class Copy:
    """A copy of the checkout, first on the path, whose files are changed and whose tests are run."""

    def __init__(self, folder: Path):
        self.root, self.kernels = folder / "fajin", folder / "kernels"
        shutil.copytree(ROOT, self.root, ignore=shutil.ignore_patterns(".git", "__pycache__", "*.egg-info"))
        self.kernels.mkdir()
        (self.root / "tests" / "fajin").symlink_to(self.root / "engine")
        for name in ("tools", "usd_schema"):
            if not (self.root / "engine" / name).exists():
                (self.root / "engine" / name).symlink_to(self.root / name)
        by_content = ["-q", "--invalidation-mode", "checked-hash", "engine", "tools", "usd_schema"]
        subprocess.run([sys.executable, "-m", "compileall", *by_content], cwd=self.root, check=True)

    def pytest(self, kernels: Path, words: list[str], seconds: int = 0) -> subprocess.CompletedProcess[str]:
        """Run tests of the copy with a kernel cache of their own; kill them after so much processor time, if not 0."""
        paths = os.pathsep.join(str(self.root / "tests" / name) for name in ("", "cuda", "meta"))
        variables = {"PYTHONPATH": paths, "TI_OFFLINE_CACHE_FILE_PATH": str(kernels), "PYTHONDONTWRITEBYTECODE": "1"}
        quiet = ["-q", "-n", "0", "--no-header", "-p", "no:cacheprovider", "-p", "calls_of_tests"]
        return subprocess.run(
            [sys.executable, "-m", "pytest", *quiet, *words], cwd=self.root, env=os.environ | variables,
            capture_output=True, text=True, check=False, timeout=20 * seconds or None,  # what waits takes no time
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds or -1, -1)),
        )  # fmt: skip

    def calls(self, folder: str) -> Calls:
        """Run the tests of a folder unbroken, and return what they call."""
        file = self.root / "calls.json"
        words = ["--write-calls", str(file), *(f"tests/{name}" for name in TESTS[folder])]
        words += ["--only-kernels"] * folder.startswith("engine/physics")
        done = self.pytest(self.kernels, words)
        if done.returncode:
            raise SystemExit(f"the tests fail without a mutant\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
        return Calls(file)

    def killer(self, one: Mutant, tests: list[str], seconds: int) -> str:
        """Return the first test that fails with a mutant in place; "" if all pass."""
        target, listed, kernels = self.root / one.path, self.root / "listed.json", self.root / "kernels"
        kept = target.read_text()
        target.write_text(one.text)
        listed.write_text(json.dumps(tests))
        shutil.copytree(self.kernels, kernels)
        files = sorted({test.partition("::")[0] for test in tests})
        try:
            done = self.pytest(kernels, ["-x", "--run-listed", str(listed), *files], seconds)
        except subprocess.TimeoutExpired:
            return "no end"
        finally:
            target.write_text(kept)
            shutil.rmtree(kernels)
        if done.returncode == -signal.SIGXCPU:
            return "no end"
        if done.returncode in (0, pytest.ExitCode.NO_TESTS_COLLECTED):
            return ""
        failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return failed[0].split(" - ")[0] if failed else f"exit code {done.returncode}"


def judge(copy: Copy, calls: Calls, one: Mutant, most: float) -> tuple[str, str]:
    """Return what became of a mutant, killed or SURVIVED, with the test that killed it, seconds and number of tests."""
    tests, expected = [], 0.0
    for test, seconds in calls.ordered(calls.callers(one.path, one.function)):
        if expected + seconds < most:
            tests.append(test)
            expected += seconds
    start = time.perf_counter()
    test = copy.killer(one, tests, 30 + int(3.0 * expected))
    spent = f"[{time.perf_counter() - start:.0f} s, {len(tests)} tests]"
    return ("killed  ", f"{test} {spent}") if test else ("SURVIVED", spent)


def main() -> None:
    """Print a line per mutant and the share that was killed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", choices=list(TESTS))
    parser.add_argument("--mutants", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--seconds", type=float, default=300.0, help="Run tests of a mutant up to this time. Default: 300."
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        copy, killed = Copy(Path(folder)), 0
        calls = copy.calls(options.folder)
        chosen = mutants(options.folder, options.mutants, options.seed)
        for number, one in enumerate(chosen, 1):
            word, note = judge(copy, calls, one, options.seconds)
            killed += word == "killed  "
            print(f"{number:4} {word} {one.path}:{one.line}  {one.before} -> {one.after}  {note}", flush=True)
        print(f"{killed} of {len(chosen)} killed")


if __name__ == "__main__":
    main()
