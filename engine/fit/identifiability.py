"""Identifiability: which parameters a log determines, in words, before any number is printed."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .intervals import invert
from .normal_equations import gram

SILENT = 1e-9  # length of a column, as a fraction of the largest, below which a parameter does nothing
RANK = 1e-5  # singular value, as a fraction of the largest, below which a direction is not determined
WEAK = 1e-2  # below which a direction is named
SHARE = 0.25  # part of a singular vector that a parameter must have to be named
RELATED = 0.95  # correlation that is named
SHOWN = 8  # lines of a kind


@dataclass(frozen=True)
class WeakDirection:
    """Parameters of which a log determines only some combination."""

    ratio: float  # singular value / largest singular value
    names: tuple[str, ...]

    @property
    def lost(self) -> bool:
        """Return whether the combination is not determined at all."""
        return self.ratio < RANK

    def __str__(self) -> str:
        """Return a sentence."""
        *others, last = self.names
        if not others:
            return f"{last} is hardly determined (singular value {self.ratio:.1e})"
        word = "are one number" if self.lost else "are hardly told apart"
        return f"{', '.join(others)} and {last} {word} (singular value {self.ratio:.1e})"


@dataclass(frozen=True, eq=False)
class Identifiability:
    """Singular values of the Jacobian with columns of length one."""

    names: tuple[str, ...]
    singular_values: np.ndarray  # descending
    weak: tuple[WeakDirection, ...]
    pairs: tuple[tuple[str, str, float], ...]  # correlation of two estimates
    silent: tuple[str, ...]  # parameters that change nothing

    @property
    def condition(self) -> float:
        """Return the largest singular value by the smallest; infinite if that is 0."""
        s = self.singular_values
        return float(s[0] / s[-1]) if len(s) and s[-1] > 0.0 else np.inf

    @property
    def determined(self) -> bool:
        """Return whether the log determines every parameter."""
        return not self.silent and not any(one.lost for one in self.weak)

    def lines(self) -> list[str]:
        """Return what is found as sentences."""
        said = [f"{name} changes nothing in these logs" for name in self.silent]
        said += _first([str(one) for one in self.weak], "weak directions")
        return said + _first([f"{a} and {b} are correlated by {rho:.3f}" for a, b, rho in self.pairs], "such pairs")


def _first(lines: list[str], what: str) -> list[str]:
    """Return the first `SHOWN` lines, and how many there are besides."""
    return lines[:SHOWN] + ([f"{len(lines) - SHOWN} more {what}"] if len(lines) > SHOWN else [])


def identify(names: Sequence[str], jacobian: np.ndarray) -> Identifiability:
    """Return which parameters a Jacobian (N, P) determines; columns are in coordinates of equal meaning."""
    length = np.linalg.norm(jacobian, axis=0)
    loud = length > SILENT * length.max(initial=0.0)
    silent = tuple(name for name, there in zip(names, loud, strict=True) if not there)
    kept = [name for name, there in zip(names, loud, strict=True) if there]
    if not kept:
        return Identifiability(tuple(names), np.zeros(0), (), (), silent)
    scaled = jacobian[:, loud] / length[loud]
    values, vectors = np.linalg.eigh(information := gram(scaled))
    values = np.sqrt(np.maximum(values, 0.0))[::-1]
    vectors = vectors[:, ::-1].T
    weak = [
        WeakDirection(float(s / values[0]), _named(kept, vector))
        for s, vector in zip(values[::-1], vectors[::-1], strict=True)
        if s < WEAK * values[0]
    ]
    inverse = invert(information)
    deviation = np.sqrt(np.diag(inverse))
    correlation = inverse / np.outer(deviation, deviation)
    pairs = [
        (kept[i], kept[j], float(correlation[i, j]))
        for i in range(len(kept))
        for j in range(i + 1, len(kept))
        if abs(correlation[i, j]) > RELATED
    ]
    return Identifiability(tuple(names), values, tuple(weak), tuple(sorted(pairs, key=lambda p: -abs(p[2]))), silent)


def _named(names: Sequence[str], vector: np.ndarray) -> tuple[str, ...]:
    """Return the parameters that have a share in a direction, the largest first."""
    order = np.argsort(-np.abs(vector))
    return tuple(names[int(i)] for i in order if abs(vector[i]) > SHARE or i == order[0])


def exact_pairs(quantities: Sequence[tuple[str, str, int]], still_targets: bool) -> list[tuple[str, str]]:
    """Return pairs that no motion tells apart: drive damping and viscous friction, where targets have no speed.

    Args:
        quantities: (name, quantity, column) of the parameters.
        still_targets: whether target_qd is 0 in all logs.
    """
    if not still_targets:
        return []
    damping = {column: name for name, quantity, column in quantities if quantity == "damping"}
    return [(damping[column], name) for name, quantity, column in quantities
            if quantity == "viscous" and column in damping]  # fmt: skip
