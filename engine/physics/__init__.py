"""The laws of the step, one a file, over the lane type `Real`.

This folder is loaded once for each lane type (`fajin.device.laws`): `LANES` worlds of `BITS`-bit floats side by side.
"""

LANES = 1
BITS = 32
