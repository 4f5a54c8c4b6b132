"""Laws of the step, one per file, over the lane type `Real`.

This folder is loaded once per lane type (`fajin.device.device.load_physics`): `LANES` worlds of `BITS`-bit floats side
by side, with the rows of each such pack together (`PACKED`) or each row of all worlds together.
"""

LANES = 1
BITS = 32
PACKED = False
