"""The oracle: an exact solver that proves who wins a small game, and finds White's errors.

The game is that of the self-teaching paper. White wins with a line of its own, and also if the
board is full. So every position is won by exactly one side. The search is in
`ai.kernels.proof.search`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from ai.evaluators.base import Evaluator
from ai.game import (
    BLACK,
    WHITE,
    Board,
    Game,
    GameRecord,
    Move,
    Rule,
    Rules,
    RulesError,
    as_board,
)
from ai.kernels.jit import fields_of
from ai.kernels.proof.layout import BLACK_SIDE, MAX_SIDE, WHITE_SIDE, new_proof_table, new_solver
from ai.kernels.proof.moves import lift, put
from ai.kernels.proof.search import prove
from ai.search.base import Limit, SearchClock, SearchResult

Result = Literal["black", "white", "unknown"]

FOUR_LIMIT: Final = 200
"""Greatest number of positions that one search for continuous fours may visit."""
TABLE_BITS: Final = (8, 20)
"""Least and greatest exponent e of a table of 2^e entries; 2^20 entries take up to 48 MiB."""
LAST_GENERATION: Final = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class ProofVerdict:
    """Proven result of one position."""

    result: Result
    """Proven winner; "unknown" if the node limit was reached."""
    nodes: int
    """Positions visited, including those of searches for fours."""
    best_move: Move | None = None
    """A proven winning move of the side to move.

    None if none is proven, or if the game is over.
    """


@dataclass(frozen=True, slots=True)
class ProofResult(SearchResult):
    """Result of a search with its proof.

    The value is 0 if nothing is proven, 1 for a proven win and -1 for a proven loss.
    """

    verdict: ProofVerdict

    @property
    def is_proven(self) -> bool:
        """Whether the move is proven to win."""
        return self.verdict.best_move is not None


@dataclass(frozen=True, slots=True)
class MistakeAnalysis:
    """What the solver found about White's moves in one game."""

    mistakes: tuple[int, ...]
    """Plies (0 is the first move) of White's moves that lost a position proven won for White."""
    examined: int
    """Number of analysed positions.

    These are the positions before each move of White, and those after it where that is necessary.
    """
    proven: int
    """Number of these positions whose winner was proven."""
    unknown: int
    """Number of positions undecided within the node limit."""
    nodes: int
    """Positions visited in all."""


