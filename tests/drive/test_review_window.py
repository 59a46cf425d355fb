"""A game of two masters, opened at the 7x7 match and reviewed by mouse and keys in a window."""

from __future__ import annotations

import time

import pytest
from imgui_bundle import imgui

from ai import GameTree, PositionValue, read_game_file
from sim.core.input.input_actions import InputEvent
from sim.testing import Pilot

SGF = (
    "(;GM[4]SZ[15]PB[曹冬]PW[陈科翰]EV[世界锦标赛]DT[2017-08-10]RE[W+R]C[开局]"
    ";B[hh]C[天元];W[ih];B[hg];W[ig](;B[hf];W[if];B[he];W[ie])(;B[gg]N[试一试];W[ii]C[另一路]))"
)
LINE = (96, 97, 81, 66, 51)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("masters")
    (folder / "masters.sgf").write_bytes(SGF.encode("gb18030"))
    return folder


@pytest.fixture(scope="module")
def pilot(folder):
    with Pilot(
        seed=1, player_white="random", player_black="random", window=(1280, 1000), quality="low",
        out=folder / "run", speed=1.0,
    ) as driven:  # fmt: skip
        driven.press("escape")
        driven.app.inject(InputEvent("drop", text=str(folder / "masters.sgf")))
        driven.step(3)
        know_values(driven.component("Timeline").review)
        driven.app.clock.frame_step = 1 / 30  # waits for workers: only where values are known
        yield driven


def know_values(review):
    """Give the review values, so that no worker has to find them."""
    judge, tree, rules = review.evaluation, review.tree, review.game.record.rules
    judge.stop()
    judge.want_kernels = lambda user: None  # a step would wait until all is compiled
    for index in range(len(tree.nodes)):
        moves = tree.moves(index)
        own = 0.5 if len(moves) in (3, 6) else -0.1
        free = tuple(move for move in LINE if move not in moves)
        judge._known[rules, moves] = PositionValue(
            len(moves), own, False, free[0], "alpha-beta", free, moves=free[:3], nodes=20_000
        )
        for move in free:
            below = (*moves, move)
            rest = tuple(item for item in free if item != move)
            value = PositionValue(len(below), 0.1, False, None, "alpha-beta", rest, nodes=900)
            judge._known.setdefault((rules, below), value)


def drawn(pilot):
    """Draw the panels, as the next frame does in a window."""
    pilot.draw_panels(1)
    pilot.picture()


def rest(pilot):
    """Let time pass with the panel on the screen: 20 steps may be over before its next drawing."""
    drawn(pilot)
    pilot.step(20)


def at_rest(pilot, ply):
    viewer = pilot.component("GameViewer")
    viewer.jump(ply)
    rest(pilot)
    return pilot.component("Timeline").review


def test_the_players_of_a_file_have_their_names_everywhere(pilot):
    timeline, viewer = pilot.component("Timeline"), pilot.component("GameViewer")
    at_rest(pilot, 4)
    assert timeline.review.game.names == {1: "曹冬", -1: "陈科翰"}
    assert timeline.review.game.event == "世界锦标赛, 2017-08-10"
    sentences = pilot.component("Insight").sentences()
    assert sentences[-1].startswith("陈科翰 took i9")
    assert sentences[1].startswith("曹冬 took h9")
    shown = pilot.component("Match").shown
    assert {
        color: item.title for color, item in shown.players.items()
    } == timeline.review.game.names
    drawn(pilot)
    assert (viewer.board.size, pilot.app.host.error_count) == (15, 0)


