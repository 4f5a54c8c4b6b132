"""The laws of the step, one a file, over the lane type `Real`.

This folder is loaded once for each lane type (`fajin.device.laws`): `LANES` worlds of
`BITS`-bit floats side by side, the rows of each such pack together (`PACKED`) or each row of all worlds together.
"""

LANES = 1
BITS = 32
PACKED = False
