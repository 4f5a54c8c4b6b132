"""Names of devices and precisions."""

BACKENDS = ("cpu", "cuda", "vulkan")
"""Backends of Taichi that fajin runs on."""

DEVICES = ("auto", *BACKENDS)
"""Devices of a simulation; auto is CUDA if there is one, else the CPU."""

CPU_LANES = "cpu-lanes"
"""The code path of a GPU on the CPU, for tests and benchmarks."""

PRECISIONS = ("f32", "f64")
"""Floating-point precisions of a simulation."""
