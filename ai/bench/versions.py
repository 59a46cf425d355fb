"""Today's search against an earlier version: how fast it is beside it, and what it is worth."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np

from ai.arena.ratings import Rating, pair_elo
from ai.arena.tournament import opening_positions
from ai.bench.measure import FIFTEEN, QUIET
from ai.game import BLACK, Board, Move, Rules
from ai.nets.evaluation import LearnedEvaluation
from ai.search.base import Limit
from ai.search.pattern_alpha_beta import PLAIN, VERSION, VERSIONS, PatternAlphaBeta

RATED_NODES: Final = 100_000
"""Positions of one search whose rate is compared."""
ROUNDS: Final = 5
MATCH_NODES: Final = 10_000
"""Positions a move of the earlier version in the games."""


class Version(NamedTuple):
    """A version of the search."""

    tuning: Mapping[str, int]
    """Parameters that differ from today's."""
    evaluation: LearnedEvaluation | None


EARLIER: Final[Mapping[int, Callable[[LearnedEvaluation | None], Version]]] = MappingProxyType(
    {
        PLAIN - 1: lambda evaluation: Version(VERSIONS[PLAIN], None),
        PLAIN: lambda evaluation: Version(VERSIONS[PLAIN], evaluation),
        6: lambda evaluation: Version(VERSIONS[6], evaluation),
    }
)
"""The earlier versions that can be played still, by number, for a learned evaluation."""
BEFORE: Final = max(EARLIER)
"""Number of the version before today's."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How today's search stands to an earlier version."""

    version: int
    """Number of the earlier version."""
    rate_ratio: float
    """Positions in a CPU second, divided by those of the earlier version."""
    results: tuple[tuple[float, float], ...]
    """What today's search got in each pair of games at equal time, with Black and with White."""

    @property
    def elo(self) -> Rating:
        """By how many Elo points today's search is stronger at equal time."""
        return pair_elo([sum(pair) / 2.0 for pair in self.results])

    @property
    def counts(self) -> tuple[int, int, int]:
        """Games that today's search won, drew and lost."""
        found = [result for pair in self.results for result in pair]
        return found.count(1.0), found.count(0.5), found.count(0.0)


def compare(
    version: int,
    evaluation: LearnedEvaluation | None,
    games: int,
    report: Callable[[int], None] | None = None,
    rules: Rules = FIFTEEN,
) -> Comparison:
    """Compare today's search with an earlier version, in this process.

    In the games the earlier version has `MATCH_NODES` positions a move, and today's as many as it
    looks at in the same time. So the machine's load does not decide them.

    Args:
        version: number of the earlier version, one of `EARLIER`.
        evaluation: learned evaluation; None for none.
        games: number of games, an even one. Each opening is played with both colors.
        report: called after each pair with the games played so far; None for no reports.
        rules: rules of the games, and of the position by which rates are compared.
    """
    versions = Version(VERSIONS[VERSION], evaluation), EARLIER[version](evaluation)
    ratio = rate_ratio(*versions, rules=rules)
    limits = Limit(nodes=max(1, round(MATCH_NODES * ratio))), Limit(nodes=MATCH_NODES)
    results = []
    for opening in opening_positions("balanced", rules, games // 2):
        pair = play_pair(
            [one.tuning for one in versions], rules, opening, limits,
            [one.evaluation for one in versions],
        )  # fmt: skip
        results.append((pair[0], pair[1]))
        if report is not None:
            report(2 * len(results))
    return Comparison(version, ratio, tuple(results))


def rate_ratio(one: Version, other: Version, rounds: int = ROUNDS, rules: Rules = FIFTEEN) -> float:
    """Return the positions of `one` in a CPU second, divided by those of `other`.

    Both search the same position in turn, so that both meet what else the machine does. It is the
    median of several rounds.

    Args:
        one: version of the search.
        other: the version it is compared with.
        rounds: number of measurements.
        rules: rules of the position.
    """
    ratios = []
    for number in range(rounds):
        if number % 2 == 0:
            first = _rate(one, rules)
            ratios.append(first / _rate(other, rules))
        else:
            first = _rate(other, rules)
            ratios.append(_rate(one, rules) / first)
    return statistics.median(ratios)


def _rate(version: Version, rules: Rules) -> float:
    """Return the positions of one search in a CPU second."""
    search = PatternAlphaBeta(rules, tuning=version.tuning, evaluation=version.evaluation)
    board = Board.from_moves(QUIET, rules)
    start = time.process_time()
    nodes = search.search(board, Limit(nodes=RATED_NODES), np.random.default_rng(0)).nodes
    return nodes / (time.process_time() - start)


def play(
    players: Sequence[PatternAlphaBeta], opening: Sequence[Move], limits: Sequence[Limit]
) -> Board:
    """Play a game to its end, the first player with the black stones; return the last board."""
    board = Board.from_moves(opening, players[0].rules)
    rng = np.random.default_rng(0)
    while board.outcome() is None:
        side = board.ply % 2
        board.push(players[side].search(board, limits[side], rng).move)
    return board


def result_of(board: Board, *, is_black: bool) -> float:
    """Return what a side got: 1, 0.5 or 0."""
    outcome = board.outcome()
    if outcome is None or outcome.is_draw:
        return 0.5
    return float((outcome.winner == BLACK) == is_black)


def play_pair(
    versions: Sequence[Mapping[str, int]],
    rules: Rules,
    opening: tuple[Move, ...],
    limits: Sequence[Limit],
    evaluations: Sequence[LearnedEvaluation | None] = (None, None),
    threads: Sequence[int] = (1, 1),
) -> list[float]:
    """Return what the first version got with Black, and with White.

    Args:
        versions: numbers of both versions that differ from the usual ones.
        rules: rules of the game.
        opening: the first moves.
        limits: limit of a move of each version.
        evaluations: learned evaluation of each version.
        threads: threads of each version.
    """
    results = []
    for order in (slice(None), slice(None, None, -1)):
        players = [
            PatternAlphaBeta(rules, tuning=version, evaluation=evaluation, threads=count)
            for version, evaluation, count in zip(versions, evaluations, threads, strict=True)
        ]
        board = play(players[order], opening, limits[order])
        results.append(result_of(board, is_black=order.step is None))
    return results
