"""The hall worker: several boards in one process, in its own process and in this one."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter

import pytest

from ai.experiments.cell import run_cell
from ai.experiments.configuration import CellConfiguration
from ai.game import GameRecord
from ai.learning.self_teaching import SelfTeachingLearner
from ai.messages import (
    BoardLoaded,
    BoardOpened,
    BoardStopped,
    FinishHall,
    FollowBoard,
    GameFinished,
    GameLearnt,
    HallFinished,
    LearntSaved,
    LoadBoard,
    LoadLearnt,
    OpenBoard,
    OpenLearner,
    PauseHall,
    PlayUntil,
    SaveBoard,
    SaveLearnt,
    StonePlaced,
    TrainRequest,
)
from ai.store.learnt_file import LearntFileError
from ai.workers import hall
from ai.workers.hall import HallService
from ai.workers.trainer import TrainerService
from base.worker.service import WorkerRequestError
from tests.ai.workers.worker_processes import ANSWER_SECONDS, running
from tests.common import silent

FAST = {"epochs": 1, "least_steps": 20, "steps": 1, "hidden": "4,16,32", "rate": 0.01}


def configuration(games: int = 6, **settings: object) -> CellConfiguration:
    return CellConfiguration(
        player="cnn-ann", games=games, seed=5, randomness="fresh", settings={**FAST, **settings}
    )


class Hall:
    """A service in this process, and everything it told."""

    def __init__(self) -> None:
        self.told: list[object] = []
        self.service = HallService(self.told.append)

    def tell(self, message: object) -> object:
        return self.service.handle(message, silent)

    def open(self, session, folder, until, **settings) -> None:
        self.tell(OpenBoard(session, configuration(**settings).as_dict(), str(folder)))
        self.tell(PlayUntil(session, until))

    def run(self, turns: int = 1000) -> None:
        for _ in range(turns):
            if self.service.is_idle:
                break
            self.service.run_turn()

    def of(self, kind, session=None) -> list:
        return [
            item for item in self.told if isinstance(item, kind) and session in (None, item.session)
        ]


@pytest.fixture
def make_hall():
    made: list[Hall] = []

    def make() -> Hall:
        made.append(Hall())
        return made[-1]

    yield make
    for hall_here in made:
        hall_here.service.close()


def wait_for(connection, kind, count=1) -> list:
    found = []
    deadline = time.monotonic() + ANSWER_SECONDS
    while len(found) < count:
        assert connection.poll(max(0.0, deadline - time.monotonic()))
        _, _, payload = connection.recv()
        if isinstance(payload, kind):
            found.append(payload)
    return found


def test_a_boards_games_are_those_of_the_experiment(make_hall, tmp_path):
    one = make_hall()
    one.open(1, tmp_path / "one", 4)
    one.open(2, tmp_path / "two", 4, records=2)  # the same network: the loop is shared
    one.open(3, tmp_path / "three", 4, hidden="6,8,8")
    one.run()
    assert isinstance(one.tell(FinishHall()), HallFinished)
    for name, settings in (("one", {}), ("two", {"records": 2}), ("three", {"hidden": "6,8,8"})):
        run_cell(configuration(4, **settings), tmp_path / "alone")
        assert (tmp_path / name / "games.jsonl").read_bytes() == (
            tmp_path / "alone" / "games.jsonl"
        ).read_bytes()
        assert (tmp_path / name / "summary.json").exists()
        (tmp_path / "alone").rename(tmp_path / f"alone {name}")
    assert len(one.service._trainers) == 2


def test_boards_take_turns_and_everything_is_told(make_hall, tmp_path):
    here = make_hall()
    for session in (1, 2, 3):
        here.open(session, tmp_path / str(session), 3)
    here.run()
    finished = here.of(GameFinished)
    assert [item.session for item in finished] == [1, 2, 3] * 3
    for session in (1, 2, 3):
        games = here.of(GameFinished, session)
        learnt = here.of(GameLearnt, session)
        assert [item.record.game for item in games] == [item.game for item in learnt] == [1, 2, 3]
        lost = [item.record.winner == 1 for item in games]
        assert lost == [item.retrain_seconds is not None for item in learnt]
        assert games[-1].statistics["records"] == 4 * sum(lost)
        assert all(len(item.ranks) == len(item.record.moves) // 2 for item in games)
    assert here.of(StonePlaced) == []


def test_only_the_followed_board_tells_its_stones(make_hall, tmp_path):
    here = make_hall()
    for session in (1, 2):
        here.open(session, tmp_path / str(session), 2)
    here.tell(FollowBoard(2))
    here.run()
    stones = here.of(StonePlaced)
    assert {stone.session for stone in stones} == {2}
    for game in here.of(GameFinished, 2):
        told = [stone.moves for stone in stones if stone.game == game.record.game]
        assert told == [game.record.moves[: n + 1] for n in range(len(game.record.moves))]


def test_a_paused_hall_does_nothing_and_goes_on(make_hall, tmp_path):
    here = make_hall()
    here.open(1, tmp_path / "1", 2)
    here.tell(PauseHall(True))
    assert here.service.is_idle
    here.tell(PauseHall(False))
    here.run()
    assert len(here.of(GameLearnt)) == 2


def test_parameters_change_at_the_next_game(make_hall, tmp_path):
    here = make_hall()
    here.open(1, tmp_path / "a", 2)
    here.run(3)  # taken up, game 1 played and learnt
    here.open(1, tmp_path / "b", 2, records=1)
    here.run()
    assert [item.record.game for item in here.of(GameFinished)] == [1, 1, 2]
    assert [item.games for item in here.of(BoardOpened)] == [0, 0]
    here.tell(OpenBoard(1, configuration().as_dict(), str(tmp_path / "a"), known=1))
    here.run()
    assert here.of(BoardOpened)[-1].games == 1


def test_an_interrupted_game_never_was(make_hall, tmp_path):
    here = make_hall()
    here.open(1, tmp_path / "1", 2)
    here.run(1)

    def leave():
        raise EOFError

    with pytest.raises(EOFError):
        here.service.run_turn(leave)
    here.service.close()
    assert (tmp_path / "1" / "games.jsonl").read_bytes() == b""


def test_what_the_asker_missed_is_told_again(make_hall, tmp_path):
    first = make_hall()
    first.open(1, tmp_path / "1", 3)
    first.run()
    first.service.close()
    again = make_hall()
    again.tell(OpenBoard(1, configuration().as_dict(), str(tmp_path / "1"), known=2))
    again.tell(PlayUntil(1, 4))
    again.run()
    assert [item.record.game for item in again.of(GameFinished)] == [3, 4]
    assert again.of(GameFinished)[0].record == first.of(GameFinished)[2].record


def test_fresh_forgets_and_another_runs_folder_is_refused(make_hall, tmp_path):
    first = make_hall()
    first.open(1, tmp_path / "1", 2)
    first.run()
    first.service.close()
    other = make_hall()
    other.open(1, tmp_path / "1", 2, records=1)
    other.open(2, tmp_path / "2", 1)
    other.run()
    (stopped,) = other.of(BoardStopped)
    assert stopped.session == 1
    assert "found another in" in stopped.reason
    assert "records: 4, not 1" in stopped.reason
    assert len(other.of(GameFinished, 2)) == 1
    other.tell(OpenBoard(1, configuration(records=1).as_dict(), str(tmp_path / "1"), fresh=True))
    other.tell(PlayUntil(1, 1))
    other.run()
    assert [item.games for item in other.of(BoardOpened, 1)] == [0]


def test_a_full_disk_stops_one_board(make_hall, tmp_path, monkeypatch):
    here = make_hall()
    here.open(1, tmp_path / "1", 2)
    here.open(2, tmp_path / "2", 2)
    here.run(2)

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(here.service._boards[1].cell._files[0], "append", full)
    here.run()
    assert [(item.session, "No space" in item.reason) for item in here.of(BoardStopped)] == [
        (1, True)
    ]
    assert len(here.of(GameLearnt, 2)) == 2


@pytest.mark.parametrize(
    ("wrong", "text"),
    [({"player": "nobody"}, "nobody"), ({"settings": {"records": 0}}, "records"), ({"x": 1}, "x")],
)
def test_a_wrong_parameter_stops_one_board(make_hall, tmp_path, wrong, text):
    here = make_hall()
    here.tell(OpenBoard(1, {"player": "cnn-ann", **wrong}, str(tmp_path / "1")))
    here.tell(PlayUntil(1, 1))
    here.open(2, tmp_path / "2", 1)
    here.run()
    (stopped,) = here.of(BoardStopped)
    assert (stopped.session, text in stopped.reason) == (1, True)
    assert len(here.of(GameLearnt, 2)) == 1
    assert not (tmp_path / "1").exists()


def test_nonsense_is_refused(make_hall):
    here = make_hall()
    with pytest.raises(WorkerRequestError, match="found str"):
        here.tell("hello")
    with pytest.raises(WorkerRequestError, match="open board"):
        here.tell(PlayUntil(7, 1))


@pytest.mark.nightly
def test_killed_while_it_plays_it_goes_on_with_the_same_games(tmp_path):
    folder = tmp_path / "hall"
    opening = OpenBoard(1, configuration(games=5).as_dict(), str(folder))
    with running(hall.main, is_killed=True, nice=0) as (connection, process):
        connection.send((0, True, opening))
        connection.send((0, True, PlayUntil(1, 5)))
        wait_for(connection, GameFinished, 2)
        os.kill(process.pid, signal.SIGKILL) if hasattr(signal, "SIGKILL") else process.kill()
    with running(hall.main, nice=0) as (connection, process):
        connection.send((0, True, opening))
        connection.send((0, True, PlayUntil(1, 5)))
        games = wait_for(connection, GameFinished, 5)
        connection.send((3, True, FinishHall()))
        wait_for(connection, HallFinished)
    assert process.exitcode == 0
    run_cell(configuration(5), tmp_path / "alone")
    assert (folder / "games.jsonl").read_bytes() == (tmp_path / "alone/games.jsonl").read_bytes()
    assert Counter(game.record.game for game in games) == Counter(range(1, 6))


def test_learners_that_share_a_loop_learn_what_they_learn_alone(make_hall, tmp_path, own_loops):
    here = make_hall()
    here.open(1, tmp_path / "1", 2)
    here.open(2, tmp_path / "2", 2, records=1)
    here.run()
    for session, settings in ((1, {}), (2, {"records": 1})):
        cell = here.service._boards[session].cell
        alone = SelfTeachingLearner("cnn-ann", cell.rules, {**FAST, **settings}, 5)
        for record in cell.records():
            if alone.observe(record):
                alone.train()
        shared = cell.learner.weights().arrays
        assert all((shared[name] == array).all() for name, array in alone.weights().arrays.items())


def learnt_of(here: Hall, session: int) -> dict[str, bytes]:
    """Network and memory of a board, to the bit."""
    return state_of(here.service._boards[session].cell.learner)


def state_of(learner) -> dict[str, bytes]:
    state = learner.state()
    arrays = {**state.weights, **{f"memory.{key}": item for key, item in state.memory.items()}}
    return {key: item.tobytes() for key, item in arrays.items()}


def cell_of(here: Hall, session: int):
    return here.service._boards[session].cell


def test_what_a_board_has_learnt_moves_to_another_hall_in_one_file(make_hall, tmp_path):
    source, other = make_hall(), make_hall()
    source.open(1, tmp_path / "source", 4)
    source.run()
    path = tmp_path / "board.learnt"
    saved = source.tell(SaveBoard(1, str(path)))
    assert isinstance(saved, LearntSaved)
    assert saved.words.startswith("cnn-ann: 4 games")
    other.open(1, tmp_path / "other", 2, records=2)
    other.run()
    assert learnt_of(other, 1) != learnt_of(source, 1)
    loaded = other.tell(LoadBoard(1, str(path)))
    assert isinstance(loaded, BoardLoaded)
    assert loaded.statistics["nodes"] == cell_of(source, 1).learner.statistics()["nodes"]
    assert learnt_of(other, 1) == learnt_of(source, 1)
    other.tell(PlayUntil(1, 3))
    other.run()
    assert cell_of(other, 1).games == 3, "the games are counted on as before"
    assert isinstance(other.tell(FinishHall()), HallFinished)
    kept = learnt_of(other, 1)
    (line,) = cell_of(other, 1).summary()["loaded"]
    assert (line["game"], line["file"]) == (2, "board.learnt")
    other.service.close()
    again = make_hall()
    again.open(1, tmp_path / "other", 3, records=2)
    again.run()
    assert learnt_of(again, 1) == kept, "a restart has it"


def live_match(folder, player: str = "cnn-ann", **settings: object) -> TrainerService:
    """Return the trainer of a live match, whose learner is open."""
    service = TrainerService()
    chosen = {**FAST, **settings} if player == "cnn-ann" else settings
    rules = configuration().rules
    service.handle(OpenLearner(player, rules, chosen, 1, str(folder), fresh=False), silent)
    return service


def test_what_was_learnt_is_exchanged_with_the_live_match(make_hall, tmp_path):
    here, live = make_hall(), live_match(tmp_path / "live", records=2)
    here.open(1, tmp_path / "board", 4)
    here.run()
    path, back = tmp_path / "board.learnt", tmp_path / "back.learnt"
    here.tell(SaveBoard(1, str(path)))
    live.handle(LoadLearnt(str(path)), silent)
    assert state_of(live._session.learner) == learnt_of(here, 1), "from the hall to the match"
    moves = (10, 0, 11, 1, 12, 2, 13, 3, 9)
    record = GameRecord(configuration().rules, moves, 1, "five", 5)
    live.handle(TrainRequest(session=9, game=5, record=record), silent)
    assert state_of(live._session.learner) != learnt_of(here, 1)
    saved = live.handle(SaveLearnt(str(back)), silent)
    loaded = here.tell(LoadBoard(1, str(back)))
    assert loaded.words == saved.words
    found, expected = learnt_of(here, 1), state_of(live._session.learner)
    assert found == expected, "and from the match to the hall"


@pytest.mark.parametrize(("player", "settings", "reason"), [
    ("cnn-lines", {}, "expected what cnn-lines has learnt, found what cnn-ann has; "
                      "choose that player first"),
    ("cnn-ann", {"hidden": "6,8,8"}, "expected what cnn-ann has learnt with these settings, "
                                     "found another network: hidden 4,16,32"),
])  # fmt: skip
def test_the_live_match_says_why_it_refuses_a_boards_file(
    make_hall, tmp_path, player, settings, reason
):
    here, live = make_hall(), live_match(tmp_path / "live", player, **settings)
    here.open(1, tmp_path / "board", 2)
    here.run()
    path, back = tmp_path / "board.learnt", tmp_path / "back.learnt"
    here.tell(SaveBoard(1, str(path)))
    before, kept = state_of(live._session.learner), learnt_of(here, 1)
    with pytest.raises(LearntFileError) as raised:
        live.handle(LoadLearnt(str(path)), silent)
    assert str(raised.value) == f"{path}: {reason}", "in one line, with what differs alone"
    assert state_of(live._session.learner) == before
    live.handle(SaveLearnt(str(back)), silent)
    with pytest.raises(LearntFileError, match="expected what cnn-ann has learnt"):
        here.tell(LoadBoard(1, str(back)))
    assert learnt_of(here, 1) == kept


def test_a_file_that_does_not_fit_changes_nothing(make_hall, tmp_path):
    here = make_hall()
    here.open(1, tmp_path / "one", 2)
    here.open(2, tmp_path / "two", 2, hidden="6,8,8")
    here.run()
    path = tmp_path / "board.learnt"
    here.tell(SaveBoard(2, str(path)))
    before = learnt_of(here, 1)
    with pytest.raises(LearntFileError, match="another network: hidden"):
        here.tell(LoadBoard(1, str(path)))
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(LearntFileError, match="damaged"):
        here.tell(LoadBoard(2, str(path)))
    with pytest.raises(WorkerRequestError, match="an open board, found 7"):
        here.tell(SaveBoard(7, str(path)))
    assert learnt_of(here, 1) == before
    assert "loaded" not in cell_of(here, 1).summary()


def test_a_game_in_progress_is_played_to_its_end_by_the_network_that_began_it(make_hall, tmp_path):
    source, here = make_hall(), make_hall()
    source.open(1, tmp_path / "source", 4)
    source.run()
    path = tmp_path / "board.learnt"
    source.tell(SaveBoard(1, str(path)))
    here.open(1, tmp_path / "here", 2)
    here.service.run_turn()  # opens the board
    asked = []

    def listen() -> None:
        if not asked:
            asked.append(here.tell(LoadBoard(1, str(path))))

    here.service.run_turn(listen)
    assert asked
    alone = make_hall()
    alone.open(1, tmp_path / "alone", 1)
    alone.run()
    assert here.of(GameFinished)[0].record == alone.of(GameFinished)[0].record
    swaps = []
    run = cell_of(here, 1).run
    run.swap = lambda real=run.swap: swaps.append(real())
    here.run()
    assert swaps, "the next game is played by what was loaded"
