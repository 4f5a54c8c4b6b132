"""Reciprocals of 12 bits, as the instruction RCPPS computes them on processors of AMD: see `geometry.reciprocals`.

With x = ±(1 + i / 16 + j / 256 + k / 4096 + rest) 2^e, and i, j, k below 16:

    1 / x ~ ±(COARSE[i, j] − FINE[i, k]) 2^(−13 − e)
"""

import taichi as ti

SUM_OF_EXPONENTS = 254
"""Sum of the exponents of powers of two x and 1 / x, as single precision stores them."""


@ti.func
def fast_reciprocal(w: ti.template(), x):
    """Return an approximate reciprocal of a number that is not 0, within a share of 3.2e-4."""
    bits = ti.bit_cast(ti.cast(ti.abs(x), ti.f32), ti.i32)
    row, column, rest = (bits >> 19) & 15, (bits >> 15) & 15, (bits >> 11) & 15
    number = w.reciprocal[row * 16 + column].coarse - w.reciprocal[row * 16 + rest].fine
    power = ti.bit_cast((SUM_OF_EXPONENTS - (bits >> 23)) << 23, ti.f32)
    return ti.select(x < 0.0, -1.0, 1.0) * (number * power / 8192.0)
