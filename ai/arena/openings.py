"""The positions from which games of a tournament begin."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

import numpy as np

from ai.game import Move, Position, Rules, board_of
from ai.players.base import Limit, Player
from ai.registry.players import create_player
from ai.session.game import opening_move

STONES: Final = 3
"""Stones of a balanced opening: Black, White, Black; White is to move."""
NEAR: Final = 3
"""Distance from the centre, in points, within which they lie."""
JUDGE: Final = "alpha-beta"
JUDGE_NODES: Final = 2_000
EVEN: Final = 0.25
"""A judged value at most so far from even is balanced."""
TRIES: Final = 200


def opening_positions(
    name: str, rules: Rules, count: int, *, seed: int = 0
) -> list[tuple[Move, ...]]:
    """Return `count` openings, as different from each other as there are.

    Args:
        name: one of `OPENINGS`.
        rules: rules of the game.
        count: number of openings.
        seed: draws them; the first n of a greater count are those of n.
    """
    return OPENINGS[name](rules, count, seed)


def _empty(rules: Rules, count: int, seed: int) -> list[tuple[Move, ...]]:
    return [()] * count


def _first_stone(rules: Rules, count: int, seed: int) -> list[tuple[Move, ...]]:
    return [(opening_move(rules, seed, number + 1),) for number in range(count)]


def _balanced(rules: Rules, count: int, seed: int) -> list[tuple[Move, ...]]:
    """Draw stones near the centre; keep what the judge sees as even, each shape once."""
    rng = np.random.default_rng(seed)
    judge = create_player(JUDGE, rules, {})
    seen: set[bytes] = set()
    found: list[tuple[Move, ...]] = []
    least: tuple[float, tuple[Move, ...]] = (2.0, ())
    tries = 0
    while len(found) < count:
        moves = _drawn(rules, rng)
        shape = _shape(board_of(rules, moves))
        tries += 1
        if shape in seen and tries < TRIES:
            continue
        value = abs(_value(judge, rules, moves))
        least = min(least, (value, moves))
        if value <= EVEN or tries >= TRIES:
            found.append(moves if value <= EVEN else least[1])
            seen.add(shape)
            least, tries = (2.0, ()), 0
    judge.close()
    return found


def _drawn(rules: Rules, rng: np.random.Generator) -> tuple[Move, ...]:
    near = min(NEAR, rules.size // 2 - 1)
    middle = (rules.rows // 2, rules.size // 2)
    rows, columns = (range(centre - near, centre + near + 1) for centre in middle)
    points = [row * rules.size + column for row in rows for column in columns]
    drawn = rng.choice(len(points), STONES, replace=False)
    return tuple(points[int(place)] for place in drawn)


def _shape(position: Position) -> bytes:
    """Return the position without its turning and mirroring."""
    stones = np.array(position.stones, np.int8)
    turned: list[bytes] = [stones[turn].tobytes() for turn in position.rules.symmetries()]
    return min(turned)


def _value(judge: Player, rules: Rules, moves: tuple[Move, ...]) -> float:
    choice = judge.choose(
        board_of(rules, moves), Limit(nodes=JUDGE_NODES), np.random.default_rng(0)
    )
    return choice.value or 0.0


OPENINGS: Final[Mapping[str, Callable[[Rules, int, int], list[tuple[Move, ...]]]]] = (
    MappingProxyType({"none": _empty, "first": _first_stone, "balanced": _balanced})
)
"""Ways to begin: an empty board, one stone near the centre, or a judged three-stone opening."""
