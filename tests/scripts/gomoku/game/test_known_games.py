"""Games whose winner is known are counted for the side that won: with fakes, without an app."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from ai import (
    BLACK,
    SECOND,
    WHITE,
    Board,
    Choice,
    GameRecord,
    OpeningKind,
    OpeningPhase,
    Rules,
)
from scripts.gomoku.board.board_view import BoardView
from scripts.gomoku.game.match import Match
from scripts.gomoku.game.results import MatchResults
from scripts.gomoku.game.scoreboard import Scoreboard
from scripts.gomoku.seats.learner_client import LearnerClient, NetworkCache
from scripts.gomoku.seats.pending import ChangeLog
from scripts.gomoku.training.training_charts import RunCurves
from sim import FieldError
from sim.core.reporting.metrics import MetricStore

RULES = Rules(7, 5, full_board_winner=WHITE)
BLACK_WINS = "a1 a7 b1 b7 c1 c7 d1 d7 e1"
WHITE_WINS = "a1 a7 b1 b7 c1 c7 d1 d7 g4 e7"


def record(moves: str, game: int) -> GameRecord:
    made = GameRecord.from_board(Board.from_moves(moves, RULES), game)
    assert made.winner == (BLACK if moves is BLACK_WINS else WHITE)
    return made


RECORDS = [record(BLACK_WINS if game in (1, 4) else WHITE_WINS, game) for game in range(1, 9)]
"""White wins three of the first five and all of the three after."""


class Emits:
    def __init__(self):
        self.told = []

    def emit(self, *values):
        self.told.append(values)


class Counter(SimpleNamespace):
    """A scoreboard without a scene."""

    has_person = Scoreboard.has_person
    shown_wins = Scoreboard.shown_wins


def test_a_person_who_sits_down_has_won_nothing_yet():
    """Who plays without people has its score back when the person leaves."""

    def seat(title):
        info = SimpleNamespace(title=title)
        return SimpleNamespace(is_human=title == "you", info=info, member=None)

    board = Counter(wins={BLACK: 0, WHITE: 0, 0: 0}, results=[], with_people={}, match=None)

    def play(black, white, games):
        black, white = seat(black), seat(white)
        board.match = SimpleNamespace(
            black=black, white=white, seat_at={BLACK: black, WHITE: white}.get
        )
        for item in games:
            Scoreboard.count(board, item)
            Scoreboard.count_with_people(board, item)
        return Scoreboard.wins_at(board, BLACK), Scoreboard.wins_at(board, WHITE)

    assert play("genetic", "network", RECORDS[:3]) == (1, 2)
    assert play("genetic", "you", ()) == (0, 0)
    assert play("genetic", "you", RECORDS[3:5]) == (1, 1)
    assert play("you", "network", RECORDS[5:6]) == (0, 1)
    assert play("genetic", "you", ()) == (1, 1)
    assert play("genetic", "network", ()) == (2, 4)


def test_the_scoreboard_counts_each_side_and_whites_share_of_five():
    board = SimpleNamespace(wins={BLACK: 0, WHITE: 0, 0: 0}, results=[])
    board.count = lambda item: Scoreboard.count(board, item)
    Scoreboard.restore(board, RECORDS[:3])
    for item in RECORDS[3:]:
        board.count(item)
    assert board.wins == {BLACK: 2, WHITE: 6, 0: 0}
    assert Scoreboard.groups(board) == [3 / 5], "the group that is not full is left out"


def test_the_scoreboard_counts_for_who_won_whatever_color_a_swap_gave_it():
    opening = OpeningPhase(Rules(7, 5), OpeningKind.SWAP)
    for said in (0, 42, 1, Choice.BLACK):  # the second person takes Black
        opening = opening.after(said)
    won = replace(record(BLACK_WINS, 1), opening=opening)
    assert (won.winner, won.winning_person) == (BLACK, SECOND)
    board = Counter(wins={BLACK: 0, WHITE: 0, 0: 0}, results=[])
    Scoreboard.count(board, won)
    assert (board.wins, board.results) == ({BLACK: 0, WHITE: 1, 0: 0}, [WHITE])
    black, white = (SimpleNamespace(is_human=False, member=None) for _ in range(2))
    board.match = SimpleNamespace(
        black=black, white=white, seat_at={BLACK: white, WHITE: black}.get
    )
    assert (Scoreboard.wins_at(board, BLACK), Scoreboard.wins_at(board, WHITE)) == (1, 0)


@pytest.mark.parametrize("opening", ["swap", "swap2"])
def test_a_swap_is_refused_where_a_learner_plays_white(opening):
    Match._check_opening(SimpleNamespace(opening=opening, trainer=None), RULES)
    with pytest.raises(
        FieldError, match=f"the scene's learner plays White only, found '?{opening}"
    ):
        Match._check_opening(SimpleNamespace(opening=opening, trainer=object()), RULES)


@pytest.fixture
def match():
    metrics = MetricStore()
    made = SimpleNamespace(
        results=MatchResults(metrics.log), archive=None, metrics=metrics, game=0,
        game_over=Emits(), resumed=Emits(), black=SimpleNamespace(member=None, is_human=False),
        run=SimpleNamespace(fresh=False), rules=RULES, log=SimpleNamespace(info=lambda _: None),
    )  # fmt: skip
    made._resumed_words = lambda trainer, learnt: "White is here"
    made._restore_measures = lambda trainer: Match._restore_measures(made, trainer)
    return made


def kept_of(records, details):
    return [
        SimpleNamespace(record=item, details=said)
        for item, said in zip(records, details, strict=True)
    ]


def restore(match, kept):
    """Let a match go on from stored games, of which the trainer knows all."""
    measured = [(1, "held", 1.0), (9, "held", 0.5)]
    match.archive = SimpleNamespace(
        earlier_games=lambda: kept, measures=lambda: measured, changes=lambda: []
    )
    trainer = SimpleNamespace(games_learnt=8, restore=lambda *_: None)
    asyncio.run(Match._restore(match, trainer))


def test_a_game_is_logged_as_whites_only_where_white_won(match):
    for item in RECORDS:
        match.game = item.game
        Match._record(match, SimpleNamespace(people=[], decided=None, forfeit=""), item)
    games, won = match.metrics.series("white_won")
    assert games.tolist() == list(range(1, 9))
    assert won.tolist() == [0, 1, 1, 0, 1, 1, 1, 1]
    assert match.metrics.series("plies")[1].tolist() == [9 if bool(w) is False else 10 for w in won]
    assert match.game_over.told == [(item,) for item in RECORDS]
    curves = RunCurves(match.metrics)
    assert curves.score() == (8, 6)
    assert np.asarray(curves.wins().y).tolist() == [3]


def test_a_game_with_a_person_moves_the_score_but_not_the_elo_against_black(match):
    def play(people, resigned):
        match.game += 1
        session = SimpleNamespace(people=people, decided=resigned or None, forfeit="")
        Match._record(match, session, replace(RECORDS[1], game=match.game))

    for _ in range(12):
        play([], 0)
    curves = RunCurves(match.metrics)
    before = curves.elo()
    assert len(before) == 3
    play(["black"], BLACK)  # a person at Black resigns
    play([], BLACK)  # before the first stone
    play(["black"], 0)
    assert curves.score() == (15, 15)
    assert curves.elo().x.tolist() == before.x.tolist()
    assert curves.elo().y.tolist() == before.y.tolist()


def test_games_with_people_of_earlier_sessions_do_not_count_for_the_elo(match):
    restore(
        match,
        kept_of(RECORDS, [{"people": ["black"]} if item.game == 3 else {} for item in RECORDS]),
    )
    assert match.metrics.series("with_person")[0].tolist() == [3.0]


def test_games_of_earlier_sessions_are_logged_for_the_side_that_won(match):
    restore(match, kept_of(RECORDS, [{}] * 8))
    assert match.metrics.series("white_won")[1].tolist() == [0, 1, 1, 0, 1, 1, 1, 1]
    assert match.metrics.series("held")[0].tolist() == [1.0], "what is not learnt is measured anew"
    assert match.resumed.told == [(RECORDS,)]


def test_games_of_earlier_sessions_count_for_the_member_that_played_them(match):
    names = ("oracle", "pattern", None, "oracle", "human", "oracle", "10x10", "10x10")
    kept = kept_of(RECORDS, [{"opponent": name} if name else {} for name in names])
    kept[5].details["people"] = ["white"]
    kept[6].details["beside"] = True
    results = match.results
    results.restore(kept, RULES.points)
    counted = {name: (of["games"], of["white"]) for name, of in results.league.as_dict().items()}
    assert counted == {"10x10": (1, 1), "pattern": (1, 1), "oracle": (2, 0)}
    assert results.league_now.as_dict() == {}


def test_the_winning_line_has_a_ring_on_each_of_its_stones():
    marked = []
    look = SimpleNamespace(line=[0.1, 0.2, 0.3])
    view = SimpleNamespace(
        marks=[], line_radius=0.4, look=look, _clear_marks=lambda: marked.append("clear")
    )
    view._mark = lambda *values: values
    line = Board.from_moves(BLACK_WINS, RULES).winning_line()
    BoardView.mark_line(view, line)
    assert marked == ["clear"], "no mark of the last move stays below"
    assert [(name, move, model["builtin"]) for name, move, model, *_ in view.marks] == [
        ("WinningStone", move, "ring") for move in line
    ]
    assert all(color == look.line for *_, color, _ in view.marks)


def test_what_was_trained_is_taken_between_games_only():
    """It is kept when a training ends, and loaded once where the match asks for it."""
    taken = []

    async def use_network(weights):
        taken.append(weights.network_id)

    client = SimpleNamespace(
        status=SimpleNamespace(clear=lambda name: None), statistics={}, retrains=0,
        retrain_seconds=[], held=[], advice="", _log=lambda *_: None, _newest=None,
        _change_log=ChangeLog(), seat=SimpleNamespace(use_network=use_network),
        network_cache=NetworkCache(),
    )  # fmt: skip
    client._load = partial(LearnerClient._load, client)
    for number in (4, 5):
        done = SimpleNamespace(
            statistics={"seconds": 1.0}, retrained=True, game=number, weights={},
            network_id=number, memory=None,
        )  # fmt: skip
        LearnerClient._apply_training(client, done)
    assert taken == []
    asyncio.run(LearnerClient.swap(client))
    asyncio.run(LearnerClient.swap(client))
    assert taken == [5]
    assert [network.network_id for network in client.network_cache.networks()] == [5]


@pytest.mark.parametrize(("points", "expected"), [(3, [6, 2, 1]), (4, [1, 2, 0, 0])])
def test_ranks_of_earlier_sessions_are_added_where_the_board_is_the_same(points, expected):
    results = MatchResults(lambda *values, **more: None)
    results.restore(kept_of(RECORDS[:1], [{"ranks": [1] * 5 + [3], "beside": True}]), 3)
    results.begin_game(points)
    results.count_ranks([1, 2, 2, 3])
    results.count_ranks([3], -1)
    assert results.all_ranks == expected


def test_a_game_that_an_engine_gave_up_is_not_one_with_a_person(match):
    lost = SimpleNamespace(people=[], decided=1, forfeit="mine: exited")
    Match._record(match, lost, RECORDS[0])
    assert "with_person" not in match.metrics.names()
