"""NVIDIA's assembler: what it makes of a kernel. From PyPI: nvidia-cuda-nvcc-cu12."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

REGISTERS, WARPS, BLOCKS = 65536, 64, 32
"""Of a multiprocessor: registers, and warps and blocks at most."""


@dataclass(frozen=True)
class Assembly:
    """What the largest kernel of a module takes of a GPU, per thread."""

    registers: int
    stack: int  # [B]
    spill_stores: int  # [B]
    spill_loads: int  # [B]

    @property
    def warps(self) -> int:
        """Warps of blocks of 32 threads that a multiprocessor holds at once."""
        return min(BLOCKS, WARPS, REGISTERS // (-(-self.registers // 8) * 8 * 32))


def assembler() -> str | None:
    """ptxas, as PyPI packs it or on the path."""
    packed = [path for folder in sys.path for path in Path(folder or ".").glob("nvidia/*/bin/ptxas")]
    return str(packed[0]) if packed else shutil.which("ptxas")


def assemble(module: Path, arch: str) -> Assembly:
    """Assemble a module for an architecture, "sm_90"."""
    command = [assembler(), f"-arch={arch}", "-v", "-o", os.devnull, str(module)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    patterns = r"Used (\d+) registers", r"(\d+) bytes stack", r"(\d+) bytes spill stores", r"(\d+) bytes spill loads"
    return Assembly(*(max(map(int, re.findall(pattern, said))) for pattern in patterns))
