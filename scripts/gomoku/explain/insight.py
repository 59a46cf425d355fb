"""The Insight panel: explanations of each side's last move."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ai import BLACK, WHITE, BoardView, ChartView
from scripts.gomoku.board.mini_board import Diagram, draw_board, draw_legend
from scripts.gomoku.board.names import SIDES
from scripts.gomoku.explain import choice_words as words
from scripts.gomoku.explain.choice_reading import ChoiceReading, latest, read_choices
from scripts.gomoku.explain.overlays import KINDS, Overlays
from scripts.gomoku.game.match import Match
from sim import Script, Ui, field, tr

GAP = 10.0  # pixels between two boards
WIDEST = 170.0  # pixels of a board
BESIDE = 2  # boards beside each other at the top; further ones stand below
CURVE_COLORS = ("amber", "blue", "green")
LARGE = 9  # points: larger boards stand one below the other
KEYS = {
    "heat_map": tr("colour: share of the point, or its score"),
    "columns": tr("height: share of the point"),
    "ranks": tr("1 is the best; crossed: occupied"),
    "population": tr("pale stones: first moves tried; numbers: best line"),
    "threats": tr("5 five, 4 open four (orange Black, blue White); diamond: remembered answer"),
}
NO_SHARES = tr("nothing to show on the board: these players do not rate points")
NOTHING = {
    "heat_map": tr("Heat map: {no_shares}").format(no_shares=NO_SHARES),
    "columns": tr("Columns: {no_shares}").format(no_shares=NO_SHARES),
    "ranks": tr("Ranks: {no_shares}").format(no_shares=NO_SHARES),
    "population": tr("Evolution: nothing to show on the board: no genetic algorithm plays"),
}


class Insight(Script):
    """Panel that explains each side's last move with sentences, threats, boards and charts."""

    match: Match = field(None)
    overlays: Overlays = field(None)

    def awake(self) -> None:
        self._seen: object = None
        self._readings: dict[int, ChoiceReading] = {}
        self._sentences: dict[int, str] = {}
        self._note = ""
        self._boards: dict[int, list[tuple[BoardView, Diagram]]] = {}
        self._threats: list[tuple[int, str, str]] = []
        self._charts: dict[int, list[_Chart]] = {}

    def start(self) -> None:
        self.panel(tr("Insight"), self.draw, dock="right", order=1, icon="lightbulb")

    def sentences(self) -> dict[int, str]:
        """Return a sentence about each side's last move, by color."""
        self._read()
        return self._sentences

    def draw(self, ui: Ui) -> None:
        """Draw the sentences, the threats, the overlay switches and the details of each side."""
        match = self.match
        if match is None:
            ui.muted_text(tr("No match is set: choose one in the field 'match'."))
            return
        if not match.is_shown and not match.is_other_shown:
            ui.muted_text(tr("Fast-forward: this game is not shown. F shows it."))
            return
        self._read()
        if self._note:
            ui.muted_text(self._note)
        self._draw_sentences(ui)
        self._draw_threats(ui)
        self._draw_keys(ui)
        for color in (WHITE, BLACK):
            if color in self._readings:
                ui.imgui.push_id(color)
                self._draw_side(ui, self._readings[color])
                ui.imgui.pop_id()

    def _read(self) -> None:
        """Prepare the panel's content, if the shown position or its explanations have changed."""
        shown = self.match.shown
        shown.ask()
        shown = self.match.shown
        board = shown.board
        seen = (shown.key, board.ply if board is not None else -1)
        if seen == self._seen:
            return
        self._seen, self._note = seen, shown.note
        self._readings = read_choices(board, shown.choices, shown.players)
        self._sentences = {
            color: words.why(item, is_asking=shown.is_asking)
            for color, item in self._readings.items()
        }
        self._boards = {color: _diagrams(item) for color, item in self._readings.items()}
        self._charts = {
            color: [_Chart(chart) for chart in item.view.charts]
            for color, item in self._readings.items()
        }
        newest = latest(self._readings)
        self._threats = words.threat_words(newest[0]) if newest else []

    def _draw_sentences(self, ui: Ui) -> None:
        newest = latest(self._readings)
        if not newest:
            is_other = self.match.is_other_shown
            ui.muted_text(
                tr("No move yet: this is the game's first position.")
                if is_other
                else tr("No move yet: the game is about to begin.")
            )
            return
        for color in (WHITE, BLACK):
            text = self._sentences.get(color)
            if text is None:
                ui.muted_text(tr("{side} has not moved yet.").format(side=SIDES[color]))
            elif color == newest[0].color:
                ui.imgui.text_wrapped(text)
            else:
                ui.muted_text(text)

    def _draw_keys(self, ui: Ui) -> None:
        """Draw the switches of the overlays, and a legend for each overlay that is on."""
        overlays = self.overlays
        if overlays is None:
            return
        imgui = ui.imgui
        are_on = {name: getattr(overlays, name) for name, _ in KINDS}
        imgui.push_style_var(imgui.StyleVar_.frame_padding, imgui.ImVec2(4, 2))
        for number, (name, label) in enumerate(KINDS, start=1):
            width = imgui.calc_text_size(f"{number} " + label).x + 30
            if number > 1:
                imgui.same_line(0, 8)
                if imgui.get_content_region_avail().x < width:
                    imgui.new_line()
            changed, _ = imgui.checkbox((f"{number} " + label), are_on[name])
            if changed:
                overlays.by_hand("toggle", name)
        imgui.pop_style_var()
        for name, _ in KINDS:
            if are_on[name]:
                ui.muted_text(KEYS[name] if self._has_marks(name) else NOTHING[name])

    def _has_marks(self, name: str) -> bool:
        """Return whether an overlay has anything to show for the last moves."""
        if name == "population":
            return any(reading.view.first_moves for reading in self._readings.values())
        if name == "threats":
            return True
        return any(item.view.shares or item.view.scores for item in self._readings.values())

    def _draw_side(self, ui: Ui, reading: ChoiceReading) -> None:
        ui.imgui.dummy(ui.imgui.ImVec2(0, 2))
        ui.imgui.separator()
        ui.heading(reading.side + "  ·  " + reading.player.short_name)
        view = reading.view
        if reading.choice is None or not (view.shares or view.reason or reading.explanation):
            is_person = reading.player.name == "you" or words.is_unknown(reading.player)
            without = tr("No explanation: {short_name} gives none.").format(
                short_name=reading.player.short_name
            )
            if reading.choice is None and self.match.is_other_shown:
                without = tr("No explanation here, see above.")
            ui.muted_text(
                tr("No explanation: a person played this move.") if is_person else without
            )
            return
        if view.intro:
            ui.muted_text(view.intro)
        self._draw_boards(ui, reading)
        ui.key_value(tr("Point"), reading.explained_move.text(reading.move))
        if reading.choice.value is not None:
            ui.key_value(tr("Value (-1 lost, +1 won)"), f"{reading.choice.value:+.2f}")
        for name, value in view.values:
            if value:
                ui.key_value(name, value)
            else:
                ui.muted_text(name)
        for chart in self._charts[reading.color]:
            chart.draw(ui)

    def _draw_boards(self, ui: Ui, reading: ChoiceReading) -> None:
        imgui = ui.imgui
        is_large = reading.rules.size > LARGE  # side by side their numbers would be too small
        width = _width_of_boards(ui, is_large=is_large)
        for index, (board, diagram) in enumerate(self._boards[reading.color]):
            if index % BESIDE and not is_large:
                imgui.same_line(0, GAP)
            imgui.begin_group()
            ui.text(board.title, "muted")
            draw_board(ui, diagram, width)
            if board.greatest:
                draw_legend(ui, board.greatest, width)
            if board.note:
                ui.text(board.note, "muted")
            imgui.end_group()

    def _draw_threats(self, ui: Ui) -> None:
        newest = latest(self._readings)
        if not newest:
            return
        if newest[0].has_won:
            ui.muted_text(tr("The game is over."))
        elif not self._threats:
            ui.muted_text(tr("Nobody can make five, or an open four, with the next stone."))
        for color, side, text in self._threats:
            ui.text((side + " " + text), "amber" if color == BLACK else "blue")


