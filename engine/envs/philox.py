"""Random numbers of worlds: Philox4x32-10, keyed so that a world's numbers do not depend on the batch.

J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011. The same operators work on int64 arrays of
NumPy and int64 tensors of torch, to the same bits.
"""

from typing import Any, NamedTuple

import numpy as np
import torch

from ..device import Device
from ..device.random_numbers import uniform
from ..tables.philox import MULTIPLIERS, ROUNDS, WEYL

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
    """Numbers of the next draws of some worlds."""

    worlds: torch.Tensor
    numbers: torch.Tensor  # in [0, 1), (n, draws, count)


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
        self._worlds = torch.arange(first_world, first_world + worlds, device=device)
        self._draws = torch.zeros_like(self._worlds)  # of each world so far
        self._ahead: Ahead | None = None
        self._used, self._longest = 0, 0  # draws and numbers of a draw since `draw_ahead`
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Start again with a seed."""
        self._key = (seed & WORD, seed >> 32 & WORD)
        self._draws.zero_()
        self._ahead = None

    def draw_ahead(self, worlds: torch.Tensor) -> None:
        """Compute the next draws of worlds, as many as followed the last call, at once; they keep their bits.

        `uniform` takes them while it is called with this tensor. A reset of few worlds draws several times, and each
        draw costs its calls of NumPy, not its numbers.
        """
        draws, count = self._used, self._longest
        self._ahead, self._used = None, 0
        if draws:
            numbers = self._numbers(self._worlds[worlds], self._draws[worlds], draws, count)
            self._ahead = Ahead(worlds, numbers)

    def uniform(self, low: Any, high: Any, count: int, worlds: "torch.Tensor | None" = None) -> torch.Tensor:
        """Return numbers in [low, high), float32 (worlds, count); low and high are numbers or tensors (count,).

        Args:
            low: lower bounds.
            high: upper bounds.
            count: numbers per world.
            worlds: indices of the worlds that draw, each once; None for all.
        """
        numbers = self._taken(worlds, count)
        if numbers is None:
            chosen = slice(None) if worlds is None else worlds
            numbers = self._numbers(self._worlds[chosen], self._draws[chosen], 1, count)[:, 0]
        if worlds is None:
            self._draws += 1
        else:
            self._draws[worlds] += 1
            self._used, self._longest = self._used + 1, max(self._longest, count)
        return numbers * (high - low) + low

    def _taken(self, worlds: "torch.Tensor | None", count: int) -> "torch.Tensor | None":
        """Return the numbers of a draw that was computed ahead, or None."""
        ahead, at = self._ahead, self._used
        if ahead is None or worlds is not ahead.worlds:
            self._ahead = None  # its worlds may be among those that draw now
            return None
        _, draws, longest = ahead.numbers.shape
        return ahead.numbers[:, at, :count] if at < draws and count <= longest else None

    def _numbers(self, worlds: torch.Tensor, first: torch.Tensor, draws: int, count: int) -> torch.Tensor:
        """Return numbers in [0, 1) of the draws from the first on, (worlds, draws, count)."""
        if self._place is not None:
            found = uniform(self._place, self._key, worlds.numpy(), first.numpy(), draws, count)
            return torch.from_numpy(found).to(torch.float32)
        blocks = -(-count // 4)
        host = worlds.device.type == "cpu"  # for few worlds NumPy takes a fraction of torch's time
        module: Any = np if host else torch
        worlds, first = (worlds.numpy(), first.numpy()) if host else (worlds, first)  # pyright: ignore[reportAssignmentType]  # arrays
        device = {} if host else {"device": worlds.device}
        counter = module.zeros((4, len(worlds), draws, blocks), dtype=module.int64, **device)
        counter[0] = module.arange(blocks, **device)
        counter[1] = first[:, None, None] + module.arange(draws, **device)[:, None]
        counter[2], counter[3] = worlds[:, None, None] & WORD, worlds[:, None, None] >> 32
        words = philox(counter, columns(self._key, counter))
        numbers = (torch.from_numpy(words) if host else words) >> 8
        return numbers.permute(1, 2, 3, 0).flatten(2)[..., :count].to(torch.float32) * 2.0**-24
