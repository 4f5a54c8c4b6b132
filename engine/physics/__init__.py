"""Laws of the step, one per file, over the lane type `Real`.

This folder is loaded once per lane type (`fajin.compiler.load_physics`): `LANES` worlds of `BITS`-bit floats side
by side. The worlds of a tile lie side by side, row after row: element (row, world) has the number
(tile · rows + row) · TILE + lane. A pack is a tile of one element.

Lengths are in stage units, as in PhysX: [m] in this folder names the dimension, and `param.metre` is a metre.
"""

LANES = 1
BITS = 32
TILE = 1
"""Elements of a row of a tile: 1 where the worlds of a tile are one pack, else one for each world."""
SEPARATE = False
"""True where `contact_function` is compiled by itself, which Taichi can do in packed kernels."""
SCALAR = ""
"""Package of the same precision in which a lane stands by itself; "" for this one."""

BUNDLE = ""
"""Package of the same precision whose lanes are pairs of one world; "" where pairs are solved one by one."""


def package_of_single_lanes() -> str:
    """Return the package of the same precision in which a lane stands by itself."""
    return SCALAR or __name__
