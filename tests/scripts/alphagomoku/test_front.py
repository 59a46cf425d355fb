"""Games on the large board: with fakes, without an app."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from ai import BLACK, WHITE, Board, Rules
from ai.messages import SearchGrown
from scripts.alphagomoku.front import NOBODY, FrontSearch
from sim import WorkerError

RULES = Rules(4, 3)


class Front:
    """What `FrontSearch` needs of itself; the pair answers with the first free point of a row."""

    def __init__(self, clicks=()):
        self._round, self.person = 0, BLACK
        self.searched, self.shown, self.asked = [], [], []
        self.title, self.game, self.found, self.marks = "", None, None, None
        self.pause_after_search = self.pause_after_picture = self.pause_after_stone = 0.0
        self.training = SimpleNamespace(rules=RULES, size=4, pair="run/pair.npz")
        self.version = self._version = 0
        self.compared = self._compared = NOBODY
        self.compared_found, self._position, self._missing = None, None, set()
        self.said = []
        self.log = SimpleNamespace(error=self.said.append)
        clicks = iter(clicks)

        async def ask_point(points, color, *, is_wanted):
            self.asked.append((points, color))
            return next(clicks)

        async def play(state, pause):
            self.shown.append((state.last, -state.to_move))
            self.shown += [state.line] if state.line else []

        self.view = SimpleNamespace(ask_point=ask_point, play=play, show=lambda state: None)

    async def _search(self, board):
        visits = np.zeros(16, np.int64)
        visits[next(point for point in range(12, 16) if board.stones[point] == 0)] = 5
        return SearchGrown(tuple(board.moves), 5, visits, visits, visits, 0.5, ())

    async def _rest(self, seconds, round_):
        pass

    pair, pair_name = FrontSearch.pair, FrontSearch.pair_name
    compared_name, comparison = FrontSearch.compared_name, FrontSearch.comparison
    _file_of, _name_of, _asked = FrontSearch._file_of, FrontSearch._name_of, FrontSearch._asked
    _compare = FrontSearch._compare
    _begin = FrontSearch._begin
    _place = FrontSearch._place


def run(running):
    """Run a coroutine that waits for nothing."""
    try:
        running.send(None)
    except StopIteration:
        return
    raise AssertionError("it waits")


def test_a_person_plays_the_most_visited_moves_and_changes_sides():
    front = Front(clicks=(0, 1, 2))
    run(FrontSearch._play(front, 0))
    assert front.shown == [
        (0, BLACK), (12, WHITE), (1, BLACK), (13, WHITE), (2, BLACK), (0, 1, 2),
    ]  # fmt: skip
    assert front.asked[1][0] == frozenset(range(16)) - {0, 12}
    assert front.person == WHITE
    front = Front(clicks=(0, 1))
    front.person = WHITE
    run(FrontSearch._play(front, 0))
    assert [move for move in front.shown[:-1] if move[1] == BLACK] == [
        (12, BLACK), (13, BLACK), (14, BLACK),
    ]  # fmt: skip


def test_an_older_pair_is_chosen_by_its_version(tmp_path):
    front = Front(clicks=(0, 1, 2))
    front.training.pair = str(tmp_path / "pair.npz")
    assert front.pair == tmp_path / "pair.npz"
    front.version = 3
    assert front.pair == front.pair == tmp_path / "pair.npz"
    assert front.said == [
        "version: expected 0: there is none yet, found 3; the newest network plays"
    ]
    (tmp_path / "versions").mkdir()
    for number in (1, 2):
        (tmp_path / "versions" / f"{number:04d}.npz").touch()
    front.version = 4
    assert front.pair == tmp_path / "pair.npz"
    assert front.said[1:] == ["version: expected 1 to 2, found 4; the newest network plays"]
    front.version = 2
    assert front.pair == tmp_path / "versions" / "0002.npz"
    run(FrontSearch._play(front, 0))
    assert front.title == "you against version 2"


def test_another_version_begins_another_game():
    front = Front()
    front.marks = object()
    FrontSearch.validate(front)
    assert front._round == 0
    front.version = 2
    for _ in range(2):
        FrontSearch.validate(front)
    assert front._round == 1


def test_a_game_of_the_training_is_shown_from_its_opening_on():
    front = Front()
    game = SimpleNamespace(
        generation=2, number=1, moves=(0, 4, 1, 5, 2), policies=np.zeros((3, 16)),
    )  # fmt: skip
    run(FrontSearch._watch(front, game, 0))
    assert front.shown == [(1, BLACK), (5, WHITE), (2, BLACK), (0, 1, 2)]
    assert front.title == "game 2.1"


def test_another_game_that_is_wanted_ends_the_one_that_is_shown():
    front = Front()
    game = SimpleNamespace(generation=2, number=1, moves=(0, 4, 1), policies=np.zeros((3, 16)))
    run(FrontSearch._watch(front, game, -1))
    assert front.shown == []


def searching(front, answers):
    """Let a front search by a link that gives these answers; return what it is asked."""
    asked = []
    front.link = SimpleNamespace(request=lambda request: asked.append(request) or SimpleNamespace())
    front.time, front.simulations, front.step = SimpleNamespace(instant=True), 5, 5
    front.training = SimpleNamespace(
        rules=RULES, pair=front.training.pair, decay=0.99, temperature=1.0, size=4
    )
    front._show_search = lambda found: setattr(front, "found", found)

    async def background(request):
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    front.background = background
    return asked


def found_in(*moves, value=0.5):
    return SearchGrown(moves, 5, np.zeros(16), np.zeros(16), np.zeros(16), value, ())


def test_two_versions_search_the_same_position(tmp_path):
    front = Front()
    front.training.pair = str(tmp_path / "pair.npz")
    (tmp_path / "versions").mkdir()
    for number in (1, 2):
        (tmp_path / "versions" / f"{number:04d}.npz").touch()
    front.version, front.compared = 2, 1
    first, second = found_in(0), found_in(0, value=-0.5)
    asked = searching(front, [first, second])
    run(FrontSearch._search(front, Board.from_moves((0,), RULES)))
    assert [(request.moves, request.pair) for request in asked] == [
        ((0,), str(tmp_path / "versions" / name)) for name in ("0002.npz", "0001.npz")
    ]
    assert front.comparison == (first, second)
    assert (front.pair_name, front.compared_name) == ("version 2", "version 1")
    front.found = found_in(0, 4)
    assert front.comparison is None, "the game went on"


def test_another_second_pair_looks_at_the_position_that_is_shown():
    front, started = Front(), []
    front.marks, front.start_coroutine = object(), started.append
    front.compared = 0
    FrontSearch.validate(front)
    assert started == [], "nothing was searched yet"
    front._position, front.compared, front.compared_found = (0,), NOBODY, found_in(0)
    FrontSearch.validate(front)
    assert front.compared_found is None
    assert front._round == 0, "the game goes on"
    (running,) = started
    run(running)
    front.compared = 0
    searching(front, [WorkerError("no such pair"), found_in(0)])
    run(front._compare((0,)))
    assert front.said == ["comparison: no such pair"]
    assert front.compared_found is None
    front._position = (0, 4)
    run(front._compare((0,)))
    assert front.compared_found is None, "the answer came too late"


def test_a_search_keeps_its_value_as_blacks_and_shows_each_picture():
    front, taken = Front(), []
    found = SearchGrown((0,), 5, np.zeros(16), np.zeros(16), np.zeros(16), 0.5, ())
    pending = SimpleNamespace(on_progress=None)
    front.link = SimpleNamespace(request=lambda request: pending)
    front.time = SimpleNamespace(instant=True)
    front.simulations = front.step = 5
    front.training = SimpleNamespace(
        rules=RULES, pair="pair.npz", decay=0.99, temperature=1.0, size=4
    )

    async def background(request):
        request.on_progress(found)
        return found

    front.background, front._show_search = background, taken.append
    run(FrontSearch._search(front, Board.from_moves((0,), RULES)))
    assert taken == [found, found]
    assert front.searched == [(1, -0.5)]
