"""Start Taichi and choose the device of a simulation: CUDA, Vulkan or CPU, packs or single lanes.

Nothing else starts Taichi. A process has one Taichi runtime: one that is already started is used as it is.
"""

import contextlib
import importlib
import importlib.util
import io
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

from ..errors import whole
from . import cuda_driver
from .debug_mode import DEBUG_OPTIONS, debugging
from .kernel_cache import CACHE_OPTIONS, cache_home, prepare_kernel_cache, take_turns_in_cache
from .llvm_options import set_llvm_options
from .machine_code import runs_machine_code
from .names import BACKENDS, CPU_LANES, DEVICES, PRECISIONS
from .taichi_patches import fast_imports, fast_tracing, patches_apply

os.environ.setdefault("ENABLE_TAICHI_HEADER_PRINT", "0")  # no banner
os.environ.setdefault("TI_SKIP_VERSION_CHECK", "ON")  # it phones home

PACK = {32: 16, 64: 8}
"""Worlds in a pack, by the bits of a float: one AVX-512 register."""


MOST_THREADS = 4096
"""More CPU threads no machine has; Taichi would start them all."""

THREADS = "TI_CPU_MAX_NUM_THREADS"
"""Taichi's own setting."""


class DeviceError(RuntimeError):
    """The device asked for is not there; the message says what is."""


@dataclass(frozen=True)
class Device:
    """A started backend."""

    name: str  # cpu | cuda | vulkan
    lanes: int  # worlds in a pack, 1 on a GPU
    packed: bool  # whether the rows of a pack lie together (CPU), or a row of all worlds does (GPU)
    bits: int  # 32 | 64
    workers: int  # CPU tasks at once; 0 on a GPU: one a world
    compiled: bool = False  # whether kernels run as machine code from a file, without Taichi


def start(name: str = "auto", precision: str = "f32", threads: int = 0, worlds: int = 1) -> Device:
    """Start Taichi, or join the runtime that is there.

    Worlds that do not outnumber the threads run one by one, which is faster than one pack with idle lanes; the bits
    are the same.

    Args:
        name: auto (CUDA if there is one, else CPU) | cpu | cuda | vulkan; cpu-lanes is the GPU's path on the CPU.
        precision: f32 | f64
        threads: CPU threads at once, 0 for all cores.
        worlds: how many worlds will run.

    Raises:
        DeviceError: no such device here, or another one is already in use in this process.
        ValueError: no such name, precision or number of threads.
        TypeError: the number of threads must be whole.
    """
    if name not in (*DEVICES, CPU_LANES):
        raise ValueError(f"device {name!r}: one of {', '.join(DEVICES)}")
    if precision not in PRECISIONS:
        raise ValueError(f"precision {precision!r}: one of {', '.join(PRECISIONS)}")
    threads = whole("threads", threads, 0, MOST_THREADS)
    bits = int(precision[1:])
    compiled = runs_machine_code() and not debugging() and _chooses_cpu(name)
    if compiled:
        _check_surroundings()
    backend = "cpu" if compiled else start_taichi(name.removesuffix("-lanes"))
    if backend != "cpu":
        return Device(backend, 1, False, bits, 0)
    workers = threads or os.cpu_count() or 1
    if name == CPU_LANES:
        return Device("cpu", 1, False, bits, workers)
    single = worlds <= workers or debugging() or not supports_packs()
    return Device("cpu", 1 if single else PACK[bits], True, bits, workers, compiled)


def _chooses_cpu(name: str) -> bool:
    """Return whether a device is the CPU, without starting Taichi; not the path of a GPU on the CPU."""
    if name != "auto":
        return name == "cpu"
    return (_running() or ("cuda" if cuda_driver.names() else "cpu")) == "cpu"


def _running() -> str:
    """Return the backend that Taichi runs on in this process; "" if it does not run."""
    taichi = sys.modules.get("taichi")
    program = taichi.lang.impl.get_runtime().prog if taichi is not None else None
    if program is None:
        return ""
    backend = str(program.config().arch).rsplit(".", 1)[-1]
    return backend if backend in BACKENDS else "cpu"


def start_taichi(name: str, **options: Any) -> str:
    """Start Taichi on a backend, with more arguments of `ti.init`, and return the backend's name."""
    _check_surroundings()
    take_turns_in_cache()
    with fast_imports():
        import taichi as ti
        import taichi.lang.matrix_ops  # which Taichi else does when it traces

    if _forked:
        raise DeviceError(
            f"device {name}: must not be used in a fork of a process that runs Taichi; "
            "start processes with multiprocessing.get_context('spawn')"
        )
    running = _running()
    if running:
        if name not in ("auto", running):
            raise DeviceError(f"device {name}: this process already runs Taichi on {running}; use it or a new process")
        return running
    wanted = ("cuda", "cpu") if name == "auto" else (name,)
    options = {**CACHE_OPTIONS, **(DEBUG_OPTIONS if debugging() else {}), **options}
    for choice in wanted:
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                ti.init(
                    arch=getattr(ti, choice),
                    enable_fallback=False,
                    log_level="error",
                    make_cpu_multithreading_loop=False,
                    **options,
                )
            except RuntimeError:
                continue
        if choice == "cpu":
            set_llvm_options()
        return choice
    raise DeviceError(f"device {name}: Taichi finds none here; --device cpu runs everywhere")


def running_or_cpu() -> str:
    """Return the name of a device for work that does not choose one: that which runs in this process, else the CPU."""
    return "auto" if _running() else "cpu"


