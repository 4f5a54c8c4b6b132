"""Loops that Taichi's LLVM does not unroll: they run the same turns, and their code is there once."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest

from fajin import compiler
from fajin.compiler import taichi_patches
from fajin.compiler.rolled_loops import rolled_loops

LEAST, MOST = -(2**31), 2**31 - 1
RANGES = [(0, 0), (3, 1), (-5, 4), (-2, -1), (0, 11), (46340, 46343), (MOST - 3, MOST), (LEAST, LEAST + 3)]
"""Bounds of loops: none, backwards, below zero, where the product of two neighbours overflows, and the outermost."""


def turns_of_loops(first: int, end: int) -> list[int]:
    """Return what a kernel notes of its turns: a loop with all ways to leave one, within a static loop and one more."""
    import taichi as ti

    @ti.func
    def noted(x: ti.template(), first, end):
        count = 0
        for i in range(first, end):
            if i % 3 == 0:
                continue
            if i == 8:
                break
            x[count] = i
            count += 1
        return count

    @ti.real_func
    def inner(first: ti.i32, end: ti.i32) -> ti.i32:
        total = 0
        for i in range(first, end):
            total = total * 7 + i
        return total

    @ti.kernel
    def turns(x: ti.types.ndarray(ti.i32, 1), first: ti.i32, end: ti.i32):
        for world in range(1):
            for repeat in range(2):
                for k in ti.static(range(2)):
                    x[12 + k] += noted(x, first, end) + repeat + world
            x[14] = inner(first, end)

    x = np.zeros(15, np.int32)
    turns(x, first, end)
    return x.tolist()


@pytest.mark.parametrize("bounds", RANGES)
def test_loops_run_their_turns_and_no_others(bounds):
    compiler.start_taichi("cpu")
    turns = [i for i in range(*bounds) if i % 3]
    turns = turns[: turns.index(8)] if 8 in turns else turns
    total = 0
    for i in range(*bounds):
        total = total * 7 + i
    with rolled_loops():
        x = turns_of_loops(*bounds)
    assert x[: len(turns)] == turns
    assert x[12:14] == [2 * len(turns) + 1] * 2
    assert x[14] == (total + 2**31) % 2**32 - 2**31


def test_no_number_is_one_that_leaves_a_loop():
    """The exit's product is even for every number of 32 bits; 2^16 residues decide the lowest bit."""
    number = np.arange(2**16, dtype=np.int32)
    assert not ((number * (number + 1)) & 1).any()


def test_the_body_of_a_loop_is_compiled_once(tmp_path):
    """LLVM copies the body up to eight times for AMD's processors, and the code takes three times as long to make."""
    code = """
        from pathlib import Path
        import numpy as np
        from fajin import compiler
        from fajin.compiler.rolled_loops import rolled_loops

        compiler.start_taichi("cpu", offline_cache=False, print_kernel_llvm_ir_optimized=True)
        import taichi as ti

        @ti.kernel
        def roots(x: ti.types.ndarray(ti.f32, 1), end: ti.i32):
            for world in range(1):
                for i in range(end):
                    x[0] = ti.sqrt(x[0] + x[i])

        with rolled_loops():
            roots(np.ones(4, np.float32), 4)
        texts = [file.read_text() for file in Path().glob("*optimized*.ll")]
        print(sum(" call " in line and "sqrt" in line for text in texts for line in text.splitlines()))
    """
    script = tmp_path / "roots.py"  # Taichi reads the source of a kernel
    script.write_text(textwrap.dedent(code))
    command = [sys.executable, str(script)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=300)
    assert done.stdout.split()[-1] == "1"


def test_taichi_builds_its_own_loops_afterwards(monkeypatch):
    """Also where an error ends it, and where no patch applies."""
    from taichi.lang.ast.ast_transformer import ASTTransformer

    own = ASTTransformer.build_range_for
    try:
        with rolled_loops():
            assert ASTTransformer.build_range_for is not own
            raise ZeroDivisionError
    except ZeroDivisionError:
        assert ASTTransformer.build_range_for is own
    monkeypatch.setattr("fajin.compiler.rolled_loops.patches_apply", lambda: False)
    with rolled_loops():
        assert ASTTransformer.build_range_for is own
    assert taichi_patches.patches_apply()
