"""Finds threats of either side: points that win at once, or after which a win cannot be stopped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from ai.game.lines import Ray, rays
from ai.game.move import BLACK, EMPTY, WHITE, Color, Move
from ai.game.renju import find_foul
from ai.game.rules import Rules


class ThreatKind(Enum):
    """The pattern that a stone on the point of a threat completes."""

    FIVE = "five"
    """A row that wins (five stones under the usual rules)."""
    OPEN_FOUR = "open four"
    """A stone after which two points win at the next move; also two fours in different lines."""


@dataclass(frozen=True, slots=True)
class Threat:
    """An empty point where a color wins at once, or after which its win cannot be stopped."""

    color: Color
    kind: ThreatKind
    point: Move
    stones: tuple[Move, ...]
    """Points of this color's stones that are part of the pattern, in increasing order."""


def find_threats(stones: Sequence[Color], rules: Rules) -> tuple[Threat, ...]:
    """Return every threat of both colors, whoever moves next.

    Fives come first, then open fours; within each kind Black's come before White's. If a color has
    a five, its open fours are left out. Under gravity, points that are not yet supported count too.

    Args:
        stones: color of each point.
        rules: rules of the game: size, win length, and which rows win. A foul of Black is no
            threat.
    """
    found: list[Threat] = []
    for color in (BLACK, WHITE):
        fives = list(_fives(stones, color, rules))
        found.extend(fives or _open_fours(stones, color, rules))
    return tuple(sorted(found, key=lambda threat: threat.kind is not ThreatKind.FIVE))


def _fives(stones: Sequence[Color], color: Color, rules: Rules) -> Iterable[Threat]:
    """Yield a threat for each empty point that completes a winning row of a color.

    Args:
        stones: color of each point.
        color: BLACK or WHITE.
        rules: rules of the game.
    """
    for point, lines in enumerate(_rays(rules)):
        if stones[point] != EMPTY:
            continue
        held: set[Move] = set()
        for backward, forward in lines:
            run, wins = _row(stones, color, backward, forward, rules)
            if wins:
                held.update(run)
        if held:
            yield Threat(color, ThreatKind.FIVE, point, tuple(sorted(held)))


def _open_fours(stones: Sequence[Color], color: Color, rules: Rules) -> Iterable[Threat]:
    """Yield a threat for each empty point after which `color` could win at two or more points.

    The color must have no winning point in the present position.

    Args:
        stones: color of each point.
        color: BLACK or WHITE.
        rules: rules of the game.
    """
    reach = rules.win_length - 1
    after = list(stones)
    for point, lines in enumerate(_rays(rules)):
        if stones[point] != EMPTY or _is_foul(stones, color, point, rules):
            continue
        after[point] = color
        winning: set[Move] = set()
        held: set[Move] = set()
        for direction, (backward, forward) in enumerate(lines):
            nearby = (*backward[:reach], *forward[:reach])
            if sum(after[near] == color for near in nearby) < rules.win_length - 2:
                continue
            for near in nearby:
                run, wins = _row(after, color, *_rays(rules)[near][direction], rules)
                if after[near] == EMPTY and point in run and wins:
                    winning.add(near)
                    held.update(run)
        after[point] = EMPTY
        if len(winning) >= 2:
            yield Threat(color, ThreatKind.OPEN_FOUR, point, tuple(sorted(held - {point})))


def _row(
    stones: Sequence[Color], color: Color, backward: Ray, forward: Ray, rules: Rules
) -> tuple[tuple[Move, ...], bool]:
    """Find the row of one color that a stone on a point would join, in one line.

    Args:
        stones: color of each point.
        color: BLACK or WHITE.
        backward: points of the line before the point, the nearest first.
        forward: points of the line after the point, the nearest first.
        rules: rules of the game.

    Returns:
        The points of the row's present stones, and whether the row would win with the new stone.
    """
    before, after = _run(stones, color, backward), _run(stones, color, forward)
    is_blocked = (
        len(before) < len(backward)
        and len(after) < len(forward)
        and stones[backward[len(before)]] == stones[forward[len(after)]] == -color
    )
    row = (*before, *after)
    return row, rules.row_wins(len(row) + 1, color, is_blocked=is_blocked)


def _is_foul(stones: Sequence[Color], color: Color, point: Move, rules: Rules) -> bool:
    """Return whether a stone of a color on an empty point is a foul.

    Args:
        stones: color of each point.
        color: BLACK or WHITE.
        point: the empty point.
        rules: rules of the game.
    """
    if not rules.has_fouls or color != BLACK:
        return False
    return find_foul(stones, point, rules.size, rules.rows) is not None


def _run(stones: Sequence[Color], color: Color, ray: Ray) -> tuple[Move, ...]:
    """Return the first points of a ray, up to the first one that a color does not hold.

    Args:
        stones: color of each point.
        color: BLACK or WHITE.
        ray: points, the nearest first.
    """
    length = 0
    for point in ray:
        if stones[point] != color:
            break
        length += 1
    return ray[:length]


def _rays(rules: Rules) -> tuple[tuple[tuple[Ray, Ray], ...], ...]:
    """Return the rays of every point up to the board's edge, see `ai.game.lines.rays`."""
    return rays(rules.size, max(rules.size, rules.rows) - 1, rules.rows)
