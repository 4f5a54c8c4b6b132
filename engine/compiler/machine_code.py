"""Machine code of kernels: optimised and written from LLVM's representation, and loaded into a process.

Both by llvmlite, whose LLVM has the version of Taichi's. Taichi itself cannot keep machine code: each process would
trace a kernel, to find it among the cached ones, and compile its representation once more.
"""

import os
import platform
import sys
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from typing import Any

from .llvm_options import OPTIONS
from .processor import MACHINE_CODE, processor
from .representation import LOOP_BODY, rewrite

VERSION = 15
"""Version of LLVM in Taichi; later ones cannot read its representation."""

INSTALL = "pip install 'llvmlite>=0.44,<0.45'"
"""Command that installs a fitting llvmlite, as `pyproject.toml` requires it."""

INLINING_THRESHOLD = 225
"""Cost up to which LLVM copies a function to where it is called, as in Clang."""

PACK_BYTES = 64
"""Bytes of a pack, and of a line of the cache."""

QUICK_PASSES = (
    *("instruction_combining", "cfg_simplification", "loop_rotate", "licm", "gvn", "dead_store_elimination"),
    *("instruction_combining", "aggressive_dead_code_elimination", "cfg_simplification"),
)
"""Passes of LLVM for worlds that run one by one, by llvmlite's names."""


@cache
def runs_machine_code() -> bool:
    """Return whether this machine keeps and loads machine code: Linux on x86-64 with a fitting llvmlite."""
    return not lack()


@cache
def lack() -> str:
    """Return why this machine does not keep and load machine code, with the fix if there is one; "" if it does."""
    if os.environ.get(MACHINE_CODE) == "0":
        return f"{MACHINE_CODE} = 0"
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return f"{platform.system()} on {platform.machine()} must be Linux on x86_64"
    if find_spec("llvmlite") is None:
        return f"llvmlite is not installed; {INSTALL}"
    from llvmlite import __version__, binding

    version = binding.llvm_version_info[0]
    return "" if version == VERSION else f"llvmlite {__version__} has LLVM {version}, must have {VERSION}; {INSTALL}"


def machine_code(representation: str, packs: bool, name: str = LOOP_BODY, quickly: bool = False) -> bytes:
    """Return an object file with one function of a kernel, by default the body of its loop.

    Args:
        representation: module that Taichi has written and not optimised, as text.
        packs: whether lanes are packs of worlds; a question to all lanes of one becomes one instruction by the pass
            that makes vectors of numbers, which otherwise costs time to compile and slows floating trees down.
        name: what the name of the function begins with.
        quickly: compile in half the time what runs a quarter longer.

    Raises:
        ValueError: the kernel has not exactly one such function, or the function needs Taichi at run time.
    """
    from llvmlite import binding

    _set_options()
    text = rewrite(representation, name=name, stack=PACK_BYTES if packs else 0)
    module, target = binding.parse_assembly(text), native_target()
    if quickly:
        optimise_quickly(module, target)
    else:
        optimise(module, target, packs)
    return target.emit_object(module)


def optimise_quickly(module: Any, target: Any) -> None:
    """Optimise a module whose functions are not copied into each other, in half the time of `optimise`."""
    from llvmlite import binding

    runtime, own = binding.ModulePassManager(), binding.FunctionPassManager(module)
    runtime.add_always_inliner_pass()
    runtime.run(module)
    builder = binding.PassManagerBuilder()
    builder.opt_level = 1  # what knows that arrays are distinct, and locals in registers
    target.add_analysis_passes(own)
    builder.populate(own)
    for each in QUICK_PASSES:
        getattr(own, f"add_{each}_pass")()
    _run_on_functions(own, module)
    unused = binding.ModulePassManager()
    unused.add_global_dce_pass()
    unused.run(module)


def _run_on_functions(passes: Any, module: Any) -> None:
    """Run passes on each function of a module."""
    passes.initialize()
    for function in module.functions:
        passes.run(function)
    passes.finalize()


def optimise(module: Any, target: Any, packs: bool = False) -> None:
    """Optimise a module for a target; `packs` as of `machine_code`."""
    from llvmlite import binding

    builder = binding.PassManagerBuilder()
    builder.opt_level, builder.inlining_threshold, builder.slp_vectorize = 2, INLINING_THRESHOLD, packs
    functions, whole = binding.FunctionPassManager(module), binding.ModulePassManager()
    for passes in (functions, whole):
        target.add_analysis_passes(passes)
        builder.populate(passes)
    _run_on_functions(functions, module)
    whole.run(module)


@cache
def _set_options() -> None:
    """Set the options of LLVM, which ends a process that sets one twice."""
    from llvmlite import binding

    for option in OPTIONS:
        binding.set_option("fajin", option)


def load_machine_code(parts: Iterable[bytes]) -> tuple[object, int]:
    """Return what holds the code of object files in memory, and the address of the loop's body.

    The files may call functions of each other.
    """
    from llvmlite import binding

    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), native_target())
    for code in parts:
        engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine, engine.get_function_address(LOOP_BODY)


def native_target():
    """Return the processor that code is made for as a target."""
    from llvmlite import binding

    binding.initialize()
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    name, features = processor().split(" ", 1)
    target = binding.Target.from_default_triple()
    return target.create_target_machine(
        cpu=name, features=features, opt=2, reloc="static", codemodel="jitdefault", jit=True
    )
