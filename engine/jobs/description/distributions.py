"""Random numbers per world, equal in any batch, shard or process and independent of other sweeps.

Philox is a function of key and counter. The key is made from the seed and the name of the setting; the counter is the
index of the world. A block has four 64-bit numbers, more than any distribution here needs.
"""

import hashlib
import re
from dataclasses import dataclass

import numpy as np

from .. import InvalidJob

TWO_PI = 2.0 * np.pi


def uniforms(seed: int, name: str, worlds: np.ndarray) -> np.ndarray:
    """Return two numbers in (0, 1) for each world, (worlds, 2); `worlds` are ascending indices."""
    key = np.frombuffer(hashlib.sha256(f"{seed}:{name}".encode()).digest()[:16], "<u8")
    runs = np.split(worlds, np.flatnonzero(np.diff(worlds) != 1) + 1)
    blocks = np.concatenate([_blocks(key, int(run[0]), len(run)) for run in runs])[:, :2]
    return ((blocks >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53


def _blocks(key: np.ndarray, first: int, count: int) -> np.ndarray:
    """Return `count` blocks starting at counter `first`, (count, 4)."""
    stream = np.random.Philox(key=key)
    stream.advance(first)
    return stream.random_raw(4 * count).reshape(-1, 4)


DISTRIBUTIONS = {  # (function of u, (worlds, 2) in (0, 1); arguments; rule)
    "uniform": (lambda u, a, b: a + (b - a) * u[:, 0], "(low, high)", lambda a, b: a <= b),
    "loguniform": (lambda u, a, b: a * (b / a) ** u[:, 0], "(low, high), both positive", lambda a, b: 0.0 < a <= b),
    "normal": (
        lambda u, mean, spread: mean + spread * np.sqrt(-2.0 * np.log(u[:, 0])) * np.cos(TWO_PI * u[:, 1]),
        "(mean, standard deviation)",
        lambda mean, spread: spread >= 0.0,
    ),
    "choice": (lambda u, *of: np.array(of)[(u[:, 0] * len(of)).astype(int)], "(value, value, …)", lambda *of: of),
}


@dataclass(frozen=True)
class Distribution:
    """A distribution with its arguments: uniform(low, high), loguniform, normal(mean, spread), choice(a, b, …)."""

    name: str
    numbers: tuple[float, ...]

    def __str__(self) -> str:
        """Return the text that `parse` reads."""
        return f"{self.name}({','.join(f'{number:g}' for number in self.numbers)})"

    @classmethod
    def parse(cls, text: str) -> "Distribution":
        """Parse a text such as "uniform(0.8, 1.2)".

        Raises:
            InvalidJob: unknown distribution, or invalid arguments.
        """
        match = re.fullmatch(r"\s*(\w+)\s*\((.*)\)\s*", text)
        if not match or match[1] not in DISTRIBUTIONS:
            raise InvalidJob(
                f"{text}: must be one of {', '.join(DISTRIBUTIONS)} with arguments, such as uniform(0.8,1.2)"
            )
        _, rule, fits = DISTRIBUTIONS[match[1]]
        numbers: tuple[float, ...] = ()
        try:
            numbers = tuple(float(number) for number in match[2].split(","))
            good = all(map(np.isfinite, numbers)) and fits(*numbers)
        except (ValueError, TypeError):
            good = False
        if not good:
            raise InvalidJob(f"{text}: arguments of {match[1]} must be {rule}, finite and in that order")
        return cls(match[1], numbers)

    def draw(self, seed: int, name: str, worlds: np.ndarray) -> np.ndarray:
        """Return the random value of each world for the named setting."""
        law, *_ = DISTRIBUTIONS[self.name]
        return law(uniforms(seed, name, worlds), *self.numbers)
