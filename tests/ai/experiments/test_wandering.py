"""Games of a player that wanders, and how a network plays by itself where a five decides."""

from __future__ import annotations

import numpy as np

from ai.experiments.decisions import measure_decisions, measure_simulations
from ai.experiments.wandering import WanderingPlan, random_opening, wandering_positions
from ai.game import Board, Rules
from ai.players.base import Limit
from ai.players.published.move_net import shipped_network, untrained_network
from ai.registry.players import create_player
from ai.samples.threats import winning_points

RULES = Rules(9)
PLAN = WanderingPlan(12, opening=4)


def test_equal_seeds_give_equal_positions_with_the_players_answers():
    player = create_player("pattern", RULES)
    found = wandering_positions(RULES, player, PLAN, 3)
    again = wandering_positions(RULES, player, PLAN, 3)
    np.testing.assert_array_equal(found.stones, again.stones)
    np.testing.assert_array_equal(found.moves, again.moves)
    assert len(found) > 60
    assert wandering_positions(RULES, player, PLAN, 4).occurrences != found.occurrences
    fives = winning_points(found.stones, 1, RULES)
    rows = np.flatnonzero(fives.any(axis=1))
    assert len(rows) > 3, "short games have fives to make"
    for row in rows:
        answers = found.moves[found.starts[row] : found.starts[row + 1]]
        assert fives[row, answers].all(), "also where the player then wandered"


def test_another_player_may_move_while_the_first_one_answers():
    teacher, mover = (create_player(name, RULES) for name in ("pattern", "random"))
    plan = WanderingPlan(3, least=0.0, most=0.0, opening=2, plies=12)
    found = wandering_positions(RULES, teacher, plan, 1, mover)
    own = wandering_positions(RULES, teacher, plan, 1)
    assert found.occurrences > 12
    assert not np.array_equal(found.stones[: len(own)], own.stones[: len(found)])
    both = own.joined(found)
    assert len(both) == len(own) + len(found)
    assert both.occurrences == own.occurrences + found.occurrences
    rows = np.arange(len(own), len(both))
    np.testing.assert_array_equal(both.targets(rows), found.targets(np.arange(len(found))))


def test_an_opening_is_near_one_point_and_undecided():
    for seed in range(20):
        board = random_opening(RULES, 8, np.random.default_rng(seed))
        assert board.ply == 8
        assert board.outcome() is None
        rows, columns = np.divmod(board.moves, 9)
        assert np.ptp(rows) <= 4
        assert np.ptp(columns) <= 4


def test_decisions_are_counted_as_played():
    found = measure_decisions(untrained_network(), RULES, 2, 0)
    assert found.games == 2
    assert 0 <= found.made <= found.chances
    assert 0 <= found.stopped <= found.threats
    assert found.plies <= 81
    again = measure_decisions(untrained_network(), RULES, 2, 0)
    assert again == found
    low, high = found.as_dict()["made_95"]
    assert 0.0 <= low <= high <= 1.0


def test_simulations_are_measured_as_they_are_searched():
    found = measure_simulations(shipped_network(), RULES, 2, 3, 0)
    assert (found.positions, found.iterations) == (2, 3)
    assert 0.0 < found.plies <= 81
    assert found.look_us > 0.0
    assert measure_simulations(shipped_network(), RULES, 2, 3, 0).plies == found.plies


def test_the_shipped_network_makes_and_stops_fives():
    found = measure_decisions(shipped_network(), Rules(15), 12, 5)
    assert found.made >= 0.3 * found.chances
    assert found.stopped >= 0.7 * found.threats
    assert found.plies < 60


def test_guided_simulations_are_short_enough_to_tell_something():
    player = create_player("mcts-nn", Rules(15), {"fives_first": True})
    board = Board.from_moves("h8 h9 g8 g9", Rules(15))
    choice = player.choose(board, Limit(nodes=3), np.random.default_rng(0))
    assert choice.move in board.legal_moves
