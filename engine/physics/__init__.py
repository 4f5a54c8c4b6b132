"""Laws of the step, one per file, over the lane type `Real`.

This folder is loaded once per lane type (`fajin.device.load_physics`): `LANES` worlds of `BITS`-bit floats side
by side, with the rows of each such pack together (`PACKED`) or each row of all worlds together.
"""

LANES = 1
BITS = 32
PACKED = False
SEPARATE = False
"""True where `contact_function` is compiled by itself, which Taichi can do in packed kernels."""
SCALAR = ""
"""Package of the same precision in which a lane stands by itself; "" for this one."""


def package_of_single_lanes() -> str:
    """Return the package of the same precision in which a lane stands by itself."""
    return SCALAR or __name__
