"""Every search answers alike: the same suite for each."""

from __future__ import annotations

import numpy as np
import pytest

from ai.evaluators.base import LineEvaluator
from ai.evaluators.five_rows import FiveRowEvaluator
from ai.evaluators.pattern import PatternEvaluator
from ai.game import WHITE, Board, Rules
from ai.players.published.move_net import shipped_network
from ai.search import alpha_beta, minimax_q, one_ply
from ai.search.base import Limit, SearchResult
from ai.search.oracle import Oracle
from ai.search.puct import Puct
from ai.search.uct import GuidedUct, Uct
from tests.ai.search.plain_puct import Drawn

RULES = Rules(6, 4, full_board_winner=WHITE)


def puct(board, evaluator, limit, rng):
    """The guided search; its networks are its own."""
    return Puct(RULES, Drawn()).search(board, limit, rng)


SEARCHES = {
    "puct": puct,
    "alpha-beta": alpha_beta.search,
    "minimax-q": minimax_q.search,
    "one-ply": one_ply.search,
    "oracle": Oracle(RULES, node_limit=2000, table_bits=12).search,
    "guided": GuidedUct(RULES, shipped_network()).search,
    "uct": Uct(RULES).search,
    "exp3": Uct(RULES, selection="exp3").search,
}
OWN_NETWORKS = ("guided", "puct")
EVALUATORS = {
    "five-rows": FiveRowEvaluator(RULES),
    "lines": LineEvaluator(RULES),
    "patterns": PatternEvaluator(RULES),
}
NODES = 200
SPARE = 2 * 200 + 1
"""Positions that the oracle may look at beyond: both searches for fours of its last one."""


def boards():
    rng = np.random.default_rng(4)
    for plies in (0, 3, 9, 16, 25, 34):
        board = Board(RULES)
        while board.ply < plies:
            board.push(int(rng.choice(list(board.legal_moves))))
            if board.outcome() is not None:
                board.pop()
        yield board


@pytest.mark.parametrize(
    ("name", "evaluator"),
    [
        (name, evaluator)
        for name in SEARCHES
        for evaluator in EVALUATORS
        if name not in OWN_NETWORKS or evaluator == "lines"  # one is enough
    ],
)
def test_a_result_is_whole(name, evaluator):
    for board in boards():
        before = board.copy()
        found, again = (
            SEARCHES[name](
                board, EVALUATORS[evaluator], Limit(nodes=NODES), np.random.default_rng(1)
            )
            for _ in range(2)
        )
        assert (board, board.moves) == (before, before.moves)
        assert isinstance(found, SearchResult)
        assert found.move in board.legal_moves
        assert -1.0 <= found.value <= 1.0
        assert found.policy.shape == found.visits.shape == (36,)
        assert found.policy.sum() == pytest.approx(1.0, abs=1e-5)
        assert found.policy[found.move] == found.policy.max()
        assert set(np.flatnonzero(found.policy)) <= set(board.legal_moves)
        assert found.visits.sum() in (0, found.nodes)
        assert 0 <= found.nodes <= NODES + SPARE
        assert found.principal_variation[0] == found.move
        for move in found.principal_variation:
            before.play(move)
        assert again.move == found.move, "the generator is the only randomness"


def test_the_oracle_asks_the_evaluator_where_it_proves_nothing():
    oracle = SEARCHES["oracle"]
    rng = np.random.default_rng(0)
    open_board = Board.from_moves("c3", RULES)
    found = oracle(open_board, EVALUATORS["lines"], Limit(nodes=1), rng)
    shares = EVALUATORS["lines"].evaluate((open_board,)).policy[0]
    assert (found.is_proven, found.verdict.result, found.value) == (False, "unknown", 0.0)
    assert found.move == int(shares.argmax())
    won = Board.from_moves("b2 a6 b3 c6 b4 f6", RULES)
    found = oracle(won, EVALUATORS["lines"], Limit(), rng)
    assert found.is_proven
    assert found.value == 1.0
    assert won.to_text(found.move) in {"b1", "b5"}
    lost = Board.from_moves("b2 a6 b3 c6 b4", RULES)
    found = oracle(lost, EVALUATORS["lines"], Limit(), rng)
    assert (found.is_proven, found.value) == (False, -1.0)