_forked = False


def _note_fork() -> None:
    """Note in a child whether its parent ran Taichi: kernels of the child would wait for threads that it lacks."""
    global _forked
    _forked = bool(_running())


def forget_in_forks(forget: Callable[[], object]) -> None:
    """Call a function in every fork of this process, where the platform has forks."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=forget)


forget_in_forks(_note_fork)


def _check_surroundings() -> None:
    """Raise DeviceError for what makes Taichi abort the process, as far as that cannot be mended."""
    cores = os.environ.get(THREADS, "")
    if cores and not (cores.isdecimal() and 1 <= int(cores) <= MOST_THREADS):
        raise DeviceError(
            f"{THREADS} = {cores}: must be a whole number from 1 to {MOST_THREADS}; unset it for all cores"
        )
    try:
        prepare_kernel_cache()
    except OSError as error:
        raise DeviceError(
            f"no folder for temporary files takes compiled kernels: {error.strerror}; set TMPDIR"
        ) from None


def supports_packs() -> bool:
    """Return whether this machine runs packs.

    A failure aborts the process, so a child tries once and the answer is kept.
    """
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return False
    verdict = capability_cache() / f"packs-taichi-{version('taichi')}-{platform.node()}"
    with contextlib.suppress(OSError):
        return verdict.read_text() == "yes"
    trial = subprocess.run(
        [sys.executable, "-c", f"from {__name__} import probe_packs; probe_packs()"], capture_output=True, check=False
    )
    works = trial.returncode == 0
    with contextlib.suppress(OSError):  # a cache that cannot be written costs a second the next time
        verdict.parent.mkdir(parents=True, exist_ok=True)
        verdict.write_text("yes" if works else "no")
    return works


def capability_cache() -> Path:
    """The folder that keeps what was found out of this machine."""
    return cache_home() / "fajin"


def probe_packs() -> None:
    """Compile and run a kernel over packs; the process dies where packs do not work."""
    prepare_kernel_cache()
    import taichi as ti

    options: dict[str, Any] = CACHE_OPTIONS
    ti.init(arch=ti.cpu, log_level="error", real_matrix_scalarize=False, offline_cache=False, **options)
    pack = ti.types.vector(PACK[32], ti.f32)

    @ti.kernel
    def trial(x: ti.types.ndarray(pack, 1)):  # pyright: ignore[reportInvalidTypeForm]  # Taichi reads it as an object
        for i in range(1):
            x[i] = ti.select((x[i] < 1.0) | (x[i] > 2.0), ti.sqrt(ti.max(x[i], 4.0)), 0.0 - ti.floor(x[i]))

    x = ti.ndarray(pack, 1)
    trial(x)
    if x.to_numpy().min() != 2.0:
        raise SystemExit(1)


def warm_up(name: str, precision: str, threads: int, worlds: int = 1) -> None:
    """Load what kernels need, while another process does something else; arguments are those of `start`.

    Raises:
        DeviceError, ValueError, TypeError: as of `start`.
    """
    device = start(name, precision, threads, worlds)
    if not device.compiled:
        load_physics(device, "kernels")


@cache
def load_physics(device: Device, file: str) -> ModuleType:
    """Return a file of `fajin.physics` over the device's lane type, whose kernels Taichi compiles in this process.

    The folder is loaded once for each lane type.
    """
    if not _running():
        start_taichi(device.name)
    house, folder = __name__.rsplit(".", 2)[0], Path(__file__).parents[1] / "physics"
    name = f"{house}.physics_f{device.bits}x{device.lanes}{'' if device.packed else '_rows'}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            name, folder / "__init__.py", submodule_search_locations=[str(folder)]
        )
        if spec is None or spec.loader is None:
            raise ImportError(f"{folder}: has no package; install fajin again")
        package = importlib.util.module_from_spec(spec)
        sys.modules[name] = package
        spec.loader.exec_module(package)
        separate = device.packed and patches_apply()
        vars(package).update(LANES=device.lanes, BITS=device.bits, PACKED=device.packed, SEPARATE=separate)
        if device.lanes > 1:
            vars(package).update(SCALAR=load_physics(replace(device, lanes=1), "lanes").__package__)
    with fast_imports():
        return importlib.import_module(f"{name}.{file}")


@contextlib.contextmanager
def compiler_options(device: Device) -> Iterator[None]:
    """Set what a kernel's first call must find: packs kept whole, number literals in the device's precision."""
    import taichi as ti
    from taichi.lang import impl

    runtime = impl.get_runtime()
    assert runtime.prog is not None  # `start` made the device
    config = runtime.prog.config()
    config.real_matrix_scalarize, scalarize = device.lanes == 1, config.real_matrix_scalarize
    config.advanced_optimization, advanced = False, config.advanced_optimization  # LLVM does the same, faster
    # No reordering and no fused multiply-add: every lane type gives the same bits, for a twentieth of the speed. Not on
    # CUDA: Taichi marks all code there as unsafe-fp-math and flushes denormals, so it agrees with a CPU to round-off.
    config.fast_math, fast = False, config.fast_math
    runtime.default_fp, literals = ti.f64 if device.bits == 64 else ti.f32, runtime.default_fp
    try:
        with fast_tracing():
            yield
    finally:
        config.real_matrix_scalarize, runtime.default_fp = scalarize, literals
        config.advanced_optimization, config.fast_math = advanced, fast
