"""A plugin of pytest that sends every simulation to CUDA, whatever device a test names: `pytest -p on_cuda`."""

from fajin import device as devices

start = devices.start


def start_on_cuda(
    name: str = "auto", precision: str = "f32", threads: int = 0, worlds: int = 1, model: object = None
) -> devices.Device:
    """Start Taichi on CUDA."""
    return start("cuda", precision, threads, worlds)


devices.start = devices.start_device.start = start_on_cuda