def test_compared_moves_stand_on_the_board_and_one_that_is_pointed_at_shows_its_line(pilot):
    review, board = at_rest(pilot, 4), pilot.component("BoardView")
    layers = review._marks._layers
    assert [item.move for item in review.candidates()] == [96, 82, 81, 66]
    assert [plane.visible for plane in layers.planes.values()] == [True]
    assert not any(ghost.visible for ghost in layers.ghosts)
    place = board.object.transform.to_world(board.position_of(81))
    pilot.move_to(place)
    pilot.step(2)
    ghosts = [ghost for ghost in layers.ghosts if ghost.visible]
    assert [ghost.model["color"] for ghost in ghosts] == ["black", "white"] * 2
    place = board.object.transform.to_world(board.position_of(0))
    pilot.move_to(place)
    pilot.step(2)
    assert not any(ghost.visible for ghost in layers.ghosts)
    pilot.press("c")
    pilot.step(2)
    assert not layers.is_shown
    pilot.press("c")
    pilot.step(2)
    assert layers.is_shown


def test_keys_go_from_mistake_to_mistake(pilot):
    review, viewer = at_rest(pilot, 0), pilot.component("GameViewer")
    review.set_level("mistake")
    plies = [item.ply + 1 for item in review.mistakes()]
    assert plies
    seen = []
    for _ in plies:
        pilot.press("page_down")
        seen.append(viewer.ply)
    assert seen == plies
    pilot.press("page_down")
    assert (viewer.ply, review.notice[:8]) == (plies[-1], "No later")
    drawn(pilot)
    for ply in plies[-2::-1]:
        pilot.press("page_up")
        assert viewer.ply == ply


def test_a_click_on_a_stone_of_the_tree_shows_its_position(pilot, monkeypatch):
    review, viewer = at_rest(pilot, 3), pilot.component("GameViewer")
    kind = type(pilot.component("Timeline")._review_panel._tree)
    places, draw = {}, kind._draw_stone

    def noted(view, ui, tree, index, place, kinds, *, is_here):
        places[index] = place
        draw(view, ui, tree, index, place, kinds, is_here=is_here)

    monkeypatch.setattr(kind, "_draw_stone", noted)
    tree = review.tree
    other = next(index for index, node in enumerate(tree.nodes) if node.comment == "另一路")
    for wanted in (tree.main[5], tree.nodes[other].parent, tree.main[2]):
        drawn(pilot)
        pilot.click(*places[wanted])
        pilot.step(2)
        assert review.node == wanted
    assert viewer.title == "masters.sgf"
    assert pilot.app.host.error_count == 0


WIDGETS = ("button", "checkbox", "invisible_button", "begin_combo", "collapsing_header")
CHANGING = ("stone ",)  # stones of the tree


def places_of_widgets(pilot, monkeypatch) -> dict[str, tuple[int, int]]:
    """Where each button and section of the panel is drawn."""
    places = {}

    def noted(name):
        plain = getattr(imgui, name)

        def call(label, *rest, **more):
            if "Review" in imgui.internal.get_current_window().root_window.name:
                place = imgui.get_cursor_screen_pos()
                places[label] = (round(place.x), round(place.y))
            return plain(label, *rest, **more)

        patch.setattr(imgui, name, call)

    with monkeypatch.context() as patch:
        for name in WIDGETS:
            noted(name)
        drawn(pilot)
    return {key: item for key, item in places.items() if not key.startswith(CHANGING)}


@pytest.mark.parametrize("scale", [1.0, 1.6])
def test_no_button_and_no_section_moves_when_one_steps_through_a_game(pilot, monkeypatch, scale):
    review, viewer = at_rest(pilot, 0), pilot.component("GameViewer")
    pilot.app.shell.preferences.set_scale(scale)
    pilot.app.shell.panel_windows.open_front("Review")  # docks are laid out anew
    pilot.draw_panels(3)
    values = dict(review.evaluation._known)
    seen = {}
    variation = review.tree.nodes[review.tree.main[4]].children[1]
    try:
        for ply, state in (
            (0, "empty"), (4, "all"), (5, "all"), (8, "all"), (4, "notice"), (4, "variation"),
            (3, "long comment"),
        ):  # fmt: skip
            review.show_main()
            review.notice = "No later mistake of this kind; Page up shows the one before." * (
                state == "notice"
            )
            review.evaluation._known.clear()
            if state != "empty":
                review.evaluation._known.update(values)
            if state == "variation":
                review.show_node(variation)
            viewer.jump(ply)
            if state == "long comment":
                review.set_comment("A long comment. " * 40)
            pilot.step(16)
            pilot.app.shell.panel_windows.open_front("Review")
            drawn(pilot)
            drawn(pilot)
            seen[ply, state] = places_of_widgets(pilot, monkeypatch)
    finally:
        review.evaluation._known.update(values)
        review.set_comment("")
        review.show_main()
        pilot.app.shell.preferences.set_scale(1.0)
    first = seen[0, "empty"]
    assert len(first) > 12, sorted(first)
    for where, places in seen.items():
        moved = {key: (first[key], places[key]) for key in first if first[key] != places.get(key)}
        assert moved == {}, where


