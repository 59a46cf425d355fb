"""The hall's table: every board, the best first; a click flies there."""

from __future__ import annotations

from scripts.hall.board import HallBoard
from scripts.hall.front import FrontBoard
from scripts.hall.hall import Hall
from sim import Script, Ui, field

COLUMNS = (("", 62.0), ("last 50", 52.0), ("games", 46.0), ("lost", 38.0), ("nodes", 44.0),
           ("held", 40.0), ("/min", 36.0))  # fmt: skip


class HallPanel(Script):
    """Shows the boards sorted by win rate, and the hall's controls."""

    hall: Hall = field(None)
    front: FrontBoard = field(None)

    def start(self) -> None:
        self.panel("Hall", self.draw, dock="right", icon="chess-board")

    def draw(self, ui: Ui) -> None:
        """Draw the controls and the table."""
        hall, front = self.hall, self.front
        if hall is None or front is None:
            return
        boards = hall.boards
        ui.heading("Training hall")
        games = sum(board.games for board in boards)
        wins = sum(board.games - board.losses for board in boards)
        if games:
            ui.key_value("White's share of all games", f"{wins / games:.0%}")
        ui.key_value("Games", f"{games}")
        ui.key_value("Workers", f"{len(hall.links)}")
        self._draw_switches(ui, hall, front)
        self._draw_table(ui, self.ranked(boards), front)
        ui.muted_text("Click a row, or double click a board, to fly there. Escape leads back.")

    def ranked(self, boards: list[HallBoard]) -> list[HallBoard]:
        """Return the boards by win rate, the highest first; those without a game last."""
        return sorted(boards, key=lambda board: (-_or_less(board.share), board.session))

    def _draw_switches(self, ui: Ui, hall: Hall, front: FrontBoard) -> None:
        if ui.button("Resume training" if hall.is_paused else "Pause training"):
            hall.by_hand("toggle_pause")
        live = "Following live" if front.is_live else "Follow live"
        ui.beside(ui.button_width(live))
        if ui.button(live):
            front.by_hand("toggle_live")
        if front.board is not None:
            ui.beside(ui.button_width("Back"))
            if ui.button("Back"):
                front.by_hand("leave")
        label = ui.imgui.calc_text_size("show every n-th game").x
        ui.imgui.set_next_item_width(max(ui.theme.px(60), ui.room - label - ui.theme.px(8)))
        is_new, value = ui.imgui.slider_int("show every n-th game", hall.show_every, 1, 50)
        if is_new:
            hall.slot.host.set_field(hall.slot, "show_every", int(value))
        if ui.imgui.is_item_deactivated_after_edit():
            where = f"{hall.expression}.slot"
            self.log.python(f'host.set_field({where}, "show_every", {hall.show_every})')

    def _draw_table(self, ui: Ui, boards: list[HallBoard], front: FrontBoard) -> None:
        imgui = ui.imgui
        flags = imgui.TableFlags_.row_bg | imgui.TableFlags_.sizing_stretch_prop
        if not imgui.begin_table("boards", len(COLUMNS), int(flags)):
            return
        for title, width in COLUMNS:
            imgui.table_setup_column(title, 0, width)
        imgui.table_headers_row()
        for board in boards:
            imgui.table_next_row()
            imgui.table_next_column()
            flags = imgui.SelectableFlags_.span_all_columns
            label = f"{board.short_title}##{board.session}"
            if imgui.selectable(label, board is front.board, int(flags))[0]:
                front.by_hand("visit_board", board.session)
            self._draw_cells(ui, board)
        imgui.end_table()

    def _draw_cells(self, ui: Ui, board: HallBoard) -> None:
        share = board.share
        color = "muted" if share is None else "green" if share >= 0.8 else "amber"
        if (share is not None and share < 0.4) or board.stopped:
            color = "red"
        text = "stopped" if board.stopped else "–" if share is None else f"{share:.0%}"
        ui.imgui.table_next_column()
        ui.text(text, color)
        nodes = board.statistics.get("nodes", 0)
        pace = "done" if board.is_done else f"{board.pace:.0f}" if board.pace else "–"
        for value in (board.games, board.losses, nodes):
            ui.imgui.table_next_column()
            ui.text(str(value))
        ui.imgui.table_next_column()
        ui.text("–" if board.held is None else f"{board.held:.0%}",
                "amber" if board.advice else "text")  # fmt: skip
        if board.advice:
            ui.tip(board.advice.replace("`", ""))
        ui.imgui.table_next_column()
        ui.text(str(pace))


def _or_less(share: float | None) -> float:
    return -1.0 if share is None else share
