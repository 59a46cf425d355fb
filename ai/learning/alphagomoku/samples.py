"""Training samples of the two networks (black, white): positions, each with a policy and a value.

All arrays are from the view of the side to move, so that a sample fits either network; `color`
names the side. The input planes are as in the paper: own stones, the opponent's, the opponent's
last move. From top to bottom: samples, the games they come from, the window of the last games.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ai.game import BLACK, WHITE, Color, Move, Rules
from ai.game.lines import symmetries

NO_MOVE = -1
"""Entry of `PairSamples.last` for a position without a previous move."""


@dataclass(frozen=True, slots=True)
class PairSamples:
    """Training samples of policy-value networks: `N` positions of a square board of `A` points."""

    stones: NDArray[np.int8]
    """`[N, A]` 1 for stones of the side to move, -1 for the opponent's, 0 for empty."""
    last: NDArray[np.int16]
    """`[N]` the opponent's last move, `NO_MOVE` for none."""
    policy: NDArray[np.float16]
    """`[N, A]` target probability of each move; each row sums to 1."""
    value: NDArray[np.float32]
    """`[N]` target value for the side to move: -1 for a loss, 1 for a win."""
    color: NDArray[np.int8]
    """`[N]` side to move: BLACK or WHITE."""

    def __len__(self) -> int:
        return len(self.stones)

    def of(self, color: int) -> PairSamples:
        """Return the samples with `color` (BLACK or WHITE) to move."""
        return self.select(np.flatnonzero(self.color == color))

    def select(self, rows: NDArray[np.intp] | slice) -> PairSamples:
        """Return the samples at the indices `rows`, in that order."""
        return PairSamples(*(column[rows] for column in _columns(self)))

    def turned(self, images: NDArray[np.intp]) -> PairSamples:
        """Return the samples, each rotated or mirrored.

        Args:
            images: `[N, A]` for each sample one symmetry: a row of the array that
                `ai.game.lines.symmetries` returns.
        """
        back = np.argsort(images, axis=1)  # [N, A] where each point comes to lie
        last = back[np.arange(len(self)), np.maximum(self.last, 0)].astype(np.int16)
        return PairSamples(
            np.take_along_axis(self.stones, images, axis=1),
            np.where(self.last == NO_MOVE, np.int16(NO_MOVE), last),
            np.take_along_axis(self.policy, images, axis=1),
            self.value,
            self.color,
        )

    def planes(self, size: int) -> NDArray[np.float32]:
        """Return the networks' input `[N, size, size, 3]`: own stones, opponent's, last move."""
        planes = np.zeros((*self.stones.shape, 3), np.float32)
        planes[..., 0] = self.stones == 1
        planes[..., 1] = self.stones == -1
        rows = np.flatnonzero(self.last != NO_MOVE)
        planes[rows, self.last[rows], 2] = 1.0
        return planes.reshape(len(self), size, size, 3)


def join(parts: Sequence[PairSamples]) -> PairSamples:
    """Concatenate samples, in order.

    Args:
        parts: at least one, all of one board.
    """
    return PairSamples(*map(np.concatenate, zip(*map(_columns, parts), strict=True)))


def _columns(samples: PairSamples) -> list[NDArray[Any]]:
    """Return the arrays of the samples as a list, in the order in which the class names them."""
    return [getattr(samples, item.name) for item in fields(samples)]


def without_known(
    samples: PairSamples, known: PairSamples, images: NDArray[np.intp]
) -> PairSamples:
    """Return the samples whose position is not in `known`, neither turned nor mirrored.

    Only the stones are compared.

    Args:
        samples: the samples to filter.
        known: positions to leave out.
        images: `[S, A]` the symmetries, see `ai.game.lines.symmetries`.
    """
    seen = set(_keys(known, images).tolist())
    keys = _keys(samples, images).tolist()
    kept = [row for row, key in enumerate(keys) if key not in seen]
    return samples.select(np.array(kept, np.intp))


def _keys(samples: PairSamples, images: NDArray[np.intp]) -> NDArray[np.int64]:
    """Return `[N]` a hash of each position, the same for all its rotations and reflections.

    Args:
        samples: the positions.
        images: `[S, A]` the symmetries, see `ai.game.lines.symmetries`.
    """
    rng = np.random.default_rng(0x6B6579)
    numbers = rng.integers(-(1 << 62), 1 << 62, images.shape[1], np.int64)
    stones = samples.stones
    keys = np.full(len(stones), np.iinfo(np.int64).max)
    with np.errstate(over="ignore"):
        for image in images:
            turned = np.empty_like(numbers)
            turned[image] = numbers  # turning the numbers turns the board in the product
            keys = np.minimum(keys, stones.astype(np.int64) @ turned)
    return keys


