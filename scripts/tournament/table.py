"""The tournament's panel: ratings, how uncertain they are, and the results of each pair."""

from __future__ import annotations

from collections.abc import Sequence

from ai import list_players
from scripts.learning.kept_choices import ChoiceLine
from scripts.learning.panel_parts import draw_pause, draw_waiting
from scripts.tournament.tournament import LiveTournament, split_players
from sim import Script, Ui, field, tr, wording

OPENINGS = {
    "balanced": tr("balanced"),
    "first": tr("one stone", "how a game begins"),
    "none": tr("none"),
}
"""How games begin, by the value of the choice."""
LINES = (
    ChoiceLine("players", tr("players, as text")),
    ChoiceLine("games", tr("games of each pair")),
    ChoiceLine("nodes", tr("positions a move")),
    ChoiceLine("size", tr("points along a side")),
    ChoiceLine("opening", tr("opening"), words=OPENINGS),
    ChoiceLine("seed", tr("seed")),
)


class TournamentTable(Script):
    """Panel with the ratings and results of a tournament, updated after each game."""

    tournament: LiveTournament = field(None)

    def awake(self) -> None:
        self._players: list[str] | None = None

    def start(self) -> None:
        self.panel(tr("Tournament"), self.draw, dock="right", icon="chess-board")

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
        ui.heading(tr("Tournament"))
        if shown.fault:
            ui.imgui.push_text_wrap_pos(0.0)
            ui.text(shown.fault, "red")
            ui.imgui.pop_text_wrap_pos()
        elif shown.total:
            ui.key_value(
                tr("Games"),
                tr("{lines} of {total}").format(lines=len(shown.lines), total=shown.total),
            )
            ui.key_value(tr("A move"), tr("{nodes} positions").format(nodes=shown.limit.nodes))
        draw_waiting(ui, shown.waiting_for)
        if not shown.is_over and not shown.fault:
            draw_pause(ui, shown, tr("games", "are paused"))
        if ui.section(tr("Players and games"), is_open=bool(shown.fault)):
            self._draw_choices(ui, shown)
        if not shown.ratings:
            return
        self._draw_ratings(ui)
        ui.heading(tr("Who beat whom"))
        self._draw_cross(ui)
        self._draw_boards(ui)

    def _draw_choices(self, ui: Ui, shown: LiveTournament) -> None:
        """Draw what can be chosen for the next tournament, and the button that begins it."""
        choices, imgui = shown.choices, ui.imgui
        players = split_players(str(choices.value("players")))
        for place, label in enumerate(players):
            imgui.push_id(place)
            if imgui.small_button(tr("remove")):
                choices.prepare("players", ", ".join(players[:place] + players[place + 1 :]))
            ui.tip(tr("{label} does not play in the next tournament").format(label=label))
            imgui.pop_id()
            ui.same_line()
            ui.text(label)
        imgui.set_next_item_width(-1.0)
        known = self._known_players()
        chosen = imgui.combo("##add", 0, [tr("Add a player"), *known])[1]
        if chosen:
            choices.prepare("players", ", ".join((*players, known[chosen - 1])))
        choices.draw(ui, LINES)
        if choices.draw_answers(ui, tr("Start over"), tr("Begin a new tournament with these")):
            choices.take()
            shown.by_hand("start_over")

    def _known_players(self) -> list[str]:
        """Return the names of all players that compute, those of the project included."""
        if self._players is None:
            named = (info.name for info in list_players(self.tournament.run.offering))
            self._players = [name for name in named if name != "human"]
        return self._players

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
            rows.append(
                (
                    f"{place}. " + label,
                    f"{elo:.0f}",
                    tr("{low:.0f} to {high:.0f}").format(low=low, high=high),
                )
            )
        if not self._begin_table(ui, "ratings", ("", tr("Elo"), "95 %"), rows):
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
            (f"{place}. " + label, *(score,) * len(names)) for place, label in enumerate(names, 1)
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
        ui.tip(
            tr("{label} against {other}: {wins} won, {draws} drawn, {losses} lost").format(
                label=label, other=other, wins=wins, draws=draws, losses=losses
            )
        )

    def _draw_boards(self, ui: Ui) -> None:
        ui.heading(tr("On the boards (Black first)"))
        for board in self.tournament.boards:
            pairing, session = board.pairing, board.session
            if pairing is None or session is None:
                ui.muted_text(tr("{name}: free").format(name=board.object.name))
                continue
            now = board.result or tr("move {ply}").format(ply=session.board.ply + 1)
            ui.text(
                wording("{black} – {white}: {now}").format(
                    black=pairing.black, white=pairing.white, now=now
                )
            )
