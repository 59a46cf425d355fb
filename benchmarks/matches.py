"""Matches of two players from seeded openings, each opening played with both colours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from ai import WHITE, Board, Limit, Player, Rules, create_player
from ai.runs.statistics import wilson
from ai.session.game import move_seed

OPENING_PLIES: Final = 4
MIDDLE: Final = 7
"""Points along a side of the middle of the board, where the stones of an opening are drawn."""
UNLIMITED: Final = Limit()


@dataclass(frozen=True)
class Score:
    """Games of one player against another, from the first one's side."""

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """Number of games."""
        return self.wins + self.draws + self.losses

    @property
    def share(self) -> float:
        """Points of all games, a draw being half a point."""
        return (self.wins + self.draws / 2) / self.games

    def as_dict(self) -> dict[str, object]:
        """Return counts, and the share of wins with its 95 % interval."""
        low, high = wilson(self.wins, self.games)
        return {
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "win_share_95": [round(low, 3), round(high, 3)],
        }


def opening(rules: Rules, seed: int, number: int) -> Board:
    """Return a board with `OPENING_PLIES` random stones in its middle that win nothing.

    Args:
        rules: of the game.
        seed: of the match.
        number: of the opening in it.
    """
    rng = np.random.default_rng(move_seed(seed, number, 0))
    side = min(MIDDLE, rules.size)
    first = (rules.size - side) // 2
    board = Board(rules)
    while board.ply < OPENING_PLIES:
        row, col = (first + int(part) for part in rng.integers(side, size=2))
        if row * rules.size + col in board.legal_moves:
            board.push(row * rules.size + col)
            if board.outcome() is not None:
                board.pop()
    return board


def play(black: Player, white: Player, board: Board, seed: int, limit: Limit = UNLIMITED) -> int:
    """Play a game to its end; the board is changed.

    Returns:
        The winner's color, 0 for a draw.
    """
    sides = {1: black, WHITE: white}
    while (outcome := board.outcome()) is None:
        rng = np.random.default_rng(move_seed(seed, 0, board.ply))
        board.push(sides[board.to_move].choose(board, limit, rng).move)
    return outcome.winner


def match(
    first: Player, second: Player, rules: Rules, *, games: int, seed: int, limit: Limit = UNLIMITED
) -> Score:
    """Play an even number of games: each opening twice, with colours swapped."""
    results = []
    for game in range(games):
        board = opening(rules, seed, game // 2)
        is_black = game % 2 == 0
        black, white = (first, second) if is_black else (second, first)
        winner = play(black, white, board, move_seed(seed, game, 1), limit)
        results.append(winner if is_black else -winner)
    return Score(results.count(1), results.count(0), results.count(-1))


def seated(name: str, rules: Rules, settings: Mapping[str, object] | None = None) -> Player:
    """Create a player by its name in the registry."""
    return create_player(name, rules, settings)
