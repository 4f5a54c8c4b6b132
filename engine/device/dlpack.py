"""Exchange of arrays with NumPy, PyTorch and DLPack producers on the simulation's device."""

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Protocol, TypeAlias, cast, overload

import numpy as np

from ..compiler.device import Device
from ..tables.layout import INFINITE
from . import cuda_driver

HOST, CUDA = (1, 0), (2, 0)
"""DLPack device types and ids of the host and of Taichi's GPU, always the first visible to the process."""

TAICHI_STREAM = 1
"""DLPack's number of the stream of Taichi's kernels, CUDA's legacy default stream."""


class DeviceArray(Protocol):
    """A DLPack producer: a NumPy array, a PyTorch tensor or another array."""

    def __dlpack__(self, *, stream: int | None = None) -> Any:
        """Return a capsule with the memory."""
        ...

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return device type and id."""
        ...


class Tensor(DeviceArray, Protocol):
    """A PyTorch tensor, as far as fajin uses it."""

    @property
    def shape(self) -> Sequence[int]: ...
    @property
    def dtype(self) -> object: ...
    @property
    def device(self) -> object: ...
    def data_ptr(self) -> int: ...
    def __len__(self) -> int: ...
    def reshape(self, *shape: int) -> "Tensor": ...
    def min(self) -> "Tensor": ...
    def max(self) -> "Tensor": ...
    def __float__(self) -> float: ...
    def __getitem__(self, key: Any, /) -> "Tensor": ...
    def is_contiguous(self) -> bool: ...
    def __setitem__(self, key: Any, value: Any, /) -> None: ...
    def __mul__(self, other: "Tensor", /) -> "Tensor": ...
    def __ge__(self, other: float, /) -> "Tensor": ...
    def abs(self) -> "Tensor": ...
    def to(self, dtype: object, /) -> "Tensor": ...
    def where(self, condition: "Tensor", other: "Tensor", /) -> "Tensor": ...
    def clamp(self, min: float, max: float) -> "Tensor": ...
    def cpu(self) -> "Tensor": ...
    def numpy(self) -> np.ndarray: ...
    def detach(self) -> "Tensor": ...
    def new_tensor(self, data: np.ndarray) -> "Tensor": ...
    def copy_(self, src: "Tensor") -> "Tensor": ...


Adopted: TypeAlias = np.ndarray | Tensor
"""An array in the form that a buffer accepts."""


def as_device_array(
    array: DeviceArray, what: str, shape: tuple[int, ...], device: Device, written: bool = False
) -> Adopted:
    """Return the array in the form that a buffer accepts, without a copy: NumPy on the host, PyTorch on CUDA.

    A NumPy array is accepted for every device.

    Args:
        array: NumPy array, or object with `__dlpack__`.
        what: name of the array, for messages.
        shape: required shape.
        device: device of the simulation; other devices are refused, except for NumPy arrays.
        written: whether the array will be written.

    Raises:
        TypeError: not an array, or not of the simulation's precision.
        ValueError: wrong shape, device or memory layout.
    """
    wanted = f"{'×'.join(map(str, shape))} numbers of float{device.bits} on {device.name}"
    if isinstance(array, np.ndarray):
        seen = array
    elif not hasattr(array, "__dlpack__"):
        raise TypeError(f"{what} = {type(array).__name__}: must be {wanted}; pass a NumPy or DLPack array")
    elif (there := tuple(map(int, array.__dlpack_device__()))) != (here := CUDA if device.name == "cuda" else HOST):
        raise ValueError(f"{what}: is on DLPack device {there}, must be on {here}; pass {wanted}")
    else:
        seen = _on_host(array) if device.name != "cuda" else _on_cuda(array, what)
    if str(seen.dtype).rpartition(".")[2] != f"float{device.bits}":
        raise TypeError(f"{what}: has dtype {seen.dtype}; pass {wanted}")
    if tuple(seen.shape) != shape:
        raise ValueError(f"{what}: has shape {tuple(seen.shape)}; pass {wanted}")
    if written and isinstance(array, np.ndarray) and not array.flags.writeable:
        raise ValueError(f"{what}: is read-only; pass {wanted}, writable")
    if not (seen.flags.c_contiguous or not written if isinstance(seen, np.ndarray) else seen.is_contiguous()):
        raise ValueError(f"{what}: is not contiguous; pass {wanted}, contiguous")
    return seen


def _on_host(array: DeviceArray) -> np.ndarray:
    """Return a writable NumPy view of an array on the host; old DLPack versions have no read-only flag."""
    seen = np.from_dlpack(array)
    return seen if seen.flags.writeable else np.asarray(_Lent(seen))


class _Lent:
    """The memory of an array, exposed as writable."""

    def __init__(self, array: np.ndarray):
        self._array = array
        address, _ = array.__array_interface__["data"]
        self.__array_interface__ = array.__array_interface__ | {"data": (address, False)}


def _on_cuda(array: DeviceArray, what: str) -> Tensor:
    """Return the PyTorch tensor of an array on CUDA. PyTorch's current stream waits for the producer's stream."""
    torch: Any = sys.modules.get("torch")
    if torch is not None and isinstance(array, torch.Tensor):
        return cast(Tensor, array).detach()
    try:
        torch = import_module("torch")  # not one of fajin's dependencies: whoever has its arrays has it
    except ImportError:
        raise TypeError(f"{what}: on CUDA must be a PyTorch tensor; install torch, or pass a NumPy array") from None
    return torch.from_dlpack(array)


def wait_for_producer(array: Tensor) -> None:
    """Make Taichi's stream wait for pending work on PyTorch's current stream; the host does not wait."""
    array.__dlpack__(stream=TAICHI_STREAM)


def let_wait(array: Tensor) -> None:
    """Make PyTorch's current stream wait for pending work on Taichi's stream, by an event; the host does not wait.

    By default it is that stream.
    """
    stream = sys.modules["torch"].cuda.current_stream(array.device).cuda_stream
    if stream:
        cuda_driver.order_streams(stream)


def clip(array: Adopted, bound: float) -> Adopted:
    """Return the array clipped to ± bound."""
    return np.clip(array, -bound, bound) if isinstance(array, np.ndarray) else array.clamp(-bound, bound)


@overload
def scaled(array: np.ndarray, factors: np.ndarray) -> np.ndarray: ...
@overload
def scaled(array: Adopted, factors: np.ndarray) -> Adopted: ...
def scaled(array: Adopted, factors: np.ndarray) -> Adopted:
    """Return an array, (..., rows), times the factors of its rows; what stands for an infinite number stays."""
    if isinstance(array, np.ndarray):
        return np.where(np.abs(array) < INFINITE, array * factors, array).astype(array.dtype)
    return array.where(array.abs() >= INFINITE, (array * array.new_tensor(factors)).to(array.dtype))


def on_host(array: Adopted) -> np.ndarray:
    """Return the values of an adopted array as a NumPy array."""
    return array if isinstance(array, np.ndarray) else array.cpu().numpy()


def copy(numbers: np.ndarray, array: Adopted) -> None:
    """Write host values into an adopted array."""
    if isinstance(array, np.ndarray):
        array[...] = numbers
    else:
        array.copy_(array.new_tensor(numbers))
