"""Start Taichi, and have it compile the physics over a lane type.

Nothing else starts Taichi. A process has one Taichi runtime: one that is already started is used as it is.
"""

import contextlib
import importlib
import importlib.util
import io
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from ..tables.bundles import BUNDLE_LANES
from .debug_mode import DEBUG_OPTIONS, debugging
from .device import BACKENDS, Device, DeviceError
from .float_environment import kept_float_environment
from .kernel_cache import CACHE_OPTIONS, prepare_kernel_cache, take_turns_in_cache
from .taichi_patches import fast_imports, fast_tracing, patches_apply
from .window_library import provide_window_library

os.environ.setdefault("ENABLE_TAICHI_HEADER_PRINT", "0")  # no banner
os.environ.setdefault("TI_SKIP_VERSION_CHECK", "ON")  # it phones home
provide_window_library()

MOST_THREADS = 4096
"""More CPU threads no machine has; Taichi would start them all."""

THREADS = "TI_CPU_MAX_NUM_THREADS"
"""Taichi's own setting."""


def start_taichi(name: str, **options: Any) -> str:
    """Start Taichi on a backend (cpu | cuda | vulkan), with more arguments of `ti.init`, and return the backend's name.

    Raises:
        DeviceError: no such backend here, or this process runs Taichi on another one.
    """
    check_surroundings()
    take_turns_in_cache()
    with fast_imports():
        import taichi as ti
        import taichi.lang.matrix_ops  # which Taichi else does when it traces

    if _forked:
        raise DeviceError(
            f"device {name}: must not be used in a fork of a process that runs Taichi; "
            "start processes with multiprocessing.get_context('spawn')"
        )
    running = running_backend()
    if running:
        if name != running:
            raise DeviceError(f"device {name}: this process already runs Taichi on {running}; use it or a new process")
        return running
    options = {**CACHE_OPTIONS, **(DEBUG_OPTIONS if debugging() else {}), **options}
    with contextlib.redirect_stdout(io.StringIO()), kept_float_environment():
        try:
            ti.init(
                arch=getattr(ti, name),
                enable_fallback=False,
                log_level="critical",  # it prints what it raises
                make_cpu_multithreading_loop=False,
                **options,
            )
        except RuntimeError as error:
            raise DeviceError(f"device {name}: Taichi finds none here; --device cpu runs everywhere") from error
    ti.set_logging_level(ti.ERROR)
    return name


def running_backend() -> str:
    """Return the backend that Taichi runs on in this process; "" if it does not run."""
    taichi = sys.modules.get("taichi")
    program = taichi.lang.impl.get_runtime().prog if taichi is not None else None
    if program is None:
        return ""
    backend = str(program.config().arch).rsplit(".", 1)[-1]
    return backend if backend in BACKENDS else "cpu"


def running_program() -> Any:
    """Return Taichi's program, which runs in this process."""
    from taichi.lang import impl

    program = impl.get_runtime().prog
    assert program is not None  # `start` made the device
    return program


def built_backends() -> set[str]:
    """Return the backends beside the CPU that Taichi is built for, and finds a loader for."""
    prepare_kernel_cache()
    import taichi as ti
    from taichi._lib import core

    ti.set_logging_level(ti.ERROR)  # a missing driver is a result here, not a warning
    return {name for name, found in (("cuda", core.with_cuda()), ("vulkan", core.with_vulkan())) if found}


def load_runtime() -> None:
    """Have Taichi load its runtime now, in this thread."""
    from taichi.lang import impl

    impl.get_runtime().materialize()


@contextlib.contextmanager
def silent_taichi() -> Iterator[None]:
    """Let Taichi not print what it raises."""
    import taichi as ti

    ti.set_logging_level(ti.CRITICAL)
    try:
        yield
    finally:
        ti.set_logging_level(ti.ERROR)


_forked = False


def _note_fork() -> None:
    """Note in a child whether its parent ran Taichi: kernels of the child would wait for threads that it lacks."""
    global _forked
    _forked = bool(running_backend())


def forget_in_forks(forget: Callable[[], object]) -> None:
    """Call a function in every fork of this process, where the platform has forks."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=forget)


forget_in_forks(_note_fork)


def check_surroundings() -> None:
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


@cache
def load_physics(device: Device, file: str) -> ModuleType:
    """Return a file of `fajin.physics` over the device's lane type, whose kernels Taichi compiles in this process.

    The folder is loaded once for each lane type.
    """
    if not running_backend():
        start_taichi(device.name)
    return import_physics(device, file)


@cache
def import_physics(device: Device, file: str) -> ModuleType:
    """Return a file of `fajin.physics` over the device's lane type; Taichi need not run yet."""
    house, folder = __name__.rsplit(".", 2)[0], Path(__file__).parents[1] / "physics"
    name = f"{house}.physics_f{device.bits}x{device.lanes}{'' if device.packed else '_tiles'}"
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
        vars(package).update(LANES=device.lanes, BITS=device.bits, TILE=device.tile // device.lanes, SEPARATE=separate)
        if device.lanes > 1:
            vars(package).update(SCALAR=import_physics(replace(device, lanes=1), "lanes").__package__)
        elif device.bundles:
            vars(package).update(BUNDLE=import_physics(replace(device, lanes=BUNDLE_LANES), "lanes").__package__)
    with fast_imports():
        return importlib.import_module(f"{name}.{file}")


@contextlib.contextmanager
def compiler_options(device: Device) -> Iterator[None]:
    """Set what a kernel's first call must find: packs kept whole, number literals in the device's precision."""
    import taichi as ti
    from taichi.lang import impl

    runtime, config = impl.get_runtime(), running_program().config()
    whole = device.lanes > 1 or device.bundles
    config.real_matrix_scalarize, scalarize = not whole, config.real_matrix_scalarize
    config.advanced_optimization, advanced = False, config.advanced_optimization  # LLVM does the same, faster
    # No reordering and no fused multiply-add: every lane type gives the same bits, for a twentieth of the speed. Not in
    # Taichi's own code for CUDA, which is all unsafe-fp-math and flushes denormals; `cuda_code` writes other code.
    config.fast_math, fast = False, config.fast_math
    runtime.default_fp, literals = ti.f64 if device.bits == 64 else ti.f32, runtime.default_fp
    try:
        with fast_tracing():
            yield
    finally:
        config.real_matrix_scalarize, runtime.default_fp = scalarize, literals
        config.advanced_optimization, config.fast_math = advanced, fast
