"""Options of LLVM: those of llvmlite, and one of the LLVM inside Taichi, which Taichi itself does not offer.

On processors whose model in LLVM has a large loop buffer (AMD's, 4,096 operations), LLVM unrolls loops whose number of
turns it does not know, up to eight times. A loop over the links of a robot becomes no faster, but a kernel takes 40 %
longer to compile, and each process that loads it spends 70 % more time on machine code.

What Taichi writes for llvmlite need not be optimised before. Taichi's LLVM reads that option by a function that its
library contains without exporting it. The library's symbol table holds its address. Libraries without such a table
(macOS, Windows) optimise twice.
"""

import ctypes
import mmap
import struct
from functools import cache
from pathlib import Path
from types import ModuleType

from .taichi_patches import patches_apply

OPTIONS = ("-unroll-runtime=false",)
"""Options of llvmlite's LLVM."""
NO_PASSES = "-opt-bisect-limit=0"
"""Option by which LLVM optimises nothing, for what another LLVM compiles."""
PARSE = b"LLVMParseCommandLineOptions"
ELF_64_LITTLE = b"\x7fELF\x02\x01"
SYMBOL_TABLE = 2  # sh_type
SYMBOL = [("name", "<u4"), ("_", "V4"), ("address", "<u8"), ("size", "<u8")]
SECTION = struct.Struct("<IIQQQQII")


@cache
def skip_passes() -> bool:
    """Have Taichi's LLVM optimise nothing from now on; return whether that was possible.

    Once per process: LLVM ends a process that sets an option twice.
    """
    if not patches_apply():
        return False
    from taichi._lib import core

    entry = b"PyInit_" + core.__name__.rsplit(".", 1)[-1].encode()
    places = symbol_addresses(core, (PARSE, entry))
    if len(places) < 2:
        return False
    library = ctypes.CDLL(core.__file__)
    base = (ctypes.cast(library[entry.decode()], ctypes.c_void_p).value or 0) - places[entry]
    parse = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.POINTER(ctypes.c_char_p), ctypes.c_char_p)(base + places[PARSE])
    words = (ctypes.c_char_p * 2)(b"fajin", NO_PASSES.encode())
    parse(len(words), words, b"")
    return True


def symbol_addresses(module: ModuleType, names: tuple[bytes, ...]) -> dict[bytes, int]:
    """Return the addresses of functions within the library of a module, as far as its symbol table has them."""
    import numpy as np  # which `--help` does without

    path = Path(module.__file__ or "")
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as library:
        if library[:6] != ELF_64_LITTLE:
            return {}
        (sections,) = struct.unpack_from("<Q", library, 0x28)
        size, count = struct.unpack_from("<HH", library, 0x3A)
        headers = [SECTION.unpack_from(library, sections + size * i) for i in range(count)]
        for _, kind, _, _, start, length, strings, _ in headers:
            if kind == SYMBOL_TABLE:
                symbol = np.dtype(SYMBOL)
                symbols = np.fromfile(path, symbol, length // symbol.itemsize, offset=start)
                _, _, _, _, first, text, _, _ = headers[strings]
                places = {name: library.find(b"\0" + name + b"\0", first, first + text) + 1 - first for name in names}
                rows = {name: np.flatnonzero(symbols["name"] == at) for name, at in places.items() if at > 0}
                return {name: int(symbols["address"][row[0]]) for name, row in rows.items() if len(row) == 1}
    return {}
