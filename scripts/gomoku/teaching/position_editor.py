"""Positions set up by hand: stones put and taken, pasted and shared, played on, analysed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from ai import (
    BLACK,
    EMPTY,
    GAME_SUFFIXES,
    RULE_NAMES,
    WHITE,
    GameFileError,
    Position,
    PositionValue,
    Rule,
    Rules,
    RulesError,
    color_name,
    read_game_file,
    read_position,
    sgf_text,
    to_text,
    write_position,
)
from ai.messages import ValuePosition
from scripts.gomoku.board.board_view import BoardView, NoPointError
from scripts.gomoku.board.names import RULE_TITLES
from scripts.gomoku.board.set_up import COLORS, TOOLS, SetUp
from scripts.gomoku.board.set_up_tools import draw_tools
from scripts.gomoku.history.evaluation import standing
from scripts.gomoku.history.explained import YOU
from scripts.gomoku.history.side_game import choices_of
from scripts.gomoku.teaching.ghost_line import GhostLine
from scripts.gomoku.teaching.position_game import PositionGame
from scripts.gomoku.teaching.puzzles import Puzzles
from scripts.gomoku.teaching.teacher_link import TeacherLink
from scripts.pieces.board_themes import COORDINATES
from sim import Script, Ui, field, on, tr, wording

LEAST, MOST = 5, 22  # points a side that the size can be set to
WON = 0.99
SIDE_WIDTH = 56.0
LINES = 4  # of the text field


class PositionEditor(Script, title=tr("Position", "of a game")):
    """Sets up a position on the board by clicks or from a text, and plays on from it."""

    board: BoardView = field(None)
    puzzles: Puzzles = field(None, help=tr("Leaves the board while a position is set up"))

    def awake(self) -> None:
        self.set_up = SetUp.empty(Rules(15))
        self.is_open = False
        """Whether the board is used for a position."""
        self.tool = "turns"
        self.typed = ""
        self.told = ""
        self.tone = "muted"
        self.value: PositionValue | None = None
        """Value of the position; None until it is analysed."""
        self._undone: list[SetUp] = []
        self._turn = 0
        self._imgui: Any = None
        self._choices: tuple[str, ...] = ()
        self._link = TeacherLink(self)
        self._line: GhostLine | None = None

    def start(self) -> None:
        if self.board is None:
            return
        self._line = GhostLine(self.board)
        self.game = PositionGame(self, self.board, self._tell, self._end_game)
        self._choices = choices_of(self.run.offering)
        self.panel(tr("Position", "of a game"), self.draw, dock="right", icon="chess-board")
        self.command("paste_position", tr("Paste a position"), self.paste, key="control+v")
        self.opens_files(GAME_SUFFIXES, self.open_file, tr("Open a position"))
        self.start_coroutine(self._serve())

    def destroy(self) -> None:
        if self._line is not None:
            self._line.destroy()

    # -- opening and leaving ------------------------------------------------------------------

    def open(self) -> None:
        """Take the board, with the position that it shows."""
        if self.is_open:
            return
        if self.puzzles is not None and self.puzzles.position is not None:
            self.set_up = SetUp.of_position(self.puzzles.position)
        self._take_board()
        self._tell(tr("Click points to put or take stones."))

    @on("puzzles.back_wanted")
    def leave(self) -> None:
        """End the game, and give the board back to the puzzles."""
        self.game.stop()
        self._clear_marks()
        self.is_open = False
        self._turn += 1
        self._tell("")
        if self.puzzles is not None:
            self.puzzles.resume()

    def _take_board(self) -> None:
        if self.puzzles is not None and not self.puzzles.is_resting:
            self.puzzles.rest()
        self.is_open = True
        self._show()

    def _show(self) -> None:
        """Show the position, without marks of earlier ones."""
        self._turn += 1
        self._clear_marks()
        self.board.show(self.set_up.state)

    def _clear_marks(self) -> None:
        self.value = None
        if self._line is not None:
            self._line.hide()
        self.board.mark_hint(None)

    # -- setting up ---------------------------------------------------------------------------

    @property
    def is_editing(self) -> bool:
        """Whether clicks put and take stones."""
        return self.is_open and not self.game.is_running

    async def _serve(self) -> None:
        """Take click after click from the board, as long as the scene lasts."""
        while True:
            await self.until(lambda: self.is_editing)
            points = frozenset(range(self.set_up.rules.points))
            turn = self._turn
            try:
                point = await self.board.ask_point(
                    points,
                    self.set_up.color_of(self.tool),
                    is_wanted=lambda turn=turn: self.is_editing and turn == self._turn,  # type: ignore[misc]
                )
            except NoPointError:
                continue
            self.click(point)

    def click(self, point: int) -> None:
        """Use the selected tool on a point, as a click does.

        A stone of the same color is taken away. "In turns" takes away any stone.

        Args:
            point: the point.
        """
        self.change(self.set_up.with_click(point, self.tool))

    def change(self, after: SetUp) -> None:
        """Show another position; `undo` brings the present one back."""
        self._undone.append(self.set_up)
        self.set_up = after
        self._tell("")
        self._show()

    def undo(self) -> None:
        """Bring the position before the last change back; in a game, take a move back."""
        if self.game.is_running:
            if not self.game.take_back():
                self._tell(tr("You have no move to take back"))
        elif self._undone:
            self.set_up = self._undone.pop()
            self._show()
        else:
            self._tell(tr("Nothing was changed"))

    def choose(self, tool: str) -> None:
        """Select what a click does: "turns", "black", "white" or "remove"."""
        if tool not in TOOLS:
            self._tell(
                f"expected one of {', '.join(TOOLS)}, found {tool!r}",
                "red",
            )
            return
        self.tool = tool
        self._turn += 1

    def move_next(self, side: str) -> None:
        """Set the side to move, "black" or "white"."""
        self.change(replace(self.set_up, to_move=COLORS[side]))

    def clear(self) -> None:
        """Take all stones away."""
        self.change(SetUp.empty(self.set_up.rules))

    def play_by(self, size: int, rule: str) -> None:
        """Change the board's size and the rule; stones keep their place around the middle.

        Args:
            size: points along a side.
            rule: "freestyle", "standard", "renju" or "caro".
        """
        try:
            rules = Rules(size, self.set_up.rules.win_length, Rule(rule))
        except (RulesError, ValueError) as error:
            self._tell(str(error), "red")
            return
        if rules != self.set_up.rules:
            self.change(self.set_up.with_rules(rules))

    # -- pasted and shared --------------------------------------------------------------------

    def paste(self) -> None:
        """Read the position that the clipboard holds."""
        if self._imgui is None:  # the panel was never drawn
            self._tell(tr("Open the panel Position to paste"), "amber")
        else:
            self.read(self._imgui.get_clipboard_text() or "")

    def read(self, text: str) -> None:
        """Set up the position that a text states; a text that cannot be read changes nothing.

        Args:
            text: a drawn position, SGF, or moves such as "h8 i9".
        """
        try:
            game = read_position(text)
            after = SetUp.of_game(game)
        except GameFileError as error:
            self._tell(tr("Not read: {error}").format(error=error), "red")
            return
        self._undone.append(self.set_up)
        self.game.stop()
        self.set_up = after
        self._take_board()
        stones = len(after.stones) - after.stones.count(EMPTY)
        notes = wording(". {notes}").format(notes=game.notes[0]) if game.notes else ""
        self._tell(
            tr("Read a position of {stones} stones{notes}").format(stones=stones, notes=notes)
        )

    def open_file(self, path: str) -> None:
        """Set up the last position of a game file; errors are told and change nothing."""
        try:
            game = read_game_file(Path(path))[0]
            after = SetUp.of_game(game)
        except GameFileError as error:
            self._tell(tr("Not read: {error}").format(error=error), "red")
            return
        self._undone.append(self.set_up)
        self.game.stop()
        self.set_up = after
        self._take_board()
        self._tell(tr("Opened {name}").format(name=Path(path).name))

    def text(self) -> str:
        """Return the position as a drawing that `read` reads again."""
        return write_position(self._shown().written())

    def sgf(self) -> str:
        """Return the position as SGF."""
        return sgf_text(self._shown().written())

    def _shown(self) -> SetUp:
        """Return the position on the board: of the game, of the puzzle, or the set-up."""
        session = self.game.session
        if self.game.is_running and session is not None:
            return SetUp.of_position(session.board)
        if not self.is_open and self.puzzles is not None and self.puzzles.position is not None:
            return SetUp.of_position(self.puzzles.position)
        return self.set_up

    def copy(self, form: str) -> None:
        """Copy the position to the clipboard.

        Args:
            form: "text" or "sgf".
        """
        text = self.sgf() if form == "sgf" else self.text()
        if self._imgui is None:
            self._tell(tr("There is no clipboard without a window"), "red")
            return
        self._imgui.set_clipboard_text(text)
        self._tell(tr("Copied as SGF") if form == "sgf" else tr("Copied as text"))

    def save_picture(self) -> None:
        """Ask where a picture of the position is to be saved, and write it there."""
        self.ask_save(self.write_picture, tr("Save the position"), (".png",), name="position.png")

    def write_picture(self, path: str) -> None:
        """Write a picture of the position to a file.

        Raises:
            OSError: the file cannot be written.
        """
        from scripts.gomoku.board.board_painter import encoded, position_picture

        shown = self._shown()
        text = tr("{color_name} to move, {rule}").format(
            color_name=wording(color_name(shown.to_move).capitalize()),
            rule=wording(shown.rules.rule.value),
        )
        picture = position_picture(shown.state, self.board.look, COORDINATES[1], text)
        Path(path).write_bytes(encoded(picture, ".png"))
        self._tell(tr("Saved {path}").format(path=path))

    # -- playing on and analysing -------------------------------------------------------------

    def seat(self, side: str, name: str) -> None:
        """Select the player of a side, "black" or "white"; "you" for a person."""
        self.game.seated[COLORS[side]] = name

    def play_on(self) -> None:
        """Play on from the position with the selected players."""
        fault = self.set_up.fault
        if fault:
            self._tell(fault, "red")
            return
        if not self.is_open:
            self.open()
        self._clear_marks()
        self.game.begin(self.set_up.record())

    def stop(self) -> None:
        """End the game; its position becomes the one that is set up."""
        shown = self._shown()
        self.game.stop()
        self.change(shown)

    def _end_game(self, position: Position) -> None:
        """Set up the last position of a game that has ended."""
        self.change(SetUp.of_position(position))

    def analyse(self) -> None:
        """Value the position and show the expected line on the board."""
        shown = self._shown()
        if shown.fault:
            self._tell(shown.fault, "red")
        else:
            self.start_coroutine(self._analyse(shown))

    async def _analyse(self, shown: SetUp) -> None:
        turn = self._turn
        self._tell(tr("Analysing …"))
        record = shown.record()
        found = await self._link.ask(
            ValuePosition(record.rules, record.moves), is_wanted=lambda: turn == self._turn
        )
        if turn != self._turn or shown != self._shown():
            return
        if found is None:
            self._tell(self._link.fault or tr("The search took too long: try again"), "amber")
            return
        self.value = found
        line = found.line or (() if found.best is None else (found.best,))
        if self._line is not None:
            self._line.show(line, shown.to_move)
        self._tell(value_words(found, shown), "green")

    def _tell(self, text: str, tone: str = "muted") -> None:
        self.told, self.tone = text, tone
        if text:
            self.status.set("position", text)
        else:
            self.status.clear("position")

    # -- the panel ----------------------------------------------------------------------------

    def draw(self, ui: Ui) -> None:
        """Draw the tools, the text field, and what can be done with the position."""
        self._imgui = ui.imgui
        if self.game.is_running:
            self._draw_game(ui)
        elif self.is_open:
            self._draw_editor(ui)
        else:
            ui.muted_text(tr("Set up a position of your own, or paste one."))
            self._draw_buttons(
                ui,
                (
                    (tr("Set up this position"), tr("Edit what is on the board"), "open", ()),
                    (tr("Paste (Ctrl+V)"), tr("Text or SGF from the clipboard"), "paste", ()),
                ),
            )
        fault = self.set_up.fault if self.is_editing else ""
        for text, tone in ((fault, "red"), (self._note(), "amber"), (self.told, self.tone)):
            if text:
                self._draw_words(ui, text, tone)
        self._draw_sharing(ui)

    def _note(self) -> str:
        return self.set_up.note if self.is_editing and not self.set_up.fault else ""

    def _draw_words(self, ui: Ui, text: str, tone: str) -> None:
        """Draw text in a colour, in as many lines as it needs."""
        ui.imgui.push_text_wrap_pos(0.0)
        ui.text(text, tone)
        ui.imgui.pop_text_wrap_pos()

    def _draw_editor(self, ui: Ui) -> None:
        draw_tools(ui, self.set_up, self.tool, self.by_hand)
        self._draw_rules(ui)
        self._draw_buttons(
            ui,
            (
                (tr("Undo"), tr("Take the last change back"), "undo", ()),
                (tr("Clear"), tr("Take all stones away"), "clear", ()),
                (tr("Done"), tr("Back to the puzzles"), "leave", ()),
            ),
        )
        ui.imgui.separator()
        for color in (BLACK, WHITE):
            self._draw_seat(ui, color)
        self._draw_buttons(
            ui,
            (
                (tr("Play on"), tr("Play on from this position"), "play_on", ()),
                (tr("Analyse"), tr("Value of the position and the expected line"), "analyse", ()),
            ),
        )

    def _draw_rules(self, ui: Ui) -> None:
        rules = self.set_up.rules
        names = list(RULE_NAMES)
        titles = [RULE_TITLES[name] for name in names]
        ui.imgui.set_next_item_width(min(ui.room, ui.theme.px(110)))
        has_rule, index = ui.imgui.combo("##rule", names.index(str(rules.rule)), titles)
        ui.tip(tr("Which rows win"))
        ui.beside(ui.theme.px(110))
        ui.imgui.set_next_item_width(min(ui.room, ui.theme.px(110)))
        flags = int(ui.imgui.SliderFlags_.always_clamp)
        has_size, size = ui.imgui.slider_int(
            "##size", rules.size, LEAST, MOST, tr("%d points"), flags
        )
        ui.tip(tr("Points along a side of the board"))
        if has_rule or has_size:
            self.by_hand("play_by", int(size), names[index])

    def _draw_seat(self, ui: Ui, color: int) -> None:
        side = color_name(color)
        ui.imgui.align_text_to_frame_padding()
        ui.text(wording(side.capitalize()), "muted")
        ui.same_line(ui.theme.px(SIDE_WIDTH))
        ui.imgui.set_next_item_width(ui.room)
        chosen = self.game.seated[color]
        names = self._choices if chosen in self._choices else (*self._choices, chosen)
        has_changed, index = ui.imgui.combo(f"##{side}", names.index(chosen), list(names))
        ui.tip(tr("Who plays {side}").format(side=wording(side.capitalize())))
        if has_changed:
            self.by_hand("seat", side, names[index])

    def _draw_game(self, ui: Ui) -> None:
        sides = tr(" against ").join(self.game.seated[color] for color in (BLACK, WHITE))
        ui.heading(sides)
        buttons = [
            (tr("Undo"), tr("Take your last move back"), "undo", ()),
            (tr("Stop"), tr("Stop here and edit this position"), "stop", ()),
            (tr("Analyse"), tr("Value of the position and the expected line"), "analyse", ()),
        ]
        self._draw_buttons(ui, buttons if YOU in self.game.seated.values() else buttons[1:])

    def _draw_sharing(self, ui: Ui) -> None:
        ui.imgui.separator()
        buttons: list[tuple[str, str, str, tuple[Any, ...]]] = [
            (tr("Copy text"), tr("Copy the position as a drawing of letters"), "copy", ("text",)),
            (tr("Copy SGF"), tr("Copy the position for other programs"), "copy", ("sgf",)),
            (tr("Picture"), tr("Save a picture of the position"), "save_picture", ()),
        ]
        if self.is_open:
            buttons.insert(
                0, (tr("Paste (Ctrl+V)"), tr("Text or SGF from the clipboard"), "paste", ())
            )
        self._draw_buttons(ui, buttons)
        ui.muted_text(tr("Or type or paste here: moves, a drawing, or SGF"))
        size = ui.imgui.ImVec2(ui.room, ui.imgui.get_text_line_height() * (LINES + 0.6))
        _, self.typed = ui.imgui.input_text_multiline("##text", self.typed, size)
        if ui.button(tr("Read"), tip=tr("Set up what the field says")) and self.typed.strip():
            self.by_hand("read", self.typed)

    def _draw_buttons(self, ui: Ui, buttons: Any) -> None:
        for index, (label, tip, method, arguments) in enumerate(buttons):
            if index:
                ui.beside(ui.button_width(label))
            if ui.button(label, tip=tip):
                self.by_hand(method, *arguments)


def value_words(found: PositionValue, shown: SetUp) -> str:
    """Return the value of a position as words: who wins and how, or who stands better.

    Args:
        found: the value, for the side to move.
        shown: the position.
    """
    side, other = (
        wording(color_name(color).capitalize()) for color in (shown.to_move, -shown.to_move)
    )
    proof = tr("proven") if found.is_proven else tr("found by search")
    if abs(found.value) >= WON:
        winner = side if found.value > 0 else other
        own = "" if found.plies is None else tr(" in {plies}").format(plies=(found.plies + 1) // 2)
        text = tr("{winner} wins{own} ({proof})").format(winner=winner, own=own, proof=proof)
    else:
        text = tr("{side} stands {standing} ({value:+.2f})").format(
            side=side, standing=standing(found.value), value=found.value
        )
    rules = shown.rules
    line = found.line or (() if found.best is None else (found.best,))
    moves = " ".join(to_text(move, rules.size, rules.rows) for move in line[:9])
    return (text + ": " + moves) if moves else text
