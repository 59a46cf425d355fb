"""Players in positions with passes: games of other programs, and problems with unequal set-ups."""

from __future__ import annotations

import numpy as np
import pytest

from ai.game import PASS, WHITE, Board, Rules, replayed, to_text
from ai.kernels.position import KernelPosition
from ai.players.base import Limit
from ai.protocol.hosting.engine import _stones
from ai.registry.players import create_player
from ai.session.evaluation import PositionEvaluator

RULES = Rules(15)
FOUR = "g8 h8 pass i8 pass j8 pass k8 pass pass"
"""White has four in a row, one end of which Black has closed; Black is to move."""


@pytest.mark.parametrize("player", ["pattern", "alpha-beta", "minimax-q", "mcts", "one-ply"])
@pytest.mark.parametrize(("more", "wanted"), [("", "l8"), (" pass", "l8")])
def test_a_player_stops_a_row_or_makes_it_whoever_has_passed(player, more, wanted) -> None:
    board = replayed(RULES, FOUR + more)
    made = create_player(player, RULES, {})
    choice = made.choose(board, Limit(nodes=2000), np.random.default_rng(0))
    made.close()
    assert to_text(choice.move, 15) == wanted


@pytest.mark.parametrize("player", ["pattern", "alpha-beta", "mcts", "random"])
def test_a_player_begins_on_an_empty_board_although_black_has_passed(player) -> None:
    board = replayed(RULES, "pass")
    made = create_player(player, RULES, {})
    assert made.choose(board, Limit(nodes=500), np.random.default_rng(0)).move in board.legal_moves
    made.close()


def test_a_kernel_follows_a_game_with_passes_to_and_fro() -> None:
    rng = np.random.default_rng(3)
    kernel, direct = KernelPosition(RULES), None
    lines: list[list[int]] = []
    for _ in range(8):
        kept = lines[-1][: int(rng.integers(0, len(lines[-1]) + 1))] if lines else []
        board = replayed(RULES, kept)
        for _ in range(12):
            board.push(PASS if rng.random() < 0.4 else int(rng.choice([*board.legal_moves])))
        lines.append(board.moves.copy())
        kernel.follow(board)
        direct = KernelPosition(RULES)
        direct.follow(board)
        assert kernel.moves == board.moves
        assert kernel.key == direct.key == board.key
        assert kernel.stone_counts() == direct.stone_counts()
    kernel.follow(Board(RULES))
    assert (kernel.key, kernel.moves) == (0, [])


def test_the_value_of_a_position_counts_from_where_it_is() -> None:
    evaluator = PositionEvaluator(RULES)
    moves = replayed(RULES, "g8 h8 pass i8 pass j8 pass k8 pass").moves
    board = replayed(RULES, moves)
    assert board.to_move == WHITE
    found = evaluator.evaluate(moves, nodes=2000)
    assert (found.value, found.plies, to_text(found.best, 15)) == (1.0, 1, "l8")


def test_an_engine_is_told_the_stones_and_whose_they_are() -> None:
    told = _stones(replayed(RULES, "a1 pass b2 c3"))
    assert [(str(stone.point), int(stone.owner)) for stone in told] == [
        ("0,14", 1), ("1,13", 1), ("2,12", 2),
    ]  # fmt: skip
