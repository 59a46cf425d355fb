"""Teaching while a person plays: a blunder is told before it is played."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ai import MoveVerdict, Position
from ai.messages import JudgeMove, ValuePosition
from scripts.gomoku.board.board_view import BoardView, NoPointError
from scripts.gomoku.game.human_controls import HumanControls
from scripts.gomoku.game.match import Match
from scripts.gomoku.game.user_file import UserFile
from scripts.gomoku.teaching.ghost_line import GhostLine
from scripts.gomoku.teaching.teacher_link import TeacherLink
from sim import Script, Ui, capitalized, field, tr, wording

FILE = "teacher.json"
WRAP = 350.0  # width of what is told
SWITCH = tr("Teach me")
TIP = tr(
    "Before a blunder of yours is played, say what it loses. "
    "The searches of the reviews judge each move"
)


class Teacher(Script):
    """Tells a person's blunder before it is played, with what it loses and its refutation.

    The person takes the move back, plays it anyway, or lets the refutation be shown.
    """

    match: Match = field(None)
    board: BoardView = field(None)
    controls: HumanControls = field(None, help=tr("Panel that gets the switch"))
    is_on: bool = field(False, title=SWITCH, help=TIP)
    longest: float = field(
        4.0, min=0.1, max=60.0, unit="s", help=tr("A judgement that takes longer is not waited for")
    )

    def awake(self) -> None:
        self.verdict: MoveVerdict | None = None
        """The blunder that is being told; None for none."""
        self.is_line_shown = False
        self._position: Position | None = None
        self._decided: str = ""
        self._link = TeacherLink(self)
        self._line: GhostLine | None = None
        self._prepared: object = None
        self._file: UserFile | None = None

    def start(self) -> None:
        if self.match is None or self.board is None:
            return
        self._line = GhostLine(self.board)
        self.match.adviser = self.advise
        if self.controls is not None:
            self.controls.switches.append(self.draw_switch)
            self.controls.before_undo = self.take_back
        if not self.run.temporary_data and not self.is_on:
            self._file = UserFile(self.run.data_dir / FILE)
            self.is_on = self._file.read().get("is_on") is True

    def destroy(self) -> None:
        if self._line is not None:
            self._line.destroy()

    def update(self, dt: float) -> None:
        """Value the position beforehand while the person thinks, so that the judgement is quick."""
        if not self.is_on or self.match is None or not self.is_allowed:
            return
        session = self.match.table.session
        if session is None or session.is_over or not session.opening.is_over:
            return
        board = session.board
        place = (id(session), tuple(board.moves))
        if board.to_move in self.match.table.people and place != self._prepared:
            self._prepared = place
            self.start_coroutine(self._prepare(ValuePosition(board.rules, place[1])))

    async def _prepare(self, message: ValuePosition) -> None:
        await self._link.ask(message)

    @property
    def is_allowed(self) -> bool:
        """Whether the game at the board allows hints and take-backs, as teaching gives both."""
        rights = self.match.table.rights
        return rights.hints and rights.takes_back

    def switch(self, *, is_on: bool) -> None:
        """Turn teaching on or off; the choice is kept for the next start."""
        self.is_on = is_on
        if not is_on and self.verdict is not None:
            self.play_anyway()
        if self._file is not None:
            self._file.write({"is_on": is_on})
            if self._file.fault:
                self.log.warning(self._file.fault)

    # -- a person's move ----------------------------------------------------------------------

    async def advise(
        self, position: Position, move: int, is_wanted: Callable[[], bool]
    ) -> int | None:
        """Return the move that is to be played instead of a person's move; None to take it back.

        A move that is no blunder is returned as it is. Otherwise the person is asked. A click on
        another point chooses that point, which is judged in turn.

        Args:
            position: the position before the move.
            move: the move.
            is_wanted: called while waiting; returning False takes the move back.
        """
        while self.is_on and self.is_allowed:
            verdict = await self._judged(position, move, is_wanted)
            if verdict is None or not verdict.is_blunder:
                return move
            chosen = await self._decision(position, verdict, is_wanted)
            if chosen in (None, move):
                return chosen
            move = chosen
        return move

    async def _judged(
        self, position: Position, move: int, is_wanted: Callable[[], bool]
    ) -> MoveVerdict | None:
        """Return the verdict on a move; None if there is none in time."""
        self.status.set(
            "teacher", tr("Looking at {to_text}").format(to_text=position.to_text(move)), busy=True
        )
        self.board.hover(move, position.to_move)
        try:
            found: MoveVerdict | None = await self._link.ask(
                JudgeMove(position.rules, tuple(position.moves), move),
                is_wanted=is_wanted,
                longest=self.longest,
            )
        finally:
            self.status.clear("teacher")
            self.board.hover(None, position.to_move)
        if self._link.fault:
            self.log.warning(f"{position.to_text(move)} was not judged: {self._link.fault}")
        return found

    async def _decision(
        self, position: Position, verdict: MoveVerdict, is_wanted: Callable[[], bool]
    ) -> int | None:
        """Tell a blunder and return the move that the person decides for; None to take it back.

        Args:
            position: the position before the move.
            verdict: what the move loses.
            is_wanted: called while waiting; returning False takes the move back.
        """
        self.verdict, self._position, self._decided = verdict, position, ""
        self._show_line(is_shown=False)
        self.panel(tr("Teacher"), self.draw, dock="overlay-bottom", order=-1, icon="graduation-cap")
        try:
            return await self.board.ask_point(
                frozenset(position.legal_moves),
                position.to_move,
                is_wanted=lambda: not self._decided and is_wanted(),
                may_use=is_wanted,
            )
        except NoPointError:
            return verdict.move if self._decided == "play" else None
        finally:
            self._end_question()

    def _end_question(self) -> None:
        self.verdict = self._position = None
        if self._line is not None:
            self._line.hide()
        for entry in [item for item in self.panels.panels if item.slot is self.slot]:
            self.panels.remove(entry)

    # -- what the person decides --------------------------------------------------------------

    def take_back(self) -> bool:
        """Take the told move back before it is played; return whether there was one."""
        if self.verdict is None:
            return False
        self._decided = "back"
        return True

    def play_anyway(self) -> bool:
        """Play the told move; return whether there was one."""
        if self.verdict is None:
            return False
        self._decided = "play"
        return True

    def show_line(self) -> None:
        """Show the refutation as numbered stones on the board, or hide it again."""
        self._show_line(is_shown=not self.is_line_shown)

    def _show_line(self, *, is_shown: bool) -> None:
        verdict, position = self.verdict, self._position
        self.is_line_shown = is_shown
        if verdict is None or position is None or self._line is None:
            return
        own = position.to_move
        if is_shown and verdict.is_missed_win:
            self._line.show(verdict.line, own)
        else:
            line = verdict.line if is_shown else ()
            self._line.show(line, -own, told=verdict.move)
        if is_shown and verdict.better is not None:
            self.board.mark_hint(verdict.better)
        else:
            self.board.mark_hint(None)

    # -- its panel ----------------------------------------------------------------------------

    def words(self) -> tuple[str, str]:
        """Return what is told: a heading, and what the move loses; empty texts for nothing."""
        verdict, position = self.verdict, self._position
        if verdict is None or position is None:
            return "", ""
        point = position.to_text(verdict.move)
        proof = "" if verdict.is_proven else tr(" (by search)")
        why = verdict.why or tr("loses value")
        better = ""
        if self.is_line_shown and verdict.better is not None:
            better = tr(" Better: {to_text}.").format(to_text=position.to_text(verdict.better))
        return tr("Wait: {point} is a mistake").format(point=point), wording(
            "{why}{proof}.{better}"
        ).format(why=capitalized(why), proof=proof, better=better)

    def draw(self, ui: Ui) -> None:
        """Draw the told blunder and the buttons to decide."""
        verdict = self.verdict
        if verdict is None:
            return
        heading, text = self.words()
        ui.heading(heading)
        ui.imgui.push_text_wrap_pos(ui.theme.px(WRAP))
        ui.text(text)
        ui.imgui.pop_text_wrap_pos()
        shown = tr("Hide it") if self.is_line_shown else tr("Show me")
        if verdict.is_missed_win and not self.is_line_shown:
            shown = tr("Show the win")
        buttons: list[tuple[str, str, str, Any]] = [
            (tr("Take back (U)"), tr("Choose another move"), "take_back", True),
            (tr("Play it anyway"), tr("The move stands"), "play_anyway", True),
            (shown, tr("The answers as numbered stones on the board"), "show_line", verdict.line),
        ]
        offered = [item for item in buttons if item[3]]
        for index, (label, tip, method, _) in enumerate(offered):
            if index:
                ui.beside(ui.button_width(label))
            if ui.button(label, tip=tip):
                self.by_hand(method)

    def draw_switch(self, ui: Ui) -> None:
        """Draw the switch of the panel "Your seat", where the game allows teaching."""
        if not self.is_allowed:
            return
        gap = ui.theme.px(32)
        ui.beside(float(ui.imgui.calc_text_size(SWITCH).x) + gap)
        has_changed, is_on = ui.imgui.checkbox(SWITCH, self.is_on)
        ui.tip(TIP)
        if has_changed:
            self.log.python(f"{self.expression}.switch(is_on={is_on})")
            self.switch(is_on=is_on)
