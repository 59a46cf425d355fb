"""Searches that know nothing of a game but its rules: a Monte Carlo tree, and minimax.

`mcts` and `alpha-beta` play with them what is no m,n,k game. They push and pop moves of a
`Position`, in Python, so they look at some thousand positions a second.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, cast

import numpy as np

from ai.game import PASS, Move, Position, require_open
from ai.players.base import Limit, MoveChoice
from ai.players.explanation import SearchedMoves, TreeVisits
from ai.search.base import SearchClock
from base.schema import OptionError, OptionValue

MOST_GAMES: Final = 400
"""Random games of a move whose limit has neither seconds nor nodes."""
MOST_POSITIONS: Final = 3000
"""Positions of minimax for a move whose limit has neither seconds nor nodes."""
DEEPEST: Final = 9
"""Plies that minimax looks ahead at most, if its settings do not say so."""
WON: Final = 1_000_000
"""Score of a win before the first move; a win after n moves of the game scores n less."""
SHOWN_LINES: Final = 3


class _StoppedError(Exception):
    """The limit of a search is reached."""


@dataclass(slots=True, eq=False)
class _Node:
    """A position of the tree; `total` counts results for the side that moved there."""

    untried: list[Move] | None = None
    children: dict[Move, _Node] = field(default_factory=dict)
    visits: int = 0
    total: float = 0.0


class RolloutTree:
    """Plays the most visited move of a tree of random games; explained by `TreeVisits`.

    A move that wins at once is played without a search. The search is UCT, Kocsis and Szepesvari
    2006: Bandit based Monte-Carlo planning.

    Args:
        settings: settings of the player: "cp" for the exploration, "iterations" of a move.
    """

    name = "mcts"

    def __init__(self, settings: Mapping[str, OptionValue]) -> None:
        _refuse_level(settings)
        self._exploration = 2.0 * cast("float", settings["cp"])
        self._most = min(cast("int", settings["iterations"]), MOST_GAMES)

    def choose(self, board: Position, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Search and play the most visited move; see `Player.choose`."""
        require_open(board)
        if limit.seconds is None and limit.nodes is None:
            limit = Limit(nodes=self._most)
        for move in list(board.legal_moves):
            with board.played(move):
                outcome = board.outcome()
            if outcome is not None and outcome.winner == board.to_move:
                return MoveChoice(move, value=1.0, explanation=TreeVisits(visits=((move, 1),)))
        clock, root, deepest = SearchClock(limit), _Node(), 0
        while True:
            deepest = max(deepest, self._simulate(board, root, rng))
            if clock.spend():
                break
        ranked = sorted(root.children.items(), key=lambda item: -item[1].visits)
        policy = np.zeros(board.rules.points, np.float32)
        for move, child in ranked:
            if move != PASS:
                policy[move] = child.visits / root.visits
        move, best = ranked[0]
        return MoveChoice(
            move,
            value=best.total / best.visits,
            policy=policy,
            explanation=TreeVisits(
                visits=tuple((move, child.visits) for move, child in ranked),
                means=tuple(child.total / child.visits for _, child in ranked),
                lines=tuple(_line_of(move, child) for move, child in ranked[:SHOWN_LINES]),
                iterations=clock.nodes,
                kept=0,
                depth=deepest,
            ),
        )

    def close(self) -> None:
        """Do nothing: no resources are held."""

    def _simulate(self, board: Position, root: _Node, rng: np.random.Generator) -> int:
        """Play one random game from the tree's edge; return the depth at which it left the tree."""
        begun, node, path = board.ply, root, [(root, -board.to_move)]
        while True:
            if node.untried is None:
                node.untried = list(board.legal_moves)
                rng.shuffle(node.untried)
            if node.untried or not node.children:
                break
            move, node = self._selected(node)
            path.append((node, board.to_move))
            board.push(move)
        if node.untried:
            move = node.untried.pop()
            node.children[move] = node = _Node()
            path.append((node, board.to_move))
            board.push(move)
        depth = board.ply - begun
        moves = list(board.legal_moves)
        while moves:
            board.push(moves[int(rng.integers(len(moves)))])
            moves = list(board.legal_moves)
        outcome = board.outcome()
        winner = 0 if outcome is None else outcome.winner
        for item, color in path:
            item.visits += 1
            item.total += winner * color
        while board.ply > begun:
            board.pop()
        return depth

    def _selected(self, node: _Node) -> tuple[Move, _Node]:
        """Return the child with the highest upper confidence bound."""
        logarithm = 2.0 * math.log(node.visits)

        def bound(item: tuple[Move, _Node]) -> float:
            child = item[1]
            share = (child.total / child.visits + 1.0) / 2.0  # of the points
            return share + self._exploration * math.sqrt(logarithm / child.visits)

        return max(node.children.items(), key=bound)

    @property
    def plans_time(self) -> bool:
        """Whether the player obeys `Limit.soft_seconds`: it does not."""
        return False


