"""Sessions, records and lessons of a game with captures and passes: the example project's Othello."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

from ai.game import BLACK, PASS, WHITE, GameRecord, RecordError
from ai.learning.measures import positions_of
from ai.learning.self_teaching import MetPositions, Teacher
from ai.messages import Configure, PlayRequest
from ai.players.base import Limit
from ai.players.learning_settings import LearningSettings
from ai.registry.players import create_player, get_player_info, resolve_settings
from ai.registry.project_games import get_game
from ai.runs.reading import RunReadError, read_games
from ai.runs.results import RunFiles
from ai.samples.one_hot import learner_plies, stones_after
from ai.session.game import GameSession
from ai.store.runs import RunStore
from ai.workers.player import PlayerService
from base.files import SHIPPED_ROOT

pytestmark = pytest.mark.usefixtures("project_scripts")

PROJECT = SHIPPED_ROOT / "docs" / "projects" / "othello"


@pytest.fixture
def othello():
    return get_game("othello", PROJECT).rules


@pytest.fixture
def record(othello):
    """A game that White lost, with passes of both sides in it."""
    random = create_player("random", othello)
    corners = create_player("corners", othello, project=PROJECT)
    for game in range(1, 400):
        found = GameSession(othello, game, seed=1).play_out(corners, random)
        passes = {ply % 2 for ply, move in enumerate(found.moves) if move == PASS}
        if found.winner == BLACK and passes == {0, 1}:
            return found
    raise AssertionError("no such game")


def test_a_session_passes_for_who_must_and_takes_it_back_with_a_move(othello, record):
    session = GameSession(othello, moves=record.moves[:1])
    passed = 0
    for move in record.moves[1:]:
        assert session.play_pass() == (move == PASS)
        if move != PASS:
            session.play(move, is_person=session.board.to_move == BLACK)
        else:
            passed += 1
    assert passed == record.moves.count(PASS)
    assert session.record().moves == record.moves
    assert not session.request_undo(), "the game is over"
    again = GameSession(othello)
    again.play_opening()
    begun = again.board.copy()
    again.play(next(iter(again.board.legal_moves)), is_person=True)
    assert again.request_undo()
    again.undo()
    assert again.board == begun


def test_lessons_are_points_that_the_learner_could_play(othello, record):
    assert all(record.moves[ply] != PASS for ply in learner_plies(record))
    settings = resolve_settings(get_player_info("cnn-ann-plus"), {})
    teacher = Teacher(othello, LearningSettings.from_settings(settings))
    lessons = teacher.of_loss(record)
    assert lessons
    for stones, label in lessons:
        assert set(np.unique(stones)) <= {-1, 0, 1}
        assert othello.legal(stones, WHITE)[label > 0].all()
    assert teacher.of_win(record) == ([], False), "no threats, which are of rows"
    met = MetPositions(othello.points)
    met.meet(record)
    assert len(met) == len(learner_plies(record)) == len(positions_of([record], othello.points))
    for stones, played in zip(met.stones, met.played, strict=True):
        assert othello.legal(stones, WHITE)[played]
    last = stones_after(record, len(record.moves))
    assert np.array_equal(last, record.board().stones), "White sees the plain board"


def test_a_game_is_kept_and_read_again(tmp_path, othello, record):
    store = RunStore.open(tmp_path / "runs.sqlite3")
    store.record_game(store.start_run({}), record)
    assert store.games()[0].record == record
    store.close()
    files = RunFiles(tmp_path / "run", {"rules": othello.as_dict()}, othello.points)
    files.add(
        record, ranks=[1], ann_nodes=0, relearn_records=0, retrain_seconds=None,
        seconds={"black": 0.0, "white": 0.0},
    )  # fmt: skip
    files.finish()
    for place in (tmp_path / "runs.sqlite3", tmp_path / "run"):
        assert read_games(place, PROJECT) == [record]
    assert pickle.loads(pickle.dumps(record)) == record
    wrong = json.loads(json.dumps(record.as_dict())) | {"winner": WHITE}
    with pytest.raises(RecordError, match="expected Outcome"):
        GameRecord.from_dict(wrong)


def test_a_game_of_an_unknown_project_is_one_line(tmp_path, othello, record):
    files = RunFiles(tmp_path / "run", {"rules": {"create": "scripts.nowhere:Game"}}, 36)
    files.finish()
    with pytest.raises(RunReadError, match=r"expected a game's class, found 'scripts.nowhere"):
        read_games(tmp_path / "run", PROJECT)


def test_a_worker_plays_it(othello):
    service = PlayerService(PROJECT)
    service.handle(Configure("corners", othello), print)
    moves = GameSession(othello)
    moves.play_opening()
    played = tuple(moves.board.moves)
    answer = service.handle(PlayRequest(0, 1, 1, played, Limit(), 3), print)
    assert answer.choice.move in moves.board.legal_moves
