"""What the lanes compute for themselves: sine, cosine and arctangent, and the rotations made of them."""

import importlib
from types import SimpleNamespace

import numpy as np
import pytest

from fajin import compiler
from fajin import device as devices

COUNT = 4096
LANES = pytest.mark.parametrize("name", ["cpu", "cpu-lanes"], ids=["packs", "single"])
PRECISIONS = pytest.mark.parametrize("precision", ["f32", "f64"])


def apply(name: str, precision: str, body: str, inputs: list[np.ndarray], outputs: int) -> list[np.ndarray]:
    """Run an expression of `lanes` and `spatial` over arrays, in packs or one by one; results in double precision."""
    import taichi as ti

    place = devices.start(name, precision, threads=1, worlds=COUNT)
    package = compiler.load_physics(place, "lanes").__name__.rpartition(".")[0]
    lanes, spatial, rotation = (importlib.import_module(f"{package}.{m}") for m in ("lanes", "spatial", "rotation"))
    laws = SimpleNamespace(
        sin_cos=lanes.sin_cos,
        arctangent=lanes.arctangent,
        Vec3=spatial.Vec3,
        from_rotation_vector=rotation.from_rotation_vector,
    )
    Array, function = ti.types.ndarray(lanes.Real, 1), FUNCTIONS[body]
    count = COUNT // place.lanes

    @ti.kernel
    def run(x: Array, y: Array, first: Array, second: Array):
        for i in range(count):
            a, b = function(laws, x[i], y[i])
            first[i] = a
            second[i] = b

    number = np.float64 if precision == "f64" else np.float32
    arrays = [ti.ndarray(lanes.Real, count) for _ in range(4)]
    for array, values in zip(arrays, inputs, strict=False):
        values = values.astype(number)
        array.from_numpy(values.reshape(count, -1) if place.lanes > 1 else values)
    with compiler.compiler_options(place):
        run(*arrays)
    return [array.to_numpy().reshape(-1).astype(np.float64) for array in arrays[2 : 2 + outputs]]


def traced(function):
    """As in `lanes`: plain Python that a kernel may call while it is traced."""
    function._is_wrapped_kernel = True
    return function


@traced
def sine_and_cosine(laws, x, y):
    return laws.sin_cos(x)


@traced
def arctangent(laws, x, y):
    return laws.arctangent(y, x), laws.arctangent(x, y)


@traced
def there_and_back(laws, x, y):
    axis = laws.Vec3(0.36, -0.48, 0.8)
    vector = laws.from_rotation_vector(axis * x).rotation_vector()
    return vector.dot(axis), vector.norm()


FUNCTIONS = {"sin_cos": sine_and_cosine, "arctangent": arctangent, "there_and_back": there_and_back}


def epsilon(precision: str) -> float:
    """Round-off of 1."""
    return float(np.finfo(np.float64 if precision == "f64" else np.float32).eps)


def rounded(values: np.ndarray, precision: str) -> np.ndarray:
    """The numbers that the lanes really get."""
    return values.astype(np.float64 if precision == "f64" else np.float32).astype(np.float64)


@LANES
@PRECISIONS
def test_sine_and_cosine_are_right_to_the_last_bits(name, precision):
    """Within 1 ε over four turns."""
    x = rounded(np.linspace(-8 * np.pi, 8 * np.pi, COUNT), precision)
    sine, cosine = apply(name, precision, "sin_cos", [x, x], 2)
    assert np.abs(sine - np.sin(x)).max() <= epsilon(precision)
    assert np.abs(cosine - np.cos(x)).max() <= epsilon(precision)


@LANES
@PRECISIONS
def test_sine_of_a_small_angle_is_right_to_the_last_bits(name, precision):
    """|sin x - x + x³/6| ≤ ε |x|: slow turns are not lost."""
    x = rounded(np.geomspace(1e-12, 1e-2, COUNT), precision)
    (sine,) = apply(name, precision, "sin_cos", [x, x], 1)
    assert (np.abs(sine - np.sin(x)) <= epsilon(precision) * x).all()


@LANES
@PRECISIONS
def test_arctangent_is_right_to_the_last_bits(name, precision):
    """Within 4 ε of the angle in the whole quadrant, axes included: two roots, two divisions."""
    angle = np.linspace(0.0, np.pi / 2, COUNT)
    size = np.geomspace(1e-3, 1e3, COUNT)
    x, y = rounded(np.abs(size * np.cos(angle)), precision), rounded(size * np.sin(angle), precision)
    x[-1] = y[0] = 0.0
    from_x, from_y = apply(name, precision, "arctangent", [x, y], 2)
    assert (np.abs(from_x - np.arctan2(y, x)) <= 4 * epsilon(precision) * np.arctan2(y, x)).all()
    assert (np.abs(from_y - np.arctan2(x, y)) <= 4 * epsilon(precision) * np.arctan2(x, y)).all()


@LANES
@PRECISIONS
def test_a_rotation_vector_survives_its_quaternion(name, precision):
    """log(exp(a θ)) = a θ for θ in [0, π], and a (θ - 2π) beyond."""
    angle = rounded(np.linspace(0.0, 2 * np.pi, COUNT), precision)
    angle = angle[np.abs(angle - np.pi) > 16 * epsilon(precision)]
    angle = np.concatenate([angle, np.zeros(COUNT - len(angle))])
    along, size = apply(name, precision, "there_and_back", [angle, angle], 2)
    wanted = np.where(angle > np.pi, angle - 2 * np.pi, angle)
    assert np.abs(along - wanted).max() <= 8 * epsilon(precision)
    assert np.abs(size - np.abs(wanted)).max() <= 8 * epsilon(precision)
