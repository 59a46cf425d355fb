"""How games of a tournament begin: stones on the board already, or an opening that is played."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

import numpy as np

from ai.game import Move, OpeningKind, Position, Rules, balanced_stones, board_of
from ai.game.opening import BALANCED_COUNT
from ai.session.game import opening_move

STONES: Final = 3
"""Stones that are drawn where a board is too small for the list: Black, White, Black."""
LEAST_LISTED: Final = 9
"""Points along a side from which on the list of balanced openings holds."""
TRIES: Final = 200
TURNS: Final = 8
"""Symmetries in which each opening of the list can lie."""

PLAYED: Final[Mapping[str, OpeningKind]] = MappingProxyType(
    {
        kind.value: kind
        for kind in (OpeningKind.PRO, OpeningKind.LONG_PRO, OpeningKind.SWAP, OpeningKind.SWAP2)
    }
)
"""Openings that the players themselves play."""


def opening_positions(
    name: str, rules: Rules, count: int, *, seed: int = 0
) -> list[tuple[Move, ...]]:
    """Return the stones that lie on the board at the start, of `count` openings.

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
    """Return balanced openings of the list in an order drawn, all shapes before one comes again."""
    if min(rules.size, rules.rows) < LEAST_LISTED:
        return _drawn(rules, count, seed)
    rng = np.random.default_rng(seed)
    shapes = BALANCED_COUNT // TURNS
    found: list[tuple[Move, ...]] = []
    while len(found) < count:
        turns = rng.integers(TURNS, size=shapes)
        order = rng.permutation(shapes)
        found += [
            balanced_stones(rules, int(turn) * shapes + int(shape))
            for turn, shape in zip(turns, order, strict=True)
        ]
    return found[:count]


def _drawn(rules: Rules, count: int, seed: int) -> list[tuple[Move, ...]]:
    """Draw three stones near the centre, each shape once as far as there are."""
    rng = np.random.default_rng(seed)
    near = rules.size // 2 - 1
    middle = (rules.rows // 2, rules.size // 2)
    rows, columns = (range(centre - near, centre + near + 1) for centre in middle)
    points = [row * rules.size + column for row in rows for column in columns]
    seen: set[bytes] = set()
    found: list[tuple[Move, ...]] = []
    tries = 0
    while len(found) < count:
        moves = tuple(points[int(place)] for place in rng.choice(len(points), STONES, False))
        shape = _shape(board_of(rules, moves))
        tries += 1
        if shape not in seen or tries >= TRIES:
            found.append(moves)
            seen.add(shape)
            tries = 0
    return found


def _shape(position: Position) -> bytes:
    """Return the position without its turning and mirroring."""
    stones = np.array(position.stones, np.int8)
    turned: list[bytes] = [stones[turn].tobytes() for turn in position.rules.symmetries()]
    return min(turned)


OPENINGS: Final[Mapping[str, Callable[[Rules, int, int], list[tuple[Move, ...]]]]] = (
    MappingProxyType(
        {
            "balanced": _balanced,
            "first": _first_stone,
            "none": _empty,
            **dict.fromkeys(PLAYED, _empty),
        }
    )
)
"""Ways to begin: balanced stones, one near the centre, an empty board, one that is played."""
