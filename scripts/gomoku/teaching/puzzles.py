"""Puzzles: tactical positions as lessons, with answers that are judged by proof."""

from __future__ import annotations

from functools import partial
from typing import Any

from ai import (
    AnswerVerdict,
    Board,
    color_name,
    read_suite,
)
from ai.messages import FindAnswer, JudgeAnswer
from scripts.gomoku.board.board_view import BoardView, NoPointError
from scripts.gomoku.board.names import RULE_TITLES
from scripts.gomoku.board.view_state import ViewState
from scripts.gomoku.game.user_file import UserFile
from scripts.gomoku.teaching.ghost_line import GhostLine
from scripts.gomoku.teaching.lessons import (
    ALL,
    DEPTHS,
    KIND_NAMES,
    KIND_TIPS,
    Lesson,
    LessonFilter,
    Progress,
    lessons_of,
)
from scripts.gomoku.teaching.teacher_link import TeacherLink
from sim import GoishiError, Script, Ui, field, on, signal, tr, wording

FILE = "puzzles.json"
COLUMNS = ((tr("No."), "000"), (tr("Kind"), *KIND_NAMES.values()), (tr("In"), "00"), (tr("Rule"),))
"""Title of each column of the list, and texts that fit into it; without them it takes the rest."""
COMBO_WIDTH = 150.0
WRAP = 350.0  # width of what is told


