"""The panel "Review": who stood better, mistakes, compared moves, comments and the tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ai import BLACK, LOSSES, WHITE, GameRecord, PositionValue, chance_of
from scripts.gomoku.board.names import SIDES
from scripts.gomoku.game.match_report import describe_end
from scripts.gomoku.history.candidates import short_count
from scripts.gomoku.history.evaluation import (
    SOLVER,
    Candidate,
    Mistake,
    known,
    standing,
    turning_points,
    whites,
)
from scripts.gomoku.history.game_viewer import GameViewer
from scripts.gomoku.history.review import GameReview
from scripts.gomoku.history.tree_view import TreeView
from sim import Ui, capitalized, tr, tr_many, wording

HEIGHT = 96.0
MOST_TURNS = 8  # whose lines are drawn
LIMITS = (-6.0, 106.0)
WORD_LINES = 6.5  # about the position, that are seen without scrolling
MOVE_LINES = 7  # compared moves, likewise
MISTAKE_LINES = 8.5
SHOWN_LINE = 6  # moves of a line in the panel
LEVELS = {
    "blunder": tr("blunders"),
    "mistake": tr("mistakes and blunders"),
    "inaccuracy": tr("inaccuracies and worse"),
}
KIND_WORDS = {
    "blunder": tr("blunder"),
    "mistake": tr("mistake"),
    "inaccuracy": tr("inaccuracy"),
}
LEVEL_TIP = wording("\n").join(
    tr("{kind}: the chance to win falls by {loss:.0f} points or more").format(
        kind=KIND_WORDS[kind], loss=50.0 * loss
    )
    for kind, loss in LOSSES.items()
)
KIND_COLORS = {"blunder": "red", "mistake": "amber", "inaccuracy": "text"}
LONGEST_NAME = 60  # characters of a name or event that are shown


class ReviewPanel:
    """Draws a review.

    What depends on the position has rooms of a fixed height, which scroll where a text is longer.
    So no button and no section moves when one steps through a game, or more is found out.
    """

    def __init__(self, review: GameReview, viewer: GameViewer) -> None:
        """Create the panel's content.

        Args:
            review: the review.
            viewer: viewer in which the game is shown.
        """
        self._review, self._viewer = review, viewer
        self._tree = TreeView()
        self._turns: list[int] = []
        self._turns_of: object = None
        self._has_begun = False

    def draw(self, ui: Ui) -> None:
        """Draw the review of the game that is open, except what is played or exported."""
        review, record = self._review, self._viewer.record
        if record is None or review.game is None:
            return
        review.evaluation.begin(record)
        self.draw_head(ui)
        self._draw_graph(ui, record)
        self._draw_steps(ui)
        self._draw_words(ui, record)
        if ui.section(tr("Moves and variations")):
            self._draw_tree(ui)
        if ui.section(tr("Compared moves")):
            with _room(ui, "candidates", MOVE_LINES):
                self._draw_candidates(ui, record)
        if ui.section(tr("Mistakes")):
            self._draw_mistakes(ui)

    # -- the game ------------------------------------------------------------------------------

    def draw_head(self, ui: Ui) -> None:
        """Draw the players' names, the result and the event."""
        game = self._review.game
        if game is None:
            return
        known = ((SIDES[color], game.names.get(color, "")) for color in (BLACK, WHITE))
        names = [
            wording("{side}: {cut}").format(side=side, cut=_cut(name))
            for side, name in known
            if name
        ]
        if names:
            ui.imgui.text_wrapped(wording("  ·  ").join(names))
        elif game.set_up_plies:
            ui.imgui.text_wrapped(game.title)
        said = [_capital(describe_end(game.record)), _cut(game.event)]
        ui.muted_text(tr("{said}.").format(said=tr(". ").join(filter(None, said))))

    def _draw_graph(self, ui: Ui, record: GameRecord) -> None:
        evaluation, total = self._review.evaluation, len(record.moves)
        values = known(evaluation.values)
        if self._turns_of != (record, evaluation.revision):
            self._turns_of = (record, evaluation.revision)
            self._turns = turning_points(evaluation.values)
        ply = self._viewer.ply
        marks = [(float(turn), "") for turn in self._turns[:MOST_TURNS]]
        plies = np.array([float(item.ply) for item in values])
        chances = np.array([chance_of(whites(item)) for item in values])
        by = wording(" ({by})").format(by=values[0].by) if values else ""
        before = ui.imgui.get_cursor_pos_y()
        room = (HEIGHT * ui.theme.scale) + ui.imgui.get_text_line_height_with_spacing()
        clicked = ui.chart(
            tr("White's chance to win, %{by}").format(by=by),
            [(tr("White %"), "amber", plies, chances)],
            height=HEIGHT,
            y_limits=LIMITS,
            x_limits=(0.0, float(max(total, 1))),
            marks=[*marks, (float(ply), f"{ply}")],
            levels=(50.0,),
            x_name=tr("move"),
            empty=evaluation.message or tr("Evaluating, from the last move back …"),
        )
        left = room - (ui.imgui.get_cursor_pos_y() - before)
        if left > 0.0:  # what stands below stays where it is
            ui.imgui.dummy(ui.imgui.ImVec2(0.0, left))
        if clicked is not None:
            self._viewer.by_hand("jump", min(total, self.nearest(clicked)))

    def _state(self, total: int, drawn: int) -> str:
        """Return a text about the positions that have no value; empty if there are none.

        It says how many are still to be evaluated, are provisional, or could not be proven.

        Args:
            total: number of moves of the game.
            drawn: number of positions whose value is in the graph.
        """
        evaluation = self._review.evaluation
        total -= evaluation.since
        left = total + 1 - len(evaluation.values)
        if left and evaluation.is_running:
            return tr_many("{count} position to go.", "{count} positions to go.", left)
        if evaluation.is_provisional:
            return tr("Provisional: made again when the fast code is ready.")
        missing = len(evaluation.values) - drawn
        return (
            tr("{missing} of {total} could not be proven.").format(missing=missing, total=total + 1)
            if missing
            else ""
        )

    def nearest(self, place: float) -> int:
        """Return the move number at a place of the graph.

        A turning point at most one move away is preferred.

        Args:
            place: position on the graph's horizontal axis, in moves.
        """
        close = [turn for turn in self._turns if abs(turn - place) <= 1.0]
        return min(close, key=lambda turn: abs(turn - place)) if close else max(0, round(place))

    # -- the position --------------------------------------------------------------------------

    def _draw_words(self, ui: Ui, record: GameRecord) -> None:
        """Draw what is said of the position, or the field in which its comment is edited."""
        review, evaluation, game = self._review, self._review.evaluation, self._review.game
        with _room(ui, "words", WORD_LINES):
            if self._draw_editor(ui):
                return
            if review.notice:
                ui.muted_text(review.notice)
            if game is not None and record != game.record:
                ui.muted_text(
                    tr("Shown: a variation, {describe_end}.").format(
                        describe_end=describe_end(record)
                    )
                )
            self._draw_position(ui, record)
            self._draw_comment(ui)
            drawn = len(known(evaluation.values))
            if drawn and (state := self._state(len(record.moves), drawn)):
                ui.muted_text(state)
            if drawn and evaluation.message:
                ui.muted_text(evaluation.message)

    def _draw_position(self, ui: Ui, record: GameRecord) -> None:
        """Draw the judgement of the last move and of the position, in words."""
        ply, review = self._viewer.ply, self._review
        fault = next((item for item in review.all_mistakes() if item.ply == ply - 1), None)
        if fault is not None:
            ui.imgui.push_text_wrap_pos(0.0)
            ui.text(
                (_capital(KIND_WORDS[fault.kind]) + ": " + fault.text + "."),
                KIND_COLORS[fault.kind],
            )
            ui.imgui.pop_text_wrap_pos()
        value = review.value()
        if value is None:
            ui.muted_text(tr("This position is still to be evaluated."))
            return
        position = self._viewer.position
        is_over = position is not None and position.outcome() is not None
        ui.imgui.text_wrapped(position_words(value, record, is_over=is_over))

    def _draw_steps(self, ui: Ui) -> None:
        """Draw the buttons that go from mistake to mistake, and the choice of their kind."""
        review = self._review
        buttons = (
            ("##previous", "backward-step", tr("Previous mistake (Page up)"), "previous_mistake"),
            ("##next", "forward-step", tr("Next mistake (Page down)"), "next_mistake"),
        )
        for number, (label, icon, tip, method) in enumerate(buttons):
            if number:
                ui.same_line()
            if ui.button(label, icon=icon, tip=tip):
                review.by_hand(method)
        ui.same_line()
        ui.text(tr("Mistakes"), "muted")
        self._draw_pen(ui)
        ui.beside(ui.imgui.get_frame_height() * 1.3 + ui.imgui.calc_text_size(tr("On board")).x)
        if ui.imgui.checkbox(tr("On board"), review.shows_candidates)[0]:
            review.by_hand("toggle_candidates")
        ui.tip(tr("Draw the compared moves on the board (C)"))

    def _draw_candidates(self, ui: Ui, record: GameRecord) -> None:
        """Draw the compared moves with chance, visits and line.

        One that is pointed at is shown on the board; a click plays it, as a click on its point.
        """
        review, imgui = self._review, ui.imgui
        found, played = review.candidates(), review.played()
        if not found:
            ui.muted_text(self._why_none())
            review.pointed = None
            return
        flags = int(imgui.TableFlags_.row_bg | imgui.TableFlags_.sizing_fixed_fit)
        pointed = None
        if imgui.begin_table("compared", 4, flags):
            stretch = int(imgui.TableColumnFlags_.width_stretch)
            for title in (tr("Move", "of a game"), tr("Chance"), tr("Visits")):
                imgui.table_setup_column(title)
            imgui.table_setup_column(tr("Goes on"), stretch)
            imgui.table_headers_row()
            for item in found:
                if self._draw_candidate(ui, record, item, is_played=item.move == played):
                    pointed = item
            imgui.end_table()
        review.pointed = pointed
        if any(item.is_provisional for item in found):
            ui.muted_text(tr("?: provisional, made again when the fast code is ready."))

    def _draw_candidate(
        self, ui: Ui, record: GameRecord, item: Candidate, *, is_played: bool
    ) -> bool:
        """Draw a row of the compared moves; return whether the pointer is on it."""
        imgui, rules = ui.imgui, record.rules
        imgui.table_next_row()
        imgui.table_next_column()
        name = rules.to_text(item.move)
        label = f"{name}{'*' if is_played else ''}##candidate {item.move}"
        is_clicked = imgui.selectable(label, False, int(imgui.SelectableFlags_.span_all_columns))[0]
        is_pointed = imgui.is_item_hovered()
        if is_clicked and not self._viewer.is_locked:
            self._review.by_hand("try_move", item.move)
        if is_played:
            ui.tip(tr("The move of the game"))
        line = [rules.to_text(move) if move >= 0 else "pass" for move in item.line[1:]]
        cells = (
            f"{chance_of(item.value):.0f} %{'?' if item.is_provisional else ''}",
            short_count(item.visits) if item.visits else "end",
            "",
        )
        for text in cells:
            imgui.table_next_column()
            room = imgui.get_content_region_avail().x
            shown = text or _fitting(line[:SHOWN_LINE], room, imgui)
            ui.text(shown, "text" if item.loss < LOSSES["inaccuracy"] else "muted")
        return bool(is_pointed)

    def _why_none(self) -> str:
        value, position = self._review.value(), self._viewer.position
        if position is not None and position.outcome() is not None:
            return tr("The game is over here.")
        if value is not None and value.best is None and not value.moves:
            return tr("No move is proven better than another here.")
        return tr("Compared when the position has been evaluated.")

    # -- mistakes ------------------------------------------------------------------------------

    def _draw_mistakes(self, ui: Ui) -> None:
        review, imgui = self._review, ui.imgui
        imgui.set_next_item_width(ui.room)
        if imgui.begin_combo("##level", tr("List {levels}").format(levels=LEVELS[review.level])):
            for kind, words in LEVELS.items():
                if imgui.selectable(tr("List {word}").format(word=words), kind == review.level)[0]:
                    review.by_hand("set_level", kind)
            imgui.end_combo()
        else:
            ui.tip(LEVEL_TIP)
        with _room(ui, "mistakes", MISTAKE_LINES):
            found = review.mistakes()
            for mistake in found:
                self._draw_mistake(ui, mistake)
            if not found:
                is_done = not review.evaluation.is_running and not review.evaluation.message
                ui.muted_text(tr("None is proven.") if is_done else tr("None so far."))
            self._draw_summaries(ui)

    def _draw_summaries(self, ui: Ui) -> None:
        """Draw each side's mistakes by kind, and where the lead changes."""
        for color, summary in self._review.summaries().items():
            if summary.moves:
                ui.muted_text(SIDES[color] + ": " + summary.text + ".")
        if self._turns:
            turns = ", ".join(str(turn) for turn in self._turns[:MOST_TURNS])
            more = ", …" if len(self._turns) > MOST_TURNS else "."
            ui.muted_text(
                tr("The lead changes at move {turns}{more}").format(turns=turns, more=more)
            )

    def _draw_mistake(self, ui: Ui, mistake: Mistake) -> None:
        """Draw a mistake as a row that can be clicked; a long text goes on in the next line."""
        imgui = ui.imgui
        is_here = self._viewer.ply == mistake.ply + 1
        start, width = imgui.get_cursor_pos(), imgui.get_content_region_avail().x
        size = imgui.ImVec2(0.0, imgui.calc_text_size(mistake.text, False, width).y)
        if imgui.selectable(f"##mistake {mistake.ply}", is_here, 0, size)[0]:
            self._review.by_hand("show_mistake", mistake.ply)
        ui.tip(_capital(KIND_WORDS[mistake.kind]) + ": " + mistake.text)
        imgui.set_cursor_pos(start)
        imgui.push_text_wrap_pos(0.0)
        ui.text(mistake.text, KIND_COLORS[mistake.kind])
        imgui.pop_text_wrap_pos()

    # -- comments and the tree -----------------------------------------------------------------

    def _draw_comment(self, ui: Ui) -> None:
        """Draw name and comment of the position on the board."""
        review, tree = self._review, self._review.tree
        if tree is None:
            return
        node = tree.nodes[tree.commented(review.node)]
        for text in filter(None, (node.name, node.comment)):
            ui.imgui.text_wrapped(text)

    def _draw_pen(self, ui: Ui) -> None:
        """Draw the button with which the comment on the position is edited."""
        tree = self._review.tree
        if tree is None:
            return
        place = tree.commented(self._review.node)
        comment = tree.nodes[place].comment
        ui.beside(ui.button_width(tr("Comment"), icon="pen"))
        tip = (
            tr("Edit the comment on this position")
            if comment
            else tr("Write a comment on this position")
        )
        ui.imgui.begin_disabled(self._review.draft is not None)
        if ui.button(
            tr("Comment"),
            icon="pen",
            tip=tr("{tip}; it is kept, and saved in SGF files").format(tip=tip),
        ):
            self._review.by_hand("edit_comment")
        ui.imgui.end_disabled()

    def _draw_editor(self, ui: Ui) -> bool:
        """Draw the field in which the comment is edited; return whether it is edited.

        A step to another position keeps what was typed.
        """
        imgui, review, tree = ui.imgui, self._review, self._review.tree
        here = review.draft_at if tree is None else tree.commented(review.node)
        if review.draft is not None and review.draft_at != here:
            review.by_hand("keep_comment")
        if review.draft is None:
            self._has_begun = False
            return False
        buttons = imgui.get_frame_height() + imgui.get_style().item_spacing.y
        size = imgui.ImVec2(ui.room, max(buttons, imgui.get_content_region_avail().y - buttons))
        if not self._has_begun:
            imgui.set_keyboard_focus_here()
            self._has_begun = True
        wraps = getattr(imgui.InputTextFlags_, "word_wrap", None)
        flags = 0 if wraps is None else int(wraps)
        review.draft = imgui.input_text_multiline("##comment", review.draft, size, flags)[1]
        if imgui.is_item_deactivated_after_edit():
            review.by_hand("draft_comment", review.draft)
        if ui.button(tr("Keep"), icon="check", tip=tr("Keep the comment")):
            review.by_hand("keep_comment")
        ui.beside(ui.button_width(tr("Cancel")))
        if ui.button(tr("Cancel"), tip=tr("Leave the comment as it was")):
            review.by_hand("leave_comment")
        return True

    def _draw_tree(self, ui: Ui) -> None:
        review, tree = self._review, self._review.tree
        if tree is None:
            return
        clicked = self._tree.draw(ui, tree, review.node, review.kinds(), self._node_words)
        if clicked is not None:
            review.by_hand("show_node", clicked)
        ui.imgui.begin_disabled(review.own_line is None)
        tip = tr("Remove this variation, and show the game itself")
        if ui.button(tr("Remove the variation"), icon="trash", tip=tip):
            review.by_hand("remove_line")
        ui.imgui.end_disabled()

    def _node_words(self, index: int) -> str:
        """Return the judgement of a move of the line on the board; empty if there is none."""
        review, tree = self._review, self._review.tree
        if tree is None or index not in review.kinds():
            return ""
        ply = tree.nodes[index].ply - 1
        found = next((item for item in review.all_mistakes() if item.ply == ply), None)
        return "" if found is None else (_capital(KIND_WORDS[found.kind]) + ": " + found.text)


