"""Edits the position that a review shows: stones are put and taken, and the result is reviewed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ai import GameFileError, Rules, read_position
from scripts.gomoku.board.board_view import NoPointError
from scripts.gomoku.board.set_up import COLORS, TOOLS, SetUp
from scripts.gomoku.board.set_up_tools import draw_tools
from scripts.gomoku.history.explained import played_by_strangers
from scripts.gomoku.history.game_viewer import GameViewer
from scripts.gomoku.history.review import GameReview, ReviewedGame
from sim import Script, Task, Ui, tr


class PositionEdit:
    """Edits the position on the board of a viewer. What comes of it is reviewed as a game.

    Attributes:
        set_up: the position as it is edited; None while nothing is edited.
        tool: what a click does, a key of `TOOLS`.
    """

    def __init__(self, script: Script, viewer: GameViewer, review: GameReview, name: str) -> None:
        """Create the editing; nothing is edited yet.

        Args:
            script: script that owns the coroutine.
            viewer: viewer of the game.
            review: its review.
            name: attribute of the script that holds this object, for lines in the console.
        """
        self.set_up: SetUp | None = None
        self.tool = "turns"
        self.refusal = ""
        """Why a text was not read; empty after the next change."""
        self._script, self._viewer, self._review, self._name = script, viewer, review, name
        self._undone: list[SetUp] = []
        self._task: Task | None = None
        self._turn = 0
        self._origin: tuple[ReviewedGame, int] | None = None

    @property
    def is_open(self) -> bool:
        """Whether the position is being edited."""
        return self.set_up is not None

    @property
    def is_possible(self) -> bool:
        """Whether positions of the open game can be edited: stones in a row without gravity."""
        rules = None if self._viewer.record is None else self._viewer.record.rules
        return isinstance(rules, Rules) and not rules.gravity and not self._viewer.is_locked

    @property
    def has_origin(self) -> bool:
        """Whether an edited position is reviewed, of a game to which one can go back."""
        return self._origin is not None

    @property
    def file_ending(self) -> str:
        """End of the name under which a reviewed position is saved; empty for a game itself."""
        return "" if self._origin is None else f"-edited-at-{self._origin[1]}"

    # -- what the buttons do ------------------------------------------------------------------

    def by_hand(self, method: str, *arguments: Any) -> None:
        """Call a method for the user, and write the call to the console."""
        words = ", ".join(map(repr, arguments))
        self._script.log.python(f"{self._script.expression}.{self._name}.{method}({words})")
        getattr(self, method)(*arguments)

    def begin(self) -> None:
        """Edit the position that is shown."""
        position = self._viewer.position
        if position is None or not self.is_possible:
            return
        self._viewer.pause()
        self.set_up = SetUp.of_position(position)
        self._undone, self.refusal = [], ""
        self._viewer.is_locked, self._viewer.guest = True, self
        self._show()
        self._task = self._script.start_coroutine(self._serve())

    def click(self, point: int) -> None:
        """Use the tool on a point, as a click does.

        Args:
            point: the point.
        """
        if self.set_up is not None:
            self._change(self.set_up.with_click(point, self.tool))

    def choose(self, tool: str) -> None:
        """Select what a click does: "turns", "black", "white" or "remove"."""
        if tool not in TOOLS:
            raise ValueError(f"expected one of {', '.join(TOOLS)}, found {tool!r}")
        self.tool = tool
        self._turn += 1

    def move_next(self, side: str) -> None:
        """Set the side to move, "black" or "white"."""
        if self.set_up is not None:
            self._change(replace(self.set_up, to_move=COLORS[side]))

    def read(self, text: str) -> None:
        """Set up the position that a text states, on this board and by its rule.

        A text that cannot be read, or of a board of another size, changes nothing and is told.

        Args:
            text: moves such as "h8 i9", a drawn position, or SGF.
        """
        if self.set_up is None:
            return
        rules = self.set_up.rules
        try:
            after = SetUp.of_game(read_position(text))
        except GameFileError as error:
            self.refusal = tr("Not read: {error}").format(error=error)
            return
        found = (after.rules.size, after.rules.height)
        if found != (rules.size, rules.height):
            self.refusal = tr(
                "Not read: expected a position on {expected}, found one on {found}"
            ).format(expected=_size_of(rules), found=_size_of(after.rules))
            return
        self._change(replace(after, rules=rules))

    def undo(self) -> None:
        """Take the last change back."""
        self.refusal = ""
        if self._undone:
            self.set_up = self._undone.pop()
            self._show()

    def leave(self) -> str:
        """Stop editing, and show the position of the game again; return an empty text."""
        self.stop()
        self._viewer.go_to(self._viewer.ply)
        return ""

    def stop(self) -> None:
        """Stop editing, without showing anything."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self.set_up = None
        if self._viewer.guest is self:
            self._viewer.guest, self._viewer.is_locked = None, False
        self._script.status.clear("edit")

    def use(self) -> None:
        """Review the edited position: its value, compared moves, and playing on from it."""
        edited, game, ply = self.set_up, self._review.game, self._viewer.ply
        if edited is None or game is None or edited.fault:
            return
        if self._origin is None:
            self._origin = (game, ply)
        self.stop()
        written = edited.written()
        record = edited.record(game.record.game)
        digest = hashlib.sha256(repr(written).encode()).hexdigest()[:16]
        title = tr("Position from {title}, move {origin}").format(
            title=self._origin[0].title, origin=self._origin[1]
        )
        strangers = played_by_strangers({})
        found = ReviewedGame(record, f"position-{digest}", title, written, strangers)
        self._open(found, len(record.moves))

    def go_back(self) -> None:
        """Show the game again from which the edited position comes."""
        if self._origin is not None:
            game, ply = self._origin
            self._origin = None
            self._open(game, ply)

    def forget(self) -> None:
        """Forget the game from which the edited position comes: another one is opened."""
        self.stop()
        self._origin = None

    def _open(self, game: ReviewedGame, ply: int) -> None:
        self._viewer.open(game.record, ply=ply, title=game.title, played_by=game.played_by)
        self._review.open(game)

    # -- on the board -------------------------------------------------------------------------

    def _change(self, after: SetUp) -> None:
        if self.set_up is not None:
            self._undone.append(self.set_up)
        self.set_up, self.refusal = after, ""
        self._show()

    def _show(self) -> None:
        """Show the edited position on the board."""
        self._turn += 1
        if self.set_up is not None:
            self._viewer.board.show(self.set_up.state)
            self._script.status.set("edit", tr("Click points to put or take stones"))

    async def _serve(self) -> None:
        """Take click after click from the board, until the editing ends."""
        while self.set_up is not None:
            turn, points = self._turn, frozenset(range(self.set_up.rules.points))
            color = self.set_up.color_of(self.tool)
            try:
                point = await self._viewer.board.ask_point(
                    points, color, is_wanted=self._is_same(turn)
                )
            except NoPointError:
                continue
            self.click(point)

    def _is_same(self, turn: int) -> Callable[[], bool]:
        return lambda: turn == self._turn

    # -- the panel ----------------------------------------------------------------------------

    def draw(self, ui: Ui) -> None:
        """Draw the button that begins, or the tools while the position is edited."""
        if self.set_up is not None:
            self._draw_tools(ui, self.set_up)
            return
        tip = tr("Put and take stones on the board; then see its value, and play on")
        if self.is_possible and ui.button(tr("Edit this position"), icon="pen-to-square", tip=tip):
            self.by_hand("begin")
        if self._origin is not None:
            ui.beside(ui.button_width(tr("Back to the game"), icon="arrow-left"))
            tip = tr("{title}, where you left it").format(title=self._origin[0].title)
            if ui.button(tr("Back to the game"), icon="arrow-left", tip=tip):
                self.by_hand("go_back")

    def _draw_tools(self, ui: Ui, edited: SetUp) -> None:
        draw_tools(ui, edited, self.tool, self.by_hand)
        fault, note = edited.fault, edited.note
        ui.imgui.begin_disabled(bool(fault))
        tip = tr("Its value and the best moves; from there you can play on")
        if ui.button(tr("Review it") + "##edited", icon="magnifying-glass", tip=tip):
            self.by_hand("use")
        ui.imgui.end_disabled()
        for label, method, tip in (
            (tr("Undo") + "##edited", "undo", tr("Take the last change back")),
            (tr("Cancel") + "##edited", "leave", tr("Back to the game's position (Escape)")),
        ):
            ui.beside(ui.button_width(label))
            if ui.button(label, tip=tip):
                self.by_hand(method)
        ui.beside(ui.button_width(tr("Paste"), icon="paste"))
        tip = tr("Moves such as h8 i9, a drawing, or SGF from the clipboard")
        if ui.button(tr("Paste"), icon="paste", tip=tip):
            self.by_hand("read", ui.imgui.get_clipboard_text() or "")
        fault = self.refusal or fault
        if fault or note:  # below: no button moves away from the pointer
            ui.imgui.push_text_wrap_pos(0.0)
            ui.text(fault or note, "red" if fault else "amber")
            ui.imgui.pop_text_wrap_pos()


def _size_of(rules: Rules) -> str:
    return f"{rules.size}x{rules.height or rules.size}"
