from __future__ import annotations

from collections import Counter

from ai.kernels.randomness import new_random, next_below, next_bits, seed_random

GOLDEN = [1957057852, 1714056587, 4127119754]


def draw(seed, count):
    random = new_random()
    seed_random(random, seed)
    return [next_bits(random) for _ in range(count)]


def test_a_seed_names_its_sequence():
    assert draw(7, 50) == draw(7, 50)
    sequences = {tuple(draw(seed, 4)) for seed in (0, 1, -1, 2**63, 2**64 - 2, 12345)}
    assert len(sequences) == 6
    assert all(0 <= bits < 2**32 for bits in draw(3, 1000))


def test_golden_sequence():
    assert draw(1, 3) == GOLDEN


def test_below_is_even_enough():
    random = new_random()
    seed_random(random, 42)
    counts = Counter(int(next_below(random, 7)) for _ in range(14_000))
    assert set(counts) == set(range(7))
    assert all(1_800 < count < 2_200 for count in counts.values())
