from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai import Board, Limit, Rules, create_player
from ai.game import centre_points
from ai.kernels.values import PATTERN_VALUES, stone_values, stones_in, value_scale
from ai.players.genetic_settings import BOARD_SEEDED, FRESH

RULES = Rules(7, 5, full_board_winner=-1)
SEEDS = st.integers(0, 2**32)


def choose(player, board, seed=0):
    return player.choose(board, Limit(), np.random.default_rng(seed))


@pytest.fixture(scope="module")
def fresh():
    return create_player("genetic", RULES, {"randomness": FRESH})


@pytest.fixture(scope="module")
def seeded():
    return create_player("genetic", RULES, {"randomness": BOARD_SEEDED})


@pytest.mark.parametrize("randomness", [FRESH, BOARD_SEEDED])
def test_the_first_stone_is_a_random_centre_point(randomness):
    player = create_player("genetic", RULES, {"randomness": randomness})
    drawn = {choose(player, Board(RULES), seed).move for seed in range(100)}
    assert drawn == set(centre_points(7))


def test_board_seeded_looks_at_the_position_alone(seeded):
    one = Board.from_moves("d4 d5 e4 c4 e5", RULES)
    same = Board.from_moves("e5 c4 d4 d5 e4", RULES)
    first = choose(seeded, one, 1)
    assert choose(seeded, same, 2).explanation == first.explanation
    other = create_player("genetic", RULES, {"randomness": BOARD_SEEDED})
    assert choose(other, same, 3).move == first.move


def test_fresh_randomness_varies(fresh):
    board = Board.from_moves("d4 d5", RULES)
    assert len({choose(fresh, board, seed).move for seed in range(30)}) > 3
    assert choose(fresh, board, 5).explanation == choose(fresh, board, 5).explanation


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 48), unique=True, min_size=1, max_size=48), SEEDS)
def test_genomes_are_valid_continuations(moves, seed):
    board = Board(RULES)
    for move in moves:
        if board.outcome() is None:
            board.push(move)
    if board.outcome() is not None:
        return
    player = create_player("genetic", RULES, {"randomness": FRESH, "mutation": 1.0})
    choice = choose(player, board, seed)
    explanation = choice.explanation
    rows, cols = zip(*(divmod(move, 7) for move in board.moves), strict=True)
    box = [
        max(min(rows) - 1, 0),
        max(min(cols) - 1, 0),
        min(max(rows) + 1, 6),
        min(max(cols) + 1, 6),
    ]
    assert explanation["box"] == box
    free = [
        move
        for move in board.legal_moves
        if box[0] <= move // 7 <= box[2] and box[1] <= move % 7 <= box[3]
    ]
    assert len(explanation["population"]) == 10
    for genome in explanation["population"]:
        assert len(genome) == len(set(genome)) == min(7, len(free))
        assert set(genome) <= set(free)
    assert choice.move == explanation["population"][0][0]
    json.dumps(explanation.to_plain())


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_the_fittest_live_on(seed):
    board = Board.from_moves("d4 d5 e4 c4 e5 c3", RULES)
    player = create_player("genetic", RULES, {"patience": 1000})
    explanation = choose(player, board, seed).explanation
    best, mean = explanation["best"], explanation["mean"]
    assert len(best) == len(mean) == explanation["generations"] + 1
    assert all(earlier <= later for earlier, later in pairwise(best))
    assert all(low <= high for low, high in zip(mean, best, strict=True))
    assert explanation["fitness"] == sorted(explanation["fitness"], reverse=True)
    assert explanation["fitness"][0] == best[-1]


def test_more_evolution_finds_fitter_genomes():
    board = Board.from_moves("d4 d5 e4 c4", RULES)

    def mean_best(**values):
        player = create_player("genetic", RULES, values)
        return np.mean([choose(player, board, seed).explanation["best"][-1] for seed in range(60)])

    assert mean_best(generations=0) < mean_best() < mean_best(population=50, generations=60)


