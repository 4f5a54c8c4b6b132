"""The lane type `Real`: a pack of worlds on a CPU, a single world on a GPU, and the operations that packs lack.

In a pack, unary minus, `-=`, `abs`, sine, casts and matrix products abort the process: their replacements are here.
No law branches on a lane's data; `ti.select` chooses, so no world affects its neighbours.

Scalars are Taichi's own. Everything made of several of them is a `Struct`: a Python object that lives while a kernel is
traced and costs the compiler one variable per part (a `ti.dataclass` costs it twelve, and compile time grows with the
square of that). `@traced` marks plain Python that runs at tracing.
"""

from operator import or_

import taichi as ti
from taichi.lang import impl
from taichi.lang.expr import Expr
from taichi.lang.matrix import make_matrix

from . import BITS, LANES

Float = ti.f64 if BITS == 64 else ti.f32
Real = ti.types.vector(LANES, Float) if LANES > 1 else Float
Array = ti.types.ndarray

TINY = 1e-300 if BITS == 64 else 1e-30

# Taylor coefficients of sine and cosine on ±π/4, to the last bit of each precision.
SINE = (-1 / 6, 1 / 120, -1 / 5040, 1 / 362880, -1 / 39916800, 1 / 6227020800, -1 / 1307674368000)
COSINE = (-1 / 2, 1 / 24, -1 / 720, 1 / 40320, -1 / 3628800, 1 / 479001600, -1 / 87178291200, 1 / 20922789888000)
SINE_TERMS, COSINE_TERMS = (7, 8) if BITS == 64 else (4, 5)
ARCTANGENT_TERMS = 11 if BITS == 64 else 5
HALF_PI, HALF_PI_LOW = 1.5703125, 4.8382679489661923e-4


def traced(function):
    """Mark plain Python that kernels may call while they are traced."""
    function._is_wrapped_kernel = True
    return function


@traced
def materialize(x):
    """Compute x once, here; an expression is otherwise computed at each of its uses."""
    if isinstance(x, Struct):
        x.load()
        return x
    return x if isinstance(x, int | float) else impl.expr_init(x)


@traced
def broadcast(x):
    """Spread a number over the lanes."""
    # A cast of a number would be folded, for which Taichi searches the kernel: a seventh of the time to compile.
    number = Expr(float(x), dtype=Float) if isinstance(x, int | float) else ti.cast(x, Float)
    return impl.expr_init(make_matrix([number] * LANES) if LANES > 1 else number)


@traced
def mask(holds):
    """Return a mask of all lanes, or of none."""
    return materialize(broadcast(holds) > 0.0)


@traced
def indicator(lanes):
    """Return 1 in the lanes of a mask, else 0."""
    return materialize(ti.select(lanes, broadcast(1.0), 0.0))


class Struct:
    """Group of numbers under one name. Assigning to an existing name writes into its variables, as with scalars."""

    _data_oriented = _is_wrapped_kernel = True
    parts: tuple[str, ...] = ()
    types: tuple[type | None, ...] = ()
    """Types of the parts, where not all of them are numbers (None)."""

    @staticmethod
    def hold(x):
        return broadcast(x) if isinstance(x, int | float) else materialize(x)

    def __init__(self, *values, **named):
        for name, value in zip(self.parts, values or [named.pop(part) for part in self.parts], strict=True):
            setattr(self, name, self.hold(value))
        if named:
            raise TypeError(f"{type(self).__name__} has no part {', '.join(named)}")

    def _assign(self, other) -> None:
        for name in self.parts:
            getattr(self, name)._assign(getattr(other, name))

    @classmethod
    def like(cls, *values):
        """Return a group of this type with other numbers."""
        return cls(*values)

    def load(self) -> None:
        """Load the numbers, if they are still in memory: see `stored.Stored`."""

    @traced
    def copy(self):
        """Return the same numbers in variables of their own."""
        values = (getattr(self, name) for name in self.parts)
        return self.like(*(value.copy() if isinstance(value, Struct) else value for value in values))


@traced
def absolute(x):
    """Return |x|, lane by lane."""
    x = materialize(x)
    return maximum(x, 0.0 - x)


