"""The panel "Review": the open game's evaluation, its mistakes, its variations, and what to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ai import GameRecord
from scripts.gomoku.game.match_report import describe_end
from scripts.gomoku.history.evaluation import (
    GameEvaluation,
    Mistake,
    known,
    mistakes,
    turning_points,
    whites,
)
from scripts.gomoku.history.game_viewer import GameViewer
from scripts.gomoku.history.variations import Variation, branches
from sim import Ui

HEIGHT = 96.0
MOST_MISTAKES = 8  # that are listed
MOST_TURNS = 8  # whose lines are drawn
LIMITS = (-1.15, 1.15)


class ReviewPanel:
    """Draws the review of the game that is open in a viewer.

    Attributes:
        evaluation: evaluates the game's positions.
    """

    def __init__(self, evaluation: GameEvaluation, by_hand: Callable[..., object]) -> None:
        """Create the panel's content.

        Args:
            evaluation: evaluates the positions of the game.
            by_hand: function that calls a method of the script that shows the game. The first
                argument is `show_main`, `show_variation` or `show_mistake`. The second is the
                number of the variation or the ply of the mistake.
        """
        self.evaluation = evaluation
        self._by_hand = by_hand
        self._known: tuple[object, ...] = ()
        self._mistakes: list[Mistake] = []
        self._turns: list[int] = []

    def draw_evaluation(self, ui: Ui, viewer: GameViewer, record: GameRecord) -> None:
        """Draw a graph of the expected result in each position, and the list of mistakes.

        Args:
            ui: user interface of the panel.
            viewer: viewer that has the game open.
            record: the game or variation that is open.
        """
        self.evaluation.begin(record)
        self._read(record)
        self._draw_graph(ui, viewer, record)
        self._draw_mistakes(ui, viewer.ply)
        ui.imgui.separator()

    def mistakes(self) -> list[Mistake]:
        """Return the mistakes found so far in the open game or variation."""
        return self._mistakes

    def _read(self, record: GameRecord) -> None:
        values = self.evaluation.values
        seen = (record, len(values))
        if seen != self._known:
            self._known = seen
            self._mistakes = mistakes(values, record.moves, record.rules.size)
            self._turns = turning_points(values)

    def _draw_graph(self, ui: Ui, viewer: GameViewer, record: GameRecord) -> None:
        evaluation, total = self.evaluation, len(record.moves)
        values = known(evaluation.values)
        by = f" ({values[0].by})" if values else ""
        ply = viewer.ply
        marks = [(float(turn), "") for turn in self._turns[:MOST_TURNS]]
        plies = np.array([float(item.ply) for item in values])
        clicked = ui.chart(
            f"Who stands better{by}",
            [("value", "amber", plies, np.array([whites(item) for item in values]))],
            height=HEIGHT,
            y_limits=LIMITS,
            x_limits=(0.0, float(max(total, 1))),
            marks=[*marks, (float(ply), f"{ply}")],
            levels=(0.0,),
            x_name="move",
            empty=evaluation.message or "Evaluating, from the last move back …",
        )
        if values:
            ui.muted_text(f"Up: White. Down: Black. {self._state(total, len(values))}")
        if evaluation.message and values:
            ui.muted_text(evaluation.message)
        if clicked is not None:
            viewer.by_hand("jump", self.nearest(clicked))

    def _state(self, total: int, drawn: int) -> str:
        """Return a text about the positions that have no value; empty if there are none.

        It says how many are still to be evaluated, or how many could not be proven.

        Args:
            total: number of moves of the game.
            drawn: number of positions whose value is in the graph.
        """
        left = total + 1 - len(self.evaluation.values)
        if left and self.evaluation.is_running:
            return f"{left} position{'s' * (left != 1)} to go."
        missing = len(self.evaluation.values) - drawn
        return f"{missing} of {total + 1} could not be proven." if missing else ""

    def nearest(self, place: float) -> int:
        """Return the move number at a place of the graph.

        A turning point at most one move away is preferred.

        Args:
            place: position on the graph's horizontal axis, in moves.
        """
        close = [turn for turn in self._turns if abs(turn - place) <= 1.0]
        return min(close, key=lambda turn: abs(turn - place)) if close else max(0, round(place))

    def _draw_mistakes(self, ui: Ui, ply: int) -> None:
        turns = ", ".join(str(turn) for turn in self._turns[:MOST_TURNS])
        turns += ", …" if len(self._turns) > MOST_TURNS else "."
        if self._turns:
            ui.muted_text(f"The lead changes at move {turns}")
        if not self._mistakes:
            if not self.evaluation.is_running and not self.evaluation.message:
                ui.muted_text("No mistake is proven.")
            return
        if len(self._mistakes) > MOST_MISTAKES:
            ui.muted_text(f"{len(self._mistakes)} mistakes, the last {MOST_MISTAKES}:")
        for mistake in self._mistakes[-MOST_MISTAKES:]:
            is_here = ply == mistake.ply + 1
            if ui.imgui.selectable(f"{mistake.text}##{mistake.ply}", is_here)[0]:
                self._by_hand("show_mistake", mistake.ply)
            ui.tip(mistake.text)

    def draw_variations(
        self, ui: Ui, viewer: GameViewer, main: GameRecord, lines: Sequence[Variation]
    ) -> None:
        """Draw the tree of the game's variations; a click on one shows it.

        Args:
            ui: user interface of the panel.
            viewer: viewer in which the game, or one of its variations, is open.
            main: the game.
            lines: the variations of the game.
        """
        ui.heading("Variations")
        if not lines:
            ui.muted_text("None yet. Play on from here to make one.")
            return
        is_main = viewer.record == main
        if ui.imgui.selectable(f"Game {main.game}: {describe_end(main)}", is_main)[0]:
            self._by_hand("show_main")
        for branch in branches(main.moves, lines):
            line = lines[branch.number]
            shown = viewer.record
            is_shown = shown is not None and not is_main and shown.moves == line.moves
            text = f"{branch_words(line, branch.ply, main)}##variation {branch.number}"
            ui.imgui.indent(ui.theme.px(12) * branch.depth)
            if ui.imgui.selectable(text, is_shown)[0]:
                self._by_hand("show_variation", branch.number)
            ui.imgui.unindent(ui.theme.px(12) * branch.depth)


def branch_words(line: Variation, ply: int, main: GameRecord) -> str:
    """Return the text of a variation in the tree: its name and number of moves.

    A variation without a name shows the move where it leaves the game, and its result.

    Args:
        line: the variation.
        ply: number of moves that it shares with the game.
        main: the game.
    """
    if line.name:
        return f"{line.name}: {len(line.moves)} moves"
    return f"from {ply}: {describe_end(line.record(main))}, {len(line.moves)} moves"
