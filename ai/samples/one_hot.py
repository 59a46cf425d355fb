"""Stage 4 of 6, "one-hot-encoding-based vector generation": positions and their labels.

A lost game is walked back from its end. It gives positions in which the learner was to move. There
it should have placed its own stone where the opponent placed its next one (the paper's "Record",
section 3.2). The function f2 of the paper turns that point into a one-hot vector: the label.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ai.game import BLACK, PASS, GameRecord, Move, playable


class Sample(NamedTuple):
    """A training sample: a position and the right move or moves in it."""

    stones: NDArray[np.int8]
    """`[A]` from the learner's perspective: opponent +1, own -1."""
    label: NDArray[np.float32]
    """`[A]` 1 at the right move, or equal shares at several, with the sum 1."""


def one_hot(points: int, *moves: Move) -> NDArray[np.float32]:
    """Return the label f2 `[A]`: 1 at the move's point, or equal shares for several moves.

    Args:
        points: number of points of the board, A.
        moves: the moves.
    """
    label = np.zeros(points, np.float32)
    label[list(moves)] = 1.0 / len(moves)
    return label


def stones_after(record: GameRecord, plies: int) -> NDArray[np.int8]:
    """Return `[A]` the position after `plies` moves, from the learner's perspective."""
    stones = record.rules.stones_after(record.moves[:plies])
    return record.rules.encode(stones, record.learner_color)


def learner_plies(record: GameRecord) -> Sequence[int]:
    """Return where in `record.moves` the learner's stones are, as indices; passes are left out."""
    plies = range(0 if record.learner_color == BLACK else 1, len(record.moves), 2)
    return [ply for ply in plies if record.moves[ply] != PASS]


def missed_lessons(record: GameRecord, lessons: Iterable[Sample]) -> list[Sample]:
    """Return the samples whose position occurred in a game and where the learner moved wrongly.

    A move is wrong if the sample's label is 0 there. A move that won the game at once is never
    wrong.

    Args:
        record: the game.
        lessons: the samples, whose labels are the right moves.
    """
    played = {
        stones_after(record, ply).tobytes(): record.moves[ply]
        for ply in learner_plies(record)
        if ply < len(record.moves) - 1
    }
    return [
        lesson
        for lesson in lessons
        if (move := played.get(lesson.stones.tobytes())) is not None and not lesson.label[move]
    ]


def walk_back(record: GameRecord, count: int) -> list[Sample]:
    """Return samples of a lost game, the last position first.

    Each stone of the opponent gives a sample, beginning with the last one. The position is the one
    in which the learner made its move just before that stone. The label is the stone's point, since
    the learner should have played there. A position is left out if the learner could not have: with
    gravity, the point may have become playable only by the learner's own move.

    Args:
        record: a game that the learner lost.
        count: maximum number of samples; short games give fewer.
    """
    rules = record.rules
    lessons: list[Sample] = []
    for ply in reversed(range(1, len(record.moves))):
        if len(lessons) == count:
            break
        is_opponents = (ply % 2 == 0) != (record.learner_color == BLACK)
        stones, move = stones_after(record, ply - 1), record.moves[ply]
        if is_opponents and move != PASS and playable(stones, rules)[move]:
            lessons.append(Sample(stones, one_hot(rules.points, move)))
    return lessons


def relabelled(lessons: list[Sample], record: GameRecord, rng: np.random.Generator) -> list[Sample]:
    """Return the same positions with a random free point as the label of each: a control.

    Args:
        lessons: the samples; not changed.
        record: the game that they come from.
        rng: random generator that draws the points; its state advances.
    """
    return [
        Sample(stones, one_hot(len(stones), int(rng.choice(np.flatnonzero(free)))))
        for stones, free in (
            (lesson.stones, playable(lesson.stones, record.rules)) for lesson in lessons
        )
    ]
