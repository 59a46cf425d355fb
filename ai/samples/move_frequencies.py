"""Positions of games and how often each move was played in them: the samples of `move-net`.

After M. Muzika (CTU Prague 2017), section 5.2. From a game of k moves come k - 1 pairs of a
position and its answer: for x = 2 ... k, the position after x - 1 moves and move x. Equal positions
are merged, and their answers become relative frequencies. Here positions that are equal after a
rotation or reflection are merged as well. Stones are from the view of the side to move: own 1, the
opponent's -1 (the paper does not give its coding).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ai.game import BLACK, PASS, Move, Rules

FIRST_LEARNT: Final = 1
"""Number of moves at the start of a game that are not learnt; the paper begins with move 2."""
_CHUNK: Final = 8192


class MoveSequence(NamedTuple):
    """The moves of a game, and the number of moves at its start that are not learnt."""

    moves: Sequence[Move]
    first: int = FIRST_LEARNT


class MoveFrequencies:
    """Distinct positions, each with the moves played in it and how often."""

    def __init__(
        self,
        rules: Rules,
        stones: NDArray[np.int8],
        starts: NDArray[np.int64],
        moves: NDArray[np.int64],
        counts: NDArray[np.int64],
    ) -> None:
        """Store the arrays without copying them.

        Args:
            rules: rules of the games.
            stones: `[N, A]` positions: 1 for stones of the side to move, -1 for the opponent's.
            starts: `[N + 1]` index in `moves` and `counts` of each position's first move.
            moves: `[M]` moves played in the positions.
            counts: `[M]` how often each was played.
        """
        self.rules = rules
        self.stones = stones
        self.starts = starts
        self.moves = moves
        self.counts = counts

    def __len__(self) -> int:
        return len(self.stones)

    @property
    def occurrences(self) -> int:
        """Number of positions, where equal ones that were merged count separately."""
        return int(self.counts.sum())

    def targets(self, rows: NDArray[np.intp]) -> NDArray[np.float32]:
        """Return how often each move was played in some of the positions, as shares of 1.

        Args:
            rows: `[B]` indices of the positions.

        Returns:
            `[B, A]` relative frequencies of the moves; each row has the sum 1.
        """
        found = np.zeros((len(rows), self.rules.points), np.float32)
        for place, row in enumerate(rows.tolist()):
            answers = slice(self.starts[row], self.starts[row + 1])
            counts = self.counts[answers]
            found[place, self.moves[answers]] = counts / counts.sum()
        return found

    def without(self, known: MoveFrequencies) -> MoveFrequencies:
        """Return the positions that do not occur in `known`."""
        seen = {row.tobytes() for row in known.stones}
        kept = np.array([row.tobytes() not in seen for row in self.stones], np.bool_)
        return self.at(np.flatnonzero(kept))

    def joined(self, other: MoveFrequencies) -> MoveFrequencies:
        """Return these positions followed by those of `other`; equal ones are not merged."""
        return MoveFrequencies(
            self.rules,
            np.concatenate([self.stones, other.stones]),
            np.concatenate([self.starts, self.starts[-1] + other.starts[1:]]),
            np.concatenate([self.moves, other.moves]),
            np.concatenate([self.counts, other.counts]),
        )

    def at(self, rows: NDArray[np.intp]) -> MoveFrequencies:
        """Return a selection of the positions, with their moves.

        Args:
            rows: `[B]` indices of the positions, in the wanted order.
        """
        spans = [np.arange(self.starts[row], self.starts[row + 1]) for row in rows.tolist()]
        index = np.concatenate(spans) if spans else np.zeros(0, np.int64)
        starts = np.concatenate([[0], np.cumsum([len(span) for span in spans], dtype=np.int64)])
        return MoveFrequencies(
            self.rules,
            self.stones[rows],
            starts.astype(np.int64),
            self.moves[index],
            self.counts[index],
        )


def count_moves(rules: Rules, games: Iterable[MoveSequence]) -> MoveFrequencies:
    """Return the merged positions of games, with how often each move was played.

    Args:
        rules: rules of a square board without gravity.
        games: games on that board; their moves must be legal.
    """
    images: NDArray[np.intp] = np.asarray(rules.symmetries())  # [8, A]
    answers: dict[bytes, dict[int, int]] = {}
    stones: list[NDArray[np.int8]] = []
    played: list[int] = []
    for game in games:
        board, color = np.zeros(rules.points, np.int8), int(BLACK)
        for number, move in enumerate(game.moves):
            if move == PASS:
                color = -color
                continue
            if number >= game.first:
                stones.append(board * np.int8(color))
                played.append(move)
            board[move] = color
            color = -color
        if len(stones) >= _CHUNK:
            _merge(np.stack(stones), np.array(played), images, answers)
            stones, played = [], []
    if stones:
        _merge(np.stack(stones), np.array(played), images, answers)
    return _as_arrays(rules, answers)


def merge_positions(
    rules: Rules, stones: NDArray[np.int8], moves: NDArray[np.int64]
) -> MoveFrequencies:
    """Return positions with one move each, merged as `count_moves` does.

    Args:
        rules: rules of a square board without gravity.
        stones: `[N, A]` positions: 1 for stones of the side to move, -1 for the opponent's.
        moves: `[N]` the move of each.
    """
    answers: dict[bytes, dict[int, int]] = {}
    _merge(stones, moves, np.asarray(rules.symmetries()), answers)
    return _as_arrays(rules, answers)


def _merge(
    stones: NDArray[np.int8],
    played: NDArray[np.int64],
    images: NDArray[np.intp],
    answers: dict[bytes, dict[int, int]],
) -> None:
    """Count moves of positions in `answers`, after turning each position to a standard form.

    All rotations and reflections of a position have the same standard form. The move is turned with
    it.

    Args:
        stones: `[B, A]` positions.
        played: `[B]` the move that was played in each.
        images: `[8, A]` the symmetries.
        answers: for each position in standard form, as bytes, how often each move was played;
            changed in place.
    """
    back = np.argsort(images, axis=1)  # [8, A]: where a point of the board lies in the image
    turned = [stones[:, image] for image in images]
    for row, move in enumerate(played.tolist()):
        keys = [image[row].tobytes() for image in turned]
        least = min(keys)
        # Several symmetries may give the same board: of the move's images the lowest point is used.
        moved = min(int(back[turn, move]) for turn, key in enumerate(keys) if key == least)
        counts = answers.setdefault(least, {})
        counts[moved] = counts.get(moved, 0) + 1


def _as_arrays(rules: Rules, answers: dict[bytes, dict[int, int]]) -> MoveFrequencies:
    """Convert counted moves to arrays; the positions keep their order.

    Args:
        rules: rules of the games.
        answers: for each position, as bytes, how often each move was played.
    """
    stones = np.zeros((len(answers), rules.points), np.int8)
    starts = np.zeros(len(answers) + 1, np.int64)
    for row, (key, counts) in enumerate(answers.items()):
        stones[row] = np.frombuffer(key, np.int8)
        starts[row + 1] = starts[row] + len(counts)
    moves = [move for counts in answers.values() for move in counts]
    numbers = [count for counts in answers.values() for count in counts.values()]
    return MoveFrequencies(
        rules, stones, starts, np.array(moves, np.int64), np.array(numbers, np.int64)
    )
