"""Compile a kernel in a child process: Taichi traces it and writes it for LLVM, llvmlite writes its machine code.

A fork of the child traces, and ends where Taichi would go on: it would link and optimise what nobody runs.
A process of its own may change its working folder, where Taichi writes the representation, and gives all memory of
the compiler back. What it returns is a header, one line of JSON, and an object file, or PTX for a GPU. The GPU need not
be there.
"""

import gc
import json
import os
import tempfile
from dataclasses import asdict, dataclass, replace
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..tables.features import Features
from .compiler_process import compiler_process, serve
from .cuda_code import cuda_code, threads_of_block
from .device import Device
from .first_text import first_text
from .machine_code import machine_code
from .processor import processor
from .representation import LOOP_BODY
from .taichi_patches import functions_in_blocks
from .taichi_runtime import compiler_options, import_physics, load_physics, running_program, start_taichi

COMPILER = (
    *("kernel_compiler", "first_text", "llvm_options", "machine_code", "processor", "cuda_code", "representation"),
    *("taichi_patches", "taichi_runtime"),
)
"""Files of this folder that decide what code a kernel becomes."""

LOOP, KINDS = "taichi_kernel_generic_llvm_ir_0001.ll", "arguments.json"
"""Files of a traced kernel: its second part, as the first computes the bounds of its loop, and names and kinds."""

IDLE_PASSES = (
    *("cache_loop_invariant_global_vars", "demote_no_access_mesh_fors", "detect_read_only", "make_block_local"),
    *("make_mesh_block_local", "make_thread_local", "quant_opt_atomic_demotion", "quant_opt_store_fusion"),
    *("simplify_after_lower_access", "simplify_before_lower_access"),
)
"""Passes of Taichi that find nothing in a kernel of `fajin.physics`, or what LLVM finds, too."""

CONTACT_KERNEL, CONTACT_FUNCTION = "contact_kernel", "contacts_of_island"
"""Kernel that is compiled for the sake of a function, and what the function's name begins with."""

FILES = ("kernels", "contact_function", "link_state")
"""Files of the kernels that a simulation begins with."""

TRIALS = 2
"""Requests of a kernel: the process that compiles may end before it reads the first one, of idleness."""


@dataclass(frozen=True)
class KernelRequest:
    """A kernel of `fajin.physics` over a device's lane type, with the values of its templates.

    `architecture` is that of NVIDIA's GPU, as sm_86, or "" for this machine's processor.
    """

    file: str
    name: str
    bits: int
    lanes: int
    templates: tuple[Features | int | str, ...]
    architecture: str = ""

    def words(self) -> dict[str, Any]:
        """Return the request for JSON."""
        templates = [asdict(value) if isinstance(value, Features) else value for value in self.templates]
        return {**vars(self), "templates": templates}

    def key(self) -> str:
        """Return a name that no other kernel, source, compiler or processor has."""
        parts = (self.words(), sources(), version("taichi"), version("llvmlite"), self.architecture or processor())
        return sha256(repr(parts).encode()).hexdigest()[:32]

    def parts(self) -> "tuple[KernelRequest, ...]":
        """Return the requests of which machine code consists: the loop first, then the function of its contacts."""
        features = self.templates[0] if self.templates else None
        if self.architecture or not isinstance(features, Features) or not features.contacts:
            return (self,)
        loop = replace(self, templates=(replace(features, linked=True), *self.templates[1:]))
        return loop, replace(self, file="contact_function", name=CONTACT_KERNEL, templates=(features.of_contacts(),))


@cache
def sources() -> str:
    """Return a checksum of all files that a kernel is made from."""
    engine = Path(__file__).parents[1]
    files = [engine / "compiler" / f"{name}.py" for name in COMPILER]
    for folder in ("physics", "tables"):
        files += sorted((engine / folder).rglob("*.py"))
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def compile_apart(request: KernelRequest) -> bytes | None:
    """Return header and object file of a kernel, compiled in a child process.

    None if that failed, which is logged: no child process can run, or the child wrote no code. A child that ends badly
    after it wrote the code, while Taichi is taken down, has done its work.
    """
    reason = messages = ""
    for _ in range(TRIALS):
        try:
            with tempfile.TemporaryDirectory(prefix="fajin-kernel-", ignore_cleanup_errors=True) as folder:
                messages = compiler_process().compile(folder, request.words())
                return Path(folder, "kernel").read_bytes()
        except OSError as error:
            reason = messages.strip().rpartition("\n")[2] or str(error)
        if messages:
            break
    _log_failure(request, reason)
    return None


