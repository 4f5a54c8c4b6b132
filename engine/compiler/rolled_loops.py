"""Loops of kernels that Taichi compiles in this process, which its LLVM does not unroll.

LLVM unrolls loops whose number of turns it does not know up to eight times where the processor's model has a large
loop buffer, as AMD's do (`llvm_options`). Taichi passes no option to its LLVM. A loop with a second exit is not
unrolled, so each gets one that is never taken: the product of two neighbouring whole numbers is even, also where it
overflows, and LLVM does not know that.
"""

import ast
import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from .taichi_patches import patches_apply


@contextmanager
def rolled_loops() -> Iterator[None]:
    """While kernels are traced: all loops but the outermost of a kernel, whose turns are shared among threads."""
    if not patches_apply():
        yield
        return
    from taichi.lang.ast.ast_transformer import ASTTransformer

    own = ASTTransformer.__dict__["build_range_for"]
    ASTTransformer.build_range_for = _with_exit(own.__func__)
    try:
        yield
    finally:
        ASTTransformer.build_range_for = own


@cache
def _with_exit(build: Callable[[Any, ast.For], None]) -> Any:
    """Return Taichi's builder of loops over a range, for loops with a second exit."""

    def build_range_for(context: Any, loop: ast.For) -> None:
        outermost = context.is_kernel and len(context.loop_scopes) == 1
        build(context, loop if outermost else _two_exits(loop))

    return staticmethod(build_range_for)


def _two_exits(loop: ast.For) -> ast.For:
    """Return a loop with an exit that is never taken at its end; the loop itself is built once per turn of another."""
    assert isinstance(loop.target, ast.Name)  # Taichi knows no other number of a range
    number = loop.target.id
    (leave,) = ast.parse(f"if {number} * ({number} + 1) == 1:\n    break").body
    for node in ast.walk(leave):
        ast.copy_location(node, loop)
    both = copy.copy(loop)
    both.body = [*loop.body, leave]
    return both
