"""The replay window: the samples of the last games, drawn evenly, turned and mirrored."""

from __future__ import annotations

from collections import deque

import numpy as np

from ai.game import Color, Rules
from ai.game.lines import symmetries
from ai.learning.alphagomoku.games import LearntGame, samples_of
from ai.learning.alphagomoku.samples import Samples, join


class ReplayWindow:
    """The samples of the last games; older games drop out."""

    def __init__(self, rules: Rules, *, games: int, decay: float, told: float = 0.0) -> None:
        """Begin without a game.

        Args:
            rules: of all games.
            games: number of games kept, at least 1.
            decay: of the winning value, see `samples_of`.
            told: share of the players' own values, see `samples_of`.
        """
        self.rules = rules
        self._decay = decay
        self._told = told
        self._kept: deque[Samples] = deque(maxlen=games)
        self._joined: dict[int, Samples] = {}

    @property
    def games(self) -> int:
        """Number of games kept."""
        return len(self._kept)

    def __len__(self) -> int:
        return sum(len(samples) for samples in self._kept)

    def add(self, game: LearntGame) -> None:
        """Take a game in; the oldest leaves where there are too many."""
        self._kept.append(samples_of(self.rules, game, decay=self._decay, told=self._told))
        self._joined.clear()

    def of(self, color: Color) -> Samples:
        """Return all samples of one side, the oldest game first.

        Raises:
            ValueError: there is none.
        """
        if color not in self._joined:
            if not self._kept:
                raise ValueError("expected a window with games, found an empty one")
            self._joined[color] = join([samples.of(color) for samples in self._kept])
        return self._joined[color]


def draw(samples: Samples, count: int, size: int, rng: np.random.Generator) -> Samples:
    """Draw samples evenly, with replacement, each in one of the eight symmetries.

    Args:
        samples: at least one.
        count: number to draw.
        size: points along a side.
        rng: consumed.
    """
    rows = rng.integers(len(samples), size=count)
    images = symmetries(size)
    return samples.take(rows).turned(images[rng.integers(len(images), size=count)])


def draw_mixed(
    samples: Samples,
    others: Samples,
    count: int,
    share: float,
    size: int,
    rng: np.random.Generator,
) -> Samples:
    """Draw samples as `draw` does, a share of them from others."""
    of_others = round(share * count)
    return join([draw(samples, count - of_others, size, rng), draw(others, of_others, size, rng)])


__all__ = ["ReplayWindow", "draw", "draw_mixed"]
