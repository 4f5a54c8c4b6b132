"""Errors of CUDA in one line: what the driver refused, and what a kernel did before the call that failed."""

import ctypes
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ..compiler.device import DeviceError
from ..compiler.taichi_runtime import silent_taichi
from ..errors import reason_of
from .bounds import OutOfMemory
from .cuda_library import CudaFailure, call, context, start_failure

MEMORY = "CUDA_ERROR_OUT_OF_MEMORY"

OUTSIDE = "read or wrote outside its arrays"
FAULTS = {
    "CUDA_ERROR_ILLEGAL_ADDRESS": OUTSIDE,
    "CUDA_ERROR_LAUNCH_FAILED": OUTSIDE,
    "CUDA_ERROR_INVALID_ADDRESS_SPACE": OUTSIDE,
    "CUDA_ERROR_MISALIGNED_ADDRESS": "read or wrote an address that is not aligned",
    "CUDA_ERROR_LAUNCH_TIMEOUT": "took longer than the GPU's display allows",
    "CUDA_ERROR_ILLEGAL_INSTRUCTION": "had an instruction that the GPU does not know",
    "CUDA_ERROR_INVALID_PC": "left its code",
    "CUDA_ERROR_HARDWARE_STACK_ERROR": "left its stack",
    "CUDA_ERROR_ECC_UNCORRECTABLE": "met memory whose errors the GPU cannot correct",
}
"""Results that a call returns for what a kernel did before it; every later call of the process returns them, too."""

FIXES = {
    "CUDA_ERROR_NO_DEVICE": "see nvidia-smi and CUDA_VISIBLE_DEVICES",
    "CUDA_ERROR_STUB_LIBRARY": "remove the toolkit's folder stubs from LD_LIBRARY_PATH",
    "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH": "restart the machine, or install one version of driver and library",
    "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE": "remove the folder cuda/compat from the loader's path",
    "CUDA_ERROR_SYSTEM_NOT_READY": "start nvidia-fabricmanager",
    "CUDA_ERROR_NOT_INITIALIZED": "start processes with multiprocessing.get_context('spawn')",
}
"""Fixes of a driver that does not start, by the name of its error."""

_OF_TAICHI = re.compile(r"CUDA Error (\w+): (.*) while calling \w+ \((\w+)\)")


@contextmanager
def refusals(what: str, fix: str) -> Iterator[None]:
    """Raise DeviceError for a call of the driver that fails within, or OutOfMemory.

    Args:
        what: what the driver then refuses.
        fix: what the user can do about it.
    """
    try:
        yield
    except CudaFailure as failure:
        raise error_of(failure, what, fix) from None


@contextmanager
def taichi_refusals(what: str, fix: str) -> Iterator[None]:
    """Make Taichi's context current, and raise DeviceError for a call of Taichi's that fails within, as `refusals`."""
    with refusals(what, fix), context(), silent_taichi():
        try:
            yield
        except RuntimeError as error:
            failure = failure_of_taichi(error)
            if failure is None:
                raise
            raise failure from None


def failure_of_taichi(error: BaseException | None) -> CudaFailure | None:
    """Return the failed call of the driver that an error of Taichi's is about; None if it is about another matter."""
    found = _OF_TAICHI.search(str(error))
    return CudaFailure(found[3], 0, found[1], found[2]) if found else None


def error_of(failure: CudaFailure, what: str, fix: str) -> DeviceError:
    """Return the error of a call that failed; arguments as of `refusals`."""
    result = ", ".join(filter(None, (failure.name, str(failure.code or ""), f"in {failure.call}")))
    if failure.name in FAULTS:
        done = FAULTS[failure.name]
        return DeviceError(f"device cuda: a kernel before this call {done} ({result}); the process must end")
    if failure.name == MEMORY:
        return OutOfMemory(
            f"device cuda: {what} needs more memory than the GPU has{_free()} ({result}); use fewer worlds, or end "
            "other programs on the GPU"
        )
    if not failure.name:
        return DeviceError(f"device cuda: the driver lacks {failure.call}; update it")
    if failure.call == "cuInit":
        return DeviceError(f"device cuda: {failure_line(failure)}")
    about = f": {failure.text}" if failure.text else ""
    log = f", {reason_of(failure.log)}" if failure.log else ""
    return DeviceError(f"device cuda: the driver refuses {what} ({result}{about}{log}); {fix}")


def failure_line(failure: CudaFailure) -> str:
    """Return why the driver does not start, with the fix."""
    fix = FIXES.get(failure.name, "see nvidia-smi, and install the driver again")
    return f"the driver does not start ({failure.name}, {failure.code}: {failure.text or 'no description'}); {fix}"


def why_not_started() -> str:
    """Return why the driver does not start, with the fix; "" if it starts, or if there is none."""
    failure = start_failure()
    return "" if failure is None else failure_line(failure)


def is_broken() -> bool:
    """Return whether there is a driver that does not start, other than for want of a GPU."""
    failure = start_failure()
    return failure is not None and failure.name not in ("CUDA_ERROR_NO_DEVICE", "CUDA_ERROR_STUB_LIBRARY")


def _free() -> str:
    """Return the free memory for a message; "" if unknown."""
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    with suppress(CudaFailure), context():
        call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        return f", {free.value / 2**20:,.1f} MiB are free"
    return ""