def _log_failure(request: KernelRequest, reason: str) -> None:
    """Log why no child process compiled a kernel."""
    import logging

    message = "cannot compile %s of %s in a child process, so Taichi compiles it in this one: %s"
    logging.getLogger("fajin").warning(message, request.name, request.file, reason)


def serve_kernels() -> None:
    """Import Taichi and the laws of single worlds, then write kernels that another process asks for.

    Taichi itself is started by the forks that write kernels: they are made of a process with one thread.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.disable()  # the forks end soon
    for file in FILES:
        import_physics(Device("cpu", 1, True, 32, 1, compiled=True), file)
    serve(write_kernel)


def write_kernel(folder: Path, words: dict[str, Any]) -> None:
    """Write header and code of a kernel to a file `kernel` of a folder, which becomes the working folder."""
    os.chdir(folder)
    loop = first_text(LOOP, lambda: _trace(words))
    arguments = json.loads(Path(KINDS).read_text())
    function = CONTACT_FUNCTION if words["name"] == CONTACT_KERNEL else LOOP_BODY
    if words["architecture"]:
        code = cuda_code(loop, words["architecture"])
    else:
        # A world by itself waits for its kernel longer than for its steps, unless it has many bodies
        crowded = any(isinstance(value, dict) and value["crowds"] for value in words["templates"])
        code = machine_code(loop, words["lanes"] > 1, function, quickly=words["lanes"] == 1 and not crowded)
    header = {"arguments": arguments, "block": threads_of_block(loop), "request": words, "sources": sources()}
    Path("part").write_bytes(json.dumps(header).encode() + b"\n" + code)
    Path("part").rename("kernel")


def _trace(words: dict[str, Any]) -> None:
    """Have Taichi trace a kernel and write its parts for LLVM, beside the kinds of its arguments."""
    device = Device("cpu", words["lanes"], not words["architecture"], words["bits"], 1, compiled=True)
    templates = [Features(**value) if isinstance(value, dict) else value for value in words["templates"]]
    start_taichi("cpu", offline_cache=False, num_compile_threads=1, **dict.fromkeys(IDLE_PASSES, False))
    with compiler_options(device), functions_in_blocks():
        kernel = getattr(load_physics(device, words["file"]), words["name"])._primal
        arguments = [_describe(argument.name, argument.annotation) for argument in kernel.arguments]
        Path(KINDS).write_text(json.dumps([each for each in arguments if each[1] != "template"]))
        _compile(kernel, [templates.pop(0) if kind == "template" else _dummy(kind) for _, kind in arguments])


def _describe(name: str, annotation: Any) -> tuple[str, str]:
    """Return the name of a kernel's argument and its kind: template | f4 i4 … | an array "axes lanes number"."""
    import taichi as ti

    if isinstance(annotation, ti.template) or annotation is ti.template:
        return name, "template"
    numbers = {ti.i32: "i4", ti.f32: "f4", ti.f64: "f8"}
    if annotation in (ti.i32, ti.f32, ti.f64):
        return name, numbers[annotation]
    number, lanes = annotation.dtype, 1
    if number not in numbers:
        number, lanes = number.dtype, number.n
    return name, f"{annotation.ndim} {lanes} {numbers[number]}"


def _dummy(kind: str) -> Any:
    """Return an argument of a kind."""
    import numpy as np

    if " " not in kind:
        return 0 if kind == "i4" else 0.0
    axes, lanes, number = kind.split()
    shape = (1,) * int(axes) + ((int(lanes),) if lanes != "1" else ())
    return np.zeros(shape, number)


def _compile(kernel: Any, arguments: list) -> None:
    """Have Taichi compile a kernel, and write the representation of each of its parts to the working folder."""
    program = running_program()
    config = program.config()
    config.print_kernel_llvm_ir = True
    key = kernel.ensure_compiled(*arguments)
    program.compile_kernel(config, program.get_device_caps(), kernel.compiled_kernels[key])
