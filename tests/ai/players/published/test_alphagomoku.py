"""The player with two policy-value networks, seated with networks that nobody trained."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ai import PLAYERS, Board, GameOverError, Limit, OptionError, Player, Rules, create_player
from ai.learning.alphagomoku.basic_rules import basic_positions
from ai.learning.alphagomoku.measures import (
    SHUFFLED_WEIGHTS,
    UNTRAINED,
    right_in_basic_positions,
    score,
    shuffled_weights,
)
from ai.nets.policy_value import NetworkPair, PolicyValueArchitecture, initial_arrays, save_pair
from ai.players.explanation import Explanation, TreeVisits
from ai.players.published.alphagomoku import WEIGHTS_OF_SIZE, shipped_pair
from ai.registry.players import refusal_of
from base.files import SHIPPED_ROOT

RULES = Rules(6, 4)
QUICK = {"simulations": 24, "memory": 8}
DOCUMENTED = {"forced": False, "leaf_fours": 0, "vcf": False, "reduction": -1.0}
"""The search as the document has it: nothing is known but by the networks."""


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    """Files of a pair for 6x6, and of one that plays on boards of every size."""
    folder = tmp_path_factory.mktemp("pairs")
    for name, is_pooled in (("six", False), ("any", True)):
        shape = PolicyValueArchitecture(6, 4, 1, is_pooled)
        sides = [initial_arrays(shape, seed) for seed in (1, 2)]
        for side in sides:  # answers that differ, as those of trained networks do
            side["policy_out.kernel"] *= np.float32(30.0)
            side["value_out.kernel"] *= np.float32(10.0)
        save_pair(folder / f"{name}.npz", NetworkPair(*sides))
    return folder


def seated(weights, rules=RULES, name="six", **settings):
    given = {"weights": str(weights / f"{name}.npz"), **QUICK, **settings}
    return create_player("alphagomoku", rules, given)


INFO = PLAYERS["alphagomoku"]


def test_it_is_seated_where_weights_ship_and_elsewhere_with_ones_own(weights):
    known = ", ".join(map(str, INFO.ready_sizes))
    with pytest.raises(OptionError) as told:
        create_player("alphagomoku", RULES)
    assert str(told.value) == (
        f"alphagomoku: expected a board for which weights ship, of size {known}, or the setting "
        "weights, found 6"
    )
    assert refusal_of(INFO, RULES) == str(told.value)
    assert refusal_of(INFO, RULES, {"weights": "six.npz"}) == ""
    assert seated(weights).name == "alphagomoku"
    assert INFO.as_dict()["ready_sizes"] == list(INFO.ready_sizes)


@pytest.mark.parametrize("size", INFO.ready_sizes)
def test_what_ships_knows_more_of_the_basic_rules_than_its_shuffled_weights(size):
    rules, pair = Rules(size), shipped_pair(size)
    positions = basic_positions(rules, 200, 987)
    right = right_in_basic_positions(positions, rules)
    assert (
        score(pair, positions, size, right).right >= 0.45
    )  # the mentor's games made some forgotten
    assert score(shuffled_weights(pair, 1), positions, size, right).right <= 0.15
    file = SHIPPED_ROOT / WEIGHTS_OF_SIZE.format(size=size)
    card = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    assert card == pair.card
    assert (card["board"], card["win_length"]) == (size, 5)
    assert card["commands"]
    for control in (UNTRAINED, SHUFFLED_WEIGHTS):
        assert card["matches"][control]["score"] > 0.9


def test_what_ships_is_small():
    files = (SHIPPED_ROOT / "assets" / "players").glob("alphagomoku*")
    assert sum(file.stat().st_size for file in files) <= 6_000_000


@pytest.mark.parametrize("is_averaged", [False, True])
def test_it_plays_legal_games_that_its_seed_repeats(weights, is_averaged):
    games = []
    for _ in range(2):
        player, rng, board = seated(weights, averaged=is_averaged), np.random.default_rng(3), None
        board = Board(RULES)
        assert isinstance(player, Player)
        while board.outcome() is None:
            before = board.copy()
            choice = player.choose(board, Limit(), rng)
            assert (board, board.moves) == (before, before.moves)
            assert -1.0 <= choice.value <= 1.0
            assert choice.policy.sum() == pytest.approx(1.0, abs=1e-3)
            board.play(choice.move)
        games.append(board.moves)
        with pytest.raises(GameOverError):
            player.choose(board, Limit(), rng)
        player.close()
    assert games[0] == games[1]


@pytest.mark.parametrize("is_averaged", [pytest.param(False, marks=pytest.mark.nightly), True])
def test_a_turned_or_mirrored_position_has_the_same_value_where_answers_are_averaged(
    weights, is_averaged
):
    values, moves = [], []
    for image in RULES.symmetries():
        back = np.argsort(image)  # where each point comes to lie
        board = Board.from_moves([int(back[move]) for move in (14, 8, 21, 2)], RULES)
        player = seated(weights, averaged=is_averaged, simulations=100, c=0.3, **DOCUMENTED)
        choice = player.choose(board, Limit(), np.random.default_rng(0))
        assert max(visits for _, visits in choice.explanation.visits) > 3, "it looks deep"
        values.append(choice.value)
        moves.append(int(image[choice.move]))
    is_same = np.ptp(values) <= 1e-5 and len(set(moves)) == 1
    assert is_same == is_averaged


def test_it_tells_visits_priors_means_and_lines(weights):
    board = Board.from_moves("c3 d4", RULES)
    player = seated(weights, **DOCUMENTED)
    choice = player.choose(board, Limit(nodes=60), np.random.default_rng(0))
    said = choice.explanation
    assert isinstance(said, TreeVisits)
    assert sum(visits for _, visits in said.visits) == said.iterations == 60
    assert len(said.priors) == len(said.means) == len(said.visits)
    assert 0.0 < sum(said.priors) <= 1.0 + 1e-5
    assert said.visits[0][0] == choice.move == said.lines[0][0]
    again = Explanation.from_plain(json.loads(json.dumps(said.to_plain())))
    assert repr(again) == repr(said)


def test_a_pooled_pair_plays_on_every_board(weights):
    for rules in (Rules(5, 4), Rules(9), Rules(12, exact=True)):
        player = seated(weights, rules, "any")
        choice = player.choose(Board(rules), Limit(nodes=4), np.random.default_rng(0))
        assert choice.move in range(rules.points)


def test_a_win_by_fours_is_played_where_it_is_asked_for(weights):
    board = Board.from_moves("g8 a1 h8 a2 i8 b9 h9 a4 h10 a7", Rules(15))
    player = seated(weights, board.rules, "any", vcf=True)
    choice = player.choose(board, Limit(nodes=1), np.random.default_rng(0))
    assert choice.value > 0.9
    assert choice.explanation.lines[0][0] == choice.move


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, r"weights: .*: expected a pair of policy-value networks, found No such file"),
        (b"no network", r"weights: .*six\.npz: expected a pair of policy-value networks"),
    ],
)
def test_a_file_that_is_no_pair_is_refused_in_one_line(tmp_path, content, said):
    if content is not None:
        (tmp_path / "six.npz").write_bytes(content)
    with pytest.raises(OptionError, match=said) as told:
        seated(tmp_path)
    assert "\n" not in str(told.value)


def test_networks_for_another_board_are_refused(weights):
    with pytest.raises(OptionError, match=r"weights: .*for boards of 9x9, found 6x6"):
        seated(weights, Rules(9))


def test_settings_reach_the_search(weights):
    board = Board.from_moves("c3 d4", RULES)

    def visits(**settings):
        player = seated(weights, **settings)
        return player.choose(board, Limit(), np.random.default_rng(0)).explanation.visits

    plain = visits()
    for changed in ({"c": 20.0}, {"noise": 0.9}, {"simulations": 60}, {"batch": 1}):
        assert visits(**changed) != plain
