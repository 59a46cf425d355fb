"""The whole loop without workers: does White really learn?"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from ai.game import BLACK, WHITE, Board, GameRecord, Rules
from ai.players.base import Limit
from ai.registry.players import create_player, get_player_info, load_target, resolve_settings

RULES = Rules(7, 5, full_board_winner=WHITE)


@dataclass
class Trial:
    """What a run of games came to."""

    nodes: int = 0
    is_lost: list[bool] = field(default_factory=list)

    def losses(self, group: int) -> list[int]:
        """Return the losses of each group of games."""
        return [sum(self.is_lost[i : i + group]) for i in range(0, len(self.is_lost), group)]


def play_trial(*, games: int, seed: int, player: str = "cnn-ann-plus", settings=None) -> Trial:
    """Play games, the learner on White, as the live match does; return what happened."""
    learner = load_target(get_player_info(player).learner)(RULES, settings or {}, seed)
    learner.prepare()
    own = resolve_settings(get_player_info(player), settings or {})
    sides = {BLACK: create_player("genetic", RULES), WHITE: create_player(player, RULES, own)}
    learner.weights().load_into(sides[WHITE])
    trial = Trial()
    for game in range(1, games + 1):
        board = Board(RULES)
        while board.outcome() is None:
            rng = np.random.default_rng([seed, game, board.ply])
            board.play(sides[board.to_move].choose(board, Limit(), rng).move)
        record = GameRecord.from_board(board, game)
        if learner.observe(record):
            learner.train().load_into(sides[WHITE])
        trial.is_lost.append(record.winner == BLACK)
    trial.nodes = len(learner.memory)
    return trial


@pytest.mark.slow
def test_the_shown_white_loses_at_first_and_hardly_ever_later():
    trial = play_trial(games=60, seed=1, player="cnn-lines")
    assert trial.is_lost[0], "an untrained net must lose, or there is nothing to see"
    assert sum(trial.is_lost[40:]) <= 3


@pytest.mark.slow
def test_with_random_labels_the_shown_white_goes_on_losing():
    trial = play_trial(games=30, seed=1, player="cnn-lines", settings={"labels": "random"})
    assert sum(trial.is_lost[15:]) >= 10


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.timeout(400)
@pytest.mark.parametrize(("games", "learning", "most"), [(60, 40, 1), (200, 100, 2)])
def test_plus_loses_at_first_and_hardly_ever_later(games, learning, most):
    trial = play_trial(games=games, seed=1)
    assert trial.is_lost[0], "an untrained net must lose, or there is nothing to see"
    assert sum(trial.is_lost) <= 13
    assert sum(trial.is_lost[learning:]) <= most


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.timeout(400)
def test_without_its_improvements_plus_loses_far_more_often_and_yet_learns():
    plain = {"variations": 0, "near_losses": False, "play_symmetries": False, "cycle": None,
             "enough": None, "steps": 60}  # fmt: skip
    losses = play_trial(games=300, seed=1, settings=plain).losses(50)
    assert losses[0] >= 10
    assert losses[-1] < losses[0] / 2


@pytest.mark.slow
def test_the_papers_player_retrains_after_each_loss():
    trial = play_trial(games=8, seed=1, player="cnn-ann")
    assert sum(trial.is_lost) > 0
    assert trial.nodes <= 4 * sum(trial.is_lost)
