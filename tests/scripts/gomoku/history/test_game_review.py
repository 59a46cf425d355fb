"""The parts of a review without a window: tree, comments, compared moves, mistakes, files."""

from __future__ import annotations

import inspect
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai import GameRecord, GameTree, PlayerInfo, PositionValue, Rules, WrittenGame, read_game_file
from ai.messages import AskKernels, KernelState
from ai.session.position_value import SideSummary, chance_of, kind_of
from scripts.gomoku.board.overlay_picture import OverlayPicture
from scripts.gomoku.explain.choice_words import is_unknown
from scripts.gomoku.history.candidates import (
    BEST,
    COLORS,
    Candidate,
    color_of,
    draw_line,
    draw_moves,
)
from scripts.gomoku.history.comments import Comments
from scripts.gomoku.history.evaluation import GameEvaluation, mistakes, side_summaries
from scripts.gomoku.history.explained import STRANGER, MoveExplainer, played_by_strangers
from scripts.gomoku.history.game_files import GameExport, GameFile
from scripts.gomoku.history.review import GameReview, ReviewedGame
from scripts.gomoku.history.review_panel import _fitting, position_words
from scripts.gomoku.history.tree_view import lay_out, words_of
from scripts.gomoku.history.variations import Variation

RULES = Rules(15)
MOVES = (112, 113, 97, 98, 82, 83, 67, 68)
RECORD = GameRecord(RULES, MOVES, 0, "unfinished", 1)


def value(ply, own, *, by="alpha-beta", best=None, **more):
    return PositionValue(ply, own, by != "alpha-beta", best, by, **more)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31), st.integers(0, 12))
def test_a_tree_is_drawn_with_its_lines_apart(seed, lines):
    rng = np.random.default_rng(seed)
    tree = GameTree.of(RECORD)
    for _ in range(lines):
        begin = tree.moves(int(rng.integers(len(tree.nodes))))
        tree.add((*begin, *(150 + int(move) for move in rng.permutation(60)[: rng.integers(1, 6)])))
    found = lay_out(tree)
    assert len(found.at) == len(found.cells) == len(tree.nodes), "no two stones in one place"
    assert all(found.cells[index][1] == 0 for index in tree.main)
    for index, node in enumerate(tree.nodes[1:], start=1):
        (column, row), above = found.cells[index], found.cells[node.parent]
        assert column == node.ply == above[0] + 1
        assert row >= above[1]
        assert (row == above[1]) == (tree.nodes[node.parent].children[0] == index)
        between = [found.at.get((above[0], lower)) for lower in range(above[1] + 1, row)]
        assert set(between) <= {None}, "the way down crosses no stone"
    assert found.rows == 1 + max(row for _, row in found.cells.values())


def test_a_stone_of_the_tree_says_what_it_is():
    tree = GameTree.of(RECORD)
    tree.set_comment(2, "好棋")
    assert words_of(tree, 0) == "The first position"
    assert words_of(tree, 2) == "2. White i8\n好棋"


def test_a_line_is_drawn_as_far_as_it_fits():
    measure = SimpleNamespace(calc_text_size=lambda text: SimpleNamespace(x=10.0 * len(text)))
    line = ["h8", "i10", "j11"]
    assert _fitting(line, 100.0, measure) == "h8 i10 j11"
    assert _fitting(line, 99.0, measure) == "h8 i10 …"
    assert _fitting(line, 79.0, measure) == "h8 …"
    assert _fitting(line, 20.0, measure) == "…"
    assert _fitting([], 20.0, measure) == ""


def test_comments_are_kept_by_position_and_a_file_that_cannot_be_read_is_set_aside(tmp_path):
    path = tmp_path / "scn_a" / "comments.json"
    kept = Comments(path)
    kept.keep("1/2", (), "begin")
    kept.keep("1/2", (3, 4), "陈科翰 ]\\\n")
    kept.keep("1/2", (), "")
    again = Comments(path)
    assert again.of("1/2") == {(): "", (3, 4): "陈科翰 ]\\\n"}
    assert again.of("1/3") == {}
    path.write_text('{"1/2": 3}')
    broken = Comments(path)
    assert broken.of("1/2") == {}
    broken.keep("1/2", (5,), "new")
    assert broken.fault.endswith(f"it is kept as {path}.bad")
    broken.keep("1/3", (5,), "new")
    assert broken.fault == ""
    assert Comments(path).of("1/2") == {(5,): "new"}
    assert (path.parent / "comments.json.bad").read_text() == '{"1/2": 3}'
    (tmp_path / "file").write_text("")
    full = Comments(tmp_path / "file" / "comments.json")
    full.keep("1/1", (), "x")
    assert "expected to write the comments" in full.fault


