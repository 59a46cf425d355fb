"""Every player on every rule that it claims, and one clear error on the others."""

from __future__ import annotations

import numpy as np
import pytest

from ai import PLAYERS, Board, Limit, OptionError, Rules, create_player, from_text
from ai.game import RULE_NAMES, WHITE, Foul, RulesError
from ai.kernels.position import KernelPosition
from ai.registry.info import ALL_RULES
from ai.search.oracle import Oracle

COMPUTING = [name for name in PLAYERS if name != "human"]
CLAIMS = [(name, rule) for name in COMPUTING for rule in PLAYERS[name].supported_rules]
REFUSALS = [
    (name, rule) for name in PLAYERS for rule in RULE_NAMES
    if rule not in PLAYERS[name].supported_rules
]  # fmt: skip
FEW = {"genetic": {"generations": 2}, "alpha-beta": {"depth": 2, "nodes": 60},
       "oracle": {"nodes": 60}}  # fmt: skip


def test_the_registry_knows_every_rule():
    assert ALL_RULES == RULE_NAMES
    assert PLAYERS["human"].supported_rules == RULE_NAMES
    for name in ("random", "one-ply", "alpha-beta"):
        assert PLAYERS[name].as_dict()["supported_rules"] == list(RULE_NAMES)


@pytest.mark.parametrize(("name", "rule"), CLAIMS)
def test_plays_legally_by_every_rule_that_it_claims(name, rule):
    rules = Rules(7, 5, rule, full_board_winner=WHITE)
    player = create_player(name, rules, FEW.get(name, {}))
    board, rng = Board(rules), np.random.default_rng(4)
    while board.outcome() is None and board.ply < 7:
        board.play(player.choose(board, Limit(nodes=60), rng).move)
    player.close()
    assert board.ply == 7 or board.outcome() is not None


@pytest.mark.parametrize(("name", "rule"), REFUSALS)
def test_another_rule_is_refused_in_one_line(name, rule):
    with pytest.raises(OptionError) as refused:
        create_player(name, Rules(7, 5, rule, full_board_winner=WHITE))
    known = " or ".join(PLAYERS[name].supported_rules)
    assert str(refused.value) == f"{name}: expected the rule {known}, found {rule}"


@pytest.mark.parametrize(
    "name", [name for name in COMPUTING if "renju" in PLAYERS[name].supported_rules]
)
def test_no_player_of_renju_stops_a_five_by_a_foul(name):
    # White wins at e5 next; for Black, to move, e5 is two threes.
    board = Board.from_moves("e6 c3 e7 d4 f5 f6 g5 g7", Rules(9, 5, "renju"))
    e5 = from_text("e5", 9)
    assert board.completes_row(e5, WHITE)
    assert board.fouls() == {e5: Foul.DOUBLE_THREE}
    player = create_player(name, board.rules, FEW.get(name, {}))
    moves = [player.choose(board, Limit(), np.random.default_rng(k)).move for k in range(9)]
    assert all(move in board.legal_moves for move in moves)


def test_kernels_refuse_what_they_do_not_know():
    for rule in ("renju", "caro"):
        with pytest.raises(RulesError, match=f"expected freestyle or standard, found {rule}"):
            KernelPosition(Rules(15, 5, rule))
        with pytest.raises(RulesError, match="expected a square board of at most"):
            Oracle(Rules(7, 5, rule, full_board_winner=WHITE))