@dataclass(frozen=True, slots=True)
class TrainingRecord:
    """A finished game, with a target policy for each position to learn from."""

    moves: tuple[Move, ...]
    winner: Color
    """Colour of the winner; EMPTY for a draw."""
    policies: NDArray[np.float16]
    """`[T, A]` target policies of the game's last T positions in which a move was made.

    The moves before them are the opening, which is not learnt.
    """
    values: NDArray[np.float32] | None = None
    """`[T]` value that the player gave each of those T positions, in [-1, 1]; None if unknown."""

    @property
    def opening(self) -> int:
        """Number of moves at the start of the game that are not learnt."""
        return len(self.moves) - len(self.policies)


def one_hot_policies(moves: tuple[Move, ...], points: int, *, opening: int) -> NDArray[np.float16]:
    """Return target policies with probability 1 on the move that was played.

    Args:
        moves: all moves of a game.
        points: number of points of the board, A.
        opening: number of first moves to leave out.

    Returns:
        `[T, A]` a policy for each of the T other moves.
    """
    policies = np.zeros((len(moves) - opening, points), np.float16)
    policies[np.arange(len(policies)), np.array(moves[opening:], np.intp)] = 1.0
    return policies


def samples_of(
    rules: Rules, game: TrainingRecord, *, decay: float, value_fraction: float = 0.0
) -> PairSamples:
    """Return a sample for each position of a game after its opening.

    The value of a position is the game's result for the side to move, multiplied by `decay` for
    each ply to the end (Xie et al., "Winning Value Decay"). In a drawn game all values are 0. The
    value that the player itself predicted can replace a share of the result. This helps if many
    moves were drawn at random, because the result then says little about earlier positions.

    Args:
        rules: rules of the game.
        game: the game.
        decay: factor of the value per ply, above 0, at most 1.
        value_fraction: weight of the player's own value against the result, in [0, 1].
    """
    count, first = len(game.policies), game.opening
    stones = np.zeros((count, rules.points), np.int8)
    board = np.zeros(rules.points, np.int8)
    last = np.full(count, NO_MOVE, np.int16)
    color = np.zeros(count, np.int8)
    to_move = BLACK
    for ply, move in enumerate(game.moves):
        if ply >= first:
            row = ply - first
            stones[row] = board * to_move
            color[row] = to_move
            last[row] = game.moves[ply - 1] if ply else NO_MOVE
        board[move] = to_move
        to_move = WHITE if to_move == BLACK else BLACK
    plies_left = len(game.moves) - np.arange(first, len(game.moves))
    value = (color * game.winner * decay**plies_left).astype(np.float32)
    if value_fraction and game.values is not None:
        value = (
            np.float32(1.0 - value_fraction) * value + np.float32(value_fraction) * game.values
        ).astype(np.float32)
    return PairSamples(stones, last, game.policies, value, color)


class ReplayWindow:
    """The samples of the last games; older games drop out."""

    def __init__(
        self, rules: Rules, *, games: int, decay: float, value_fraction: float = 0.0
    ) -> None:
        """Start without games.

        Args:
            rules: rules of all games.
            games: maximum number of games kept, at least 1.
            decay: factor of the value per ply, see `samples_of`.
            value_fraction: weight of the players' own values, see `samples_of`.
        """
        self.rules = rules
        self._decay = decay
        self._told = value_fraction
        self._kept: deque[PairSamples] = deque(maxlen=games)
        self._joined: dict[int, PairSamples] = {}

    @property
    def games(self) -> int:
        """Number of games kept."""
        return len(self._kept)

    def __len__(self) -> int:
        return sum(len(samples) for samples in self._kept)

    def add(self, game: TrainingRecord) -> None:
        """Add a game; the oldest is dropped if there are too many."""
        self._kept.append(
            samples_of(self.rules, game, decay=self._decay, value_fraction=self._told)
        )
        self._joined.clear()

    def of(self, color: Color) -> PairSamples:
        """Return all samples with `color` to move, the oldest game first.

        Raises:
            ValueError: the window holds no game.
        """
        if color not in self._joined:
            if not self._kept:
                raise ValueError("expected a window with games, found an empty one")
            self._joined[color] = join([samples.of(color) for samples in self._kept])
        return self._joined[color]


def draw(samples: PairSamples, count: int, size: int, rng: np.random.Generator) -> PairSamples:
    """Draw samples uniformly with replacement, each in a random one of the eight symmetries.

    Args:
        samples: the samples to draw from, at least one.
        count: number to draw.
        size: points along a side.
        rng: random generator; its state advances.
    """
    rows = rng.integers(len(samples), size=count)
    images = symmetries(size)
    return samples.select(rows).turned(images[rng.integers(len(images), size=count)])


def draw_mixed(
    samples: PairSamples,
    others: PairSamples,
    count: int,
    share: float,
    size: int,
    rng: np.random.Generator,
) -> PairSamples:
    """Draw `count` samples as `draw` does, the fraction `share` of them from `others`.

    Args:
        samples: the samples to draw from.
        others: further samples to draw from.
        count: total number to draw.
        share: fraction drawn from `others`, in [0, 1].
        size: points along a side.
        rng: random generator; its state advances.
    """
    of_others = round(share * count)
    return join([draw(samples, count - of_others, size, rng), draw(others, of_others, size, rng)])
