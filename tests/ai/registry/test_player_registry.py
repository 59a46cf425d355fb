from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ai
from ai import (
    PLAYERS,
    Board,
    Limit,
    Option,
    OptionError,
    Rules,
    UnknownPlayerError,
    create_player,
    get_player_info,
    resolve_settings,
)
from ai.players.base import PlayerError
from ai.registry.players import describe_players

GENETIC = get_player_info("genetic")


def test_the_shipped_players():
    assert set(PLAYERS) == {
        "ann", "cnn-ann", "cnn-ann-plus", "genetic", "pattern", "oracle", "random", "human",
        "alpha-beta", "one-ply", "convolution", "minimax-q", "mcts", "mcts-nn",
        "move-net", "alphagomoku", "ann-lines", "cnn-lines",
    }  # fmt: skip
    assert "yardstick" in PLAYERS["pattern"].description


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(UnknownPlayerError, match=r"expected one of .*genetic.*; found 'genetik'"):
        get_player_info("genetik")
    with pytest.raises(UnknownPlayerError, match="no_such_module"):
        create_player("no_such_module:create", Rules(7))


def test_a_factory_of_ones_own():
    player = create_player("ai.players.random_player:create", Rules(7))
    assert player.choose(Board(Rules(7)), Limit(), np.random.default_rng(0)).move in range(49)


def test_defaults_are_within_their_own_bounds():
    for info in PLAYERS.values():
        try:
            settings = info.settings
        except UnknownPlayerError:
            continue
        assert resolve_settings(info, {}) == {item.key: item.default for item in settings}
        for setting in settings:
            assert setting.resolve(setting.default) == setting.default
            assert setting.help, f"{info.name}.{setting.key} has no help"


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"popsize": 3}, r"genetic: expected one of population, .*; found 'popsize'"),
        ({"population": 1}, "population: expected a whole number from 2 to 256, found 1"),
        ({"population": 2.5}, "found 2.5"),
        ({"population": True}, "found True"),
        ({"population": "many"}, "found 'many'"),
        ({"population": None}, "found None"),
        ({"elite": float("nan")}, "elite: expected a number from 0 to 1, found nan"),
        ({"randomness": "some"}, "expected one of board-seeded, fresh, found 'some'"),
        ({"randomness": 1}, "found 1"),
    ],
)
def test_settings_that_do_not_fit_are_refused(given, fault):
    with pytest.raises(OptionError, match=fault):
        create_player("genetic", Rules(7), given)


def test_text_is_read_as_on_a_command_line():
    values = resolve_settings(GENETIC, {"population": "50", "elite": "0.5", "mutation": 1})
    assert (values["population"], values["elite"], values["mutation"]) == (50, 0.5, 1.0)
    flag = Option("warm", True)
    assert [flag.resolve(text) for text in ("no", "TRUE", "0")] == [False, True, False]
    alpha = Option("alpha", 5.0, 0.0, optional=True)
    assert (alpha.resolve("none"), alpha.resolve(None), alpha.resolve("7")) == (None, None, 7.0)
    with pytest.raises(OptionError, match="warm: expected true or false, found 'maybe'"):
        flag.resolve("maybe")
    with pytest.raises(OptionError, match="a number of at least 0 or none, found '-1'"):
        alpha.resolve("-1")


def test_a_person_does_not_compute():
    with pytest.raises(PlayerError, match="found a person"):
        create_player("human", Rules(7)).choose(Board(Rules(7)), Limit(), np.random.default_rng(0))


def test_the_json_listing():
    listing = describe_players()
    assert json.loads(json.dumps(listing)) == listing
    entry = next(entry for entry in listing if entry["name"] == "genetic")
    assert set(entry) >= {"name", "description", "source", "rules", "board_sizes", "settings"}
    population = entry["settings"][0]
    assert (population["key"], population["default"]) == ("population", 10)
    assert (population["range"]["minimum"], population["range"]["maximum"]) == (2, 256)
    assert population["help"]


def test_the_public_door_is_light_and_complete():
    assert all(getattr(ai, name) is not None for name in ai.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = ai.nothing
    program = (
        "import sys, ai, ai.workers\n"
        "assert 'numpy' not in sys.modules, 'numpy'\n"
        "import ai.workers.player, ai.workers.compiler\n"
        "list(ai.PLAYERS)\n"
        "assert not {'numba', 'tensorflow', 'keras'} & set(sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(ai.__file__).parents[1],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_scripts_may_say_the_former_names_of_options():
    from ai import Option, Setting, SettingError

    assert Setting is Option
    assert SettingError is OptionError
