"""The device that kernels are compiled for: backend, lanes and precision."""

from dataclasses import dataclass

BACKENDS = ("cpu", "cuda", "vulkan")
"""Backends of Taichi that fajin runs on."""

PACK = {32: 16, 64: 8}
"""Worlds in a pack, by the bits of a float: one AVX-512 register."""

WARP = 32
"""Threads of a GPU that execute together."""


class DeviceError(RuntimeError):
    """Raised where a device is not available; the message gives the fix."""


@dataclass(frozen=True)
class Device:
    """A started backend."""

    name: str  # cpu | cuda | vulkan
    lanes: int  # worlds in a pack, 1 on a GPU
    packed: bool  # whether a pack is the element of an array (CPU), or a number of one world (GPU)
    bits: int  # 32 | 64
    workers: int  # CPU tasks at once; 0 on a GPU: one per world
    compiled: bool = False  # whether kernels run as machine code or PTX from a file, without Taichi

    @property
    def single(self) -> bool:
        """Whether worlds run one by one on a CPU."""
        return self.packed and self.lanes == 1

    @property
    def bundles(self) -> bool:
        """Whether pairs of bodies of one world can be solved at once in the lanes of a vector."""
        return self.single and self.compiled

    @property
    def tile(self) -> int:
        """Number of worlds that lie side by side, row after row: those of a pack, or of the threads of a warp."""
        return self.lanes if self.packed else WARP
