from __future__ import annotations

import numpy as np

from ai.game import WHITE, Rules
from ai.memory import Recall
from ai.nets.features import StateEncoder
from ai.samples.imagination import STOP_AT, ImaginedGames

RULES = Rules(7, 5, full_board_winner=WHITE)
ENCODER = StateEncoder(7)


def states(count: int, plies: int = 5, seed: int = 0) -> np.ndarray:
    """Positions with White to move: an odd number of stones."""
    rng = np.random.default_rng(seed)
    found = np.zeros((count, 49), np.int8)
    for row in found:
        moves = rng.permutation(49)[:plies]
        row[moves[0::2]], row[moves[1::2]] = 1, -1
    return found


def imagined(met: np.ndarray) -> tuple[ImaginedGames, np.ndarray]:
    nodes = states(6, 7, seed=1)
    labels = np.zeros((6, 49), np.float32)
    for row, stones in zip(labels, nodes, strict=True):
        row[np.flatnonzero(stones == 0)[0]] = 1.0
    recall = Recall(ENCODER.vectors(nodes), labels, width=2.0)
    return ImaginedGames(met, recall, ENCODER, RULES), nodes


def test_games_begin_where_games_were_and_go_on_stone_by_stone():
    met = states(4)
    games, _ = imagined(met)
    rng = np.random.default_rng(3)
    first = games.round(50, rng)
    assert {row.tobytes() for row in first} <= {row.tobytes() for row in met}
    games.advance(games.answers(first), rng)
    second = games.round(50, rng)
    grown = np.abs(second).sum(axis=1) - np.abs(first).sum(axis=1)
    assert set(grown.tolist()) <= {0, 2}
    assert 0 < (grown == 0).mean() < 0.6, "some begin anew"
    assert ((second == 1).sum(axis=1) - (second == -1).sum(axis=1) == 1).all(), "White to move"


def test_the_memory_answers_with_free_points_alone():
    games, nodes = imagined(states(4))
    full = states(30, 21, seed=4)
    for asked in (nodes, full):
        answers = games.answers(asked)
        assert answers[asked != 0].max() == 0.0
        assert np.allclose(answers.sum(axis=1), 1.0)
    assert (games.answers(nodes).argmax(axis=1) == (nodes == 0).argmax(axis=1)).all()


def test_a_full_board_is_never_reached():
    games, _ = imagined(states(3, 41))
    rng = np.random.default_rng(0)
    for _ in range(12):
        found = games.round(40, rng)
        assert (found == 0).sum(axis=1).min() >= STOP_AT - 1
        games.advance(games.answers(found), rng)


def test_the_same_generator_imagines_the_same():
    found = []
    for _ in range(2):
        games, _ = imagined(states(4))
        rng = np.random.default_rng(8)
        for _ in range(4):
            last = games.round(20, rng)
            games.advance(games.answers(last), rng)
        found.append(last)
    assert (found[0] == found[1]).all()
