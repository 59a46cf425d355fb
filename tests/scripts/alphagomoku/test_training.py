"""What the scene makes of the training's messages: with fakes, without an app."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from ai.curriculum.live import LIVE
from ai.curriculum.settings import Curriculum
from ai.game import Rules
from ai.messages import (
    ChangeTraining,
    GenerationFinished,
    PauseTraining,
    StageBegan,
    TrainingGame,
    TrainingOpened,
    TrainingStopped,
)
from scripts.alphagomoku import training as module
from scripts.alphagomoku.board import GameBoard, title_of
from scripts.alphagomoku.training import SMALL, AlphaGomokuTraining


def game(number, generation=3):
    none = np.zeros((0, 36))
    return TrainingGame("self-play", generation, number, (1, 2), 1, none, none, np.zeros(0))


def slot():
    """Return what holds a script's fields."""
    here = SimpleNamespace(parsed={}, values={}, resolve_reference=None)

    def set_value(name, raw):
        here.values[name] = raw
        here.parsed.pop(name, None)

    here.set_value = set_value
    return here


@pytest.fixture
def training(monkeypatch, tmp_path):
    here = AlphaGomokuTraining()
    here.slot = slot()
    here.asked = None
    told = SimpleNamespace(status=[], errors=[], stats={}, ended=[], games=[], sent=[])
    fakes = {
        "status": SimpleNamespace(
            set=lambda *words, **_: told.status.append(words), clear=lambda name: None
        ),
        "log": SimpleNamespace(error=told.errors.append, warning=told.errors.append),
        "stats": SimpleNamespace(update=lambda **words: told.stats.update(words)),
        "run": SimpleNamespace(
            startup=lambda name: None, finish=told.ended.append, scene_dir=tmp_path
        ),
        "game_over": SimpleNamespace(emit=told.games.append),
        "generation_over": SimpleNamespace(emit=lambda line: None),
    }
    for name, value in fakes.items():
        monkeypatch.setattr(AlphaGomokuTraining, name, value, raising=False)
    here.awake()
    here.told = told
    return here


def test_the_shipped_training_is_a_sound_one_and_its_fields_are_its_settings(training):
    plan = Curriculum.of(Rules(training.size, training.win_length), 0, SMALL)
    assert module.LIVE == LIVE
    assert training.live == {key: plan.settings[key] for key in LIVE}


def test_what_the_training_tells_is_kept(training):
    first, second = {"generation": 1, "games": 0}, {"generation": 2, "games": 8, "version": 1}
    change = {"generation": 2, "settings": {"rate": 0.01}}
    training.handle(TrainingOpened(1, (first,), (), "pair.npz", ("a lot is damaged",)))
    training.handle(StageBegan("self-play", 2, "games", (change,)))
    training.handle(game(1))
    training.handle(GenerationFinished(second, "other.npz"))
    assert training.lines == [first, second]
    assert training.changes == [change]
    assert training.pair == "other.npz"
    assert training.told.status == [("training", "Phase 3 of 3, generation 2: playing")]
    assert training.told.games == list(training.games)
    assert training.told.errors == ["a lot is damaged"]
    assert training.told.stats["generations"] == 2
    assert training.told.ended == []


def test_the_run_ends_after_the_generations_that_were_asked_for(training):
    training.asked = 1
    training.handle(GenerationFinished({"generation": 1}, "pair.npz"))
    assert training.told.ended == [0]


def test_a_training_that_stops_says_why(training):
    training.asked = 1
    training.handle(TrainingStopped("the disk is full"))
    assert training.stopped == "the disk is full"
    assert training.told.errors == ["the training stopped: the disk is full"]
    assert training.told.ended == [1]


def test_a_changed_field_is_sent_once_and_a_pause_at_once(training):
    sent, asked = [], []
    training.link = SimpleNamespace(send=sent.append, request=asked.append)

    def start_coroutine(running):
        with pytest.raises(StopIteration):
            running.send(None)

    training.start_coroutine = start_coroutine

    async def background(answer):
        return answer

    training.background = background
    training.validate()
    assert asked == []
    training.rate = 0.005
    training.validate()
    training.validate()
    assert asked == [ChangeTraining({**training.live, "rate": 0.005})]
    training.is_paused = True
    training.validate()
    assert sent == [PauseTraining(True)]


def test_each_board_takes_its_own_games():
    boards = [GameBoard() for _ in range(3)]
    for number, board in enumerate(boards, start=1):
        board.slot = slot()
        board.awake()
        board.number, board.boards = number, 3
    for number in range(1, 6):
        for board in boards:
            board.queue(game(number))
    assert [title_of(board.next) for board in boards] == ["3.4", "3.5", "3.3"]


@pytest.mark.parametrize("out", [None, Path("runs/watched")])
def test_the_training_has_a_folder_of_its_own_below_that_of_the_run(training, out):
    sent = []
    training.run.out, training.run.scene_dir = out, Path("data/scn_one")
    training._open(SimpleNamespace(send=sent.append))
    folder = Path(sent[0].folder)
    assert folder.parent == (out or Path("data/scn_one"))
    assert folder.name.startswith("training")


@pytest.mark.parametrize(("changes", "says"), [
    ({}, "Starting the training's process"),
    ({"is_open": True}, "Waiting for the first generation"),
    ({"is_open": True, "stage": StageBegan("basic", 1, "training")},
     "Phase 1: learning from made-up positions; games come in phase 2"),
    ({"is_open": True, "stage": StageBegan("mentor", 4, "games")},
     "Waiting for the first games of generation 4, which is playing"),
    ({"games": [1]}, ""), ({"stopped": "a full disk"}, ""), ({"is_paused": True}, ""),
])  # fmt: skip
def test_it_says_what_the_empty_boards_wait_for(changes, says):
    shown = {"games": [], "stopped": "", "is_paused": False, "is_open": False, "stage": None}
    training = SimpleNamespace(**{**shown, **changes})
    assert AlphaGomokuTraining.waiting_for.fget(training) == says


def test_another_training_is_opened_and_what_is_shown_begins_anew():
    opened, begun = [], []
    training = SimpleNamespace(
        rules=Rules(7, 4), link="link", lines=[1], changes=[1], pair="pair", games=[game(1)],
        stage="games", stopped="full", is_open=True, _open=opened.append,
        status=SimpleNamespace(set=lambda *words, **more: None),
        begun_anew=SimpleNamespace(emit=lambda: begun.append(True)),
    )  # fmt: skip
    AlphaGomokuTraining.start_over(training)
    assert (opened, begun) == (["link"], [True])
    assert (training.lines, training.games, training.pair, training.stopped) == ([], [], "", "")
    assert not training.is_open
