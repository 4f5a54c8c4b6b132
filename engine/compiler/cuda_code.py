"""Code of kernels for NVIDIA's GPUs: PTX, which the GPU's driver makes machine code of.

Taichi's own code for a GPU loads the address of an array at every access, fuses products with sums, and flushes small
numbers to zero. So llvmlite writes the code here, from what Taichi writes for a CPU whose worlds lie in tiles, and what
`representation.py` adds to that. A thread runs a turn of the kernel's loop. All operations are rounded as on a CPU, so
the bits are those of a CPU, but for the arccosine of the library.
"""

import importlib.util
import re
from functools import cache
from pathlib import Path
from typing import Any

from .llvm_options import OPTIONS
from .machine_code import optimise
from .representation import ARGUMENTS, LOOP_BODY, rewrite

ENTRY = "fajin_kernel"
"""Name of a kernel in its code: a function of the structure of arguments, and of the number of turns."""

NEWEST = 86
"""Newest compute capability that LLVM 15 knows, as 10 times its number; later GPUs take the code of earlier ones."""

PTX = "+ptx71"
"""Version of PTX, which drivers since 2020 know."""

BLOCKS = 2
"""Blocks that a multiprocessor holds at least: with blocks of 256 threads, each gets at most 128 registers."""

CUDA_OPTIONS = ("-disable-lsr",)
"""More options of LLVM: loops carry no addresses from turn to turn, for which a thread has too few registers."""

MATHS, FUNCTIONS = Path("_lib/runtime/slim_libdevice.10.bc"), {"acosf": "__nv_acosf", "acos": "__nv_acos"}
"""NVIDIA's library of functions, as Taichi has it, and its names of functions of the host's library."""

LAYOUT = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"

ENTRY_TEXT = """
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
define void @ENTRY(ARGUMENTS* byval(ARGUMENTS) align 8 %arguments, i32 %turns) {
  %context = alloca %struct.RuntimeContext
  %place = getelementptr %struct.RuntimeContext, %struct.RuntimeContext* %context, i32 0, i32 0
  %address = bitcast ARGUMENTS* %arguments to i8*
  store i8* %address, i8** %place
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul nsw i32 %block, THREADS
  %turn = add nsw i32 %first, %thread
  %exists = icmp slt i32 %turn, %turns
  br i1 %exists, label %run, label %end
run:
  call void @BODY(%struct.RuntimeContext* %context, i8* null, i32 %turn)
  br label %end
end:
  ret void
}
!nvvm.annotations = !{!N0, !N1, !N2}
!N0 = !{void (ARGUMENTS*, i32)* @ENTRY, !"kernel", i32 1}
!N1 = !{void (ARGUMENTS*, i32)* @ENTRY, !"maxntidx", i32 THREADS}
!N2 = !{void (ARGUMENTS*, i32)* @ENTRY, !"minctasm", i32 BLOCKS}
"""

_BLOCK = re.compile(r"@cpu_parallel_range_for\((?:[^,]*, ){5}i32 (\d+),")
_ARGUMENTS = re.compile(rf"bitcast i8\*\* %argument\d+ to ({ARGUMENTS}\d+)\*\*")
_HEAD = re.compile(r'target datalayout = "[^"]*"')


def threads_of_block(representation: str) -> int:
    """Return the number of threads of a block that a kernel asks for (`block_dim`)."""
    found = _BLOCK.search(representation)
    if found is None:
        raise ValueError("kernel: must have exactly one loop")
    return int(found[1])


def cuda_code(representation: str, architecture: str) -> bytes:
    """Return the PTX of a kernel, with a zero at its end.

    Args:
        representation: module that Taichi has written for a CPU and not optimised, as text.
        architecture: of the GPU, as sm_86.

    Raises:
        ValueError: the kernel has not exactly one loop, or the loop needs Taichi at run time.
    """
    from llvmlite import binding

    _set_options()
    module = binding.parse_assembly(module_text(rewrite(representation, wide=False), threads_of_block(representation)))
    _link_functions(module, representation)
    target = binding.Target.from_triple("nvptx64-nvidia-cuda").create_target_machine(
        cpu=architecture, features=PTX, opt=3
    )
    optimise(module, target)
    return target.emit_assembly(module).encode() + b"\0"


def module_text(text: str, threads: int) -> str:
    """Return a rewritten module with an entry for blocks of so many threads, which contains the loop's body."""
    arguments = _ARGUMENTS.search(text)
    if arguments is None:
        raise ValueError("kernel: must have arguments")
    text = _HEAD.sub(f'target datalayout = "{LAYOUT}"\\ntarget triple = "nvptx64-nvidia-cuda"', text, count=1)
    body = f"void @{LOOP_BODY}(%struct.RuntimeContext* %v0, i8* %v1, i32 %v2)"
    text = text.replace(f"define {body}", f"define internal {body} alwaysinline")
    text = re.sub(r" @(acosf?)\(", lambda call: f" @{FUNCTIONS[call[1]]}(", text)
    first = 1 + max((int(number) for number in re.findall(r"(?m)^!(\d+) =", text)), default=-1)
    words = {"ARGUMENTS": arguments[1], "ENTRY": ENTRY, "BODY": LOOP_BODY, "THREADS": threads, "BLOCKS": BLOCKS}
    words |= {f"N{i}": first + i for i in range(3)}
    return text + re.sub("|".join(words), lambda word: str(words[word[0]]), ENTRY_TEXT)


def _link_functions(module: Any, representation: str) -> None:
    """Add the functions of NVIDIA's library that the module calls, which lies beside Taichi's."""
    from llvmlite import binding

    if " @acos_f" not in representation:
        return
    spec = importlib.util.find_spec("taichi")
    assert spec is not None  # it wrote the representation
    assert spec.origin is not None
    module.link_in(binding.parse_bitcode((Path(spec.origin).parent / MATHS).read_bytes()))
    for function in module.functions:
        if not function.is_declaration and function.name != ENTRY:
            function.linkage = "internal"  # what nobody calls is left out


@cache
def _set_options() -> None:
    """Set the options of LLVM, which ends a process that sets one twice."""
    from llvmlite import binding

    binding.initialize()
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    for option in (*OPTIONS, *CUDA_OPTIONS):
        binding.set_option("fajin", option)
