"""Philox: the published words, and numbers that depend on seed, world and draw only."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from fajin import device  # noqa: E402
from fajin.envs.noise import Noise  # noqa: E402
from fajin.envs.philox import WorldRandom, philox  # noqa: E402

KNOWN = [  # Random123's table of Philox4x32-10
    ((0, 0, 0, 0), (0, 0), "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        "d16cfe09 94fdcceb 5001e420 24126ea1",
    ),
]


@pytest.mark.parametrize(("counter", "key", "words"), KNOWN)
@pytest.mark.parametrize("number", [np.array, torch.tensor])
def test_philox_gives_the_published_words(counter, key, words, number):
    found = philox(number([[word, 0] for word in counter]), number([[word, 0] for word in key]))
    assert " ".join(f"{int(word[0]):08x}" for word in found) == words


def test_a_world_draws_the_same_numbers_alone_and_among_others():
    batch, alone = WorldRandom(5, 7), WorldRandom(5, 1, first_world=4)
    for draws in range(6):
        many = batch.uniform(-1.0, 3.0, 5, torch.tensor([0, 4, 6]) if draws % 2 else None)
        one = alone.uniform(-1.0, 3.0, 5)
        assert torch.equal(one[0], many[1 if draws % 2 else 4])
    assert not torch.equal(batch.uniform(0.0, 1.0, 5)[2], WorldRandom(6, 7).uniform(0.0, 1.0, 5)[2])


def test_numbers_drawn_ahead_are_those_that_are_drawn_one_by_one():
    """Also where more draws follow, or longer ones, than the time before; other worlds draw in between."""
    ahead, plain = WorldRandom(5, 7), WorldRandom(5, 7)
    for counts in ((3, 6, 1), (3, 6, 1), (3, 6, 1, 9), (12, 2), (4,)):
        worlds, others = torch.tensor([1, 4, 6]), torch.tensor([0, 4])
        ahead.draw_ahead(worlds)
        for count in counts:
            assert torch.equal(ahead.uniform(-1.0, 3.0, count, worlds), plain.uniform(-1.0, 3.0, count, worlds))
        assert torch.equal(ahead.uniform(-1.0, 3.0, 5, others), plain.uniform(-1.0, 3.0, 5, others))
        assert torch.equal(ahead.uniform(-1.0, 3.0, 5), plain.uniform(-1.0, 3.0, 5))


def test_numbers_drawn_ahead_belong_to_an_occasion():
    """What others draw in between is not among those that the next call computes."""
    random, worlds = WorldRandom(5, 7), torch.tensor([1, 4])
    for _ in range(2):
        random.draw_ahead(worlds, "start")
        random.uniform(0.0, 1.0, 3, worlds)
        random.uniform(0.0, 1.0, 9, torch.tensor([0]))
        random.draw_ahead(worlds, "push")
    random.draw_ahead(worlds, "start")
    assert random.ahead is not None
    assert random.ahead.numbers.shape == (2, 1, 3)


def test_numbers_are_uniform():
    """Mean and variance of n numbers are 1/2 and 1/12 within 5 standard errors, in each column and over worlds."""
    n = 20_000
    numbers = WorldRandom(0, n).uniform(0.0, 1.0, 6).double()
    assert numbers.min() >= 0.0
    assert numbers.max() < 1.0
    assert ((numbers.mean(0) - 0.5).abs() < 5.0 * (1.0 / 12.0 / n) ** 0.5).all()
    assert ((numbers.var(0) - 1.0 / 12.0).abs() < 5.0 * (1.0 / 180.0 / n) ** 0.5).all()
    pairs = torch.corrcoef(numbers.T) - torch.eye(6)
    assert (pairs.abs() < 5.0 / n**0.5).all()


@pytest.mark.parametrize("worlds", [1, 37])
def test_a_kernel_draws_the_numbers_of_numpy(worlds):
    """To the bit: draws of all worlds and of some, one by one and ahead, of worlds beyond 32 bits, with a long seed."""
    seed, first = 7 << 40 | 3 << 31 | 5, (1 << 32) - 3
    kernel = WorldRandom(seed, worlds, first, place=device.start("cpu", "f32", 1, worlds))
    plain = WorldRandom(seed, worlds, first)
    some = torch.arange(0, worlds, 2)
    for counts in ((1, 6, 3), (4, 5, 13)):
        kernel.draw_ahead(some)
        for count in counts:
            assert torch.equal(kernel.uniform(-1.0, 3.0, count, some), plain.uniform(-1.0, 3.0, count, some))
            assert torch.equal(kernel.uniform(0.0, 1.0, count), plain.uniform(0.0, 1.0, count))


@pytest.mark.parametrize("worlds", [1, 37])
def test_noise_has_the_bits_of_drawn_numbers_that_are_added(worlds):
    amplitudes = torch.tensor([0.1, 0.0, 0.3, 1e-3, 0.0, 2.0, 0.5])
    kernel = WorldRandom(5, worlds, place=device.start("cpu", "f32", 1, worlds))
    plain, noise = WorldRandom(5, worlds), Noise(amplitudes, torch.device("cpu"))
    chosen = amplitudes.nonzero()[:, 0]
    for first in range(3):
        values = torch.arange(7.0 * worlds).reshape(worlds, 7) + first
        expected = values.clone()
        expected[:, chosen] += plain.uniform(-amplitudes[chosen], amplitudes[chosen], len(chosen))
        kernel.add_noise(values, noise)
        assert torch.equal(values, expected)
        assert torch.equal(kernel.uniform(0.0, 1.0, 2), plain.uniform(0.0, 1.0, 2))