def click_point(pilot, point):
    board = pilot.component("BoardView")
    pilot.click_at(board.object.transform.to_world(board.position_of(point)))
    pilot.step(2)


def test_a_click_on_a_compared_move_plays_it_as_one_on_the_board_does(pilot, monkeypatch):
    review, viewer = at_rest(pilot, 4), pilot.component("GameViewer")
    main, move = review.game.record, review.candidates()[2].move
    pilot.app.shell.panel_windows.open_front("Review")
    plain, part = imgui.selectable, f"##candidate {move}"
    with monkeypatch.context() as patch:
        patch.setattr(
            imgui, "selectable",
            lambda label, *rest: (True, True) if part in label else plain(label, *rest),
        )  # fmt: skip
        pilot.draw_panels(1)
    assert (viewer.record.moves, viewer.ply) == ((*main.moves[:4], move), 5)
    said = [item.text for item in pilot.app.console.records if "try_move" in item.text]
    assert said[-1] == f'>>> component("Timeline").review.try_move({move})'
    review.evaluation.stop()
    review.by_hand("remove_line")
    assert (viewer.record, viewer.ply) == (main, 4)
    assert pilot.app.host.error_count == 0


def test_a_click_on_the_board_plays_on_and_what_was_tried_can_be_removed(pilot):
    review, viewer = at_rest(pilot, 4), pilot.component("GameViewer")
    main, kept = review.game.record, len(review.lines)
    click_point(pilot, review.candidates()[2].move)
    first = viewer.record.moves
    assert (first[:4], first[4], viewer.ply) == (main.moves[:4], 81, 5)
    click_point(pilot, 0)
    assert viewer.record.moves == (*first, 0)
    assert len(review.lines) == kept + 1, "the variation grew"
    assert review.own_line is not None
    viewer.jump(4)
    pilot.step(2)
    click_point(pilot, 81)
    assert (viewer.record.moves, viewer.ply) == ((*first, 0), 5), "the line goes on"
    review.evaluation.stop()
    drawn(pilot)
    review.by_hand("remove_line")
    assert (viewer.record, viewer.ply, len(review.lines)) == (main, 4, kept)
    assert review.own_line is None
    assert review.tree.find(first) is None
    review.evaluation.stop()
    pilot.step(2)
    click_point(pilot, main.moves[4])
    assert (viewer.record, viewer.ply) == (main, 5), "the next move of the game"
    click_point(pilot, main.moves[0])
    assert (viewer.record, viewer.ply) == (main, 5), "an occupied point"
    assert pilot.app.host.error_count == 0


def texts_of(pilot, monkeypatch):
    """The wrapped texts that panels draw."""
    texts, plain = [], imgui.text_wrapped
    with monkeypatch.context() as patch:
        patch.setattr(imgui, "text_wrapped", lambda text: (texts.append(text), plain(text))[1])
        drawn(pilot)
    return texts