class Oracle:
    """Solver that proves the winner of positions on boards of up to 8x8 points.

    Deterministic: a verdict depends only on the position and the two limits. Not thread-safe.

    Args:
        rules: White must win on a full board, and longer rows must win, too.
        node_limit: maximum number of positions searched for one verdict.
        table_bits: the table has 2^bits entries of 48 bytes.

    Raises:
        RulesError: the rules are not supported.
        ValueError: a limit is out of bounds.
    """

    def __init__(self, rules: Rules, *, node_limit: int = 200_000, table_bits: int = 20) -> None:
        if (
            rules.size > MAX_SIDE
            or rules.rule is not Rule.FREESTYLE
            or rules.full_board_winner != WHITE
            or not rules.is_plain
        ):
            raise RulesError(
                f"expected a square board of at most {MAX_SIDE} points a side, lines longer than "
                f"needed allowed and a full board won by White, found {rules!r}"
            )
        if node_limit < 1:
            raise ValueError(f"node_limit: expected at least 1, found {node_limit!r}")
        if not TABLE_BITS[0] <= table_bits <= TABLE_BITS[1]:
            raise ValueError(
                f"table_bits: expected {TABLE_BITS[0]} to {TABLE_BITS[1]}, found {table_bits!r}"
            )
        self.rules = rules
        self.node_limit = node_limit
        self._bits = table_bits
        self._solver = new_solver(rules)
        self._table = new_proof_table(table_bits)
        fields = fields_of(self._solver)
        fields.table_mask = (1 << table_bits) - 1
        fields.four_limit = FOUR_LIMIT

    def solve(self, board: Board, *, node_limit: int | None = None) -> ProofVerdict:
        """Return the proven winner of a position, starting with an empty table.

        Args:
            board: position of this oracle's rules; unchanged. If it is decided, no positions are
                searched.
            node_limit: maximum number of positions; None for the oracle's own limit.

        Raises:
            RulesError: the board follows other rules.
        """
        self._check(board.rules)
        self._forget()
        nodes = self.node_limit if node_limit is None else node_limit
        return self._prove(board, Limit(nodes=nodes))

    def search(
        self, board: Board, evaluator: Evaluator, limit: Limit, rng: np.random.Generator
    ) -> ProofResult:
        """Return the proven winning move, else the best move of the evaluator's policy.

        Args:
            board: position of an unfinished game of this oracle's rules. Unchanged.
            evaluator: its policy decides if no win is proven.
            limit: budget of the proof; the oracle's own node limit applies, too.
            rng: unused: the same position gets the same move.

        Raises:
            RulesError: the board follows other rules.
        """
        self._check(board.rules)
        self._forget()
        nodes = self.node_limit if limit.nodes is None else min(self.node_limit, limit.nodes)
        verdict = self._prove(board, replace(limit, nodes=max(1, nodes)))
        policy = np.zeros(board.rules.points, np.float32)
        move, value = verdict.best_move, 0.0
        if move is not None:
            policy[move], value = 1.0, 1.0
        else:
            policy = evaluator.evaluate((board,)).policy[0]
            move = int(policy.argmax())
            value = 0.0 if verdict.result == "unknown" else -1.0
        return ProofResult(
            move=move,
            value=value,
            policy=policy,
            visits=np.zeros(board.rules.points, np.int64),
            principal_variation=(move,),
            nodes=verdict.nodes,
            verdict=verdict,
        )

    def defences(self, board: Board, *, node_limit: int | None = None) -> tuple[Move, ...]:
        """Return White's moves after which Black is proven not to win, in board order.

        Args:
            board: unfinished position of this oracle's rules with White to move; unchanged.
            node_limit: maximum number of positions for each move; None for the oracle's own limit.

        Raises:
            RulesError: the board follows other rules.
            ValueError: Black is to move.
        """
        self._check(board.rules)
        if board.to_move != WHITE:
            raise ValueError("expected a position with White to move, found Black to move")
        self._forget()
        limit = Limit(nodes=self.node_limit if node_limit is None else node_limit)
        found = []
        for move in board.legal_moves:
            with board.played(move):
                if self._prove(board, limit).result == "white":
                    found.append(move)
        return tuple(found)

    def find_mistakes(self, record: GameRecord) -> MistakeAnalysis:
        """Find White's moves that lost a position which was proven won for White.

        The game is analysed from its end, so that proofs of late positions speed up earlier ones.

        Raises:
            RulesError: the game followed other rules.
            RecordError: the moves break the rules.
        """
        self._check(record.rules)
        self._forget()
        board = as_board(record.board())
        limit = Limit(nodes=self.node_limit)
        verdicts: list[ProofVerdict] = []
        mistakes: list[int] = []
        while board.ply > 0:
            move = board.pop()
            if board.to_move != WHITE:
                continue
            before = self._prove(board, limit)
            verdicts.append(before)
            if before.result != "white":
                continue
            with board.played(move):
                after = self._prove(board, limit)
            verdicts.append(after)
            if after.result == "black":
                mistakes.append(board.ply)
        unknown = sum(verdict.result == "unknown" for verdict in verdicts)
        return MistakeAnalysis(
            mistakes=tuple(reversed(mistakes)),
            examined=len(verdicts),
            proven=len(verdicts) - unknown,
            unknown=unknown,
            nodes=sum(verdict.nodes for verdict in verdicts),
        )

    def _prove(self, board: Board, limit: Limit) -> ProofVerdict:
        """Search a position within a limit and return what was proven.

        Args:
            board: the position.
            limit: budget of the proof.
        """
        outcome = board.outcome()
        if outcome is not None:
            return ProofVerdict("black" if outcome.winner == BLACK else "white", 0)
        solver = fields_of(self._solver)
        solver.side = BLACK_SIDE if board.to_move == BLACK else WHITE_SIDE
        placed = [(point, side_of(color)) for point, color in enumerate(board.stones) if color]
        for point, side in placed:
            put(self._solver, point, side)
        clock = SearchClock(limit)
        with clock.record() as spent:
            prove(self._solver, self._table, spent)
        for point, side in placed:
            lift(self._solver, point, side)
        result: Result = "unknown"
        if solver.proof[0] == 0:
            result = "black"
        elif solver.disproof[0] == 0:
            result = "white"
        is_won = result == ("black" if board.to_move == BLACK else "white")
        return ProofVerdict(result, clock.nodes, int(solver.found_move) if is_won else None)

    def _forget(self) -> None:
        """Make all entries of the table invalid, without clearing its memory."""
        solver = fields_of(self._solver)
        if solver.generation == LAST_GENERATION:
            self._table = new_proof_table(self._bits)
            solver.generation = 0
        solver.generation += 1

    def _check(self, rules: Game) -> None:
        """Raise RulesError unless `rules` are those of this oracle."""
        if rules != self.rules:
            raise RulesError(f"expected {self.rules!r}, found {rules!r}")


def side_of(color: int) -> int:
    """Return the kernels' index of a color: 0 for Black, 1 for White."""
    return BLACK_SIDE if color == BLACK else WHITE_SIDE