class Puzzles(Script):
    """Asks for the right moves of tactical positions, and answers them with the best defence.

    A prover judges each move: every move counts that is proven to win, or to hold.
    """

    board: BoardView = field(None)
    pause_before_reply: float = field(0.4, min=0.0, max=10.0, unit="s")
    opened = signal(int)
    solved = signal(int)
    back_wanted = signal()

    def awake(self) -> None:
        self.lessons: tuple[Lesson, ...] = ()
        self.wanted = LessonFilter()
        self.progress = Progress()
        self.lesson: Lesson | None = None
        self.position: Board | None = None
        """The position on the board: the lesson's, and what was played since."""
        self.told = ""
        self.tone = "muted"
        self.is_solved = False
        """Whether the open lesson is solved."""
        self.is_resting = False
        """Whether the board is used for something else."""
        self.is_judging = False
        self._is_clean = True
        self._turn = 0
        self._link = TeacherLink(self)
        self._line: GhostLine | None = None
        self._file: UserFile | None = None

    def start(self) -> None:
        if self.board is None:
            return
        self._line = GhostLine(self.board)
        self._file = UserFile(self.run.data_dir / FILE)
        self.progress = Progress.of(self._file.read())
        try:
            self.lessons = lessons_of(read_suite())
        except GoishiError as error:
            self.log.error(str(error))
            return
        self.panel(tr("Puzzles"), self.draw_list, dock="left", icon="puzzle-piece")
        self.panel(tr("Puzzle"), self.draw, dock="overlay-bottom", icon="puzzle-piece")
        self.command("next_puzzle", tr("Next puzzle"), partial(self.go, 1), key="n")
        self.command("previous_puzzle", tr("Previous puzzle"), partial(self.go, -1), key="p")
        self.command("puzzle_hint", tr("Hint"), self.hint, key="h", icon="lightbulb")
        self.command("puzzle_again", tr("Start again"), self.again, key="u", icon="rotate-left")
        unsolved = LessonFilter(is_unsolved_only=True).chosen(self.lessons, self.progress.solved)
        self.open((unsolved or list(self.lessons))[0].number)
        self.start_coroutine(self._serve())
        self.start_coroutine(self._warm_up())

    def destroy(self) -> None:
        if self._line is not None:
            self._line.destroy()

    # -- which lesson -------------------------------------------------------------------------

    def listed(self) -> list[Lesson]:
        """Return the lessons that fit the filter."""
        return self.wanted.chosen(self.lessons, self.progress.solved)

    def choose(self, *, kind: str = "", depth: str = "", unsolved: bool | None = None) -> None:
        """Choose which lessons are listed; what is not given stays.

        Args:
            kind: "fours", "threes", "defence", "quiet" or "All".
            depth: name of a depth, or "All".
            unsolved: whether solved lessons are left out.
        """
        before = self.wanted
        self.wanted = LessonFilter(
            kind or before.kind,
            depth or before.depth,
            before.is_unsolved_only if unsolved is None else unsolved,
        )
        found = self.listed()
        if found and self.lesson not in found and not self.is_solved:
            self.open(found[0].number)

    def go(self, step: int) -> None:
        """Open the next listed lesson, or the one before for a negative step."""
        listed = self.listed()
        if not listed:
            self._tell(tr("No puzzle fits: choose another kind or depth"), "amber")
            return
        here = self.lesson.number if self.lesson is not None else 0
        if step > 0:
            after = [item for item in listed if item.number > here]
            self.open((after or listed)[0].number)
        else:
            before = [item for item in listed if item.number < here]
            self.open((before or listed)[-1].number)

    def open(self, number: int) -> None:
        """Open a lesson by its number, from 1; an unknown number is reported."""
        if not 1 <= number <= len(self.lessons):
            self.log.warning(f"puzzle {number}: expected one from 1 to {len(self.lessons)}")
            return
        self.lesson = self.lessons[number - 1]
        self._is_clean = True
        if self.is_resting:
            self.back_wanted.emit()
        self.again()
        self.opened.emit(number)

    def again(self) -> None:
        """Show the open lesson from its first position."""
        if self.lesson is None:
            return
        self.position = self.lesson.task.board()
        self.is_solved = False
        self._begin_turn()
        self._tell("")
        if not self.is_resting:
            self.board.show(ViewState.of(self.position))

    def rest(self) -> None:
        """Leave the board to something else, until `resume`."""
        self.is_resting = True
        self._begin_turn()

    def resume(self) -> None:
        """Take the board again, and show the open lesson."""
        self.is_resting = False
        if self.position is not None:
            self._begin_turn()
            self.board.show(ViewState.of(self.position))

    def return_to_puzzle(self) -> None:
        """Ask for the board, which something else uses."""
        self.back_wanted.emit()

    def _begin_turn(self) -> None:
        """Cancel what is asked or judged, and remove marks."""
        self._turn += 1
        self.is_judging = False
        if self._line is not None:
            self._line.hide()
        self.board.mark_hint(None)

    # -- answers ------------------------------------------------------------------------------

    @property
    def is_asking(self) -> bool:
        """Whether the open lesson waits for a move."""
        return not (self.is_resting or self.is_solved or self.is_judging or self.position is None)

    async def _warm_up(self) -> None:
        """Start the worker before the first answer, so that this one is judged soon."""
        lesson = self.lesson
        if lesson is not None:
            board = lesson.task.board()
            await self._link.ask(
                FindAnswer(board.rules, tuple(board.moves), lesson.task.kind, lesson.best)
            )

    async def _serve(self) -> None:
        """Take move after move from the board, as long as the scene lasts."""
        while True:
            await self.until(lambda: self.is_asking)
            position, turn = self.position, self._turn
            if position is None:
                continue
            try:
                move = await self.board.ask_point(
                    frozenset(position.legal_moves),
                    position.to_move,
                    is_wanted=lambda turn=turn: turn == self._turn and self.is_asking,  # type: ignore[misc]
                )
            except NoPointError:
                continue
            await self._answer(position, move)

    async def _answer(self, position: Board, move: int) -> None:
        """Judge a move of the user, and go on with the lesson.

        Args:
            position: the position before the move.
            move: the move.
        """
        lesson = self.lesson
        if lesson is None:
            return
        self._begin_turn()
        self.is_judging, turn = True, self._turn
        self._tell(tr("Looking at {to_text} …").format(to_text=position.to_text(move)))
        is_first = position.ply == lesson.task.board().ply
        best = lesson.best if is_first else ()
        message = JudgeAnswer(position.rules, tuple(position.moves), lesson.task.kind, move, best)
        after = position.copy()
        after.push(move)
        drop = self.start_coroutine(self.board.play(ViewState.of(after)))
        verdict: AnswerVerdict | None = await self._link.ask(
            message, is_wanted=lambda: turn == self._turn
        )
        if turn != self._turn:
            return
        self.is_judging = False
        if verdict is None:
            self.board.show(ViewState.of(position))
            self._tell(self._link.fault or tr("The prover took too long: try again"), "amber")
        elif not verdict.is_right:
            self._refute(position, move, verdict)
        else:
            self.is_judging = True
            await drop
            if turn == self._turn:
                self.is_judging = False
                await self._go_on(after, verdict)

    def _refute(self, position: Board, move: int, verdict: AnswerVerdict) -> None:
        """Take a wrong answer back and show its refutation; the next click is another try."""
        self._is_clean = False
        self.progress.fail()
        self._keep()
        self.board.show(ViewState.of(position))
        if self._line is not None:
            self._line.show(verdict.line, -position.to_move, told=move)
        self._tell(
            tr("{to_text} is wrong: {why}. Try again.").format(
                to_text=position.to_text(move), why=verdict.why
            ),
            "red",
        )

    async def _go_on(self, after: Board, verdict: AnswerVerdict) -> None:
        """Play a right answer, and the defender's reply to it.

        Args:
            after: the position after the answer.
            verdict: the verdict on the answer.
        """
        self.position, text = after, after.to_text(after.moves[-1])
        if verdict.is_solved or verdict.reply is None:
            self._solve(tr("Solved. {text}: {why}.").format(text=text, why=verdict.why))
            return
        turn, self.is_judging = self._turn, True
        self._tell(tr("{text} is right: {why}").format(text=text, why=verdict.why), "green")
        if not self.time.instant:
            await self.seconds(self.pause_before_reply)
        if turn != self._turn:
            return
        position = after.copy()
        position.push(verdict.reply)
        self.position = position
        reply = position.to_text(verdict.reply)
        side = wording(color_name(-position.to_move).capitalize())
        self._tell(
            tr("{text} is right: {why}. {side} answers {reply}. Go on.").format(
                text=text, why=verdict.why, side=side, reply=reply
            ),
            "green",
        )
        await self.board.play(ViewState.of(position))
        if turn == self._turn:
            self.is_judging = False

    def _solve(self, text: str) -> None:
        lesson = self.lesson
        if lesson is None or self.position is None:
            return
        self.is_solved = True
        self.board.show(ViewState.of(self.position))
        self.progress.solve(lesson.task.name, is_clean=self._is_clean)
        self._keep()
        self._tell(text, "green")
        self.solved.emit(lesson.number)

    def _keep(self) -> None:
        if self._file is not None:
            self._file.write(self.progress.values())
            if self._file.fault:
                self.log.warning(self._file.fault)

    # -- help ---------------------------------------------------------------------------------

    def hint(self) -> None:
        """Mark a right move on the board; the streak ends."""
        if self.is_asking:
            self.start_coroutine(self._hint())

    async def _hint(self) -> None:
        lesson, position = self.lesson, self.position
        if lesson is None or position is None:
            return
        turn = self._turn
        self._tell(tr("Looking for a hint …"))
        is_first = position.ply == lesson.task.board().ply
        best = lesson.best if is_first else ()
        message = FindAnswer(position.rules, tuple(position.moves), lesson.task.kind, best)
        found = await self._link.ask(message, is_wanted=lambda: turn == self._turn)
        if turn != self._turn:
            return
        if found is None or found.move is None:
            self._tell(self._link.fault or tr("No hint: nothing is proven here"), "amber")
            return
        self._is_clean = False
        self.progress.fail()
        self._keep()
        if self._line is not None:
            self._line.hide()
        self.board.mark_hint(found.move)
        self._tell(
            tr("Hint: {to_text}. The streak begins anew.").format(
                to_text=position.to_text(found.move)
            ),
            "amber",
        )

    @on("board.answered")
    def answer_click(self, move: int, is_taken: bool) -> None:
        """Say why a click was refused."""
        position = self.position
        if is_taken or not self.is_asking or position is None:
            return
        foul = None if position.stones[move] else position.foul(move)
        if position.stones[move]:
            self._tell(tr("{to_text} is occupied").format(to_text=position.to_text(move)))
        elif foul is not None:
            self._tell(
                tr("{to_text} is a {foul}, which Black may not play").format(
                    to_text=position.to_text(move), foul=wording(str(foul))
                )
            )

    def _tell(self, text: str, tone: str = "muted") -> None:
        self.told, self.tone = text, tone

    # -- panels -------------------------------------------------------------------------------

    def question(self) -> str:
        """Return what the open lesson asks for; empty if none is open."""
        lesson = self.lesson
        if lesson is None:
            return ""
        side = wording(color_name(lesson.task.board().to_move).capitalize())
        return wording("{number}. {question} ({rule})").format(
            number=lesson.number, question=lesson.question(side), rule=wording(lesson.task.rule)
        )

    def draw(self, ui: Ui) -> None:
        """Draw the question, what is told of the last answer, and the buttons."""
        if self.is_resting or self.lesson is None:
            ui.text(tr("A position of yours is on the board"), "muted")
            if ui.button(tr("Back to the puzzle")):
                self.by_hand("return_to_puzzle")
            return
        ui.heading(self.question())
        self._draw_told(ui, self.told or tr("Click a point."))
        self._draw_buttons(ui)

    def _draw_told(self, ui: Ui, text: str) -> None:
        """Draw what is told, with room for two lines: the board stays where it is."""
        imgui, wrap = ui.imgui, min(ui.room, ui.theme.px(WRAP))
        left = imgui.get_cursor_pos_x()
        missing = 2.0 * imgui.get_text_line_height() - imgui.calc_text_size(text, False, wrap).y
        imgui.push_text_wrap_pos(left + wrap)
        ui.text(text, self.tone)
        imgui.pop_text_wrap_pos()
        if missing > 1.0:
            gap = imgui.get_style().item_spacing.y
            imgui.set_cursor_pos_y(imgui.get_cursor_pos_y() - gap)
            imgui.dummy(imgui.ImVec2(1.0, missing))

    def _draw_buttons(self, ui: Ui) -> None:
        """Draw the buttons in one row, without words if need be: the board gets more room."""
        buttons: tuple[tuple[str, str, str, str, tuple[Any, ...]], ...] = (
            (tr("Previous (P)"), "backward-step", tr("The puzzle before"), "go", (-1,)),
            (tr("Next (N)"), "forward-step", tr("The next puzzle"), "go", (1,)),
            (tr("Hint (H)"), "lightbulb", tr("Mark a right move; the streak ends"), "hint", ()),
            (tr("Start again (U)"), "rotate-left", tr("Back to the first position"), "again", ()),
        )
        gap = ui.imgui.get_style().item_spacing.x
        needed = sum(ui.button_width(label, icon=icon) + gap for label, icon, *_ in buttons)
        is_narrow = needed - gap > ui.room
        for index, (words, icon, about, method, arguments) in enumerate(buttons):
            label, tip = words, about
            if is_narrow and method != "hint":
                label, tip = f"##{words}", words + ": " + about
            if index:
                ui.beside(ui.button_width(label, icon=icon))
            if ui.button(label, icon=icon, tip=tip):
                self.by_hand(method, *arguments)

    def draw_list(self, ui: Ui) -> None:
        """Draw the progress, the filters and the list of puzzles."""
        progress = self.progress
        done = len(progress.solved & {item.task.name for item in self.lessons})
        ui.heading(tr("{done} of {lessons} solved").format(done=done, lessons=len(self.lessons)))
        ui.text(
            tr("Streak {streak}, longest {best}").format(
                streak=progress.streak, best=progress.best
            ),
            "muted",
        )
        self._draw_filters(ui)
        shown = self.listed()
        if shown:
            self._draw_lessons(ui, shown)
        else:
            ui.muted_text(tr("No puzzle fits: choose another kind or depth."))

    def _draw_filters(self, ui: Ui) -> None:
        kinds = (ALL, *KIND_NAMES)
        names = [tr("Every kind"), *KIND_NAMES.values()]
        tip = wording("; ").join((KIND_NAMES[key] + ": " + text) for key, text in KIND_TIPS.items())
        ui.imgui.set_next_item_width(min(ui.room, ui.theme.px(COMBO_WIDTH)))
        has_changed, index = ui.imgui.combo("##kind", kinds.index(self.wanted.kind), names)
        ui.tip(tip)
        if has_changed:
            self._choose_by_hand(kind=kinds[index])
        depths = [ALL, *(depth.name for depth in DEPTHS)]
        ui.beside(ui.theme.px(COMBO_WIDTH))
        ui.imgui.set_next_item_width(min(ui.room, ui.theme.px(COMBO_WIDTH)))
        shown = [tr("Every depth"), *depths[1:]]
        has_changed, index = ui.imgui.combo("##depth", depths.index(self.wanted.depth), shown)
        ui.tip(tr("How many moves of your own the win takes"))
        if has_changed:
            self._choose_by_hand(depth=depths[index])
        has_changed, unsolved = ui.imgui.checkbox(tr("Unsolved only"), self.wanted.is_unsolved_only)
        if has_changed:
            self._choose_by_hand(unsolved=unsolved)

    def _choose_by_hand(self, **chosen: Any) -> None:
        words = ", ".join(f"{key}={value!r}" for key, value in chosen.items())
        self.log.python(f"{self.expression}.choose({words})")
        self.choose(**chosen)

    def _draw_lessons(self, ui: Ui, shown: list[Lesson]) -> None:
        imgui = ui.imgui
        flags = imgui.TableFlags_.row_bg | imgui.TableFlags_.scroll_y
        height = max(imgui.get_content_region_avail().y, ui.theme.px(120))
        if not ui.begin_list("puzzles", len(COLUMNS), int(flags), height):
            return
        imgui.table_setup_scroll_freeze(0, 1)
        fixed = int(imgui.TableColumnFlags_.width_fixed)
        for title, *texts in COLUMNS:
            width = max(imgui.calc_text_size(text).x for text in (title, *texts))
            imgui.table_setup_column(title, fixed if texts else 0, width if texts else 0.0)
        imgui.table_headers_row()
        clipper = imgui.ListClipper()
        clipper.begin(len(shown))
        while clipper.step():
            for index in range(clipper.display_start, clipper.display_end):
                self._draw_row(ui, shown[index])
        clipper.end()
        imgui.end_table()

    def _draw_row(self, ui: Ui, lesson: Lesson) -> None:
        imgui, task = ui.imgui, lesson.task
        imgui.table_next_row()
        imgui.table_next_column()
        is_here = self.lesson is lesson and not self.is_resting
        flags = int(imgui.SelectableFlags_.span_all_columns)
        if imgui.selectable(
            (wording("{number}").format(number=lesson.number) + f"##{task.name}"), is_here, flags
        )[0]:
            self.by_hand("open", lesson.number)
        imgui.table_next_column()
        ui.text(KIND_NAMES[task.kind], "green" if task.name in self.progress.solved else "text")
        ui.tip(tr("solved") if task.name in self.progress.solved else tr("not solved yet"))
        imgui.table_next_column()
        imgui.text(str(lesson.moves_to_win))
        imgui.table_next_column()
        imgui.text(RULE_TITLES[task.rule])
