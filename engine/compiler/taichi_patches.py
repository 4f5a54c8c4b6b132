"""Patches that let Taichi trace kernels without its detours.

Taichi traces in every process, if only to find a kernel in its cache. To tell whether a function stands in a class, it
looks through all modules that are loaded; to read its source it does so again and takes the file to pieces, token by
token; and for every node it wraps lines for messages that never come. Python knows file and line of a function, and the
rest follows.

Patches of private functions apply only to the versions of Taichi that they were written for.
"""

import ast
import gc
import inspect
import linecache
import textwrap
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from types import CodeType, FrameType, SimpleNamespace
from typing import Any, Protocol

from .debug_mode import debugging

FIRST_VERSION, END_VERSION = (1, 7, 4), (1, 8)
"""Versions of Taichi that are patched: from the first, and before the end."""


@cache
def is_known(version: tuple[int, ...]) -> bool:
    """Return whether the patches are for this version of Taichi; warn once if not."""
    if FIRST_VERSION <= version < END_VERSION:
        return True
    installed, first, end = (".".join(map(str, numbers)) for numbers in (version, FIRST_VERSION, END_VERSION))
    warnings.warn(
        f"taichi = {installed}: must be at least {first} and below {end} for fajin's patches of its tracing; kernels "
        f"are traced without them, which takes half as long again; pip install 'taichi=={first}'",
        RuntimeWarning,
        stacklevel=2,
    )
    return False


def patches_apply() -> bool:
    """Return whether tracing is patched; not for debugging: Taichi's messages show the lines of the source then."""
    import taichi as ti

    return not debugging() and is_known(tuple(ti.__version__))


@contextmanager
def fast_imports() -> Iterator[None]:
    """While modules with kernels are imported, and Taichi itself. Only Python's own `inspect` is patched."""
    if debugging():
        yield
        return
    with _instead(inspect, getframeinfo=_told):
        yield


@contextmanager
def fast_tracing() -> Iterator[None]:
    """While kernels are traced: nothing that is made then is garbage before the end."""
    if not patches_apply():
        yield
        return
    from taichi.lang import expr, kernel_impl
    from taichi.lang.ast.ast_transformer_utils import ASTTransformerContext

    collects = gc.isenabled()
    gc.disable()
    try:
        with (
            _instead(kernel_impl, getsourcefile=_file, getsourcelines=_lines, textwrap=PLAIN),
            _instead(ASTTransformerContext, get_pos_info=_place),
            _instead(expr, make_constant_expr=_once(expr.make_constant_expr)),
            _instead(kernel_impl.Kernel, ast_builder=_builder),
        ):
            yield
    finally:
        if collects:
            gc.enable()


@contextmanager
def functions_in_blocks() -> Iterator[None]:
    """While kernels are traced for LLVM: functions without result stand in blocks of their own; see `_in_block`."""
    if not patches_apply():
        yield
        return
    from taichi.lang import kernel_impl

    with _instead(kernel_impl.Func, __call__=_in_block(kernel_impl.Func.__call__)):
        yield


class _Context(Protocol):
    """Attributes that `_place` reads of Taichi's ASTTransformerContext."""

    file: str
    lineno_offset: int


PLAIN = SimpleNamespace(fill=lambda line, **_: line.rstrip(), dedent=textwrap.dedent)
"""Functions that Taichi needs of `textwrap` where lines are not to be wrapped."""


@contextmanager
def _instead(place: object, **others: object) -> Iterator[None]:
    """Have other attributes in the place of a module's or class's own."""
    own = {name: getattr(place, name) for name in others}
    for name, other in others.items():
        setattr(place, name, other)
    try:
        yield
    finally:
        for name, one in own.items():
            setattr(place, name, one)


def _told(frame: FrameType, context: int = 1) -> inspect.Traceback:
    """Return what `inspect.getframeinfo` returns of one line."""
    file, line = frame.f_code.co_filename, frame.f_lineno
    return inspect.Traceback(file, line, frame.f_code.co_name, [linecache.getline(file, line)], 0)


def _file(function: Callable) -> str:
    return function.__code__.co_filename


def _lines(function: Callable) -> tuple[list[str], int]:
    """Lines of a function, decorators included, and the number of the first."""
    return list(_block(function.__code__)), function.__code__.co_firstlineno


@cache
def _block(code: CodeType) -> tuple[str, ...]:
    """Lines from the first decorator to the last of the body: what is indented below it, blank, or closes the head."""
    lines = linecache.getlines(code.co_filename)[code.co_firstlineno - 1 :]
    margin = len(lines[0]) - len(lines[0].lstrip())
    head = next(i for i, line in enumerate(lines) if line[margin:].startswith("def "))
    for end, line in enumerate(lines[head + 1 :], head + 1):
        if line.strip() and not line[: margin + 1].isspace() and line[margin] != ")":
            return tuple(lines[:end])
    return tuple(lines)


def _once(make: Callable) -> Callable:
    """Make whole numbers once each: a sixth of all expressions are, most of them places in a table."""
    made: dict[tuple[int, object], object] = {}

    def constant(value: object, dtype: object) -> object:
        if type(value) is not int:
            return make(value, dtype)
        if (value, dtype) not in made:
            made[value, dtype] = make(value, dtype)
        return made[value, dtype]

    return constant


def _builder(kernel: object) -> object:
    """Return where statements go: to the function that is compiled by itself, if one is, and not to its kernel.

    Taichi writes branches and loops of functions that such a function calls into the kernel, and dies of it.
    """
    from taichi.lang import impl

    compiled = impl.get_runtime().compiling_callable
    assert compiled is not None  # a kernel is traced
    return compiled.ast_builder()


def _in_block(call: Callable) -> Callable:
    """Return Taichi's call of a function, which writes the body of one without result into a block of its own.

    Taichi looks through a block, and the blocks within, whenever it replaces a statement of it. Without blocks the
    statements of all functions stand in one, and the time grows with the square of their number. The block is that of a
    condition which is always true, and LLVM removes it. What a kernel calls itself has no block: it may hold the
    parallel loop.
    """
    from taichi._lib import core
    from taichi.lang import expr, impl

    depth = 0

    def call_in_block(function: Any, *arguments: object, **others: object) -> object:
        """Call a function as Taichi does, in a block if it has no result and another function calls it."""
        nonlocal depth
        if not impl.inside_kernel():
            return call(function, *arguments, **others)
        depth += 1
        try:
            if depth == 1 or function.is_real_function or returns(function.func.__code__):
                return call(function, *arguments, **others)
            builder: Any = _builder(function)
            builder.begin_frontend_if(expr.Expr(1).ptr, core.DebugInfo(impl.get_runtime().get_current_src_info()))
            builder.begin_frontend_if_true()
            call(function, *arguments, **others)
            builder.pop_scope()
            builder.begin_frontend_if_false()
            builder.pop_scope()
        finally:
            depth -= 1

    return call_in_block


@cache
def returns(code: CodeType) -> bool:
    """Return whether a function returns a value."""
    tree = ast.parse(textwrap.dedent("".join(_block(code))))
    return any(isinstance(node, ast.Return) and node.value is not None for node in ast.walk(tree))


def _place(context: _Context, node: ast.expr | ast.stmt) -> str:
    """Return the place of a node, for messages."""
    return f"{context.file}:{node.lineno + context.lineno_offset}\n"
