"""Random numbers of worlds: Philox4x32-10, keyed so that a world's numbers do not depend on the batch.

J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011. The same operators work on int64 arrays of
NumPy and int64 tensors of torch, to the same bits.
"""

from typing import Any

import torch

MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)
WORD = 0xFFFFFFFF
ROUNDS = 10


def philox(counter: tuple[Any, ...], key: tuple[Any, Any]) -> tuple[Any, Any, Any, Any]:
    """Return four 32-bit random words for every counter of four words and key of two, all int64.

    A round multiplies two words of the counter to 64 bits each, and mixes the halves with key and counter.
    """
    a, b, c, d = counter
    k, l = key
    for _ in range(ROUNDS):
        first, second = a * MULTIPLIERS[0], c * MULTIPLIERS[1]  # modulo 2⁶⁴: bits 32 to 63 of the product are right
        a, b, c, d = (second >> 32 & WORD) ^ b ^ k, second & WORD, (first >> 32 & WORD) ^ d ^ l, first & WORD
        k, l = k + WEYL[0] & WORD, l + WEYL[1] & WORD
    return a, b, c, d


class WorldRandom:
    """Random numbers keyed by (seed, world, draw): a world draws the same numbers alone and in any batch.

    Args:
        seed: seed of all worlds.
        worlds: number of worlds.
        first_world: number of the first world.
        device: device of the tensors.
    """

    def __init__(self, seed: int, worlds: int, first_world: int = 0, device: "torch.device | None" = None):
        self._worlds = torch.arange(first_world, first_world + worlds, device=device)
        self._draws = torch.zeros_like(self._worlds)  # of each world so far
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Start again with a seed."""
        self._key = (seed & WORD, seed >> 32 & WORD)
        self._draws.zero_()

    def uniform(self, low: Any, high: Any, count: int, worlds: "torch.Tensor | None" = None) -> torch.Tensor:
        """Return numbers in [low, high), float32 (worlds, count); low and high are numbers or tensors (count,).

        Args:
            low: lower bounds.
            high: upper bounds.
            count: numbers per world.
            worlds: indices of the worlds that draw, each once; None for all.
        """
        numbers, draws = self._worlds, self._draws
        if worlds is None:
            draw = draws.clone()
            draws += 1
        else:
            numbers, draw = numbers[worlds], draws[worlds]
            draws[worlds] = draw + 1
        block = torch.arange(-(-count // 4), device=numbers.device)[None]
        counter = block, draw[:, None], numbers[:, None], numbers[:, None] >> 32
        if block.device.type == "cpu":  # for few worlds NumPy takes a fraction of torch's time
            words = map(torch.from_numpy, philox(tuple(word.numpy() for word in counter), self._key))
        else:
            words = philox(counter, self._key)
        bits = torch.stack(torch.broadcast_tensors(*words), -1).flatten(1)[:, :count] >> 8
        return bits.to(torch.float32) * 2.0**-24 * (high - low) + low