class FakeScript:
    """Runs one coroutine step by step, with a worker that answers at once."""

    def __init__(self, answer, tmp_path=None):
        self.asked, self.restarts, self._answer = [], 0, answer
        self.time = SimpleNamespace(now=0.0, instant=False)
        self.run = SimpleNamespace(project=".", out=tmp_path, scene_dir=tmp_path)
        self.slot, self.workers = None, self
        self.warnings, self.coroutine = [], None
        self.log = SimpleNamespace(python=lambda text: None, warning=self.warnings.append)
        self.input = SimpleNamespace(pointer_ray=None)
        self.expression = 'component("Timeline")'

    def open(self, *words, **more):
        return self

    def request(self, wanted):
        if isinstance(wanted, AskKernels):
            return self.state()
        self.asked.append(wanted.moves)
        return self._answer(wanted.moves)

    def restart(self):
        self.restarts += 1

    def background(self, answer):
        return Pause(answer)

    def seconds(self, duration):
        return Pause(None)

    def start_coroutine(self, coroutine):
        self.coroutine = coroutine
        return FakeTask(coroutine)

    def step(self, times=1):
        for _ in range(times):
            try:
                self.coroutine.send(None)
            except StopIteration:
                return False
        return True


class FakeTask:
    """A coroutine that is stepped elsewhere."""

    def __init__(self, coroutine):
        self.cancel = coroutine.close
        self._coroutine = coroutine

    @property
    def done(self):
        return inspect.getcoroutinestate(self._coroutine) == inspect.CORO_CLOSED


class Pause:
    def __init__(self, answer):
        self.answer = answer

    def __await__(self):
        yield
        return self.answer


def test_the_position_on_the_board_and_its_moves_are_evaluated_first():
    def answer(moves):
        return value(len(moves), 0.1, best=5, moves=(5, 6, 7), line=(5, 9), nodes=100)

    script = FakeScript(answer)
    judge = GameEvaluation(script)
    judge.begin(RECORD)
    script.step(2)
    assert script.asked == [MOVES, MOVES[:7]], "from the last position back"
    judge.look_at(MOVES[:3], MOVES[3])
    script.step(6)
    here = MOVES[:3]
    assert script.asked[2:8] == [here, *((*here, move) for move in (5, 6, 7, MOVES[3])), MOVES[:6]]
    found = judge.candidates(here, MOVES[3])
    assert [item.move for item in found] == [5, 6, 7, MOVES[3]]
    assert found[0].line == (5, 5, 9)
    assert (found[0].value, found[0].visits, found[0].loss) == (-0.1, 100, 0.0)
    while script.step():
        pass
    assert sorted(judge.values) == list(range(9))
    assert len(script.asked) == len(set(script.asked)), "nothing is evaluated twice"


def test_provisional_values_say_so_and_are_made_again():
    fast, wanted = False, []

    def answer(moves):
        return value(len(moves), 0.1, best=5, moves=(5,), is_provisional=not fast)

    script = FakeScript(answer)
    script.state = lambda: KernelState(is_provisional=not fast, is_ready=fast)
    judge = GameEvaluation(script)
    judge.want_kernels = wanted.append
    judge.begin(RECORD)
    script.step(20)
    assert len(script.asked) == 9, "not in vain again and again"
    assert wanted == ["evaluation"]
    assert judge.is_provisional
    assert "provisional" in position_words(judge.values[3], RECORD, is_over=False)
    fast = True
    while script.step():
        pass
    assert (script.restarts, len(script.asked), judge.is_provisional) == (1, 18, False)


def test_losses_have_kinds_and_sides_their_numbers():
    assert [kind_of(loss) for loss in (None, 0.0, 0.1, 0.2, 0.4)] == [
        "", "", "inaccuracy", "mistake", "blunder"]  # fmt: skip
    assert [chance_of(own) for own in (-1.0, 0.2, 1.0)] == [0.0, 60.0, 100.0]
    summary = SideSummary.of([0.5, 0.25, 0.1, 0.0, None])
    assert summary.text == (
        "5 moves, 1 blunder, 1 mistake, 1 inaccuracy, mean loss 0.21, 1 not known"
    )
    assert SideSummary.of([None]).text == "1 move, 0 blunders, nothing known"
    values = {ply: value(ply, own) for ply, own in enumerate([0.0, 0.5, -0.2, 0.2])}
    found = mistakes(values, MOVES, 15, least=0.1)
    assert [(item.ply, item.kind) for item in found] == [(0, "blunder"), (1, "mistake")]
    assert [item.ply for item in mistakes(values, MOVES, 15)] == [0]
    assert {color: item.moves for color, item in side_summaries(values, MOVES).items()} == {
        1: 2, -1: 1}  # fmt: skip


