"""Options of the LLVM inside Taichi, set where its library has a symbol table."""

import subprocess
import sys

import pytest

COUNT_UP = """
import sys
import taichi as ti
from fajin.compiler import llvm_options, taichi_runtime
taichi_runtime.start_taichi("cpu")
if sys.argv[1] == "fajin":
    assert llvm_options.skip_passes()
ti.lang.impl.get_runtime().prog.config().print_kernel_llvm_ir_optimized = True
ti.lang.impl.get_runtime().prog.config().offline_cache = False
@ti.kernel
def sums(x: ti.types.ndarray(ti.i32, 1), n: ti.i32):
    for i in range(1):
        for j in range(n):
            x[j] = x[j] * x[j] + j
sums(ti.ndarray(ti.i32, 8), 8)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the library has no ELF symbol table")
@pytest.mark.parametrize(("options", "optimised"), [("taichi", True), ("fajin", False)])
def test_what_llvmlite_compiles_is_not_optimised_before(tmp_path, options, optimised):
    """LLVM keeps no number in memory that a register may hold, and unrolls the loop."""
    (tmp_path / "sums.py").write_text(COUNT_UP)
    subprocess.run([sys.executable, "sums.py", options], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    code = "".join(file.read_text() for file in tmp_path.glob("*optimized*.ll"))
    assert "x_sums" in code or "sums_" in code
    assert ("alloca i32" in code) is not optimised


def test_a_library_without_a_symbol_table_is_left_alone(tmp_path):
    """A file that is not ELF has no addresses."""
    from types import ModuleType

    from fajin.compiler.llvm_options import symbol_addresses

    other = ModuleType("other")
    (tmp_path / "other.dll").write_bytes(b"MZ" + bytes(100))
    other.__file__ = str(tmp_path / "other.dll")
    assert symbol_addresses(other, (b"LLVMParseCommandLineOptions",)) == {}
