"""Stage 4 of 6, "one-hot-encoding-based vector generation": states and their labels.

After a loss the game is walked back; in each state found the learner should have
placed its own stone where the opponent placed its next one (the paper's
"Record", section 3.2). f2 turns that point into a one-hot vector.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ai.game import BLACK, GameRecord, Move, playable

STONES: Final = "stones"
PLIES: Final = "plies"
AFTER_REPLY: Final = "after-reply"
OWN_STONE: Final = "own-stone"
IN_PLACE_OF_REPLY: Final = "in-place-of-reply"
TURNED: Final = "turned"
REPLACED: Final = (OWN_STONE, IN_PLACE_OF_REPLY, TURNED)
"""The readings in which the state is that "after replacing the last position of the opponent's
stone with the player's own stone" (section 3.2): the label's point is occupied in it."""
WALKS: Final = (STONES, PLIES, AFTER_REPLY, *REPLACED)


class Sample(NamedTuple):
    """A training sample: a state and its label."""

    stones: NDArray[np.int8]
    """`[A]` from the learner's perspective: opponent +1, own -1."""
    label: NDArray[np.float32]
    """`[A]` one-hot, or several points of equal worth with sum 1."""


def one_hot(points: int, *moves: Move) -> NDArray[np.float32]:
    """Return `[A]` f2: 1 at the move's point, or shared evenly among several."""
    label = np.zeros(points, np.float32)
    label[list(moves)] = 1.0 / len(moves)
    return label


def stones_after(record: GameRecord, plies: int) -> NDArray[np.int8]:
    """Return `[A]` the position after `plies` moves, from the learner's perspective."""
    stones = np.zeros(record.rules.points, np.int8)
    moves = np.array(record.moves[:plies], np.intp)
    stones[moves[0::2]] = BLACK
    stones[moves[1::2]] = -BLACK
    return stones * np.int8(-record.learner_color)


def learner_plies(record: GameRecord) -> range:
    """Return the plies at which the learner is to move."""
    return range(0 if record.learner_color == BLACK else 1, len(record.moves), 2)


def missed_lessons(record: GameRecord, lessons: Iterable[Sample]) -> list[Sample]:
    """Return the samples whose state occurred in a game and was answered off their labels.

    A move that won the game at once was no mistake.
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


def walk_back(record: GameRecord, count: int, *, by: str = STONES) -> list[Sample]:
    """Return the relearn records of a lost game, the last state first.

    Args:
        record: a game that the learner lost. Where stones fall, a stone may have stood on the
            reply to the state: it cannot be placed there yet, and the state is left out.
        count: relearn records wanted; short games give fewer.
        by: "stones": record k is the state with the learner to move before the
            opponent's k-th last stone, labelled with that stone. "plies": the state k
            plies back from the end, whoever was to move, labelled with the
            opponent's next stone from there. "after-reply": as "stones", but the state
            after the learner's reply, which the opponent's stone answered. With the stone that
            should have been played in place already: "own-stone": the state after that reply,
            the learner's stone where the opponent's came; "in-place-of-reply": that stone in
            place of the reply; "turned": the final position, the opponent's last k stones
            turned into the learner's.
    """
    places = (
        _by_plies(record)
        if by == PLIES
        else _by_stones(record, 0 if by in (AFTER_REPLY, OWN_STONE) else 1)
    )
    points = record.rules.points
    turned = stones_after(record, len(record.moves))
    lessons: list[Sample] = []
    for state, stone in places:
        if len(lessons) == count:
            break
        stones, move = stones_after(record, state), record.moves[stone]
        if not playable(stones, record.rules)[move]:
            continue
        if by in REPLACED:
            turned[move] = -1
            stones[move] = -1
        lessons.append(Sample(turned.copy() if by == TURNED else stones, one_hot(points, move)))
    return lessons


def _by_stones(record: GameRecord, before: int) -> Iterator[tuple[int, int]]:
    """Yield (plies of the state, index of the opponent's stone), from the end.

    Args:
        record: the game.
        before: plies from the state to the opponent's stone.
    """
    for stone in reversed(range(len(record.moves))):
        is_opponents = (stone % 2 == 0) != (record.learner_color == BLACK)
        if is_opponents and stone >= 1:
            yield stone - before, stone


def _by_plies(record: GameRecord) -> Iterator[tuple[int, int]]:
    """Yield (plies of the state, index of the opponent's next stone), from the end."""
    for state in reversed(range(len(record.moves))):
        is_opponents = (state % 2 == 0) != (record.learner_color == BLACK)
        stone = state if is_opponents else state + 1
        if stone < len(record.moves) and state >= 1:
            yield state, stone


def relabelled(lessons: list[Sample], record: GameRecord, rng: np.random.Generator) -> list[Sample]:
    """Return samples with random free points as labels, for a control experiment.

    Args:
        lessons: samples labelled with the opponent's stones.
        record: the game.
        rng: draws the points.
    """
    return [
        Sample(stones, one_hot(len(stones), int(rng.choice(np.flatnonzero(free)))))
        for stones, free in (
            (lesson.stones, playable(lesson.stones, record.rules)) for lesson in lessons
        )
    ]
