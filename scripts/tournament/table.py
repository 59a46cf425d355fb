"""The tournament's panel: ratings, how uncertain they are, and the results of each pair."""

from __future__ import annotations

from collections.abc import Sequence

from scripts.tournament.tournament import LiveTournament
from sim import Script, Ui, field


class TournamentTable(Script):
    """Panel with the ratings and results of a tournament, updated after each game."""

    tournament: LiveTournament = field(None)

    def start(self) -> None:
        self.panel("Tournament", self.draw, dock="right", icon="chess-board")

    @property
    def ranked(self) -> list[str]:
        """The players, the highest rating first."""
        shown = self.tournament
        return sorted(shown.labels, key=lambda label: -shown.ratings[label].elo)

    def draw(self, ui: Ui) -> None:
        """Draw ratings, results and running games, or the error that prevents the tournament."""
        shown = self.tournament
        if shown is None:
            return
        ui.heading("Tournament")
        if shown.fault:
            ui.text(shown.fault, "red")
            ui.muted_text(
                "To change the players, edit them in the Inspector, then press Stop and Play."
            )
            return
        if not shown.total:
            ui.muted_text("Choosing random openings")
            return
        ui.key_value("Games", f"{len(shown.lines)} of {shown.total}")
        ui.key_value("Openings", f"{shown.opening}, with both colours")
        ui.key_value("A move", f"{shown.nodes} positions")
        self._draw_ratings(ui)
        ui.heading("Who beat whom")
        self._draw_cross(ui)
        self._draw_boards(ui)

    def _begin_table(
        self, ui: Ui, name: str, titles: tuple[str, ...], rows: Sequence[tuple[str, ...]]
    ) -> bool:
        """Begin a table whose columns are as wide as their longest texts, and draw its header.

        Args:
            ui: user interface of the panel.
            name: name of the table, unique in the panel.
            titles: title of each column.
            rows: texts of each row, to measure them; they are not drawn.

        Returns:
            Whether the table is visible. Only then draw its rows, and end it.
        """
        imgui = ui.imgui
        flags = imgui.TableFlags_.row_bg | imgui.TableFlags_.sizing_stretch_prop
        if not imgui.begin_table(name, len(titles), int(flags)):
            return False
        for texts in zip(titles, *rows, strict=True):
            wide = max(imgui.calc_text_size(text).x for text in texts)
            imgui.table_setup_column(texts[0], 0, wide)
        imgui.table_headers_row()
        return True

    def _draw_ratings(self, ui: Ui) -> None:
        rows = []
        for place, label in enumerate(self.ranked, start=1):
            elo, low, high = self.tournament.ratings[label]
            rows.append((f"{place}. {label}", f"{elo:.0f}", f"{low:.0f} to {high:.0f}"))
        if not self._begin_table(ui, "ratings", ("", "Elo", "95 %"), rows):
            return
        for row in rows:
            ui.imgui.table_next_row()
            for text in row:
                ui.imgui.table_next_column()
                ui.text(text)
        ui.imgui.end_table()

    def _draw_cross(self, ui: Ui) -> None:
        imgui, names = ui.imgui, self.ranked
        numbers = tuple(str(number) for number in range(1, len(names) + 1))
        score = f"{self.tournament.games}:0"  # as wide as one that has all points
        rows = [
            (f"{place}. {label}", *(score,) * len(names)) for place, label in enumerate(names, 1)
        ]
        if not self._begin_table(ui, "cross", ("", *numbers), rows):
            return
        for (title, *_), label in zip(rows, names, strict=True):
            imgui.table_next_row()
            imgui.table_next_column()
            ui.text(title)
            for other in names:
                imgui.table_next_column()
                self._draw_score(ui, label, other)
        imgui.end_table()

    def _draw_score(self, ui: Ui, label: str, other: str) -> None:
        counts = self.tournament.table.get((label, other))
        if counts is None:
            ui.text("" if label == other else "–", "muted")
            return
        wins, draws, losses = counts
        color = "green" if wins > losses else "red" if losses > wins else "text"
        ui.text(f"{wins + draws / 2:g}:{losses + draws / 2:g}", color)
        ui.tip(f"{label} against {other}: {wins} won, {draws} drawn, {losses} lost")

    def _draw_boards(self, ui: Ui) -> None:
        ui.heading("On the boards (Black first)")
        for board in self.tournament.boards:
            pairing, session = board.pairing, board.session
            if pairing is None or session is None:
                ui.muted_text(f"{board.object.name}: free")
                continue
            now = board.result or f"move {session.board.ply + 1}"
            ui.text(f"{pairing.black} – {pairing.white}: {now}")