@pytest.mark.parametrize(("text", "found"), [
    ("h8 i9 h9", (112, 98, 97)), ("(;GM[4]SZ[15];B[hh];W[ig])", (112, 98)),
    ("\n".join([". " * 15] * 14 + [". X O" + " ." * 12]), (211, 212)),
])  # fmt: skip
def test_a_position_is_pasted_as_text(pilot, monkeypatch, text, found):
    review, timeline = at_rest(pilot, 4), pilot.component("Timeline")
    edit, rules = timeline.edit, review.game.record.rules
    edit.begin()
    before = edit.set_up
    edit.by_hand("read", "what is no position")
    assert (edit.set_up, edit.refusal[:9]) == (before, "Not read:")
    edit.by_hand("read", "(;GM[4]SZ[9];B[ee])")
    assert edit.refusal == "Not read: expected a position on 15x15, found one on 9x9"
    monkeypatch.setattr(imgui, "get_clipboard_text", lambda: text)
    plain = imgui.button
    with monkeypatch.context() as patch:
        patch.setattr(imgui, "button", lambda label, *rest: plain(label, *rest) or "Paste" in label)
        drawn(pilot)
    stones = {point for point, color in enumerate(edit.set_up.stones) if color}
    assert (stones, edit.refusal, edit.set_up.rules) == (set(found), "", rules)
    assert f"edit.read({text!r})" in pilot.app.console.records[-1].text
    pilot.component("Timeline").edit.leave()
    assert pilot.app.host.error_count == 0


def test_a_position_is_edited_inside_the_review_and_one_goes_back(pilot, monkeypatch):
    review, timeline = at_rest(pilot, 4), pilot.component("Timeline")
    viewer, edit = pilot.component("GameViewer"), timeline.edit
    game, before = review.game, list(viewer.position.stones)
    edit.begin()
    assert viewer.is_locked
    edit.choose("white")
    pilot.step(2)
    viewer.board.clicked.emit(0)
    pilot.wait_until(lambda: viewer.board.stones.get(0))
    edit.choose("remove")
    edit.click(next(point for point, color in enumerate(before) if color > 0))
    assert "Passes are assumed" in edit.set_up.note
    edit.undo()
    edit.move_next("black")
    pilot.press("escape")
    assert (viewer.is_locked, edit.is_open) == (False, False), "Escape leaves it as it was"
    assert list(viewer.position.stones) == before

    edit.begin()
    edit.choose("black")
    edit.click(1)
    edit.move_next("white")
    edited = edit.set_up
    edit.use()
    review.evaluation.stop()
    assert review.game.title == "Position from masters.sgf, move 4"
    asked = []
    monkeypatch.setattr(timeline, "ask_save", lambda *_, name: asked.append(name))
    timeline.save_game()
    assert asked == ["masters-edited-at-4.sgf"], (
        "the game's own file is not the one that is offered"
    )
    assert "Position from masters.sgf, move 4" in texts_of(pilot, monkeypatch)
    assert tuple(viewer.position.stones) == edited.stones
    assert review.evaluation.since == len(viewer.record.moves), "nobody played what was set up"
    assert {point for point, _ in review.written().setup} == {
        point for point, color in enumerate(edited.stones) if color
    }
    edit.begin()
    for point in (2, 3, 4, 5):
        edit.click(point)
    assert "the game is over" in edit.set_up.fault
    edit.use()
    assert edit.is_open, "it cannot be reviewed"
    edit.leave()
    edit.go_back()
    review.evaluation.stop()
    assert (review.game, viewer.ply, edit.has_origin) == (game, 4, False)
    assert pilot.app.host.error_count == 0


