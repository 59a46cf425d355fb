"""The search that policy-value networks guide."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from ai.evaluators.policy_value import PolicyValueEvaluator
from ai.game import BLACK, WHITE, Board, Rules, RulesError
from ai.game.move import parse_moves
from ai.nets.policy_value import NetworkPair, PolicyValueArchitecture, initial_arrays
from ai.search.base import Limit
from ai.search.fours import FourSearch
from ai.search.puct import Puct, PuctMany, PuctSettings, policy_of_visits
from tests.ai.search.plain_puct import Drawn, plain_search

FIVE = Rules(5, 4)
SEVEN = Rules(7, 5)
PLAIN = PuctSettings(batch=1, virtual_loss=0.0, memory=16)
EVEN = PuctSettings(memory=16)


def search(board, *, nodes=200, evaluator=None, settings=EVEN, seed=0):
    tree = Puct(board.rules, evaluator or Drawn(), settings)
    return tree.search(board, Limit(nodes=nodes), np.random.default_rng(seed))


def seen(found):
    return {item.move: (item.visits, item.value) for item in found.moves}


@pytest.mark.parametrize(
    ("rules", "moves", "c", "decay"),
    [
        (FIVE, "c3 b2 c2 d4", 1.5, 0.9),
        (Rules(3, 3), "", 1.0, 1.0),
        (Rules(3, 3, full_board_winner=WHITE), "b2 a1", 3.0, 0.5),
        (Rules(6, 4, exact=True), "c3 d4 c4 d3", 2.0, 0.95),
    ],
    ids=str,
)
def test_visits_and_means_are_those_of_the_plain_search(rules, moves, c, decay):
    board = Board.from_moves(moves, rules)
    found = search(board, settings=replace(PLAIN, c=c, decay=decay), nodes=150)
    plain = plain_search(board, Drawn(), 150, c=c, decay=decay)
    assert {move: visits for move, (visits, _) in seen(found).items()} == {
        move: visits for move, (visits, _) in plain.items()
    }
    for move, (_, mean) in plain.items():
        assert seen(found)[move][1] == pytest.approx(mean, abs=1e-9)
    assert (found.nodes, int(found.visits.sum()), found.kept) == (150, 150, 0)


@pytest.mark.parametrize("reduction", [0.0, 0.3])
def test_unseen_moves_are_worth_somewhat_less_than_the_position(reduction):
    board = Board.from_moves("c3 b2 c2 d4", FIVE)
    found = search(board, settings=replace(PLAIN, c=1.5, reduction=reduction), nodes=150)
    plain = plain_search(board, Drawn(), 150, c=1.5, decay=PLAIN.decay, reduction=reduction)
    assert {move: visits for move, (visits, _) in seen(found).items()} == {
        move: visits for move, (visits, _) in plain.items()
    }
    for move, (_, mean) in plain.items():
        assert seen(found)[move][1] == pytest.approx(mean, abs=1e-9)
    whole = search(board, settings=replace(PLAIN, c=1.5), nodes=150)
    assert seen(whole) != seen(found)


@pytest.mark.parametrize(
    ("rules", "moves"),
    [
        (FIVE, "c3 b2 c2 d4"),
        (Rules(4, 3), "b2 a1"),
        (Rules(6, 4, exact=True), "b2 a6 c2 b6 f2 d6"),
        (SEVEN, "b2 a5 c2 c5 d2 e5 e2"),
        (SEVEN, "b2 a5 c2 c5 d2 e5 e2 g7"),
    ],
    ids=str,
)
def test_forced_moves_are_those_of_the_plain_search(rules, moves):
    board = Board.from_moves(moves, rules)
    found = search(board, settings=replace(PLAIN, forced=True), nodes=150)
    plain = plain_search(board, Drawn(), 150, c=PLAIN.c, decay=PLAIN.decay, forced=True)
    assert {move: visits for move, (visits, _) in seen(found).items()} == {
        move: visits for move, (visits, _) in plain.items()
    }
    for move, (_, mean) in plain.items():
        assert seen(found)[move][1] == pytest.approx(mean, abs=1e-9)


@pytest.mark.parametrize("forced", [False, True])
@pytest.mark.parametrize(
    ("rules", "moves"),
    [
        (Rules(6, 4), "c3 b2 c2 d4"),
        (SEVEN, "c4 a1 d4 g1 c3 a7 d2 g7"),
        (Rules(9, 5), "e5 e6 d4 d6 f6 c3 g7 c6 f4"),
    ],
    ids=str,
)
def test_wins_by_fours_in_the_tree_are_those_of_the_plain_search(rules, moves, forced):
    board = Board.from_moves(moves, rules)
    settings = replace(PLAIN, forced=forced, leaf_fours=5_000)
    found = search(board, settings=settings, nodes=150)
    plain = plain_search(
        board, Drawn(), 150, c=PLAIN.c, decay=PLAIN.decay, forced=forced, fours=5_000
    )
    assert {move: visits for move, (visits, _) in seen(found).items()} == {
        move: visits for move, (visits, _) in plain.items()
    }
    for move, (_, mean) in plain.items():
        assert seen(found)[move][1] == pytest.approx(mean, abs=1e-9)
    without = search(board, settings=replace(PLAIN, forced=forced), nodes=150)
    assert seen(without) != seen(found)


def test_a_move_that_lets_the_other_side_win_by_fours_is_left_to_the_others():
    """Black, if let, wins by fours along row 5 and column e; the network sees White ahead."""

    class Sure(Drawn):
        def evaluate_planes(self, planes, colors):
            found = super().evaluate_planes(planes, colors)
            return replace(found, value=np.where(colors == BLACK, -0.5, 0.5).astype(np.float32))

    rules = Rules(9, 5)
    board = Board.from_moves("c5 b5 d5 a9 e5 i1 e4 i9 e3", rules)
    settings = replace(EVEN, c=1.0)
    fours = FourSearch(rules)
    for tried, is_seen in ((0, False), (2_000, True)):
        found = search(board, evaluator=Sure(spread=1.0),
                       settings=replace(settings, leaf_fours=tried), nodes=200)  # fmt: skip
        with board.played(found.move):
            assert (fours.find(board, Limit(nodes=2_000)).line == ()) == is_seen


def test_what_one_search_found_does_not_change_the_next():
    """The search for fours remembers positions without a win, within one search alone."""
    first = Board.from_moves("c4 a1 d4 g1 c3 a7 d2 g7", SEVEN)
    second = Board.from_moves("e4 a1 d4 g1 e3 a7 d2 g7", SEVEN)
    settings = replace(EVEN, leaf_fours=3, keeps_tree=False)
    tree = Puct(SEVEN, Drawn(), settings)
    tree.search(first, Limit(nodes=300), np.random.default_rng(0))
    after = tree.search(second, Limit(nodes=300), np.random.default_rng(0))
    assert seen(after) == seen(search(second, settings=settings, nodes=300))


def test_a_five_and_its_only_defence_are_played_against_the_network():
    """The network gives the right points no share at all."""

    class Blind(Drawn):
        def evaluate_planes(self, planes, colors):
            found = super().evaluate_planes(planes, colors)
            policy = found.policy.copy()
            policy[:, list(parse_moves("a2 f2", 7))] = 0.0
            return replace(found, policy=policy)

    stop = Board.from_moves("b2 a2 c2 c5 d2 e5 e2", SEVEN)
    won = Board.from_moves("b2 a5 c2 c5 d2 e5 e2 g7", SEVEN)
    lost = Board.from_moves("b2 a5 c2 c5 d2 e5 e2", SEVEN)
    settings = replace(EVEN, forced=True)
    for board, expected, value in ((stop, "f2", None), (won, "a2", 1.0), (lost, "a2", -1.0)):
        found = search(board, evaluator=Blind(), settings=settings, nodes=8)
        assert board.to_text(found.move) == expected
        assert found.policy[found.move] == 1.0
        if value is not None:
            assert found.value == pytest.approx(value, abs=0.03)
    found = search(stop, evaluator=Blind(), settings=EVEN, nodes=8)
    assert stop.to_text(found.move) != "f2", "as the document has it"


@pytest.mark.parametrize("reduction", [-1.0, 0.1])
def test_a_lost_position_is_searched_no_wider_than_another(reduction):
    """At 0 an unseen move looks better than any that was seen to lose: all of them are tried."""

    class Lost(Drawn):
        def evaluate_planes(self, planes, colors):
            found = super().evaluate_planes(planes, colors)
            return replace(found, value=np.where(colors == BLACK, -0.8, 0.8).astype(np.float32))

    found = search(Board(SEVEN), evaluator=Lost(spread=4.0),
                   settings=replace(EVEN, c=0.5, reduction=reduction), nodes=60)  # fmt: skip
    assert (len(seen(found)) > 25) == (reduction < 0)


@pytest.mark.parametrize("batch", [1, 4, 16])
def test_a_win_in_one_and_the_only_defence_are_found_without_a_hint(batch):
    blind = Drawn(spread=0.0, value=0.0)
    settings = replace(EVEN, batch=batch)
    won = Board.from_moves("b2 a5 c2 c5 d2 e5 e2 g7", SEVEN)
    found = search(won, evaluator=blind, settings=settings, nodes=400)
    assert won.to_text(found.move) in ("a2", "f2")
    assert found.value == 1.0, "an end counts -1 for the side to move there"
    assert found.policy[found.move] > 0.5
    stop = Board.from_moves("b2 a2 c2 c5 d2 e5 e2", SEVEN)
    found = search(stop, evaluator=blind, settings=settings, nodes=3000)
    assert stop.to_text(found.move) == "f2"


def test_ends_are_never_shown_to_the_network():
    board = Board.from_moves("a1 a2 b1 b2 c2 c1 a3 b3", Rules(3, 3))
    evaluator = Drawn()
    found = search(board, evaluator=evaluator, nodes=50)
    assert len(evaluator.asked) == 1, "the root, and then the last point ends the game"
    assert (found.value, found.visits.max()) == (0.0, 50)


def test_a_value_decays_by_the_ply():
    """White can only lose in two: each ply away from the end takes its share."""
    board = Board.from_moves("b2 a5 c2 c5 d2", Rules(5, 4))  # a2 and e2 both make four
    flat = Drawn(spread=0.0, value=0.0)
    settings = replace(EVEN, decay=0.5, c=1.0)
    found = search(board, evaluator=flat, settings=settings, nodes=3000)
    assert found.value == pytest.approx(-0.5, abs=0.1)
    whole = search(board, evaluator=flat, settings=replace(settings, decay=1.0), nodes=3000)
    assert whole.value == pytest.approx(-1.0, abs=0.15)


def test_the_first_simulation_goes_by_the_prior():
    found = search(Board(SEVEN), nodes=1)
    assert found.move == int(found.prior.argmax())
    assert found.prior.sum() == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("virtual_loss", [0.0, 1.0])
def test_a_batch_holds_no_leaf_twice_and_virtual_losses_leave_nothing(virtual_loss):
    evaluator = Drawn(value=0.0)
    board = Board.from_moves("d4 c3", Rules(7, 7))
    settings = replace(EVEN, batch=8, virtual_loss=virtual_loss)
    found = search(board, evaluator=evaluator, settings=settings, nodes=300)
    start = 0
    for size in evaluator.batches:
        batch = evaluator.asked[start : start + size]
        assert len(set(batch)) == size
        start += size
    assert max(evaluator.batches) > 1
    assert int(found.visits.sum()) == 300
    assert all(item.value == 0.0 for item in found.moves)


def test_virtual_loss_spreads_a_batch():
    one, board = Drawn(spread=4.0), Board(SEVEN)
    search(board, evaluator=one, settings=replace(EVEN, batch=8, virtual_loss=0.0), nodes=200)
    other = Drawn(spread=4.0)
    search(board, evaluator=other, settings=replace(EVEN, batch=8, virtual_loss=3.0), nodes=200)
    assert len(other.batches) < len(one.batches)


def test_the_tree_is_kept_while_the_game_goes_on():
    tree, rng = Puct(SEVEN, Drawn(), EVEN), np.random.default_rng(0)
    board = Board(SEVEN)
    first = tree.search(board, Limit(nodes=400), rng)
    board.play(first.principal_variation[0])
    board.play(first.principal_variation[1])
    evaluator = tree._many.evaluator
    evaluator.asked.clear()
    found = tree.search(board, Limit(nodes=50), rng)
    assert found.kept > 0
    assert int(found.visits.sum()) == found.kept + 50
    assert found.prior.sum() == pytest.approx(1.0, abs=1e-5)
    assert len(evaluator.asked) <= 50
    forgets = Puct(SEVEN, Drawn(), replace(EVEN, keeps_tree=False))
    forgets.search(Board(SEVEN), Limit(nodes=400), rng)
    assert forgets.search(board, Limit(nodes=50), rng).kept == 0


def test_a_search_that_is_broken_off_leaves_no_virtual_loss():
    """As Ctrl+C does while the network answers."""

    class Broken(Drawn):
        answers = 0

        def evaluate_planes(self, planes, colors):
            self.answers += 1
            if self.answers == 12:
                raise KeyboardInterrupt
            return super().evaluate_planes(planes, colors)

    board = Board.from_moves("d4", SEVEN)
    tree, limit = Puct(SEVEN, Broken(), EVEN), Limit(nodes=200)
    with pytest.raises(KeyboardInterrupt):
        tree.search(board, limit, np.random.default_rng(0))
    board.push(search(board, nodes=40).move)
    assert seen(tree.search(board, limit, np.random.default_rng(0))) == seen(search(board))


def test_a_tree_moved_to_make_room_goes_on_as_before():
    games = []
    for memory in (1, 32):
        tree, rng = Puct(SEVEN, Drawn(), replace(EVEN, memory=memory)), np.random.default_rng(0)
        board, played = Board(SEVEN), []
        while board.ply < 8:
            found = tree.search(board, Limit(nodes=100), rng)
            played.append((found.move, found.visits.tolist(), found.value))
            board.play(found.move)
        games.append(played)
    assert games[0] == games[1]


def test_where_memory_is_used_up_the_search_goes_on():
    found = search(Board(SEVEN), settings=replace(EVEN, memory=1), nodes=500)
    assert int(found.visits.sum()) == 500


def test_policies_of_the_played_move():
    board = Board.from_moves("d4 c3", SEVEN)
    drawn = {
        kind: {
            search(
                board,
                settings=replace(EVEN, policy=kind, stochastic_plies=plies),
                seed=s,
                nodes=30,
            ).move
            for s in range(8)
        }
        for kind, plies in (("deterministic", 9), ("stochastic", 0), ("semi-stochastic", 9))
    }
    assert len(drawn["deterministic"]) == 1
    assert len(drawn["stochastic"]) > 1
    assert drawn["semi-stochastic"] == drawn["stochastic"]
    late = replace(EVEN, policy="semi-stochastic", stochastic_plies=2)
    found = {search(board, settings=late, seed=s, nodes=30).move for s in range(8)}
    assert found == drawn["deterministic"]


def test_the_policy_is_the_visits_to_the_power():
    visits = np.array([0, 1, 4, 0, 3])
    assert policy_of_visits(visits, 1.0) == pytest.approx(visits / 8)
    assert policy_of_visits(visits, 0.5) == pytest.approx(visits**2 / 26)
    sharp = policy_of_visits(visits * 10**9, 0.01)
    assert sharp == pytest.approx([0, 0, 1, 0, 0], abs=1e-6)


def test_noise_is_drawn_from_the_generator_and_leaves_the_prior_as_it_is():
    plain = search(Board(SEVEN))
    noisy = [search(Board(SEVEN), settings=replace(EVEN, noise=0.5), seed=s) for s in (1, 1, 2)]
    assert noisy[0].visits.tolist() == noisy[1].visits.tolist() != noisy[2].visits.tolist()
    assert all((found.prior == plain.prior).all() for found in noisy)


def test_a_win_by_fours_is_played_at_once_where_it_is_asked_for():
    board = Board.from_moves("g8 a1 h8 a2 i8 b9 h9 a4 h10 a7", Rules(15))
    settings = replace(EVEN, vcf=True)
    found = search(board, settings=settings, nodes=1)
    assert found.is_won
    assert found.value > 0.9
    after = board.copy()
    for move in found.principal_variation:
        after.play(move)
    assert not search(board, nodes=1).is_won
    assert not search(Board(Rules(15)), settings=settings, nodes=1).is_won


def test_limits():
    tree, board = Puct(SEVEN, Drawn(), EVEN), Board(SEVEN)
    rng = np.random.default_rng(0)
    for nodes in (1, 2, 7, 33):
        assert Puct(SEVEN, Drawn(), EVEN).search(board, Limit(nodes=nodes), rng).nodes == nodes
    start = time.perf_counter()
    found = tree.search(board, Limit(seconds=0.05), rng)
    assert found.nodes > 0
    assert time.perf_counter() - start < 5.0
    assert Puct(SEVEN, Drawn(), EVEN).search(board, Limit(seconds=0.0), rng).nodes >= 1


def pair(size, seed=0):
    architecture = PolicyValueArchitecture(size, 4, 1)
    arrays = [initial_arrays(architecture, seed + side) for side in range(2)]
    for side in arrays:  # answers that differ, as those of trained networks do
        side["policy_out.kernel"] *= np.float32(30.0)
        side["value_out.kernel"] *= np.float32(10.0)
    return NetworkPair(*arrays)


def test_games_searched_together_are_those_searched_alone():
    rules = Rules(6, 4)
    settings = replace(EVEN, noise=0.25, policy="semi-stochastic")
    evaluator = PolicyValueEvaluator(rules, pair(6))
    many = PuctMany(rules, evaluator, 4, settings)
    trees = [Puct(rules, evaluator, settings) for _ in range(4)]
    boards = [Board.from_moves(moves, rules) for moves in ("", "c3", "d4 c3")]
    rngs = [[np.random.default_rng([at, 5]) for at in range(4)] for _ in range(2)]
    for _ in range(3):
        found = many.search([*boards, None], Limit(nodes=40), rngs[0])
        assert found[3] is None
        for at, board in enumerate(boards):
            alone = trees[at].search(board, Limit(nodes=40), rngs[1][at])
            assert alone.visits.tolist() == found[at].visits.tolist()
            assert (alone.move, alone.value) == (found[at].move, found[at].value)
            board.play(alone.move)


def test_each_position_is_asked_of_the_network_of_its_side():
    rules, one = Rules(6, 4), pair(6)
    boards = [Board.from_moves("c3", rules), Board.from_moves("c3 d4", rules)]
    both = PolicyValueEvaluator(rules, one).evaluate(boards)
    for at, arrays in enumerate((one.white, one.black)):
        alone = PolicyValueEvaluator(rules, NetworkPair(arrays, arrays)).evaluate(boards)
        assert (both.policy[at] == alone.policy[at]).all()
        assert both.value[at] == alone.value[at]
        assert both.value[1 - at] != alone.value[1 - at]
    assert boards[0].to_move == WHITE
    assert boards[1].to_move == BLACK


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"c": -1.0}, "c: expected at least 0"),
        ({"decay": 0.0}, "decay: expected above 0"),
        ({"temperature": 0.0}, "temperature"),
        ({"noise": 1.5}, "noise: expected 0 to 1"),
        ({"batch": 0}, "batch: expected 1 to 64"),
        ({"policy": "greedy"}, "policy: expected one of"),
    ],
)
def test_settings_out_of_bounds_are_refused(given, said):
    with pytest.raises(ValueError, match=said):
        PuctSettings(**given)


def test_other_boards_are_refused():
    with pytest.raises(RulesError):
        Puct(Rules(7, 4, height=6, gravity=True), Drawn())
    tree = Puct(SEVEN, Drawn())
    with pytest.raises(RulesError):
        tree.search(Board(FIVE), Limit(nodes=1), np.random.default_rng(0))
