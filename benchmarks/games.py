"""Games and matches of two players, each opening played with both colors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from ai import WHITE, Board, Limit, Player, Rules
from ai.arena.tournament import opening_positions
from ai.runs.statistics import wilson
from ai.session.game import move_seed
from base.storage.json_file import LinesFile, read_lines

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

    @classmethod
    def of(cls, results: Sequence[float]) -> Score:
        """Count games by the points that each gave: 1, 0.5 or 0."""
        return cls(*(sum(result == points for result in results) for points in (1.0, 0.5, 0.0)))

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

    def __str__(self) -> str:
        return f"{self.wins} won, {self.draws} drawn, {self.losses} lost"


def points_text(points: float, games: int) -> str:
    """Return the points of a match with the 95 % interval of their share.

    >>> points_text(15.0, 20)
    '15 of 20 (53% to 89%)'
    """
    low, high = wilson(points, games)
    return f"{points:g} of {games} ({low:.0%} to {high:.0%})"


def limit_of(text: str) -> tuple[str, Limit]:
    """Read a player and the limit of its moves: NAME=NODES, or NAME=SECONDSs of the processor.

    Without a limit it is one node.

    >>> limit_of("mcts=0.5s")
    ('mcts', Limit(seconds=0.5, nodes=None, soft_seconds=None, on_processor=True))
    """
    name, mark, words = text.rpartition("=")
    if not mark:
        return text, Limit(nodes=1)
    if words.endswith("s"):
        return name, Limit(seconds=float(words[:-1]), on_processor=True)
    return name, Limit(nodes=int(words))


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

    def draw() -> int:
        row, column = (first + int(part) for part in rng.integers(side, size=2))
        return row * rules.size + column

    return with_stones(Board(rules), OPENING_PLIES, draw)


def with_stones(board: Board, plies: int, draw: Callable[[], int]) -> Board:
    """Put drawn stones on a board until it has so many; those that would decide it are left out.

    Args:
        board: is changed and returned.
        plies: number of stones at the end.
        draw: returns a point, which may be taken.
    """
    while board.ply < plies:
        move = draw()
        if move in board.legal_moves:
            board.push(move)
            if board.is_decided:
                board.pop()
    return board


def any_point(board: Board, rng: np.random.Generator) -> Callable[[], int]:
    """Return what draws a free point of a board."""
    return lambda: int(rng.choice(list(board.legal_moves)))


def play(
    black: Player,
    white: Player,
    board: Board,
    seed: int,
    limits: Sequence[Limit] = (UNLIMITED, UNLIMITED),
    *,
    game: int = 0,
) -> int:
    """Play a game to its end; the board is changed.

    Args:
        black: plays Black.
        white: plays White.
        board: the opening.
        seed: of the match.
        limits: of a move of Black, and of White.
        game: number of the game; with the seed, it seeds the players.

    Returns:
        The winner's color, 0 for a draw.
    """
    sides = {1: (black, limits[0]), WHITE: (white, limits[1])}
    while (outcome := board.outcome()) is None:
        player, limit = sides[board.to_move]
        rng = np.random.default_rng(move_seed(seed, game, board.ply))
        board.push(player.choose(board, limit, rng).move)
    return outcome.winner


def play_numbered(
    players: Sequence[Player], limits: Sequence[Limit], board: Board, seed: int, number: int
) -> float:
    """Play a game of a match, the first player with Black if its number is even.

    Returns:
        The first player's points: 1, 0.5 or 0.
    """
    if number % 2 == 0:
        return (1 + play(players[0], players[1], board, seed, limits, game=number)) / 2
    return (1 - play(players[1], players[0], board, seed, limits[::-1], game=number)) / 2


def balanced_board(rules: Rules, seed: int, number: int) -> Board:
    """Return the balanced opening of a match's game; two games in a row have the same one."""
    listed = opening_positions("balanced", rules, number // 2 + 1, seed=seed)
    return Board.from_moves(listed[-1], rules)


def match(
    first: Player, second: Player, rules: Rules, *, games: int, seed: int, limit: Limit = UNLIMITED
) -> Score:
    """Play an even number of games: each opening twice, with colors swapped."""
    results = []
    for game in range(games):
        board = opening(rules, seed, game // 2)
        is_black = game % 2 == 0
        black, white = (first, second) if is_black else (second, first)
        winner = play(black, white, board, move_seed(seed, game, 1), (limit, limit))
        results.append((1 + (winner if is_black else -winner)) / 2)
    return Score.of(results)


class KeptResults:
    """Results by their key, a line each of a file, so that an interrupted run can be resumed."""

    def __init__(self, path: Path | None) -> None:
        """Read what the file holds; None keeps nothing."""
        self._path = path
        lines = [] if path is None else read_lines(path)
        self._known: dict[str, dict[str, Any]] = {line["key"]: line for line in lines}

    def __contains__(self, key: str) -> bool:
        return key in self._known

    def points(self, key: str) -> Any:
        """Return the points of a result."""
        return self._known[key]["points"]

    def line(self, key: str) -> dict[str, Any]:
        """Return all of a result."""
        return self._known[key]

    def add(self, line: dict[str, Any]) -> None:
        """Keep a result: its "key", its "points", and more."""
        self._known[line["key"]] = line
        if self._path is not None:
            with LinesFile(self._path) as file:
                file.append(line)
