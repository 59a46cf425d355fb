from __future__ import annotations

import json

import numpy as np
import pytest

from ai.game import Board, GameOverError, Rules
from ai.players.base import Limit
from ai.players.explanation import Explanation, TreeVisits
from ai.players.published import mcts
from ai.registry.players import create_player, get_player_info
from base.schema import OptionError

RULES = Rules(15)
BOARD = Board.from_moves("h8 i9 h9", RULES)


def choose(settings=None, limit=None, board=BOARD, seed=0):
    player = create_player("mcts", board.rules, settings)
    return player.choose(board, limit or Limit(), np.random.default_rng(seed))


def test_it_explains_itself_by_visits_and_lines():
    choice = choose({"iterations": 800})
    said = choice.explanation
    assert isinstance(said, TreeVisits)
    assert said.visits[0][0] == choice.move
    assert sum(visits for _, visits in said.visits) == said.iterations == 800
    assert len(said.means) == len(said.visits)
    assert [line[0] for line in said.lines] == [move for move, _ in said.visits[:3]]
    assert choice.policy[choice.move] == choice.policy.max()
    again = Explanation.from_plain(json.loads(json.dumps(said.to_plain())))
    assert repr(again) == repr(said)


def test_its_iterations_count_where_nothing_else_is_limited():
    assert choose().explanation.iterations == 20_000
    assert choose({"iterations": 100}).explanation.iterations == 100
    assert choose({"iterations": 100}, Limit(nodes=250)).explanation.iterations == 250
    assert choose({"iterations": 1}, Limit(seconds=0.05)).explanation.iterations > 1


def test_it_plays_fewer_games_while_the_kernels_are_not_compiled(monkeypatch):
    monkeypatch.setattr(mcts, "is_jit_enabled", lambda: False)
    assert choose().explanation.iterations == mcts.UNCOMPILED
    assert choose({"iterations": 30}).explanation.iterations == 30
    assert choose(limit=Limit(nodes=500)).explanation.iterations == 500


def test_every_setting_counts():
    plain = choose({"iterations": 3000})
    for changed in ({"cp": 1.5}, {"region": 3}, {"selection": "exp3"}):
        other = choose({"iterations": 3000, **changed})
        assert other.explanation.visits != plain.explanation.visits
    even = {"selection": "exp3", "iterations": 3000}
    assert (
        choose({**even, "gamma": 1.0}).explanation.visits
        != choose({**even, "gamma": 0.1}).explanation.visits
    )
    assert len(choose({"region": 1, "iterations": 3000}).explanation.visits) == 12


def test_it_goes_on_with_its_tree_unless_told_not_to():
    for keeps, expected in ((True, True), (False, False)):
        player = create_player("mcts", RULES, {"keep_tree": keeps, "iterations": 3000})
        board, rng = BOARD.copy(), np.random.default_rng(1)
        line = player.choose(board, Limit(), rng).explanation.lines[0]
        for move in line[:2]:
            board.play(move)
        assert (player.choose(board, Limit(), rng).explanation.kept > 0) == expected


def test_what_does_not_fit_is_refused():
    for settings, text in (
        ({"region": 5}, "region"), ({"selection": "puct"}, "selection"), ({"cp": -1}, "cp"),
    ):  # fmt: skip
        with pytest.raises(OptionError, match=text):
            create_player("mcts", RULES, settings)
    with pytest.raises(OptionError, match="mcts: expected a square board without gravity"):
        create_player("mcts", Rules(7, 4, height=6, gravity=True))
    over = Board.from_moves("a1 a2 b1 b2 c1 c2 d1 d2 e1", RULES)
    with pytest.raises(GameOverError):
        choose(board=over)


def test_its_card_names_the_source():
    info = get_player_info("mcts")
    assert "UCT" in info.source
    assert {option.key for option in info.settings} == {
        "iterations", "cp", "region", "selection", "gamma", "keep_tree", "memory", "level",
    }  # fmt: skip
    assert all(option.help for option in info.settings)
