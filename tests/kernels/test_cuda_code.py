"""PTX that llvmlite writes of a kernel: its entry, what it reads, and how it rounds."""

import json
import re
import subprocess
import sys

import pytest

from fajin.compiler.cuda_code import ENTRY, threads_of_block
from fajin.compiler.kernel_compiler import KernelRequest, compile_apart
from fajin.compiler.machine_code import runs_machine_code

pytestmark = pytest.mark.skipif(not runs_machine_code(), reason="no llvmlite with LLVM 15")

CODE = """
import sys
from fajin.compiler.cuda_code import cuda_code
print(cuda_code(sys.stdin.read(), "sm_80")[:-1].decode())
"""

STRUCTURE = "{ { { i32 }, float* }, { { i32 }, float* }, i32 }"
CONTEXT = "%struct.RuntimeContext"
ACCESS = f"""  %N0 = getelementptr {CONTEXT}, {CONTEXT}* %0, i32 0, i32 0
  %N1 = bitcast i8** %N0 to {STRUCTURE}**
  %N2 = load {STRUCTURE}*, {STRUCTURE}** %N1, align 8
  %N3 = getelementptr {STRUCTURE}, {STRUCTURE}* %N2, i32 0, i32 ARRAY, i32 1
  %N4 = load float*, float** %N3, align 8
  %N5 = getelementptr float, float* %N4, i32 %2
"""


def access(array: int, tens: int) -> str:
    """Lines that define the place %(tens)5 in an array."""
    return ACCESS.replace("%N", f"%{tens}").replace("ARRAY", str(array))


def kernel(law: str) -> str:
    """A kernel: b[i] = law of a[i], then b[i] = law of a[i] + b[i], by a law of %x."""
    lines = access(0, 1) + "  %16 = load float, float* %15, align 4\n" + law.format(17, 16)
    lines += access(1, 2) + "  store float %17, float* %25, align 4\n"
    lines += access(0, 3) + "  %36 = load float, float* %35, align 4\n" + law.format(37, 36)
    lines += "  %38 = fadd float %17, %37\n  store float %38, float* %25, align 4\n"
    return f"""target datalayout = "e-m:e"
{CONTEXT} = type {{ i8*, %struct.LLVMRuntime*, i32, i64* }}
%struct.LLVMRuntime = type {{ i8* }}
define void @kernel({CONTEXT}* %context) {{
  call void @cpu_parallel_range_for({CONTEXT}* %context, i32 2, i32 0, i32 %3, i32 1, i32 96, i8* null)
  ret void
}}
define internal void @function_body({CONTEXT}* %0, i8* %1, i32 %2) {{
allocs:
{lines}  ret void
}}
declare float @llvm.sqrt.f32(float) #0
"""


def ptx(text: str) -> str:
    """PTX of a kernel for an A100, written in a process of its own: LLVM takes options once."""
    return subprocess.run([sys.executable, "-c", CODE], input=text, capture_output=True, text=True, check=True).stdout


def test_a_thread_runs_a_turn_of_the_loop():
    """In blocks of the size that the kernel asks for, two of which fit on a multiprocessor."""
    text = kernel("  %{} = fmul float %{}, 2.0\n")
    code = ptx(text)
    assert threads_of_block(text) == 96
    assert re.findall(r"\.entry (\w+)\(", code) == [ENTRY]
    assert ".target sm_80" in code
    assert ".maxntid 96, 1, 1" in code
    assert ".minnctapersm 2" in code
    assert "%ctaid.x" in code
    assert "setp.ge.s32" in code  # threads beyond the last turn


def test_what_is_read_once_stays_in_a_register():
    """Addresses of the arrays, and a number of one array although another is written meanwhile."""
    code = ptx(kernel("  %{} = fmul float %{}, 2.0\n"))
    assert len(re.findall(r"ld\.param\.u64", code)) == 2
    assert len(re.findall(r"ld\.global\.f32", code)) == 1
    assert len(re.findall(r"\bld\.\w+", code)) == len(re.findall(r"\bld\.(?:param|global)", code))
    assert "local" not in code


@pytest.mark.parametrize(
    ("law", "operation"),
    [
        ("  %{} = fmul float %{}, 2.5\n", "mul.rn.f32"),
        ("  %{} = fdiv float 1.5, %{}\n", "div.rn.f32"),
        ("  %{} = call float @llvm.sqrt.f32(float %{})\n", "sqrt.rn.f32"),
    ],
)
def test_every_operation_is_rounded_as_on_a_cpu(law, operation):
    """Products are not fused with sums, nothing is approximate, and small numbers are not flushed to zero."""
    code = ptx(kernel(law))
    assert operation in code
    assert "add.rn.f32" in code
    assert re.findall(r"fma\.|\.approx|\.ftz", code) == []


def test_the_arccosine_is_that_of_the_library():
    """It is part of the code, and the rest of the library is not."""
    code = ptx(kernel("  %{} = call float @acos_f32(float %{})\n"))
    assert ".extern" not in code
    assert "sqrt.rn.f32" in code
    assert len(code) < 20_000


def test_a_kernel_is_compiled_without_a_gpu():
    request = KernelRequest("link_state", "link_state_kernel", 64, 1, (), "sm_86")
    made = compile_apart(request)
    assert made is not None
    header, code = made.split(b"\n", 1)
    words = json.loads(header)
    assert words["block"] == 32
    assert words["arguments"][0] == ["states", "1 1 f8"]
    assert code.endswith(b"\0")
    assert b".target sm_86" in code
