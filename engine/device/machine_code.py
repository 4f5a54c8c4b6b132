"""Machine code of kernels: written from LLVM's intermediate representation, and loaded into a process.

Both by llvmlite, whose LLVM has the version of Taichi's. Taichi itself cannot keep machine code: each process would
trace a kernel, to find it among the cached ones, and compile its representation once more.
"""

import platform
import re
import sys
from functools import cache
from importlib.util import find_spec

VERSION = 15
"""Version of LLVM in Taichi; later ones cannot read its representation."""

LOOP_BODY = "function_body"
"""Taichi's name of the body of a kernel's parallel loop: a function of the context, nothing, and the index."""


@cache
def runs_machine_code() -> bool:
    """Return whether this machine keeps and loads machine code: Linux on x86-64 with a fitting llvmlite."""
    if sys.platform != "linux" or platform.machine() != "x86_64" or find_spec("llvmlite") is None:
        return False
    from llvmlite import binding

    return binding.llvm_version_info[0] == VERSION


@cache
def processor() -> str:
    """Return the name and the instruction sets of this machine's processor, for which code is made."""
    from llvmlite import binding

    return f"{binding.get_host_cpu_name()} {binding.get_host_cpu_features().flatten()}"


def machine_code(representation: str) -> bytes:
    """Return an object file with the body of a kernel's loop.

    Args:
        representation: module that Taichi has optimised, as text.

    Raises:
        ValueError: the kernel has not exactly one loop, or the loop needs Taichi at run time.
    """
    from llvmlite import binding

    private, public = f"define internal void @{LOOP_BODY}(", f"define void @{LOOP_BODY}("
    if representation.count(private) != 1:
        raise ValueError("kernel: must have exactly one loop")
    loop = representation.split(private)[1].split("define internal void @cpu_parallel_range_for_task(")[0]
    if re.search(r"getelementptr inbounds %struct\.LLVMRuntime", loop):
        raise ValueError("kernel: must neither print nor assert; run it with FAJIN_DEBUG=1")
    target = _target()
    return target.emit_object(binding.parse_assembly(representation.replace(private, public)))


def load_machine_code(code: bytes) -> tuple[object, int]:
    """Return what holds the code of an object file in memory, and the address of the loop's body."""
    from llvmlite import binding

    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), _target())
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine, engine.get_function_address(LOOP_BODY)


def _target():
    """Return this machine as a target."""
    from llvmlite import binding

    binding.initialize()
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    name, features = processor().split(" ", 1)
    target = binding.Target.from_default_triple()
    return target.create_target_machine(
        cpu=name, features=features, opt=2, reloc="static", codemodel="jitdefault", jit=True
    )
