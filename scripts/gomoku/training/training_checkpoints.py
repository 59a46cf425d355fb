"""The training panel's checkpoints and exports."""

from __future__ import annotations

from typing import Any

from ai import RunSeries
from scripts.gomoku.seats.changes import marks_of
from sim import Ui

SHOWN_NAME = 24


class TrainingCheckpoints:
    """The tab that saves checkpoints, rolls back, and exports."""

    def __init__(self, match: Any, coach: Any, metrics: Any) -> None:
        self.match = match
        self.coach = coach
        self.metrics = metrics
        self.name = ""
        self.note = ""

    def draw(self, ui: Ui) -> None:
        """Draw the form, the list and the export."""
        self._draw_form(ui)
        ui.heading("Roll back to")
        self._draw_list(ui)
        ui.heading("Export")
        ui.muted_text("Charts as pictures, all series as tables, TensorBoard files.")
        ui.imgui.begin_disabled(self.coach.is_exporting)
        if ui.button("Export now"):
            self.coach.log.python('component("TrainingPanel").keeping.export()')
            self.export()
        ui.imgui.end_disabled()
        if self.coach.notice:
            ui.muted_text(self.coach.notice)

    def export(self) -> None:
        """Export charts, tables and TensorBoard files of the run so far."""
        self.coach.export(self.run_series())

    def run_series(self) -> RunSeries:
        """Return all series of the run so far."""
        match, coach = self.match, self.coach
        names = f"{match.white.player} (White) against {match.black.player} (Black)"
        return RunSeries(
            title=f"{names}, seed {match.run.seed}, game {match.game}",
            series={name: self.metrics.series(name) for name in self.metrics.names()},
            changes=tuple(coach.changes),
            marks=tuple(marks_of(coach.changes)),
            ranks=tuple(match.results.all_ranks),
        )

    def _draw_form(self, ui: Ui) -> None:
        imgui = ui.imgui
        if self.coach.link is None:
            ui.muted_text("White's player does not learn: there is nothing to keep.")
            return
        for key, hint in (("name", "name of the checkpoint"), ("note", "note (optional)")):
            imgui.set_next_item_width(-1)
            _, text = imgui.input_text_with_hint(f"##{key}", hint, getattr(self, key))
            setattr(self, key, text)
        if ui.button("Checkpoint"):
            self.coach.by_hand("checkpoint", self.name, self.note)
            self.name = self.note = ""

    def _draw_list(self, ui: Ui) -> None:
        coach, imgui = self.coach, ui.imgui
        if not coach.checkpoints:
            every = f"one is kept every {coach.keep_every} games" if coach.keep_every else ""
            ui.muted_text(f"No checkpoint yet{': ' if every else ''}{every}.")
            return
        room = max(float(imgui.get_content_region_avail().y) - ui.theme.px(150.0), 90.0)
        line = float(imgui.get_text_line_height_with_spacing())
        height = min(room, line * len(coach.checkpoints) + ui.theme.px(4.0))
        if imgui.begin_child("checkpoints", imgui.ImVec2(0, height)):
            for item in reversed(coach.checkpoints):
                self._draw_checkpoint(ui, item)
        imgui.end_child()

    def _draw_checkpoint(self, ui: Ui, item: Any) -> None:
        imgui, coach = ui.imgui, self.coach
        imgui.push_id(item.place)
        is_waiting = coach.roll_back_to is not None and coach.roll_back_to.place == item.place
        if imgui.small_button("withdraw" if is_waiting else "roll back"):
            coach.by_hand("ask_roll_back", None if is_waiting else item.name)
        imgui.same_line(ui.theme.px(78.0))
        name = item.name if len(item.name) <= SHOWN_NAME else f"{item.name[: SHOWN_NAME - 1]}…"
        ui.text(name, "amber" if is_waiting else "text")
        kind = "automatic" if item.is_automatic else (item.note or "no note")
        ui.tip(
            f"{item.name}: game {item.game}, network {item.network_id}, {item.nodes} nodes\n{kind}"
        )
        right = f"game {item.game}"
        if item.name == right:
            right = f"{item.nodes} nodes"
        imgui.same_line()
        room = imgui.get_content_region_avail().x - imgui.calc_text_size(right).x
        imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + max(room, 0.0))
        ui.text(right, "muted")
        imgui.pop_id()