def _line_of(move: Move, node: _Node) -> tuple[Move, ...]:
    """Return the moves that were visited most, from a move on."""
    line = [move]
    while node.children:
        move, node = max(node.children.items(), key=lambda item: item[1].visits)
        line.append(move)
    return tuple(line)


class Minimax:
    """Plays the move with the best score by minimax; explained by `SearchedMoves`.

    The search is alpha-beta, Knuth and Moore 1975, with the killer heuristic. It deepens ply by ply
    until the limit. Only the end of the game is scored.

    Args:
        settings: settings of the player: "depth" and "nodes".
    """

    name = "alpha-beta"

    def __init__(self, settings: Mapping[str, OptionValue]) -> None:
        _refuse_level(settings)
        self._depth = cast("int", settings["depth"]) or DEEPEST
        nodes = cast("int | None", settings["nodes"])
        self._most = MOST_POSITIONS if nodes == 0 else nodes
        self._refutations: dict[int, Move] = {}  # by ply, the move that was too good last

    def choose(self, board: Position, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Search and choose a move; see `Player.choose`."""
        require_open(board)
        if limit.seconds is None and limit.nodes is None:
            limit = Limit(nodes=self._most)
        clock, begun = SearchClock(limit), board.ply
        moves = list(board.legal_moves)
        rng.shuffle(moves)
        scores, reached = dict.fromkeys(moves, 0), 0
        for depth in range(1, self._depth + 1):
            try:
                scores = self._scores(board, moves, depth, clock)
            except _StoppedError:
                while board.ply > begun:
                    board.pop()
                break
            reached = depth
            moves.sort(key=lambda move: -scores[move])
            if all(scores.values()):
                break  # all are decided
        best = max(moves, key=scores.__getitem__)  # the first of equals, as others may be worse
        ranked = tuple(sorted(scores.items(), key=lambda item: -item[1]))
        return MoveChoice(
            best,
            value=float(np.sign(scores[best])),
            explanation=SearchedMoves(
                scores=ranked, nodes=clock.nodes, depth=reached, principal_variation=(best,)
            ),
        )

    def close(self) -> None:
        """Do nothing: no resources are held."""

    @property
    def plans_time(self) -> bool:
        """Whether the player obeys `Limit.soft_seconds`: it does not."""
        return False

    def _scores(
        self, board: Position, moves: list[Move], depth: int, clock: SearchClock
    ) -> dict[Move, int]:
        """Return the score of each move: exact for the best one, at least the score of others.

        Args:
            board: the position.
            moves: its legal moves.
            depth: plies to look ahead.
            clock: the limit.

        Raises:
            _StoppedError: the limit is reached.
        """
        scores, best = {}, -WON
        for move in moves:
            board.push(move)
            scores[move] = -self._score(board, depth - 1, -WON, -best, clock)
            board.pop()
            best = max(best, scores[move])
        return scores

    def _score(self, board: Position, depth: int, alpha: int, beta: int, clock: SearchClock) -> int:
        """Return the score of a position for the side to move.

        Args:
            board: the position.
            depth: plies to look ahead.
            alpha: lower end of the window of scores.
            beta: upper end of the window of scores.
            clock: the limit.

        Raises:
            _StoppedError: the limit is reached.
        """
        if clock.spend():
            raise _StoppedError
        outcome = board.outcome()
        if outcome is not None:
            return outcome.winner * board.to_move * (WON - board.ply)
        if depth <= 0:
            return 0
        best, ply, refutations = -WON, board.ply, self._refutations
        moves = list(board.legal_moves)
        first = refutations.get(ply)
        if first in moves:
            moves.remove(first)
            moves.insert(0, first)
        for move in moves:
            board.push(move)
            best = max(best, -self._score(board, depth - 1, -beta, -max(alpha, best), clock))
            board.pop()
            if best >= beta:
                refutations[ply] = move
                break
        return best


def _refuse_level(settings: Mapping[str, OptionValue]) -> None:
    """Refuse a level of strength, which only m,n,k games have.

    Args:
        settings: settings of the player.

    Raises:
        OptionError: they have a level.
    """
    if settings.get("level"):
        raise OptionError(f"level: expected an m,n,k game for a level, found {settings['level']!r}")
