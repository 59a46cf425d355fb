"""Analysis of a run's games by the exact solver: where White lost a position that was not lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from ai.game import GameRecord, Rules
from ai.search.oracle import Oracle

NODE_LIMIT: Final = 20_000
"""Nodes for each position; what is not proven within it counts as unknown."""


def judge_games(
    rules: Rules,
    records: Sequence[GameRecord],
    report: Callable[[int], None] = lambda done: None,
    *,
    node_limit: int = NODE_LIMIT,
) -> dict[str, object]:
    """Return the exact solver's counts over all games.

    Args:
        rules: rules of all the games.
        records: the games.
        report: called with the number of games analysed.
        node_limit: limit of searched positions for each question.

    Returns:
        `positions` examined, `proven` and `unknown` of them, `losing_moves` (White's moves from
        a position proven not lost to one proven lost), `games_with_losing_moves`, `node_limit`.
    """
    oracle = Oracle(rules, node_limit=node_limit)
    positions = proven = unknown = losing = games = 0
    for done, record in enumerate(records, start=1):
        judgement = oracle.judge(record)
        positions += judgement.examined
        proven += judgement.proven
        unknown += judgement.unknown
        losing += len(judgement.mistakes)
        games += bool(judgement.mistakes)
        report(done)
    return {
        "positions": positions,
        "proven": proven,
        "unknown": unknown,
        "losing_moves": losing,
        "games_with_losing_moves": games,
        "node_limit": node_limit,
    }