@contextmanager
def _room(ui: Ui, name: str, lines: float) -> Iterator[None]:
    """Draw what is drawn in the `with` block in a room that scrolls; its height never changes.

    Args:
        ui: user interface of the panel.
        name: name of the room.
        lines: its height in lines of text.
    """
    imgui = ui.imgui
    height = lines * imgui.get_text_line_height_with_spacing()
    imgui.begin_child(name, imgui.ImVec2(0.0, height), int(imgui.ChildFlags_.nav_flattened))
    try:
        yield
    finally:
        imgui.end_child()


def _fitting(words: Sequence[str], room: float, imgui: Any) -> str:
    """Return as many words as fit into a width, the last of them an ellipsis if some do not.

    Args:
        words: the words.
        room: the width, pixels.
        imgui: the module that measures texts.
    """
    for count in range(len(words), 0, -1):
        text = " ".join([*words[:count], *(["…"] if count < len(words) else [])])
        if imgui.calc_text_size(text).x <= room:
            return text
    return "…" if words else ""


def position_words(value: PositionValue, record: GameRecord, *, is_over: bool) -> str:
    """Return the value of a position in words, and how it is expected to go on.

    Args:
        value: the value.
        record: the game or variation.
        is_over: whether the game is over in the position.
    """
    if is_over:
        return tr("After move {ply}: {describe_end}.").format(
            ply=value.ply, describe_end=describe_end(record)
        )
    side = SIDES[BLACK if value.ply % 2 == 0 else WHITE]
    if value.by == SOLVER and not value.is_proven:
        return tr("{side} to move: nothing is proven here.").format(side=side)
    said = tr("{side} to move: {standing}, {chance_of:.0f} %").format(
        side=side, standing=standing(value.value), chance_of=chance_of(value.value)
    )
    if value.is_provisional:
        said += tr(" (provisional)")
    if value.plies is not None and abs(value.value) >= 1.0:
        said += tr(", in {plies}").format(plies=(value.plies + 1) // 2)
    rules = record.rules
    line = [rules.to_text(move) if move >= 0 else "pass" for move in value.line[:SHOWN_LINE]]
    return (
        tr("{said}. Expected: {line}.").format(said=said, line=" ".join(line))
        if line
        else tr("{said}.").format(said=said)
    )


def _capital(text: str) -> str:
    return capitalized(text)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_NAME else (text[:LONGEST_NAME] + " …")
