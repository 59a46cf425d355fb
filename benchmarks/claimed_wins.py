"""Prove the wins that alpha-beta claims: every legal answer is tried, whatever its search left out.

    python -m benchmarks.claimed_wins [--games 20] [--nodes 20000] [--seed 1] [--rule freestyle]
        [--moves "h8 i9 …"]

Games of the search against itself begin from drawn openings. A position in which its score is that
of a certain win or loss is a claim, but for wins by fours, which are a line of forced moves.
`ai.bench.prover` proves a claim: the attacker's moves are those of the search, and the defender
plays every legal move, until fours win. `--moves` proves one position instead. Prints how many
claims there were, how many were proven, and each one that was not. The exit code is 1 if one was
not.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from ai.bench.prover import TacticProver
from ai.game import Board, Move, Rule, Rules
from ai.game.rules import RULE_NAMES
from ai.kernels.alpha_beta.layout import LONGEST, WIN
from ai.nets.evaluation import LearnedEvaluation
from ai.players.alpha_beta import SHIPPED, evaluation_of
from ai.search.alpha_beta import AlphaBetaResult
from ai.search.base import Limit
from ai.search.pattern_alpha_beta import PatternAlphaBeta
from benchmarks.console import parser_of
from benchmarks.engine_match import draw_opening

DECIDED: Final = WIN - LONGEST
PATIENCE: Final = 10
"""How many times the positions of the claiming search the search may use for one attack."""
MOST_ATTACKS: Final = 30


class ClaimProver:
    """Proves what a search of `nodes` positions claims. Not thread-safe.

    Args:
        rules: rules of the games.
        nodes: positions of a search that claims.
        evaluation: learned evaluation of the search; None for none.
    """

    def __init__(
        self, rules: Rules, nodes: int, evaluation: LearnedEvaluation | None = None
    ) -> None:
        self.nodes = nodes
        self._search = PatternAlphaBeta(rules, evaluation=evaluation)
        self._prover = TacticProver(rules)
        self._proven: dict[tuple[int, ...], bool] = {}

    def look(self, board: Board, patience: int = 1) -> AlphaBetaResult:
        """Search a position with nothing remembered.

        Args:
            board: the position.
            patience: how many times the usual positions.
        """
        self._search.forget()
        limit = Limit(nodes=patience * self.nodes)
        return self._search.search(board, limit, np.random.default_rng(0))

    def is_proven(self, board: Board, found: AlphaBetaResult) -> bool:
        """Return whether the win or loss that a search claims is proven.

        Args:
            board: the position.
            found: what the search found there.
        """
        if found.scores[found.move] > DECIDED:
            return self.wins(board, found.move)
        return all(self._wins_after(board, move) for move in list(board.legal_moves))

    def wins(self, board: Board, first: Move | None = None) -> bool:
        """Return whether the side to move is proven to win.

        Args:
            board: the position.
            first: the first attack to try; None to let the search find it.
        """

        def attack(position: Board) -> Move | None:
            if first is not None and position.ply == board.ply:
                return first
            found = self.look(position, PATIENCE)
            is_forced = len(found.scores) == 1
            return found.move if is_forced or found.scores[found.move] > DECIDED else None

        return self._prover.proves_by_threes(board.copy(), attack, MOST_ATTACKS)

    def _wins_after(self, board: Board, move: Move) -> bool:
        """Return whether the other side is proven to win after a move."""
        with board.played(move):
            return board.outcome() is None and self.wins(board)


def claims(
    prover: ClaimProver, rules: Rules, seed: int, number: int
) -> Iterator[tuple[Board, AlphaBetaResult]]:
    """Yield the claims of one game of the search against itself.

    Args:
        prover: searches the positions.
        rules: rules of the game.
        seed: seed of the openings.
        number: number of the game.
    """
    board = Board.from_moves(draw_opening(rules, seed, number), rules)
    while board.outcome() is None:
        found = prover.look(board)
        is_searched = found.depth > 0 and len(found.scores) > 1
        if is_searched and abs(found.scores[found.move]) > DECIDED:
            yield board.copy(), found
        board.push(found.move)


def line_of(board: Board, found: AlphaBetaResult) -> str:
    """Return a claim as one line: the moves of the game, the score and the move."""
    moves = " ".join(board.to_text(move) for move in board.moves)
    return f"{moves}: {found.scores[found.move]} by {board.to_text(found.move)}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the claims of some games, or of one position, that are proven or not."""
    parser = parser_of(
        __doc__, games=20, nodes=20_000, seed=1, evaluation=SHIPPED, moves="",
    )  # fmt: skip
    parser.add_argument("--rule", choices=RULE_NAMES, default=Rule.FREESTYLE.value)
    options = parser.parse_args(arguments)
    rules = Rules(15, 5, Rule(options.rule))
    prover = ClaimProver(rules, options.nodes, evaluation_of(options.evaluation))
    counts: Counter[str] = Counter()
    if options.moves:
        board = Board.from_moves(options.moves, rules)
        found = prover.look(board)
        is_claim = abs(found.scores[found.move]) > DECIDED
        is_proven = is_claim and prover.is_proven(board, found)
        print(f"{line_of(board, found)}, {'proven' if is_proven else 'not proven'}")
        return int(is_claim and not is_proven)
    for number in range(options.games):
        for board, found in claims(prover, rules, options.seed, number):
            side = "wins" if found.scores[found.move] > 0 else "losses"
            is_proven = prover.is_proven(board, found)
            counts[f"{side}, {'proven' if is_proven else 'not proven'}"] += 1
            if not is_proven:
                print(f"not proven: {line_of(board, found)}", flush=True)
    for name, count in sorted(counts.items()):
        print(f"{name}: {count}")
    return int(any("not" in name for name in counts))


if __name__ == "__main__":
    sys.exit(main())
