"""What a board shows: states of games, and their marks."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from ai import PASS, Board, Rules
from scripts.gomoku.board.board_view import BoardView
from scripts.gomoku.board.mark_layers import GROUND, TOP, Ghost, MarkLayers, ShareColumn
from scripts.gomoku.board.view_state import ViewState, states_of

RULES = Rules(7, 5)


class View(SimpleNamespace):
    """A board without a scene."""

    show = BoardView.show

    def __init__(self):
        super().__init__(
            size=7, rows=7, _position=0, stones={}, colors={}, marked=[], _turning=set(),
            mark_hint=lambda move: None,
        )  # fmt: skip

    def place(self, move, color):
        self.stones[move], self.colors[move] = SimpleNamespace(destroy=lambda: None), color

    def mark_last(self, point):
        self.marked.append(point)

    def mark_line(self, points):
        self.marked.append(points)


def state_of(moves):
    return ViewState.of(Board.from_moves(moves, RULES))


@pytest.mark.parametrize("moves", [(24,), (24, 25, 31), ()])
def test_of_a_position_the_last_stone_is_marked(moves):
    view = View()
    view.show(state_of(moves))
    assert view.marked == [moves[-1] if moves else None]
    assert view.colors == dict(zip(moves, (1, -1, 1), strict=False))
    assert list(view.stones) == list(moves), "in the order in which they were played"


def test_after_a_pass_no_stone_is_marked():
    stones = (0,) * 24 + (1, -1) + (0,) * 23
    state = ViewState(7, 7, stones, (24, 25, PASS))
    assert state.last is None
    assert state.placed == {24: 1, 25: -1}


def test_stones_that_lie_there_stay_and_others_go():
    view = View()
    view.show(state_of((24, 25, 31)))
    kept = view.stones[24]
    view.show(state_of((24, 26)))
    assert view.stones[24] is kept
    assert set(view.stones) == {24, 26}
    view._turning = {24}
    view.show(state_of((24, 26)))
    assert view.stones[24] is not kept, "it was in the air"


def test_a_finished_game_has_its_line_marked_after_its_last_stone():
    moves = (0, 7, 1, 8, 2, 9, 3, 10, 4)
    *states, end = states_of(RULES, moves)
    assert [state.moves for state in states] == [moves[: ply + 1] for ply in range(9)]
    assert [state.line for state in states] == [()] * 9
    assert end.line == (0, 1, 2, 3, 4)
    assert states[-1].to_move == -1
    view = View()
    view.show(end)
    assert view.marked == [(0, 1, 2, 3, 4)]
    assert ViewState.before(RULES) == ViewState.empty(7)


@pytest.mark.parametrize("is_another_shown", [False, True])
def test_the_stone_that_wins_is_marked_when_it_has_landed_and_its_line_after_the_pause(
    is_another_shown,
):
    """Both also where one goes through a past game, where the last stone's mark hid the line."""
    view, done = View(), []
    *_, end = states_of(RULES, (0, 7, 1, 8, 2, 9, 3, 10, 4))

    async def drop(point, color):
        done.append((point, color))
        if is_another_shown:
            view.show(ViewState.empty(7))

    async def turn_over(stones):
        done.append(stones == end.stones)

    async def seconds(count):
        done.append(count)

    view.drop, view.turn_over, view.seconds = drop, turn_over, seconds
    view._clear_marks, view.time = lambda: None, SimpleNamespace(instant=False)
    asyncio.run(BoardView.play(view, end, 0.5))
    if is_another_shown:
        assert (view.marked, done) == ([None], [(4, 1), 0.5])
    else:
        assert (view.marked, done) == ([4, (0, 1, 2, 3, 4)], [(4, 1), True, 0.5])


def picture(is_empty):
    return SimpleNamespace(is_empty=is_empty, pixels="pixels", size=7, rows=6)


def test_spare_marks_and_empty_pictures_are_hidden_and_used_again():
    spawned = []

    def spawn(name, **more):
        item = SimpleNamespace(
            transform=SimpleNamespace(), visible=True, is_alive=True, model=None, **more
        )
        spawned.append(item)
        return item

    board = SimpleNamespace(
        scene=SimpleNamespace(spawn=spawn),
        object="board",
        position_of=lambda move: (move, 0, 0),
        piece_of=lambda color: BoardView.pieces[color],
    )
    marks = MarkLayers(board, "Mark")
    marks.hide()
    assert not marks.is_shown
    column = ShareColumn(3, (0.5, 0.0), 0.25, 2.0, (1.0, 0.0, 0.0), 0.1)
    marks.show(
        top=picture(False), ground=picture(True), ghosts=[Ghost(1, 1, 0.5)] * 2, columns=[column]
    )
    assert (list(marks.planes), len(marks.ghosts), len(marks.columns)) == ([TOP], 2, 1)
    assert marks.planes[TOP].texture == "pixels"
    assert marks.columns[0].transform.position == (3.5, 0.0, 0.25)
    assert marks.columns[0].transform.scale == (1.0, 1.0, 2.0)
    marks.show(ground=picture(False), ghosts=[Ghost(2, -1, 0.5)])
    assert [item.visible for item in (marks.planes[GROUND], marks.planes[TOP])] == [True, False]
    assert [item.visible for item in (*marks.ghosts, *marks.columns)] == [True, False, False]
    assert marks.ghosts[0].model == {"builtin": "stone", "color": "white"}
    assert len(spawned) == 5
    marks.hide()
    assert not marks.is_shown


def test_the_former_ways_to_show_a_game_show_it_and_say_so_once():
    told, shown = [], []
    view = BoardView.__new__(BoardView)
    console = SimpleNamespace(renamed=lambda *names: told.append(names))
    host = SimpleNamespace(console=console)
    vars(view).update(slot=SimpleNamespace(host=host), size=7, rows=7, stones={24: None})
    vars(view).update(colors={24: 1, 30: 1}, show=shown.append, clear=lambda: None)
    view.mark_line = shown.append
    view.show_board(5, 6)
    view.show_position((24, 25))
    view.show_game(9, (0, PASS, 2), line=(0, 2))
    view.show_line((1, 2))
    assert shown == [
        ViewState.empty(5, 6),
        ViewState.of(Board.from_moves((24, 25), RULES)),
        ViewState(9, 9, (1, 0, 1, *(0,) * 78), (0, PASS, 2), -1, (0, 2)),
        (1, 2),
    ]

    async def play(state, pause):
        shown.append((state.stones[24:27], state.last, state.to_move, pause))

    view.play = play
    asyncio.run(view.show_move(25, -1, 0.5))
    assert shown[-1] == ((1, -1, 0), 25, 1, 0.5), "a stone that is gone is not shown again"
    assert told == [
        ("BoardView.show_board", "show"), ("BoardView.show_position", "show"),
        ("BoardView.show_game", "show"), ("BoardView.show_line", "mark_line"),
        ("BoardView.show_move", "play"),
    ]  # fmt: skip
