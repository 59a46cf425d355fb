"""Names and the search in the list of games."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from ai import GameRecord, Rules, RunStore
from scripts.gomoku.history.game_names import UNKNOWN, GameNames, GameSearch

MOVES = (0, 7, 1, 8, 2, 9, 3, 10, 4)
DETAILS = (
    {"players": ["genetic", "cnn-lines"]},
    {"players": ["alpha-beta", "cnn-lines"], "people": ["black"]},
    {"own": {"black": {"player": "mcts"}, "white": {}}},
    {},
    {"players": "damaged"},
    {"players": [1]},
)
NAMES = [("genetic", "cnn-lines"), ("you", "cnn-lines"), ("mcts", "you"), *[("", "")] * 3]


@pytest.fixture
def store(tmp_path):
    store = RunStore.open(tmp_path / "runs.sqlite3")
    run = store.start_run({"seed": 1})
    for number, details in enumerate(DETAILS, 1):
        record = GameRecord(Rules(7, 5), MOVES, 1, "five", number)
        store.record_game(run, record, network_id=0, details=json.loads(json.dumps(details)))
    yield store
    store.close()


def test_who_played_is_read_from_the_stored_games(store):
    assert list(store.players().values()) == NAMES
    assert list(store.players((1, 2)).values()) == NAMES[2:]


def test_names_are_read_once_and_new_games_are_seen(store):
    asked = []

    def read(after):
        asked.append(after)
        return store.players(after)

    names = GameNames(read)
    games = store.summaries()
    assert [names.of(game) for game in games] == NAMES
    assert len(asked) == 1
    assert names.text(games[0]) == "genetic – cnn-lines"
    assert names.text(games[3]) == UNKNOWN
    texts = {
        most: names.text(games[0], lambda text, most=most: len(text) <= most) for most in (13, 4)
    }
    assert texts == {13: "gene… – cnn-…", 4: "ge… – cn…"}, "names lose letters where room is little"
    record = GameRecord(Rules(7, 5), MOVES, 1, "five", 9)
    store.record_game(1, record, details={"players": ["random", "ann"]})
    assert names.of(store.summaries((1, 6))[0]) == ("random", "ann")


@pytest.mark.parametrize(("text", "numbers"), [
    ("", [1, 2, 3, 4, 5, 6]),
    ("YOU", [2, 3]),
    ("cnn-lines genetic", [1]),
    ("mcts wins", [3]),
    ("black", [1, 2, 3, 4, 5, 6]),
    ("nobody", []),
])  # fmt: skip
def test_the_words_that_are_typed_choose_the_games(store, text, numbers):
    search = GameSearch(GameNames(store.players))
    search.text = text
    games = store.summaries()
    found = search.chosen(games, lambda game: SimpleNamespace(game=game).game.finished)
    assert [game.game for game in found] == numbers