class _Chart:
    """Curves of an explanation, computed once per move."""

    def __init__(self, chart: ChartView) -> None:
        self.chart = chart
        self.series = [
            (name, color, np.arange(float(len(values))), np.array(values, dtype=float))
            for (name, values), color in zip(chart.curves, CURVE_COLORS, strict=False)
        ]
        self.limits = _limits([value for _, values in chart.curves for value in values])

    def draw(self, ui: Ui) -> None:
        """Draw the curves as a chart."""
        ui.chart(
            self.chart.title,
            self.series,
            height=92,
            y_limits=self.limits,
            x_name=self.chart.x_name,
            y_name=self.chart.y_name,
        )


def _width_of_boards(ui: Ui, *, is_large: bool) -> float:
    """Return the width of a board: half the panel, or all of it for a large board."""
    room = float(ui.imgui.get_content_region_avail().x)
    widest = float(ui.theme.px(WIDEST))
    return min(1.6 * widest, room) if is_large else min(widest, (room - GAP) / 2)


def _limits(values: Sequence[float]) -> tuple[float, float] | None:
    """Return (low, high) limits of an axis with 8 % of space at both ends; None without values."""
    if not values:
        return None
    low, high = min(0.0, *values), max(values)
    room = 0.08 * (high - low) or 1.0
    return low - room, high + room


def _diagrams(reading: ChoiceReading) -> list[tuple[BoardView, Diagram]]:
    """Return the boards that explain a move.

    Args:
        reading: the move with its explanation.

    Returns:
        For each board its description in the explanation, and the diagram to draw.
    """
    return [
        (
            board,
            Diagram(
                reading.rules.size,
                board.stones,
                shares=board.shares,
                line=board.line,
                line_color=reading.color,
                ringed=board.ringed,
            ),
        )
        for board in reading.view.boards
    ]
