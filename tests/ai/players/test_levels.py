"""Levels of strength: what each may cost, what it never misses, and that its seed decides."""

from __future__ import annotations

import itertools
import json
from functools import cache

import numpy as np
import pytest

from ai import PLAYERS, Board, Limit, OptionError, Rules, create_player, get_player_info
from ai.players.explanation import Explanation, LevelChoice
from ai.players.levels import ALPHA_BETA, MEASURED, Level, allowed
from ai.registry.players import describe_players
from ai.search.needed import SIGHT_OF_FOURS, SIGHT_OF_OWN_FOURS, NeededMoves
from ai.search.pattern_alpha_beta import PatternAlphaBeta, least_score, to_value

LEVELED = ("alpha-beta", "mcts", "alphagomoku")
NINE = Rules(9, 5)
FREE = Limit()
LEVELS = [
    pytest.param(name, level, id=f"{name}-{level.number}")
    for name in LEVELED
    for level in PLAYERS[name].levels
]
HARD = {"alpha-beta": (4, 6, 10), "mcts": (4, 10), "alphagomoku": (4, 8)}
"""Levels that play the tactical positions."""


@cache
def player(name, level, rules=NINE):
    return create_player(name, rules, {"level": level})


def choose(name, level, board, seed=0, *, limit=FREE, rules=NINE, **settings):
    made = create_player(name, rules, {"level": level, **settings}) if settings else None
    made = made or player(name, level, rules)
    return made.choose(board, limit, np.random.default_rng(seed))


