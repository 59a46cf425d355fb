"""The hall's panel: a table of all boards, the best first; a click on a row flies there."""

from __future__ import annotations

from scripts.gomoku.seats.cnn_ann_seat import KINDS
from scripts.hall.board import HallBoard
from scripts.hall.front import FrontBoard
from scripts.hall.hall import Hall
from scripts.learning.kept_choices import ChoiceLine
from scripts.learning.panel_parts import (
    FieldSliders,
    Slider,
    TableCell,
    TableColumn,
    TableRow,
    draw_pause,
    draw_table,
    draw_waiting,
)
from sim import Script, Ui, field, tr

COLUMNS = (
    TableColumn(tr("back", "looks back over lost games"), 33.0),
    TableColumn(tr("merges", "of situations"), 53.0),
    TableColumn(tr("last 50"), 47.0),
    TableColumn(tr("games", "column"), 46.0),
    TableColumn(tr("lost", "column"), 29.0),
    TableColumn(tr("nodes", "column"), 41.0),
    TableColumn(tr("held", "column"), 32.0),
    TableColumn(tr("/min"), 34.0),
)
LINES = (
    ChoiceLine("player", values=("", *KINDS), empty=tr("each board's own")),
    ChoiceLine("ga", tr("Black's strength"), values=("5x5", "10x10", "20x20", "50x30")),
    ChoiceLine("games", tr("games of a board")),
    ChoiceLine("attempt", tr("attempt")),
    ChoiceLine("processes", tr("workers (next start)")),
)
BEGIN = tr("Open all boards with these. What was learnt with others stays, and goes on with them")
SAVE_TIP = tr(
    "Write what this board has learnt into one file, to keep it or move it to another machine"
)
LOAD_TIP = tr(
    "Load such a file, also of the live match. It replaces what this board has learnt: save that "
    "first to go back to it"
)
EVERY = (Slider("show_every", 1, 50, "%d", tr("show every n-th game")),)


class HallPanel(Script):
    """Panel with the hall's controls and a table of its boards, sorted by win rate."""

    hall: Hall = field(None)
    focus_board: FrontBoard = field(None, former=("front",))

    def awake(self) -> None:
        self.sliders = FieldSliders()

    def start(self) -> None:
        self.panel(tr("Hall"), self.draw, dock="right", icon="chess-board")

    def draw(self, ui: Ui) -> None:
        """Draw the controls and the table."""
        hall, focus_board = self.hall, self.focus_board
        if hall is None or focus_board is None:
            return
        boards = hall.boards
        ui.heading(tr("Training hall"))
        games = sum(board.games for board in boards)
        wins = sum(board.games - board.losses for board in boards)
        if games:
            ui.key_value(tr("White's share of all games"), f"{wins / games:.0%}")
        ui.key_value(tr("Games"), f"{games}")
        ui.key_value(tr("Workers"), f"{len(hall.links)}")
        draw_waiting(ui, hall.waiting_for)
        self._draw_switches(ui, hall, focus_board)
        if ui.section(tr("Players and games"), is_open=False):
            hall.choices.draw(ui, LINES)
            if hall.choices.draw_answers(ui, tr("Begin"), BEGIN):
                hall.choices.take()
                hall.by_hand("start_over")
        if ui.section(tr("What was learnt"), is_open=False):
            self._draw_files(ui, hall, focus_board.board)
        rows = [
            TableRow(cells_of(board), board.session, board is focus_board.board)
            for board in self.ranked(boards)
        ]
        clicked = draw_table(ui, "boards", COLUMNS, rows)
        if clicked is not None:
            focus_board.by_hand("visit_board", clicked)
        ui.muted_text(tr("Click a row, or double click a board, to fly there. Escape leads back."))

    def _draw_files(self, ui: Ui, hall: Hall, board: HallBoard | None) -> None:
        """Draw the buttons that save what the visited board has learnt, and load it from a file."""
        if board is None:
            ui.muted_text(tr("Fly to a board: what it has learnt is saved and loaded here."))
        else:
            ui.imgui.text_wrapped(
                tr("{board}: {title}").format(board=board.object.name, title=board.title)
            )
            ui.imgui.begin_disabled(board.base is None or bool(board.stopped))
            for label, icon, method, tip in (
                (tr("Save to a file …"), "floppy-disk", "ask_save_learnt", SAVE_TIP),
                (tr("Load from a file …"), "folder-open", "ask_load_learnt", LOAD_TIP),
            ):
                if method == "ask_load_learnt":
                    ui.beside(ui.button_width(label, icon=icon))
                if ui.button(label, icon=icon, tip=tip):
                    hall.by_hand(method, board.session)
            ui.imgui.end_disabled()
        if hall.notice:
            ui.muted_text(hall.notice)

    def ranked(self, boards: list[HallBoard]) -> list[HallBoard]:
        """Return the boards by win rate, the highest first; those without a game last."""
        return sorted(boards, key=lambda board: (-_or_less(board.share), board.session))

    def _draw_switches(self, ui: Ui, hall: Hall, focus_board: FrontBoard) -> None:
        draw_pause(ui, hall)
        live = tr("Following live") if focus_board.is_live else tr("Follow live")
        ui.beside(ui.button_width(live))
        if ui.button(live):
            focus_board.by_hand("toggle_live")
        if focus_board.board is not None:
            ui.beside(ui.button_width(tr("Back")))
            if ui.button(tr("Back")):
                focus_board.by_hand("leave")
        self.sliders.draw(ui, hall, EVERY)


def cells_of(board: HallBoard) -> list[TableCell | str]:
    """Return a board's table row, one cell for each of `COLUMNS`."""
    share = board.share
    color = "muted" if share is None else "green" if share >= 0.8 else "amber"
    if (share is not None and share < 0.4) or board.stopped:
        color = "red"
    text = tr("stopped") if board.stopped else "–" if share is None else f"{share:.0%}"
    held = "–" if board.held is None else f"{board.held:.0%}"
    pace = tr("done") if board.is_done else f"{board.pace:.0f}" if board.pace else "–"
    return [
        TableCell(str(board.records), tip=board.title),
        board.merging,
        TableCell(text, color),
        str(board.games),
        str(board.losses),
        str(board.statistics.get("nodes", 0)),
        TableCell(held, "amber" if board.advice else "text", board.advice.replace("`", "")),
        pace,
    ]


def _or_less(share: float | None) -> float:
    return -1.0 if share is None else share
