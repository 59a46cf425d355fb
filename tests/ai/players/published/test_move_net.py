from __future__ import annotations

import json

import numpy as np
import pytest

from ai.game import Board, GameOverError, Rules
from ai.players.base import Limit
from ai.players.explanation import Explanation, NetworkAnswer, TreeVisits
from ai.players.published.move_net import (
    DENSE_FILE,
    NETWORK_FILE,
    dense_network,
    earlier_network,
    shipped_network,
)
from ai.registry.players import create_player
from base.files import SHIPPED_ROOT
from base.schema import OptionError

RULES = Rules(9)
BOARD = Board.from_moves("e5 f6 e6 d7", RULES)


def choose(name, settings=None, limit=None, board=BOARD):
    player = create_player(name, board.rules, settings)
    return player.choose(board, limit or Limit(), np.random.default_rng(0))


def test_the_network_alone_plays_its_likeliest_point():
    choice = choose("move-net")
    said = choice.explanation
    assert isinstance(said, NetworkAnswer)
    assert (said.rank, said.masked) == (1, 0)
    assert said.probabilities[choice.move] == max(said.probabilities)
    assert all(said.probabilities[move] == 0.0 for move in BOARD.moves)
    again = Explanation.from_plain(json.loads(json.dumps(said.to_plain())))
    assert repr(again) == repr(said)


def test_the_guided_search_tells_visits_and_lines():
    choice = choose("mcts-nn", limit=Limit(nodes=12))
    said = choice.explanation
    assert isinstance(said, TreeVisits)
    assert sum(visits for _, visits in said.visits) == said.iterations == 12
    assert said.visits[0][0] == choice.move
    assert said.lines[0][0] == choice.move
    shares = choose("move-net").policy
    assert all(shares[move] > 0.013 for move, _ in said.visits)


def test_settings_of_the_guided_search_count():
    plain = choose("mcts-nn", {"iterations": 80}).explanation
    assert plain.iterations == 80
    for changed in ({"cp": 10.0}, {"threshold": 0.05}):
        assert choose("mcts-nn", {"iterations": 80, **changed}).explanation.visits != plain.visits


@pytest.mark.parametrize("name", ["move-net", "mcts-nn"])
def test_a_network_of_ones_own_is_seated_or_refused_in_one_line(name, tmp_path):
    copy = tmp_path / "net.npz"
    copy.write_bytes((SHIPPED_ROOT / NETWORK_FILE).read_bytes())
    limit = Limit(nodes=1)
    assert choose(name, {"network": str(copy)}, limit).move == choose(name, None, limit).move
    copy.write_bytes(b"no network")
    with pytest.raises(OptionError, match=r"network: .*net\.npz: expected a network of move-net"):
        choose(name, {"network": str(copy)})
    with pytest.raises(
        OptionError, match=r"network: .*expected a network of move-net, found No such file"
    ):
        choose(name, {"network": str(tmp_path / "none.npz")})
    over = Board.from_moves("a1 a2 b1 b2 c1 c2 d1 d2 e1", RULES)
    with pytest.raises(GameOverError):
        choose(name, board=over)


def test_what_is_shipped_is_small_and_beats_its_controls():
    file = SHIPPED_ROOT / NETWORK_FILE
    assert file.stat().st_size < 10_000
    card = shipped_network().card
    assert card == json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    shares = {name: score["share"] for name, score in card["on_held_out"].items()}
    assert shares.pop("trained") > 3 * max(shares.values())
    assert card["games"] == 6000
    alone = card["by_itself"]
    made, stopped = (
        {name: found[part] / found[of] for name, found in alone.items()}
        for part, of in (("made", "chances"), ("stopped", "threats"))
    )
    for shares in (made, stopped):
        assert shares.pop("trained") > 1.2 * max(shares.values())


def test_the_network_with_a_dense_output_layer_learnt_from_the_same_games():
    card = dense_network().card
    assert card == json.loads((SHIPPED_ROOT / DENSE_FILE).with_suffix(".json").read_text("utf-8"))
    assert (card["games"], card["positions"]) == (6000, shipped_network().card["positions"])
    assert sum(array.size for array in dense_network().weights.values()) == 203_233
    board = Board.from_moves("h8 h9 g8 g9", Rules(15))
    for player in ("move-net", "mcts-nn"):
        choice = choose(player, {"network": "dense"}, Limit(nodes=3), board)
        assert choice.move in board.legal_moves
        with pytest.raises(OptionError, match="network: expected one for 9x9, found 'dense'"):
            choose(player, {"network": "dense"})


@pytest.mark.parametrize("name", ["earlier", "untrained"])
def test_networks_of_before_have_names(name):
    limit = Limit(nodes=3)
    for player in ("move-net", "mcts-nn"):
        assert choose(player, {"network": name}, limit).move in BOARD.legal_moves
    before = choose("move-net", {"network": name}).policy
    assert not np.allclose(before, choose("move-net").policy)
    assert earlier_network().card["games"] == 640