def test_a_comment_is_written_and_saved_with_variations_and_judgements(pilot, folder):
    timeline, review = pilot.component("Timeline"), at_rest(pilot, 2)
    review.edit_comment()
    review.draft_comment("白棋好 ]")
    drawn(pilot)
    pilot.press("arrow_right")
    assert pilot.component("GameViewer").ply == 2, "the keys are the field's"
    pilot.component("GameViewer").jump(3)
    drawn(pilot)
    assert review.tree.nodes[review.tree.main[2]].comment == "白棋好 ]", "a step keeps it"
    timeline.by_hand("export_game", str(folder / "saved.sgf"))
    (game,) = read_game_file(folder / "saved.sgf")
    tree = GameTree(game.record(1), game)
    assert (game.black, game.white, game.comment) == ("曹冬", "陈科翰", "开局")
    assert tree.nodes[tree.main[2]].comment == "白棋好 ]"
    assert {node.comment for node in tree.nodes} >= {"天元", "另一路"}
    names = {name for node in tree.nodes for name, _ in node.other}
    assert names >= {"V", "BM", "N"}
    assert game.notes == ()
    pilot.press("escape")  # leaves the panel, in which the field was
    pilot.press("escape")
    assert pilot.component("GameViewer").record is None
    assert "next_mistake" not in {entry.name for entry in pilot.app.host.panels.commands}
    assert pilot.app.host.error_count == 0


WIDE = "(;GM[4]SZ[12:8];B[fd];W[ge];B[gd];W[fe];B[hd];W[ee];B[id];W[ad];B[je];W[bb];B[kf])"


def test_a_board_of_twelve_by_eight_is_reviewed_by_mouse(pilot, folder):
    (folder / "wide.sgf").write_text(WIDE, encoding="ascii")
    pilot.app.inject(InputEvent("drop", text=str(folder / "wide.sgf")))
    pilot.step(3)
    timeline, board = pilot.component("Timeline"), pilot.component("BoardView")
    review, viewer = timeline.review, pilot.component("GameViewer")
    assert (board.size, board.rows) == (12, 8)
    review.evaluation.stop()
    rules, moves = review.game.record.rules, review.game.record.moves[:7]
    good, judge = 4 * 12 + 4, review.evaluation
    judge._known[rules, moves] = PositionValue(
        7, -0.9, False, good, "alpha-beta", (good, 0), moves=(good, 0), nodes=900
    )
    for move in (good, 0, moves[-1]):
        judge._known[rules, (*moves, move)] = PositionValue(
            8, 0.9, False, 1, "alpha-beta", (1,), nodes=900
        )
    viewer.jump(7)
    rest(pilot)
    assert {item.move for item in review.candidates()} >= {good, 0}
    pilot.move_to(board.object.transform.to_world(board.position_of(good)))
    pilot.step(2)
    ghosts = [ghost for ghost in review._marks._layers.ghosts if ghost.visible]
    assert len(ghosts) == 2
    for ghost, point in zip(ghosts, (good, 1), strict=True):
        place = board.position_of(point)[:2]
        assert tuple(ghost.transform.position)[:2] == pytest.approx(tuple(place), abs=1e-3)
    overlays = pilot.component("Overlays")
    pilot.press("5")
    pilot.step(3)
    assert overlays._layers is not None, "Black's four is drawn"
    assert overlays._layers.is_shown
    pilot.press("5")
    pilot.step(2)
    click_point(pilot, 7 * 12 + 11)
    assert viewer.record.moves == (*moves, 95), "the far corner"
    timeline.edit.begin()
    pilot.step(2)
    click_point(pilot, 11)
    assert timeline.edit.set_up.stones[11]
    timeline.edit.leave()
    assert pilot.app.host.error_count == 0


def test_a_click_finds_its_point_though_the_view_moves_aside(pilot, monkeypatch):
    at_rest(pilot, 4)
    board, heard = pilot.component("BoardView"), []
    place = board.object.transform.to_world(board.position_of(81))
    monkeypatch.setattr(board, "_click", heard.append)
    monkeypatch.setattr(pilot.app.shell.overlays, "_opened", time.monotonic())
    before = pilot.settle(place)
    monkeypatch.setattr(pilot.app.shell.overlays, "_opened", -1e9)  # the legend goes
    pilot.click_at(place)
    assert heard == [81]
    assert abs(pilot.pixel_of(place)[1] - before[1]) > 20.0, "more than a line of the board"
    pilot.click(*before)
    assert heard[1:] != [81]