@pytest.mark.parametrize("fitness", ["first-five", "final-position", "sum-of-steps"])
def test_takes_a_five_that_is_there(fitness):
    board = Board.from_moves("c4 c5 d4 d5 e4 e5 f4 f5", RULES)
    values = {"population": 60, "generations": 60, "patience": 1000, "fitness": fitness}
    player = create_player("genetic", RULES, values)
    board_after = board.copy()
    board_after.play(choose(player, board, 1).move)
    if fitness == "first-five":
        assert board_after.outcome() is not None
    assert choose(player, board, 1).explanation["best"][-1] >= 90_000


def test_a_five_now_is_worth_more_than_a_five_later():
    player = create_player("genetic", RULES, {"population": 100})
    board = Board.from_moves("c4 c5 d4 d5 e4 e5 f4 f5", RULES)
    explanation = choose(player, board, 4).explanation
    assert explanation["fitness"][0] == 100_000
    steps = {
        round(np.log(abs(value) / 1e5) / np.log(0.9), 3)
        for value in explanation["fitness"]
        if abs(value) > 50_000
    }
    assert all(step == pytest.approx(round(step), abs=0.01) for step in steps)


@given(st.integers(3, 20))
def test_a_whole_pattern_has_the_value_of_the_table(win_length):
    scale, values = value_scale(win_length), stone_values(win_length)
    for line_class, value in PATTERN_VALUES.items():
        assert values[line_class] * stones_in(line_class, win_length) == value * scale


def test_beats_the_random_player(fresh):
    random = create_player("random", RULES)
    wins = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        board = Board(RULES)
        while board.outcome() is None:
            player = fresh if board.ply % 2 == 0 else random
            board.play(player.choose(board, Limit(), rng).move)
        wins += board.outcome().winner == 1
    assert wins >= 27


GOLDEN_GAME = "d3 d5 e2 b5 c2 e5 c5 b2 c3 c4 e6 b3 a1 b4 e4 b1"


def test_golden_game(seeded):
    """A change here means that every seed plays otherwise than before."""
    pattern = create_player("pattern", RULES)
    rng = np.random.default_rng(2026)
    board = Board(RULES)
    while board.outcome() is None:
        player = seeded if board.ply % 2 == 0 else pattern
        board.play(player.choose(board, Limit(), rng).move)
    assert " ".join(map(board.to_text, board.moves)) == GOLDEN_GAME


@pytest.mark.parametrize(("nodes", "genomes", "generations"), [(1, 1, 0), (21, 3, 0), (70, 10, 0)])
def test_positions_are_counted_by_the_gene(nodes, genomes, generations):
    player = create_player("genetic", Rules(9), {"mutation": 1.0})
    board = Board.from_moves("e5 d5 e6", Rules(9))
    said = player.choose(board, Limit(nodes=nodes), np.random.default_rng(3)).explanation
    assert (len(said.population), said.generations) == (genomes, generations)
    free = choose(player, board, 3).explanation
    assert len(free.population) == 10, "the next move has all genomes again"
    assert (
        free == choose(create_player("genetic", Rules(9), {"mutation": 1.0}), board, 3).explanation
    )


def test_a_generation_that_is_cut_off_counts_with_what_it_has():
    board = Board.from_moves("e5 d5 e6", Rules(9))
    player = create_player("genetic", Rules(9), {"mutation": 1.0})
    said = player.choose(board, Limit(nodes=70 + 7 * 5), np.random.default_rng(3)).explanation
    assert (len(said.population), said.generations) == (10, 1)
    assert list(said.fitness) == sorted(said.fitness, reverse=True)
    assert said.best[-1] == said.fitness[0]


def test_the_opponents_five_counts_against_a_genome():
    """White has an open four and Black no row at all: fives in the genomes are White's."""
    board = Board.from_moves("a1 c5 g1 d5 a7 e5 g7 f5", RULES)
    player = create_player("genetic", RULES, {"population": 200, "generations": 0})
    fitness = choose(player, board, 3).explanation["fitness"]
    assert min(fitness) == pytest.approx(-90_000, abs=1), (
        "at the second stone, the first of White's"
    )
    assert max(fitness) < 50_000
