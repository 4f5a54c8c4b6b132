"""Random numbers of worlds: Philox4x32-10, keyed so that a world's numbers do not depend on the batch.

J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011. The same operators work on int64 arrays of
NumPy and int64 tensors of torch, to the same bits.
"""

from collections.abc import Hashable
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from ..device import Device
from ..device.random_numbers import add_uniform, uniform
from ..tables.philox import MULTIPLIERS, ROUNDS, WEYL
from .host_rows import on_host

if TYPE_CHECKING:
    from .noise import Noise

WORD = 0xFFFFFFFF


def philox(counter: Any, key: Any) -> Any:
    """Return four 32-bit random words for every counter of four words and key of two: (4, …) and (2, …) to (4, …).

    Arrays of NumPy or tensors of torch, int64. A round multiplies two words of the counter to 64 bits each, and mixes
    the halves with the other words and the key.
    """
    return _on_host(counter, key) if isinstance(counter, np.ndarray) else _on_device(counter, key)


def _on_device(counter: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    """Return the words of tensors."""
    factors, weyl = (columns(pair, counter) for pair in (MULTIPLIERS, WEYL))
    multiplied, mixed = counter[0::2], counter[1::2]
    for _ in range(ROUNDS):
        product = multiplied * factors  # modulo 2⁶⁴: bits 32 to 63 are right
        multiplied = (product >> 32 & WORD).flip(0) ^ mixed ^ key
        mixed = (product & WORD).flip(0)
        key = key + weyl & WORD
    words = counter.clone()
    words[0::2], words[1::2] = multiplied, mixed
    return words


def _on_host(counter: np.ndarray, key: np.ndarray) -> np.ndarray:
    """Return the words of arrays of NumPy, without memory for every operation."""
    factors, weyl = (columns(pair, counter).view(np.uint64) for pair in (MULTIPLIERS, WEYL))
    words, key, word = counter.astype(np.uint64), key.astype(np.uint64), np.uint64(WORD)
    multiplied, mixed = words[0::2].copy(), words[1::2].copy()[::-1]
    product, half = np.empty_like(multiplied), np.uint64(32)
    for _ in range(ROUNDS):
        np.multiply(multiplied, factors, out=product)
        np.right_shift(product, half, out=multiplied)
        multiplied = multiplied[::-1]
        multiplied ^= mixed[::-1]
        multiplied ^= key
        np.bitwise_and(product, word, out=mixed)
        key = key + weyl & word
    words[0::2], words[1::2] = multiplied, mixed[::-1]
    return words.view(np.int64)


def columns(pair: tuple[int, int], like: Any) -> Any:
    """Return two numbers along the first axis of arrays like another one."""
    column = np.array(pair).reshape(2, *(1 for _ in like.shape[1:]))
    return torch.from_numpy(column).to(like.device) if isinstance(like, torch.Tensor) else column


class Ahead(NamedTuple):
    """Numbers of the next draws of some worlds, which are counted as drawn."""

    worlds: torch.Tensor
    numbers: Any  # in [0, 1), (n, draws, count)
    flat: np.ndarray  # on the host, (n, draws · count)


class Occasion:
    """Draws of the worlds of `draw_ahead` since its last call, of which the next one draws as many."""

    def __init__(self):
        self.worlds: torch.Tensor | None = None
        self.used, self.longest = 0, 0  # draws, and the most numbers of a draw so far


class Numbers(NamedTuple):
    """Numbers of a draw in [0, 1) as columns of an array."""

    array: np.ndarray  # (worlds, K), on the host
    first: int  # column


def _on_host_flat(numbers: Any) -> np.ndarray:
    """Return numbers of worlds as an array, (worlds, K)."""
    host = on_host(numbers)
    return np.ascontiguousarray(host.reshape(len(host), prod(host.shape[1:])))


class WorldRandom:
    """Random numbers keyed by (seed, world, draw): a world draws the same numbers alone and in any batch.

    Args:
        seed: seed of all worlds.
        worlds: number of worlds.
        first_world: number of the first world.
        device: device of the tensors.
        place: CPU of the simulation, whose kernel then computes the numbers; None: torch or NumPy do, to the same bits.
    """

    def __init__(
        self,
        seed: int,
        worlds: int,
        first_world: int = 0,
        device: "torch.device | None" = None,
        place: Device | None = None,
    ):
        self._place = place
        numbers = torch.arange(first_world, first_world + worlds, device=device)
        self._worlds: Any = numbers.numpy() if numbers.device.type == "cpu" else numbers
        self._draws = self._worlds * 0  # of each world so far
        self._ahead: Ahead | None = None
        self._occasions: dict[Hashable, Occasion] = {}
        self._now = Occasion()  # of the last `draw_ahead`
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Start again with a seed."""
        self._key = (seed & WORD, seed >> 32 & WORD)
        self._ahead = None
        self._draws[:] = 0

    def draw_ahead(self, worlds: torch.Tensor, occasion: Hashable = None) -> None:
        """Compute the next draws of worlds at once, as many as followed the last call of an occasion, to the same bits.

        `uniform` and `uniform_on_host` take them while they are called with this tensor. A reset of few worlds draws
        several times, and each draw costs its calls, not its numbers.
        """
        self._end_ahead()
        now = self._now = self._occasions.setdefault(occasion, Occasion())
        draws, count, now.used, now.worlds = now.used, now.longest, 0, worlds
        if draws:
            numbers = self._next(worlds, draws, count)
            self._ahead = Ahead(worlds, numbers, _on_host_flat(numbers))
            self._draws[self._at(worlds)] += draws

    def _end_ahead(self) -> None:
        """Count those of the next draws that were not taken as not drawn."""
        ahead, self._ahead = self._ahead, None
        if ahead is not None and self._now.used < ahead.numbers.shape[1]:
            self._draws[self._at(ahead.worlds)] -= ahead.numbers.shape[1] - self._now.used

    def uniform(self, low: Any, high: Any, count: int, worlds: "torch.Tensor | None" = None) -> torch.Tensor:
        """Return numbers in [low, high), float32 (worlds, count); low and high are numbers or tensors (count,).

        Args:
            low: lower bounds.
            high: upper bounds.
            count: numbers per world.
            worlds: indices of the worlds that draw, each once; None for all.
        """
        return torch.as_tensor(self._draw(count, worlds)) * (high - low) + low

    def uniform_on_host(self, low: Any, high: Any, count: int, worlds: torch.Tensor) -> np.ndarray:
        """Return the numbers of `uniform` as an array; low and high are numbers or arrays (count,) of float32.

        For the few numbers of a reset or a push, NumPy takes a fraction of torch's time.
        """
        numbers = self._draw(count, worlds)
        return (numbers if isinstance(numbers, np.ndarray) else numbers.cpu().numpy()) * (high - low) + low

    def add_noise(self, values: torch.Tensor, noise: "Noise") -> None:
        """Add noise to columns of values of all worlds, (W, K): a draw of `uniform`, to the same bits."""
        if self._place is None or values.dtype != torch.float32:
            drawn = self.uniform(-noise.size, noise.size, len(noise.columns))
            values.index_add_(1, noise.columns, drawn.to(values.dtype))
            return
        self._end_ahead()
        add_uniform(self._place, self._key, self._worlds, self._draws, values.numpy(), *noise.on_host)
        self._draws += 1

    def take(self, count: int, worlds: torch.Tensor) -> Numbers:
        """Return the numbers in [0, 1) of the next draw of worlds, for a reset that makes values of them."""
        at, numbers = self._now.used, self._draw(count, worlds)
        if self._ahead is not None:  # else the numbers were not among those drawn ahead
            return Numbers(self._ahead.flat, at * self._ahead.numbers.shape[2])
        return Numbers(_on_host_flat(numbers), 0)

    @property
    def ahead(self) -> Ahead | None:
        """Numbers of the next draws of the worlds of `draw_ahead`, if there are any."""
        return self._ahead

    @property
    def used(self) -> tuple[int, int]:
        """Draws since `draw_ahead`, and the numbers of the longest one."""
        return self._now.used, self._now.longest

    def use(self, draws: int, longest: int) -> None:
        """Count draws that were taken from `ahead` at once."""
        self._now.used, self._now.longest = self._now.used + draws, max(self._now.longest, longest)

    def _draw(self, count: int, worlds: "torch.Tensor | None") -> Any:
        """Return the next numbers in [0, 1) of worlds, (worlds, count), an array on the CPU, and count the draw."""
        ahead, at = self._ahead, self._now.used
        taken = ahead is not None and worlds is ahead.worlds and at < ahead.numbers.shape[1]
        if ahead is not None and taken and count <= ahead.numbers.shape[2]:
            numbers = ahead.numbers[:, at, :count]
        else:
            self._end_ahead()  # its worlds may be among those that draw now
            numbers = self._next(worlds, 1, count)[:, 0]
            self._draws[self._at(worlds)] += 1
        if worlds is not None and worlds is self._now.worlds:
            self.use(1, count)
        return numbers

    def _at(self, worlds: "torch.Tensor | None") -> Any:
        """Return an index of worlds."""
        if worlds is None:
            return slice(None)
        return worlds.numpy() if isinstance(self._worlds, np.ndarray) else worlds

    def _next(self, worlds: "torch.Tensor | None", draws: int, count: int) -> Any:
        """Return the next numbers in [0, 1) of worlds, (worlds, draws, count), an array on the CPU."""
        at = self._at(worlds)
        numbers, first = self._worlds[at], self._draws[at]
        if self._place is not None:
            return uniform(self._place, self._key, numbers, first, draws, count).astype(np.float32, copy=False)
        blocks = -(-count // 4)
        host = isinstance(numbers, np.ndarray)
        module: Any = np if host else torch
        device = {} if host else {"device": numbers.device}
        counter = module.zeros((4, len(numbers), draws, blocks), dtype=module.int64, **device)
        counter[0] = module.arange(blocks, **device)
        counter[1] = first[:, None, None] + module.arange(draws, **device)[:, None]
        counter[2], counter[3] = numbers[:, None, None] & WORD, numbers[:, None, None] >> 32
        words = torch.as_tensor(philox(counter, columns(self._key, counter))) >> 8
        found = words.permute(1, 2, 3, 0).flatten(2)[..., :count].to(torch.float32) * 2.0**-24
        return found.numpy() if host else found