def test_a_position_is_said_in_words_the_last_one_too():
    lost = value(3, -1.0, best=5, line=(5, 6), plies=4)
    assert position_words(lost, RECORD, is_over=False) == (
        "White to move: lost, 0 %, in 2. Expected: f15 g15."
    )
    over = GameRecord(RULES, MOVES, 1, "resigned", 1)
    assert (
        position_words(value(8, 0.0), over, is_over=True) == "After move 8: Black wins, resigned."
    )
    unknown = PositionValue(2, 0.0, False, None, "exact solver")
    assert (
        position_words(unknown, RECORD, is_over=False) == "Black to move: nothing is proven here."
    )


def test_compared_moves_are_coloured_by_what_they_lose_and_a_line_is_numbered():
    losses = (0.0, 0.05, 0.1, 0.2, 0.5)
    found = [Candidate(10 + place, 0.5 - loss, 900, (10 + place,), loss)
             for place, loss in enumerate(losses)]  # fmt: skip
    colors = [color_of(item) for item in found]
    assert colors[0] == BEST
    assert colors[1:] == list(COLORS.values())
    picture = OverlayPicture(15)
    draw_moves(picture, found, played=11)
    for item in found:
        row, col = divmod(item.move, 15)
        x, y = round((col + 0.5) * picture.step), round((row + 0.5) * picture.step)
        reach = round(0.41 * picture.step)
        blue, green, red, alpha = map(int, picture.pixels[y, x - reach])
        wanted = [round(255 * part) for part in color_of(item)]
        assert np.allclose((red, green, blue), wanted, atol=12), item
        assert alpha > 200
    assert not picture.pixels[:, : round(9 * picture.step)][: round(picture.step)].any()
    top = OverlayPicture(15)
    ghosts = draw_line(top, (3, 4, -1, 5), to_move=-1)
    assert [(ghost.point, ghost.color) for ghost in ghosts] == [(3, -1), (4, 1), (5, 1)]


class FakeViewer:
    """A viewer whose position is a number."""

    def __init__(self):
        self.record, self.ply, self.title, self.played_by = None, 0, "", None
        self.hints, self.is_locked, self.is_playing, self.position = [], False, False, None
        self.board = SimpleNamespace(mark_hint=self.hints.append)
        self.panels = SimpleNamespace(commands=[])

    def command(self, name, label, callback, *, key="", checked=None):
        self.panels.commands.append(SimpleNamespace(name=name, key=key, callback=callback))

    def open(self, record, *, ply=None, title="", main=None, played_by=None):
        self.record, self.title, self.played_by = record, title, played_by
        self.ply = len(record.moves) if ply is None else ply

    def jump(self, ply):
        self.ply = ply


OWN = [0.0, 0.5, -0.1, 0.1, 0.2, -0.1, 0.1, -0.1, 0.1]
"""Values of the game's positions for the side to move: the first move is a blunder."""


@pytest.fixture
def opened(tmp_path):
    path = tmp_path / "two.sgf"
    path.write_bytes(
        "(;GM[4]SZ[15]PB[曹冬]PW[陈科翰]EV[锦标赛]DT[2017]C[开局];B[hh];W[ih];B[hg];W[ig];B[hf]"
        "(;W[if]C[main];B[he];W[ie])(;W[aa]N[try];B[bb]C[deep]))".encode("gb18030")
    )
    file = GameFile.read(path)
    script, viewer = (
        FakeScript(lambda moves: value(len(moves), OWN[len(moves)]), tmp_path),
        FakeViewer(),
    )
    review = GameReview(script, viewer)
    game = file.reviewed(1)
    viewer.open(game.record, title=game.title)
    review.open(game)
    return SimpleNamespace(review=review, viewer=viewer, script=script, file=file, folder=tmp_path)


def judge(opened):
    opened.review.evaluation.begin(opened.viewer.record)
    while opened.script.step():
        pass


def test_names_and_event_of_a_foreign_file_are_known(opened):
    game = opened.review.game
    assert game.names == {1: "曹冬", -1: "陈科翰"}
    assert game.event == "锦标赛, 2017"
    assert game.record.moves == MOVES
    explainer = MoveExplainer(opened.script, None)
    explainer.open(game.record, played_by_strangers(game.names))
    info = explainer._info(-1, 3)
    assert (info.name, info.title) == (STRANGER, "陈科翰")
    assert is_unknown(info)
    assert not is_unknown(PlayerInfo("alpha-beta", "", "", "m:f"))


