"""The panel "Review": the open game's evaluation, its mistakes, its variations, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np

from ai import GAME_SUFFIXES, GameRecord
from scripts.gomoku.game.match_report import describe_end
from scripts.gomoku.history.evaluation import (
    GameEvaluation,
    Mistake,
    known,
    mistakes,
    turning_points,
    whites,
)
from scripts.gomoku.history.variations import Variation, branches
from sim import Script, Ui

if TYPE_CHECKING:
    from scripts.gomoku.explain.comparison import Comparison
    from scripts.gomoku.history.game_export import GameExport
    from scripts.gomoku.history.game_viewer import GameViewer
    from scripts.gomoku.history.side_game import SideGame


class Reviewed(Protocol):
    """A script whose viewer has a game open: the timeline of a match, or a replay.

    It has the methods `show_main`, `show_variation(number)`, `show_mistake(ply)` and
    `export_game(path)`, too.
    """

    @property
    def viewer(self) -> GameViewer:
        """Has the game open."""
        ...

    @property
    def side_game(self) -> SideGame | None:
        """Plays on from a past position; None: nobody does."""
        ...

    @property
    def comparison(self) -> Comparison | None:
        """Asks two networks; None: nobody does."""
        ...

    @property
    def export(self) -> GameExport:
        """Writes the game to a file."""
        ...

    def lines(self) -> list[Variation]:
        """Return the variations of the open game."""
        ...

    def by_hand(self, method: str, *arguments: Any) -> Any:
        """Call a method on behalf of the user."""
        ...


HEIGHT = 96.0
MOST_MISTAKES = 8  # that are listed
MOST_TURNS = 8  # whose lines are drawn
LIMITS = (-1.15, 1.15)


class ReviewPanel:
    """Draws the panel of the game that is open in a viewer."""

    def __init__(self, reviewed: Reviewed) -> None:
        """Draw nothing yet; `reviewed` is the script that shows the game."""
        self.evaluation = GameEvaluation(cast("Script", reviewed))
        self._timeline = reviewed
        self._known: tuple[object, ...] = ()
        self._mistakes: list[Mistake] = []
        self._turns: list[int] = []
        self._lines: list[tuple[Variation, str]] = []
        self._lines_of: tuple[object, ...] = ()

    def draw(self, ui: Ui) -> None:
        """Draw the evaluation, the mistakes, the variations, playing on and comparing."""
        timeline = self._timeline
        record = timeline.viewer.record
        if record is None:
            return
        self.evaluation.begin(record)
        self._read(record)
        self._draw_graph(ui, record)
        self._draw_mistakes(ui)
        ui.imgui.separator()
        if timeline.side_game is not None:
            timeline.side_game.draw(ui, record, timeline.viewer.ply)
            ui.imgui.separator()
        self._draw_variations(ui)
        if timeline.comparison is not None:
            timeline.comparison.draw(ui, record, timeline.viewer.ply)
        ui.imgui.separator()
        timeline.export.draw(ui, "Export as", "export_game", GAME_SUFFIXES)
        if timeline.export.told:
            ui.muted_text(timeline.export.told)

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

    def _draw_graph(self, ui: Ui, record: GameRecord) -> None:
        evaluation, total = self.evaluation, len(record.moves)
        values = known(evaluation.values)
        by = f" ({values[0].by})" if values else ""
        ply = self._timeline.viewer.ply
        marks = [(float(turn), "") for turn in self._turns[:MOST_TURNS]]
        clicked = ui.chart(
            f"Who stands better{by}",
            [("value", "amber", np.array([float(item.ply) for item in values]),
              np.array([whites(item) for item in values]))],
            height=HEIGHT, y_limits=LIMITS, x_limits=(0.0, float(max(total, 1))),
            marks=[*marks, (float(ply), f"{ply}")], levels=(0.0,), x_name="move",
            empty=evaluation.message or "Evaluating, from the last move back …",
        )  # fmt: skip
        if values:
            ui.muted_text(f"Up: White. Down: Black. {self._state(total, len(values))}")
        if evaluation.message and values:
            ui.muted_text(evaluation.message)
        if clicked is not None:
            self._timeline.viewer.by_hand("jump", self.nearest(clicked))

    def _state(self, total: int, drawn: int) -> str:
        """Return how many positions are still to come, or could not be proven."""
        left = total + 1 - len(self.evaluation.values)
        if left and self.evaluation.is_running:
            return f"{left} position{'s' * (left != 1)} to go."
        missing = len(self.evaluation.values) - drawn
        return f"{missing} of {total + 1} not proven." if missing else ""

    def nearest(self, place: float) -> int:
        """Return the ply at a place of the graph: a turning point where one is near."""
        close = [turn for turn in self._turns if abs(turn - place) <= 1.0]
        return min(close, key=lambda turn: abs(turn - place)) if close else max(0, round(place))

    def _draw_mistakes(self, ui: Ui) -> None:
        turns = ", ".join(str(turn) for turn in self._turns[:MOST_TURNS])
        turns += ", …" if len(self._turns) > MOST_TURNS else "."
        if self._turns:
            ui.muted_text(f"The lead has changed by move {turns}")
        if not self._mistakes:
            if not self.evaluation.is_running and not self.evaluation.message:
                ui.muted_text("No mistake is proven.")
            return
        if len(self._mistakes) > MOST_MISTAKES:
            ui.muted_text(f"{len(self._mistakes)} mistakes, the last {MOST_MISTAKES}:")
        for mistake in self._mistakes[-MOST_MISTAKES:]:
            is_here = self._timeline.viewer.ply == mistake.ply + 1
            if ui.imgui.selectable(f"{mistake.text}##{mistake.ply}", is_here)[0]:
                self._timeline.by_hand("show_mistake", mistake.ply)
            ui.tip(mistake.text)

    def _draw_variations(self, ui: Ui) -> None:
        timeline = self._timeline
        main = timeline.viewer.main
        if main is None:
            return
        ui.heading("Variations")
        lines = timeline.lines()
        if not lines:
            ui.muted_text("None yet. Play on from here: the moves are kept.")
            return
        is_main = timeline.viewer.record == main
        if ui.imgui.selectable(f"Game {main.game}: {describe_end(main)}", is_main)[0]:
            timeline.by_hand("show_main")
        for branch in branches(main.moves, lines):
            line = lines[branch.number]
            shown = timeline.viewer.record
            is_shown = shown is not None and not is_main and shown.moves == line.moves
            text = f"{branch_words(line, branch.ply, main)}##variation {branch.number}"
            ui.imgui.indent(ui.theme.px(12) * branch.depth)
            if ui.imgui.selectable(text, is_shown)[0]:
                timeline.by_hand("show_variation", branch.number)
            ui.imgui.unindent(ui.theme.px(12) * branch.depth)


def branch_words(line: Variation, ply: int, main: GameRecord) -> str:
    """Return the text of a variation: its name, or where it begins; and how it ended."""
    if line.name:
        return f"{line.name}: {len(line.moves)} moves"
    return f"from {ply}: {describe_end(line.record(main))}, {len(line.moves)} moves"
