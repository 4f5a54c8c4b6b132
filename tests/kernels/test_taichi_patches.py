"""Short cuts to tracing: they tell what Taichi's own ways tell, and leave nothing behind."""

import gc
import inspect
import math
import sys
import warnings

import pytest

from fajin import compiler, device
from fajin.compiler import taichi_patches

PLACE = device.Device("cpu", 1, True, 32, 1)


@pytest.fixture(scope="module")
def functions() -> list:
    """All functions and kernels of the laws that Taichi traces."""
    compiler.start_taichi("cpu")
    for file in ("kernels", "dynamics_kernel", "link_state", "profiling", "gather_scatter"):
        compiler.load_physics(PLACE, file)
    package = compiler.load_physics(PLACE, "kernels").__package__
    modules = [module for name, module in sys.modules.items() if name.startswith(f"{package}.")]
    found = {id(thing): thing for module in modules for thing in vars(module).values()}
    kernels = [thing._primal for thing in found.values() if hasattr(thing, "_primal")]
    taken = kernels + [thing.func for thing in found.values() if hasattr(thing, "_is_taichi_function")]
    return [one.func for one in taken]


def test_the_source_of_a_function_is_what_python_says_it_is(functions):
    """Line by line, decorators included, and the number of the first."""
    from taichi.lang import kernel_impl

    assert len(functions) > 150
    with taichi_patches.fast_tracing():
        found = [kernel_impl.getsourcelines(function) for function in functions]
        assert all(kernel_impl.getsourcefile(function) == inspect.getsourcefile(function) for function in functions)
    for function, (lines, first) in zip(functions, found, strict=True):
        own, number = inspect.getsourcelines(function)
        assert ("".join(lines).rstrip(), first) == ("".join(own).rstrip(), number)


def test_a_frame_is_told_by_its_file_and_line():
    """The same as Python tells, in and outside a class, and of a module that is just being imported."""
    said = []

    class Inside:
        with taichi_patches.fast_imports():
            said.append(inspect.getframeinfo(sys._getframe()))
        said.append(inspect.getframeinfo(sys._getframe()))

    short, full = said
    assert (short.filename, short.function) == (full.filename, full.function) == (__file__, "Inside")
    assert short.lineno + 1 == full.lineno
    assert [line.strip() for line in short.code_context] == ["said.append(inspect.getframeinfo(sys._getframe()))"]
    assert short.code_context[0].strip() == full.code_context[0].strip()


@pytest.mark.parametrize("shortened", [taichi_patches.fast_imports, taichi_patches.fast_tracing])
def test_everything_is_as_before_afterwards(shortened):
    """Also where an error ends it."""
    from taichi.lang import expr, kernel_impl
    from taichi.lang.ast.ast_transformer_utils import ASTTransformerContext

    def ways() -> list:
        return [
            inspect.getframeinfo, kernel_impl.getsourcelines, kernel_impl.getsourcefile, kernel_impl.textwrap,
            ASTTransformerContext.get_pos_info, expr.make_constant_expr, gc.isenabled(),
        ]  # fmt: skip

    before = ways()
    with shortened():
        assert ways() != before
    assert ways() == before
    with pytest.raises(ZeroDivisionError), shortened():
        raise ZeroDivisionError
    assert ways() == before


def test_what_does_not_collect_garbage_does_not_begin_to():
    """A host program may have switched it off."""
    gc.disable()
    try:
        with taichi_patches.fast_tracing():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_a_whole_number_is_made_once_and_no_other_number_is_mixed_up_with_it():
    """Python holds 1, 1.0 and True for equal, and 0.0 and -0.0."""
    import taichi as ti
    from taichi.lang import expr

    compiler.start_taichi("cpu")
    with taichi_patches.fast_tracing():
        one = expr.make_constant_expr(1, None)
        assert expr.make_constant_expr(1, None) is one
        kinds = [expr.make_constant_expr(x, None).ptr.get_rvalue_type() for x in (1, 1.0, True)]
        kinds.append(expr.make_constant_expr(1, ti.i64).ptr.get_rvalue_type())
        assert len({kind.to_string() for kind in kinds}) == 4

    @ti.kernel
    def signs(one: ti.f32) -> ti.types.vector(2, ti.f32):
        return ti.Vector([one / 0.0, one / -0.0])

    with compiler.compiler_options(PLACE):
        assert list(signs(1.0)) == [math.inf, -math.inf]


VERSIONS = [((1, 7, 4), True), ((1, 7, 9), True), ((1, 7, 3), False), ((1, 8, 0), False)]


@pytest.mark.parametrize(("installed", "applies"), VERSIONS)
def test_only_the_versions_of_taichi_that_it_was_written_for_are_patched(monkeypatch, installed, applies):
    """Private functions may change with any other: tracing is as slow as Taichi's own, and one warning says so."""
    import taichi as ti
    from taichi.lang import kernel_impl

    own = kernel_impl.getsourcelines
    monkeypatch.setattr(ti, "__version__", installed)
    taichi_patches.is_known.cache_clear()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for _ in range(2):
            with taichi_patches.fast_tracing():
                assert (kernel_impl.getsourcelines is not own) == applies
    words = f"taichi = {'.'.join(map(str, installed))}: must be at least 1.7.4 and below 1.8 "
    assert [str(warning.message).startswith(words) for warning in said] == [True] * (not applies)


def test_the_installed_taichi_is_patched():
    """A new version of Taichi must be tried, and the range extended."""
    import taichi as ti

    assert taichi_patches.is_known(tuple(ti.__version__))


def test_functions_without_result_stand_in_blocks_of_their_own():
    """Those that functions call; a kernel computes what it computes without blocks."""
    import taichi as ti
    from taichi.lang import kernel_impl

    compiler.start_taichi("cpu")

    @ti.func
    def add(x: ti.template(), i: ti.i32, value: ti.f32):
        if value > 1.0:
            x[i] += value

    @ti.func
    def double(value: ti.f32) -> ti.f32:
        return 2.0 * value

    @ti.func
    def add_both(x: ti.template(), i: ti.i32):
        add(x, i, 3.0)
        for k in range(2):
            add(x, i, double(ti.cast(k, ti.f32)))

    @ti.kernel
    def run(x: ti.types.ndarray(ti.f32, 1)):
        for i in range(4):
            add_both(x, i)

    assert [taichi_patches.returns(function.func.func.__code__) for function in (add, double)] == [False, True]
    array, own = ti.ndarray(ti.f32, 4), kernel_impl.Func.__call__
    with compiler.compiler_options(PLACE), taichi_patches.functions_in_blocks():
        assert kernel_impl.Func.__call__ is not own
        run(array)
    assert kernel_impl.Func.__call__ is own
    assert array.to_numpy().tolist() == [5.0] * 4