def test_buttons_and_keys_go_from_mistake_to_mistake(opened):
    review, viewer = opened.review, opened.viewer
    assert {entry.name: entry.key for entry in viewer.panels.commands} == {
        "next_mistake": "page_down", "previous_mistake": "page_up", "candidates": "c",
    }  # fmt: skip
    judge(opened)
    review.set_level("inaccuracy")
    plies = [item.ply for item in review.mistakes()]
    assert len(plies) >= 3
    viewer.jump(0)
    seen = []
    for _ in plies:
        review.next_mistake()
        seen.append(viewer.ply - 1)
    assert seen == plies
    review.next_mistake()
    assert (viewer.ply - 1, review.notice) == (
        plies[-1],
        "No later mistake of this kind; Page up shows the one before.",
    )
    review.previous_mistake()
    assert (viewer.ply - 1, review.notice) == (plies[-2], "")
    review.set_level("blunder")
    assert [item.kind for item in review.mistakes()] == ["blunder"] * len(review.mistakes())
    review.set_level("nonsense")
    assert (review.level, len(opened.script.warnings)) == ("blunder", 1)


def test_a_click_in_the_tree_shows_the_position_in_its_line(opened):
    review, viewer, tree = opened.review, opened.viewer, opened.review.tree
    deep = next(index for index, node in enumerate(tree.nodes) if node.comment == "deep")
    review.show_node(deep)
    assert (viewer.ply, viewer.title, viewer.record.moves[-2:]) == (7, "try", (0, 16))
    assert review.node == deep
    review.show_node(tree.main[3])
    assert (viewer.ply, viewer.record.moves, viewer.title) == (3, MOVES, "two.sgf")
    review.show_node(10_000)
    assert viewer.ply == 3
    line = Variation((*MOVES[:4], 200, 201), 1, "resigned", {1: "you", -1: "pattern"})
    review.keep_line(line)
    end = tree.find(line.moves)
    review.show_node(end)
    assert (viewer.record.winner, viewer.title) == (1, "you against pattern")
    assert viewer.played_by.names == {1: "you", -1: "pattern"}
    review.show_main()
    assert (viewer.record, viewer.ply) == (review.game.record, 6)


def test_comments_stay_with_their_game_and_not_with_another_file_of_its_name(opened):
    review, viewer = opened.review, opened.viewer
    assert review.tree.nodes[0].comment == "开局"
    viewer.jump(2)
    review.set_comment("here\r\n]")
    review.set_comment("", review.tree.main[6])
    again = GameReview(opened.script, FakeViewer())
    again.open(opened.file.reviewed(1))
    assert again.tree.nodes[again.tree.main[2]].comment == "here\n]"
    assert again.tree.nodes[again.tree.main[6]].comment == "", "one of the file was removed"
    path = opened.folder / "two.sgf"
    path.write_text("(;GM[4]SZ[15];B[hh];W[ih])")
    other = GameReview(opened.script, FakeViewer())
    other.open(GameFile.read(path).reviewed(1))
    assert {node.comment for node in other.tree.nodes} == {""}


def test_what_is_saved_has_variations_comments_and_judgements(opened):
    review, viewer = opened.review, opened.viewer
    judge(opened)
    viewer.jump(4)
    review.set_comment("好棋 \\ ]")
    export = GameExport(opened.folder, SimpleNamespace(info=str), is_temporary=False)
    path = opened.folder / "saved.sgf"
    export.write_review(path, review)
    assert export.told == f"saved {path}"
    (game,) = read_game_file(path)
    assert (game.black, game.white, game.comment) == ("曹冬", "陈科翰", "开局")
    assert game.plies[3].comment == "好棋 \\ ]"
    first = dict(game.plies[0].other)
    assert first["V"] == ("-0.50",), "for Black, as SGF wants it"
    assert first["BM"] == ("2",)
    assert first["N"][0].startswith("blunder: 1. Black h8 falls from")
    assert [item.name for item in game.variations] == ["try"]
    found = GameTree(game.record(1), game)
    assert found.nodes[found.find((*MOVES[:5], 0, 16))].comment == "deep"
    (opened.folder / "folder.sgf").mkdir()
    with pytest.raises(OSError, match="Is a directory"):
        export.write_review(opened.folder / "folder.sgf", review)


def test_a_game_that_no_file_holds_is_told(opened):
    review = opened.review
    review.open(ReviewedGame(RECORD, "1/1", "Game 1"))
    assert isinstance(review.written(), WrittenGame)
    review.tree.game = None
    review.tree.record = SimpleNamespace(rules=SimpleNamespace(size=8, rows=8), game=1, moves=())
    told = []
    log = SimpleNamespace(error=told.append)
    GameExport(opened.folder, log, is_temporary=False).write_review(opened.folder / "a.sgf", review)
    assert "expected a game of stones in a row" in told[0]