class UniformStruct(Struct):
    """Group of numbers that all lanes share."""

    hold = staticmethod(impl.expr_init)


@traced
def minimum(x, y):
    """Return the lesser of two, lane by lane, in one instruction; Taichi's own `min` takes three because of NaN."""
    x, y = materialize(x), materialize(y)
    return ti.select(x < y, x, y)


@traced
def maximum(x, y):
    """Return the greater of two, lane by lane."""
    x, y = materialize(x), materialize(y)
    return ti.select(x > y, x, y)


@traced
def clamp(x, low, high):
    """Return x clamped to [low, high], lane by lane."""
    return minimum(maximum(x, low), high)


@traced
def fold_lanes(x, combine):
    """Combine the lanes of x to one number, half of them with the other half: LLVM keeps them in registers."""
    x = materialize(x)
    lanes = [impl.subscript(None, x, i) for i in range(LANES)] if LANES > 1 else [x]
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = [materialize(combine(a, b)) for a, b in zip(lanes[:half], lanes[half:], strict=True)]
    return materialize(lanes[0])


@traced
def lane_largest(x):
    """Return the largest number of the lanes."""
    return fold_lanes(x, ti.max)


@traced
def lane_least(x):
    """Return the least number of the lanes."""
    return materialize(0.0 - lane_largest(0.0 - x))


@traced
def any_lane(condition):
    """Return whether a condition holds in any lane."""
    # Integers, and a variable for each `or`: LLVM makes one test of all lanes of them.
    ones = materialize(make_matrix([Expr(1, dtype=ti.i32)] * LANES)) if LANES > 1 else 1
    return materialize(fold_lanes(ti.select(condition, ones, 0), or_) != 0)


@traced
def sin_cos_series(r):
    """Return sine and cosine of r [rad]: to the last bit for |r| ≤ π/4, to 4e-6 for |r| ≤ π/2."""
    r = materialize(r)
    r2 = materialize(r * r)
    s, c = r2 * SINE[SINE_TERMS - 1], r2 * COSINE[COSINE_TERMS - 1]
    for i in range(SINE_TERMS - 2, -1, -1):
        s = (s + SINE[i]) * r2
    for i in range(COSINE_TERMS - 2, -1, -1):
        c = (c + COSINE[i]) * r2
    return materialize(r + r * s), materialize(1.0 + c)


@traced
def sin_cos(x):
    """Return sine and cosine of x [rad], |x| up to a few turns, the same on every backend."""
    x = materialize(x)
    quadrant = materialize(ti.floor(x * 0.6366197723675814 + 0.5))
    r = materialize(x - quadrant * HALF_PI - quadrant * HALF_PI_LOW)
    s, c = sin_cos_series(r)
    m = materialize(quadrant - 4.0 * ti.floor(quadrant * 0.25))
    odd = (m == 1.0) | (m == 3.0)
    sine, cosine = materialize(ti.select(odd, c, s)), materialize(ti.select(odd, s, c))
    return (
        materialize(ti.select(m > 1.5, 0.0 - sine, sine)),
        materialize(ti.select((m == 1.0) | (m == 2.0), 0.0 - cosine, cosine)),
    )


@traced
def arctangent(y, x):
    """Return the angle of (x, y) for x, y ≥ 0, not both zero [rad], in [0, π/2]."""
    # Two half-angle steps bring the argument below tan(π/16), where the series converges fast.
    x, y = materialize(x), materialize(y)
    t = materialize(minimum(x, y) / maximum(maximum(x, y), TINY))
    t = materialize(t / (1.0 + ti.sqrt(1.0 + t * t)))
    t = materialize(t / (1.0 + ti.sqrt(1.0 + t * t)))
    t2 = materialize(t * t)
    a = t2 * 0.0
    for i in range(ARCTANGENT_TERMS, 0, -1):
        a = (a + (-1.0) ** i / (2 * i + 1)) * t2
    a = materialize(4.0 * (t + t * a))
    return ti.select(y > x, 1.5707963267948966 - a, a)