def drawn_board(seed, rules=NINE):
    """A position near the middle in which both sides have played beside stones at random."""
    rng = np.random.default_rng(seed)
    board = Board(rules)
    board.play(rules.points // 2)
    while board.outcome() is None and board.ply < 14:
        size = rules.size
        near = [
            move
            for move in board.legal_moves
            if any(
                max(abs(move // size - at // size), abs(move % size - at % size)) == 1
                for at in board.moves[-4:]
            )
        ]
        board.play(int(rng.choice(near or list(board.legal_moves))))
    return board


@cache
def tactical_boards(count):
    """Unfinished positions in which moves are needed, with those moves."""
    needed = NeededMoves(NINE)
    found = []
    for seed in range(10_000):
        board = drawn_board(seed)
        moves = () if board.outcome() else needed.find(board, SIGHT_OF_FOURS)
        if moves and len(moves) < len(list(board.legal_moves)):
            found.append((board, moves))
        if len(found) == count:
            return found
    raise AssertionError(f"expected {count} positions, found {len(found)}")


# -- what is declared ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LEVELED)
def test_levels_are_numbered_and_never_cost_less_than_the_one_below(name):
    levels = PLAYERS[name].levels
    assert [level.number for level in levels] == list(range(1, 11))
    assert {level.player for level in levels} == {name}
    for one, next_one in itertools.pairwise(levels):
        assert one.nodes <= next_one.nodes
        assert one.sight <= next_one.sight
        assert one.depth <= next_one.depth
        assert one.fours <= next_one.fours
    assert [level.sight for level in levels[2:]] == [SIGHT_OF_OWN_FOURS] + [SIGHT_OF_FOURS] * 7
    assert levels[-1].margin == 0.0
    assert len({level.word for level in levels}) == 10


def test_only_players_with_the_setting_have_levels():
    for name, info in PLAYERS.items():
        option = next((item for item in info.settings if item.key == "level"), None)
        assert (option is not None) == bool(info.levels) == (name in LEVELED)
        if option is not None:
            assert (option.default, option.minimum, option.maximum) == (0, 0, len(info.levels))


def test_the_listing_has_each_level_in_plain_words():
    listing = {entry["name"]: entry for entry in describe_players()}
    assert listing["pattern"]["levels"] == []
    first = listing["mcts"]["levels"][0]
    assert (first["number"], first["word"]) == (1, "beginner")
    assert first["description"].endswith(".")
    assert "random games" in first["description"]


def test_the_ratings_are_those_of_the_stored_result():
    stored = json.loads(MEASURED.read_text("utf-8")) if MEASURED.is_file() else {"elo": {}}
    for name in LEVELED:
        for level in PLAYERS[name].levels:
            found = None if level.elo is None else list(level.elo)
            assert found == stored["elo"].get(level.label)


def test_a_level_outside_is_refused():
    with pytest.raises(OptionError, match="level: expected a whole number from 0 to 10, found 11"):
        create_player("mcts", NINE, {"level": 11})


# -- which moves are good enough -------------------------------------------------------------------


def test_allowed_moves_are_within_the_margin():
    values = {1: 0.5, 2: 0.3, 3: 0.29, 4: -1.0}
    assert allowed(values, 0.0) == [1]
    assert allowed(values, 0.2) == [1, 2]
    assert allowed(values, 2.0) == [1, 2, 3]
    assert allowed({1: 1.0, 2: 0.99}, 2.0) == [1]
    assert allowed({1: -1.0, 2: -1.0}, 0.5) == [1, 2]


def test_a_least_score_is_the_margin_in_values():
    for best in (-900, -100, 0, 40, 2500):
        for margin in (0.05, 0.3, 1.0):
            least = least_score(best, margin)
            assert least == -499_500 or to_value(least) >= to_value(best) - margin > to_value(
                least - 1
            )
        assert least_score(best, 0.0) == best
    assert least_score(999_990, 0.5) == 999_990


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("depth", [0, 1, 2])
def test_scored_moves_are_exact_and_none_within_the_margin_is_left_out(seed, depth):
    board = drawn_board(3 * seed)
    search = PatternAlphaBeta(NINE)
    found = search.score_moves(board, Limit(nodes=10**6), depth=depth, margin=0.3)
    whole = search.score_moves(board, Limit(nodes=10**6), depth=depth, margin=2.0)
    best = max(whole.scores.values())
    if depth == 0:
        expected = {
            move: score for move, score in whole.scores.items() if score >= least_score(best, 0.3)
        }
        assert found.scores == expected
    assert max(found.scores.values()) == best
    assert all(score >= least_score(best, 0.3) for score in found.scores.values())


# -- what is played --------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "level"), LEVELS)
def test_the_same_seed_plays_the_same_move_within_the_margin(name, level):
    board = drawn_board(level.number)
    for seed in (1, 2):
        choice = choose(name, level.number, board, seed)
        again = choose(name, level.number, board, seed)
        assert (choice.move, choice.value) == (again.move, again.value)
        said = choice.explanation
        assert isinstance(said, LevelChoice)
        assert said.played_level == level.number
        assert choice.move in board.legal_moves
        check_margin(level, choice)
        assert Explanation.from_plain(json.loads(json.dumps(said.to_plain()))).to_plain()


def check_margin(level: Level, choice) -> None:
    """Hold that a move is within the margin of the best that its search found."""
    inner = choice.explanation.get("scores")
    if inner is not None and choice.value is not None and abs(choice.value) < 1:
        best = to_value(max(score for _, score in inner))
        assert choice.value >= best - level.margin - 1e-9


@pytest.mark.parametrize("name", LEVELED)
def test_from_level_four_on_no_five_and_no_open_four_is_missed(name):
    for board, needed in tactical_boards(40):
        for level in HARD[name]:
            assert choose(name, level, board).move in needed, (name, level, board)


@pytest.mark.parametrize("name", LEVELED)
def test_every_level_makes_a_five_and_stops_one(name):
    own = Board.from_moves("e5 a1 f5 b1 g5 d1 h5 f1", NINE)
    other = Board.from_moves("a1 e5 c1 f5 e1 g5 g1 h5", NINE)
    for level in range(1, 4):
        for board in (own, other):
            assert choose(name, level, board).move in {board.rules.size * 4 + 3, 4 * 9 + 8}


def test_a_greater_limit_or_setting_never_searches_more_than_the_level():
    board = drawn_board(2)
    for name, key in (
        ("alpha-beta", "nodes"),
        ("mcts", "iterations"),
        ("alphagomoku", "simulations"),
    ):
        level = PLAYERS[name].levels[4]
        usual = choose(name, 5, board)
        for limit in (Limit(nodes=10**6), Limit(seconds=60.0), Limit(soft_seconds=1.0)):
            assert choose(name, 5, board, limit=limit).move == usual.move
        more = {key: 50_000, **({"depth": 30} if name == "alpha-beta" else {})}
        assert choose(name, 5, board, **more).move == usual.move
        counted = usual.explanation.get("nodes", usual.explanation.get("iterations"))
        assert counted is None or counted <= level.nodes + 1
        least = choose(name, 5, board, limit=Limit(nodes=1)).explanation
        assert least.get("nodes", least.get("iterations", 0)) <= 40


def test_a_level_plays_every_game_of_its_player():
    for rules in (
        Rules(3, 3), Rules(7, 4, height=6, gravity=True), Rules(15, 5, "renju"), Rules(15, 5, "caro"),
    ):  # fmt: skip
        board = Board(rules)
        for ply in range(4):
            board.play(choose("alpha-beta", 2 + 3 * (ply % 2), board, rules=rules).move)
        assert board.ply == 4


def test_full_strength_is_what_it_was_without_levels():
    for name in LEVELED:
        board = drawn_board(5)
        made = create_player(
            name, NINE, {"level": 0, **({"iterations": 500} if name == "mcts" else {})}
        )
        assert not isinstance(
            made.choose(board, Limit(nodes=50), np.random.default_rng(0)).explanation, LevelChoice
        )
        assert get_player_info(name).levels[0].label == f"{name}@level=1"
    assert ALPHA_BETA[0].within(Limit(nodes=5, soft_seconds=1.0), None) == Limit(nodes=5)


@pytest.mark.parametrize("rule", ["renju", "caro"])
def test_where_needed_moves_are_not_counted_the_search_finds_them(rule):
    rules = Rules(15, 5, rule)
    own = Board.from_moves("h8 a1 i8 b3 j8 d1 k8 f2", rules)
    other = Board.from_moves("a1 h8 b3 i8 d1 j8 f2 k8 g4", rules).copy()
    other.pop()
    for level in (1, 5, 9):
        for board in (own, other):
            move = choose("alpha-beta", level, board, rules=rules).move
            assert move // 15 == 7
            assert move % 15 in (6, 11)
