"""Arrays of others: NumPy's, PyTorch's, and whatever speaks DLPack, where the simulation runs."""

import sys

import numpy as np

from .device import Device

HOST, CUDA = (1, 0), (2, 0)
"""DLPack's type and number of the host, and of the GPU that Taichi runs on: always the first that the process sees."""

TAICHI_STREAM = 1
"""DLPack's number of the stream on which Taichi's kernels run, CUDA's legacy default stream."""


def as_device_array(array, what: str, shape: tuple[int, ...], device: Device, written: bool = False):
    """The array as what a buffer takes: NumPy's on the host, on CUDA also PyTorch's; its numbers are not copied.

    Args:
        array: from NumPy, or with `__dlpack__`.
        what: what it is, for messages.
        shape: that it must have.
        device: where the simulation runs; an array elsewhere is refused, except NumPy's.
        written: whether it will be written to.

    Raises:
        TypeError: it is no such array, or not of the simulation's precision.
        ValueError: its shape, its device or its layout is another one.
    """
    wanted = f"{'×'.join(map(str, shape))} numbers of float{device.bits} on {device.name}"
    if isinstance(array, np.ndarray):
        seen = array
    elif not hasattr(array, "__dlpack__"):
        raise TypeError(f"{what}: {type(array).__name__} is no array; give {wanted}, from NumPy or by DLPack")
    elif (there := tuple(map(int, array.__dlpack_device__()))) != (here := CUDA if device.name == "cuda" else HOST):
        raise ValueError(f"{what}: is on DLPack device {there}, not {here}; give {wanted}")
    else:
        seen = _on_host(array) if device.name != "cuda" else _on_cuda(array, what)
    if str(seen.dtype).rpartition(".")[2] != f"float{device.bits}":
        raise TypeError(f"{what}: is of {seen.dtype}; give {wanted}")
    if tuple(seen.shape) != shape:
        raise ValueError(f"{what}: has shape {tuple(seen.shape)}; give {wanted}")
    if written and isinstance(array, np.ndarray) and not array.flags.writeable:
        raise ValueError(f"{what}: is read-only; give {wanted} that can be written")
    if not (seen.flags.c_contiguous or not written if isinstance(seen, np.ndarray) else seen.is_contiguous()):
        raise ValueError(f"{what}: does not lie in one piece; give {wanted}, contiguous")
    return seen


def _on_host(array) -> np.ndarray:
    """NumPy's view of an array on the host, which may be written: old DLPack cannot say so, and NumPy assumes not."""
    seen = np.from_dlpack(array)
    return seen if seen.flags.writeable else np.asarray(_Lent(seen))


class _Lent:
    """The memory of an array, for writing."""

    def __init__(self, array: np.ndarray):
        self._array = array
        address, _ = array.__array_interface__["data"]
        self.__array_interface__ = array.__array_interface__ | {"data": (address, False)}


def _on_cuda(array, what: str):
    """PyTorch's view of an array on CUDA: what Taichi takes there. PyTorch's own stream waits for its producer's."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(array, torch.Tensor):
        return array.detach()
    try:
        import torch
    except ImportError:
        raise TypeError(f"{what}: on CUDA only PyTorch's tensors can be used; install torch, or give NumPy's") from None
    return torch.from_dlpack(array)


def order(array) -> None:
    """Have Taichi's stream wait for what the producer of an adopted tensor has under way on its current stream."""
    array.__dlpack__(stream=TAICHI_STREAM)


def clip(array, bound: float):
    """The array with its numbers held between ± bound."""
    return np.clip(array, -bound, bound) if isinstance(array, np.ndarray) else array.clamp(-bound, bound)


def on_host(array) -> np.ndarray:
    """The numbers of an adopted array as NumPy's."""
    return array if isinstance(array, np.ndarray) else array.cpu().numpy()


def copy(numbers: np.ndarray, array) -> None:
    """Write numbers of the host into an adopted array."""
    if isinstance(array, np.ndarray):
        array[...] = numbers
    else:
        array.copy_(array.new_tensor(numbers))
