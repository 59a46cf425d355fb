"""New game: a dialog to choose opponents, board and clock, and the game that is played by it."""

from __future__ import annotations

import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from ai import (
    BLACK,
    FIRST,
    SECOND,
    WHITE,
    Color,
    GameRecord,
    GameSession,
    MoveChoice,
    OptionError,
    Person,
    Position,
    ProjectError,
    UnknownPlayerError,
    color_name,
    opening_of,
)
from scripts.gomoku.board.board_view import BoardView, NoPointError
from scripts.gomoku.board.view_state import ViewState
from scripts.gomoku.game.archive import OWN
from scripts.gomoku.game.game_choices import GameChoices, KeptChoices, SeatChoice
from scripts.gomoku.game.game_clock import TimeControl
from scripts.gomoku.game.game_loop import Answer, play_game, stone_of
from scripts.gomoku.game.kept_game import KeptGame, UnfinishedGame
from scripts.gomoku.game.match import Match
from scripts.gomoku.game.match_report import NAMES, describe_end, winning_seat
from scripts.gomoku.game.match_screen import MatchStatus, ShownPosition, provisional_note
from scripts.gomoku.game.new_game_form import NewGameForm
from scripts.gomoku.game.own_table import OwnClock, OwnTable
from scripts.gomoku.game.table import Rights
from scripts.gomoku.seats.seat import player_like
from scripts.gomoku.seats.table_seat import TableSeat
from sim import FieldError, Script, Task, Ui, Wait, WorkerError, field, on, tr, tr_many, wording

WIDTH = 620.0
KEY = "control+n"
PLAIN_SEED_BITS = 31
FAILURES = (WorkerError, OptionError, UnknownPlayerError, ProjectError)


@dataclass(frozen=True)
class Ended:
    """A game that is over, for the panel that says so.

    Attributes:
        record: the game.
        run_id: number of the run in the database that holds it; 0 for none.
        is_own: whether it is a game of the user's own, not one of the match.
    """

    record: GameRecord
    run_id: int
    is_own: bool


class NewGame(Script, title="New game"):
    """Plays games of the user's own at the board, while the match waits.

    The choices are the user's. They are kept in the scene's data folder and change nothing of the
    scene. At first, and after "Scene's default", they follow from the match's fields.
    """

    match: Match = field(None)

    def awake(self) -> None:
        self.form = NewGameForm(self.run.offering, self._choose_by_hand)
        self.kept = KeptChoices(self.run.scene_dir)
        self.kept_game = KeptGame(self.run.scene_dir)
        self.choices: GameChoices | None = None
        self.unfinished: UnfinishedGame | None = None
        """The game of an earlier session that waits to be gone on with; None for none."""
        self.ended: Ended | None = None
        self.wins: dict[tuple[str, str], list[float]] = {}
        """Points of the first and of the second player, by the words for both."""
        self.now = time.monotonic
        self.live = OwnTable(self._seats, lambda: self.board.sides, self.go_back)
        self.status_line = MatchStatus(
            lambda: self.board, self._tell, tr("Your game"), is_numbered=False
        )
        self._clock = OwnClock(TimeControl(), self.now)
        self._players: tuple[TableSeat, TableSeat] | None = None
        self._task: Task | None = None
        self._preparing: list[Task] = []
        self._answering: Color = 0
        self._thought = 0.0
        self._shown_clock = ("", "")
        self._abandoned: set[int] = set()
        self._is_put_off = False
        self._starting: set[int] = set()
        """Ids of the seats whose players are not ready yet."""
        self.command("new_game", tr("New game"), self.open, key=KEY, icon="circle-plus")

    def start(self) -> None:
        found = None if self.match is None else self.kept_game.read()
        if found is not None:
            try:
                found.session(self.match.rules)
            except (ValueError, FieldError) as error:
                self.kept_game.fault = tr(
                    "your unfinished game cannot be gone on with here: {error}"
                ).format(error=error)
            else:
                self.unfinished = found
                self._show_end()
        self._tell_fault()

    def destroy(self) -> None:
        self._keep()

    # -- what the game at the board needs, see `GameHost` ---------------------------------------

    @property
    def board(self) -> BoardView:
        """The board of the match."""
        return self.match.board

    @property
    def is_shown(self) -> bool:
        """Always True: a game of the user's own is displayed."""
        return True

    @property
    def pause_after_stone(self) -> float:
        """Seconds to wait after each stone."""
        return self.match.pause_after_stone

    @property
    def random_opening(self) -> bool:
        """Whether a player's first stone is drawn at random."""
        return self.match.random_opening

    @property
    def is_waiting(self) -> bool:
        """Whether the game is paused while the board is used for something else."""
        return self.live.is_paused

    @property
    def is_instant(self) -> bool:
        """Whether the scene runs at unlimited speed."""
        return self.time.instant

    def pause_for(self, seconds: float) -> Wait:
        """Return a wait of some seconds of scene time."""
        return self.seconds(seconds)

    async def wait_while_paused(self) -> bool:
        """Wait while the game is paused; return whether it was."""
        was_paused = self.live.is_paused
        if was_paused:
            await self.until(lambda: not self.live.is_paused)
        return was_paused

    async def answer_of(self, session: GameSession, answer: Awaitable[Answer]) -> Answer:
        """Wait for the answer of a seat, or for the end of the game off the board.

        Args:
            session: the game.
            answer: gives the answer.

        Raises:
            NoPointError: the game is over, or the person's click is not wanted any more.
            WorkerError: the player failed.
        """
        found: list[Answer] = []
        faults: list[Exception] = []

        async def ask() -> None:
            try:
                await self._until_ready(session)
                found.append(await answer)
            except FAILURES as error:
                faults.append(error)

        task = self.start_coroutine(ask())
        await self.until(lambda: found or faults or session.is_over)
        if faults:
            raise faults[0]
        seat = self.live.seat_of(session.to_decide)
        if not found:
            task.cancel()
            if not seat.is_human:
                self._abandoned.add(id(seat))
            raise NoPointError("the game is over")
        thought = seat.think_seconds - self._thought
        if not seat.is_human and self._clock.end_turn(thought):
            self._fall(session, session.to_decide)
            raise NoPointError("the time is over")
        return found[0]

    async def _until_ready(self, session: GameSession) -> None:
        """Wait until the player whose turn it is has started; its time runs from then on."""
        participant = session.to_decide
        seat = self._seats()[int(participant)]
        if id(seat) in self._starting:
            self._tell(tr("Starting {title}").format(title=seat.info.title), busy=True)
            await self.until(lambda: id(seat) not in self._starting)
            self.note_turn(session, session.board.to_move)
            self.status_line.show_state(self.live)

    async def advised(
        self, position: Position, choice: MoveChoice, is_wanted: Callable[[], bool]
    ) -> MoveChoice | None:
        """Tell the match's adviser of a person's move before it is played; see `Match.advised`."""
        return await self.match.advised(position, choice, is_wanted)

    def note_turn(self, session: GameSession, color: Color) -> None:
        """Start the clock of a side, and tell its player how long it may think."""
        participant = session.to_decide
        seat = self._seats()[int(participant)]
        self._thought = seat.think_seconds
        self._clock.begin_turn(participant, is_person=seat.is_human)
        free = sum(1 for stone in session.board.stones if not stone)
        most = (self.choices or GameChoices()).seconds or None
        seat.allowed = self._clock.limit(participant, free, most)

    def note_ply(self, session: GameSession, color: Color) -> None:
        """Stop the clock of a person, show the position to the panels, and emit its stone."""
        self._clock.end_turn(0.0)
        self._keep()
        self._publish(session)
        move = stone_of(session)
        if move is not None:
            self.match.own_stone_placed.emit(move, color)

    def note_choice(self, session: GameSession, text: str) -> None:
        """Stop the clock of a person, and show a choice in the opening."""
        self._clock.end_turn(0.0)
        self._keep()
        self._tell(text)
        self.match.choice_made.emit(text)

    def note_ranks(self, ranks: Sequence[int], by: int = 1) -> None:
        """Do nothing: games of the user's own do not count for the learner."""

    def note_taken_back(self, session: GameSession) -> None:
        """Show the position to the panels."""
        self._keep()
        self._publish(session)

    def note_given_up(self, session: GameSession, color: Color) -> None:
        """Log that the player of a side has given up."""
        self.log.warning(f"{color_name(color).capitalize()} loses: {session.forfeit}")

    # -- the game in front of the match, see `GuestGame` ----------------------------------------

    def pause(self) -> None:
        """Suspend the game while the board is used for something else."""
        self.live.pause(is_paused=True)
        self._show_end()

    def resume(self) -> None:
        """Continue the game and show it again."""
        session = self.live.session
        if session is None:
            return
        self.board.show(ViewState.of(session.board))
        self._publish(session)
        self.live.pause(is_paused=False)
        self._show_end()
        self.status_line.show_state(self.live)

    def note(self) -> str:
        """Return a line about the game for the scoreboard."""
        session = self.live.session
        if session is None:
            return tr("Your game")
        rules, choices = session.board.rules, self.choices or GameChoices()
        parts = [tr("Your game"), f"{rules.size}x{rules.rows}"]
        parts += [word for word in (choices.rule, choices.opening) if word in SPECIAL]
        if choices.clock.is_on:
            parts.append(choices.clock.text)
        if self.live.question:
            parts.append(self.live.question)
        return wording(" · ").join(parts)

    def clock_text(self, color: Color) -> str:
        """Return what a side has left on its clock, as text; empty without a clock."""
        session = self.live.session
        return "" if session is None else self._clock.text(session.opening.person_at(color))

    def is_short(self, color: Color) -> bool:
        """Return whether a side has little time left."""
        session = self.live.session
        return session is not None and self._clock.is_short(session.opening.person_at(color))

    def name_of(self, color: Color) -> str:
        """Return the name of the player of a side, with its strength."""
        seat, choice = self.live.seat_at(color), self._choice_at(color)
        level = (
            tr(" (level {level})").format(level=choice.level)
            if choice.level and not seat.is_human
            else ""
        )
        return seat.info.title + level

    def points_of(self, color: Color) -> float:
        """Return the points of the player of a side in the games of these two."""
        words = [self._choice_at(side).words for side in (color, -color)]
        points = self.wins.get((min(words), max(words)), [0.0, 0.0])
        return points[0 if words[0] == min(words) else 1]

    def _choice_at(self, color: Color) -> SeatChoice:
        """Return who was chosen for the side that has a color now."""
        session, choices = self.live.session, self.choices or GameChoices()
        is_first = color == BLACK if session is None else session.opening.person_at(color) is FIRST
        return choices.black if is_first else choices.white

    # -- the dialog -----------------------------------------------------------------------------

    def open(self) -> None:
        """Open the dialog New game; a second call closes it."""
        if self.has_dialog:
            self.close_dialog()
            return
        self.form.open(self._chosen(), self.match.rules, self.board.sides)
        self.dialog(tr("New game"), self.draw, draw_answers=self.draw_answers, width=WIDTH)

    def _chosen(self) -> GameChoices:
        """Return the user's choices, or else the scene's."""
        found = self.choices or self.kept.read() or self.default
        if self.kept.fault:
            self.log.warning(self.kept.fault)
            self.kept.fault = ""
        return found

    @property
    def default(self) -> GameChoices:
        """The scene's default: its board, rule and opening, you against its White."""
        match = self.match
        rules = match.rules
        return GameChoices(
            white=SeatChoice(match.white.player_name()),
            size=rules.size,
            rule=match.rule,
            opening=match.opening,
        )

    def choose(self, key: str, value: Any) -> None:
        """Change a choice of the dialog; a refused value is told beside its field.

        Args:
            key: name of the field, such as "size", "white", "white_level" or "minutes"; "swap"
                changes the sides.
            value: its new value.
        """
        if key == "swap":
            self.form.set(self.form.choices.changed)
        else:
            self.form.change(key, value)
        self.panels.renew()

    def _choose_by_hand(self, key: str, value: Any) -> None:
        self.by_hand("choose", key, value)

    def put_default_back(self) -> None:
        """Set the choices of the dialog to the scene's default, and forget the kept ones."""
        self.kept.forget()
        self.choices = None if self.match.guest is None else self.choices
        self.form.open(self.default, self.match.rules, self.board.sides)

    def play(self) -> None:
        """Keep the choices of the dialog, and play by them."""
        if self.form.faults:
            return
        self.kept.write(self.form.choices)
        if self.kept.fault:
            self.log.warning(self.kept.fault)
            self.kept.fault = ""
        self.close_dialog()
        choices = self.form.choices
        if choices.colors == "lot" and secrets.randbelow(2):
            choices = choices.changed
        self.begin(choices)

    def go_on(self) -> None:
        """Go on with the game that waits."""
        self.close_dialog()
        if self.unfinished is not None:
            self._begin(self.unfinished.choices, self.unfinished)
        elif self._waits:
            self.match.seat_guest(self)
            self.resume()

    def put_off(self) -> None:
        """Remove the offer to go on with the game that waits; the dialog goes on to offer it."""
        self._is_put_off = True
        self._show_end()

    @property
    def _waits(self) -> bool:
        """Whether a game is not over, and the match is in front of it."""
        session = self.live.session
        is_here = session is not None and not session.is_over
        return self.match.guest is None and (is_here or self.unfinished is not None)

    @property
    def _waiting_plies(self) -> int:
        """Number of stones of the game that waits."""
        if self.unfinished is not None:
            return self.unfinished.plies
        session = self.live.session
        return 0 if session is None else session.board.ply

    def draw(self, ui: Ui) -> None:
        """Draw the content of the dialog."""
        if self._waits:
            moves = _moves_text(self._waiting_plies)
            ui.text(
                tr("A game of yours waits after {moves}; a new one ends it.").format(moves=moves),
                "amber",
            )
        self.form.draw(ui)

    def draw_answers(self, ui: Ui) -> None:
        """Draw the buttons below the dialog."""
        ui.imgui.begin_disabled(bool(self.form.faults))
        if ui.button(tr("Play", "a game"), icon="play", tip=tr("Keep these choices and begin")):
            self.by_hand("play")
        ui.imgui.end_disabled()
        if self._waits:
            ui.beside(ui.button_width(tr("Go on with your game")))
            if ui.button(tr("Go on with your game"), tip=tr("The one that waits")):
                self.by_hand("go_on")
        for label, method, tip in (
            (tr("Cancel"), "close_dialog", tr("Close without a new game (Escape)")),
            (tr("Scene's default"), "put_default_back", tr("Board, rule and player of the scene")),
        ):
            ui.beside(ui.button_width(label))
            if ui.button(label, tip=tip):
                self.by_hand(method)

    # -- the game -------------------------------------------------------------------------------

    def begin(self, choices: GameChoices) -> None:
        """Begin a game; one of the user's own that is not over ends without a result.

        Args:
            choices: who plays, by which rules and with which clock.
        """
        self.kept_game.forget()
        self._begin(choices, None)

    def _begin(self, choices: GameChoices, kept: UnfinishedGame | None) -> None:
        """Begin a game, or go on with one of an earlier session.

        Args:
            choices: who plays, by which rules and with which clock.
            kept: the game to go on with; None for a new one.
        """
        self._cancel()
        self.unfinished = None
        self._leave_end()
        self.choices = choices
        self._task = self.start_coroutine(self._play(choices, kept))

    def _cancel(self) -> None:
        """Stop playing the present game, and starting its players."""
        for task in (self._task, *self._preparing):
            if task is not None:
                task.cancel()
        self._task, self._preparing = None, []
        self._starting.clear()

    def again(self) -> None:
        """Play again with changed colors."""
        choices = self.choices or self._chosen()
        self.begin(choices.changed)

    def again_as_chosen(self) -> None:
        """Play the next game by the same choices: with changed colors, if that was chosen."""
        choices = self.choices or self._chosen()
        if choices.colors == "changed" or (choices.colors == "lot" and secrets.randbelow(2)):
            choices = choices.changed
        self.begin(choices)

    def go_back(self) -> None:
        """Return to the match, which goes on where it was; an unfinished game waits."""
        self._leave_end()
        if self.match.guest is None:
            return
        self._keep()
        self.live.pause(is_paused=True)
        self.match.release_guest()
        self._show_end()
        if self._waits:
            self.log.info("your game waits: Ctrl+N goes on with it")

    def _seats(self) -> tuple[TableSeat, TableSeat]:
        if self._players is None:
            raise RuntimeError("expected a game of the user's own, whose seats are there")
        return self._players

    async def _open_seats(self) -> None:
        """Create the two seats; they are no part of the scene's file."""
        if self._players is not None:
            return
        kind = self.slot.type_name.replace(OWN_TYPE, SEAT_TYPE)  # in the same package of scripts
        slots = []
        for name in (tr("Black of your game"), tr("White of your game")):
            made = self.scene.spawn(name, components=[(kind, {})])
            slots.append(made.components[0])
        await self.until(lambda: all(slot.instance is not None for slot in slots))
        first, second = (cast("TableSeat", slot.instance) for slot in slots)
        first.board = second.board = self.board
        self._players = (first, second)

    async def _play(self, choices: GameChoices, kept: UnfinishedGame | None) -> None:
        """Play a game, which is at the board at once; its players start meanwhile.

        If a player cannot be created, the dialog comes back and says so.

        Args:
            choices: who plays, by which rules and with which clock.
            kept: the game to go on with; None for a new one.
        """
        await self._open_seats()
        try:
            session = self._session_of(choices, kept)
        except (ValueError, FieldError) as error:
            self._tell(tr("No game: {error}").format(error=error))
            return
        self._choose_players(choices, session)
        self._clock = OwnClock(choices.clock, self.now)
        if kept is not None and kept.left:
            self._clock.clock.set_left(kept.left)
        self.live.begin(session, Rights(choices.takes_back, choices.hints, swaps=False))
        self.live.pause(is_paused=False)
        self.match.seat_guest(self)
        self.board.show(ViewState.of(session.board))
        self._publish(session)
        self._show_end()
        self._preparing = [
            self.start_coroutine(self._prepare(session, person)) for person in (FIRST, SECOND)
        ]
        try:
            await play_game(self, session)
        except FAILURES as error:
            self._tell(tr("Your game ended: {error}").format(error=error))
            self.log.warning(f"your game ended: {error}")
            return
        self._finish(session, choices)

    def _session_of(self, choices: GameChoices, kept: UnfinishedGame | None) -> GameSession:
        """Return a new game, or the one that is gone on with.

        Raises:
            ValueError: the moves of the latter cannot be played by the present rules.
            FieldError: the rule does not fit the board.
        """
        if kept is not None:
            return kept.session(self.match.rules)
        rules, seed = choices.rules(self.match.rules), secrets.randbits(PLAIN_SEED_BITS)
        return GameSession(rules, 1, seed=seed, opening=opening_of(choices.opening))

    def _choose_players(self, choices: GameChoices, session: GameSession) -> None:
        """Tell the seats who plays there; `_prepare` starts the players.

        Args:
            choices: who plays.
            session: the game.
        """
        lenders, rules = (self.match.white, self.match.black), session.board.rules
        for side, seat in zip(NAMES_OF_SEATS, self._seats(), strict=True):
            choice: SeatChoice = getattr(choices, side)
            if id(seat) in self._abandoned:
                self._abandoned.discard(id(seat))
                seat.abandon()
            if choice.is_person:
                seat.seat_person()
            else:
                like, network = player_like(lenders, choice.player, rules)
                seat.seat_player(choice.player, {**like.settings, **choice.settings}, network)
                self._starting.add(id(seat))

    async def _prepare(self, session: GameSession, person: Person) -> None:
        """Start the player of a seat; where that fails, open the dialog again and say why."""
        seat = self._seats()[int(person)]
        try:
            await seat.prepare(session.opening.color_of(person), session.board.rules)
        except FAILURES as error:
            if self.live.session is session:
                self._refuse(NAMES_OF_SEATS[int(person)], str(error))
            return
        if self.live.session is session:
            self._starting.discard(id(seat))
            self._publish(session)
            if seat.needs_kernels:
                self.match.want_kernels(seat.player)

    def _keep(self) -> None:
        """Keep the game of the user's own for the next start, unless it is over."""
        session, choices = self.live.session, self.choices
        if session is None or choices is None or session.is_over:
            return
        self.kept_game.write(choices, session, self._clock.clock.as_list())
        self._tell_fault()

    def _tell_fault(self) -> None:
        """Log why the unfinished game could not be read or kept."""
        if self.kept_game.fault:
            self.log.warning(self.kept_game.fault)
            self.kept_game.fault = ""

    def _refuse(self, side: str, reason: str) -> None:
        """Open the dialog again, and say at a seat why its player cannot play.

        Args:
            side: "black" or "white".
            reason: why.
        """
        self._cancel()
        self.live.session = None
        self.match.release_guest()
        self._show_end()
        self._tell(tr("No game: {reason}").format(reason=reason))
        self.form.open(self.choices or self.default, self.match.rules, self.board.sides)
        self.form.refusals[side] = reason
        self.choices = None
        self.dialog(tr("New game"), self.draw, draw_answers=self.draw_answers, width=WIDTH)

    def update(self, dt: float) -> None:
        session = self.live.session
        if session is None or session.is_over or self.match.guest is None:
            return
        is_starting = id(self._seats()[int(session.to_decide)]) in self._starting
        late = self._clock.tick(is_paused=self.live.is_paused or is_starting)
        if late is not None:
            self._fall(session, late)
        shown = (self.clock_text(BLACK), self.clock_text(WHITE))
        if shown != self._shown_clock:
            self._shown_clock = shown
            self.panels.renew()

    def _fall(self, session: GameSession, participant: Person) -> None:
        """End a game because a participant's time is over."""
        if session.lose_on_time(session.opening.color_of(participant)):
            self.live.recall()

    def _finish(self, session: GameSession, choices: GameChoices) -> None:
        """Store a game that is over, count it and say how it ended."""
        self.kept_game.forget()
        record = session.record()
        details: dict[str, Any] = {OWN: self._told_of(session, choices)}
        if session.people:
            details |= {"people": session.people_seated, "taken_back": session.taken_back}
        if session.forfeit:
            details["forfeit"] = session.forfeit
        run_id, number = (0, 0)
        if self.match.archive is not None:
            run_id, number = self.match.archive.keep_own(record, details=details)
        record = replace(record, game=number or 1)
        self._count(record, choices)
        self.status_line.show_end(record)
        self.ended = Ended(record, run_id, is_own=True)
        self._show_end()
        self.match.own_game_over.emit(record)

    def _told_of(self, session: GameSession, choices: GameChoices) -> dict[str, Any]:
        """Return who played a game, and its clock, for the database."""
        told: dict[str, Any] = {"seed": session.seed, "clock": choices.clock.text}
        for color in (BLACK, WHITE):
            is_first = session.opening.person_at(color) is FIRST
            choice = choices.black if is_first else choices.white
            seat = self.live.seat_at(color)
            told[NAMES[color]] = {
                "player": choice.player,
                "settings": {} if choice.is_person else seat.seated_settings,
                "words": choice.words,
                "network": None if choice.is_person else seat.network_id or None,
            }
        if choices.clock.is_on:
            told["left"] = {
                NAMES[session.opening.color_of(person)]: self._clock.left(person)
                for person in (FIRST, SECOND)
            }
        return told

    def _count(self, record: GameRecord, choices: GameChoices) -> None:
        """Add the points of a game to those of its two players."""
        words = (choices.black.words, choices.white.words)
        pair = (min(words), max(words))
        points = self.wins.setdefault(pair, [0.0, 0.0])
        winner = winning_seat(record)
        gained = {BLACK: (1.0, 0.0), WHITE: (0.0, 1.0), 0: (0.5, 0.5)}[winner]
        for own, gain in zip(words, gained, strict=True):
            points[0 if own == pair[0] else 1] += gain

    def _publish(self, session: GameSession) -> None:
        """Make the position available to the Insight panel and the overlays."""
        board = session.board
        players = {color: self.live.seat_at(color).info for color in (BLACK, WHITE)}
        key = (tr("own game"), id(session), board.ply, tuple(board.moves[-1:]))
        note = wording(" ").join(filter(None, (tr("Your game."), provisional_note(self._seats()))))
        shown = ShownPosition(board, session.choices, players, (*key, note), note)
        self.match.show_instead(shown)

    def _tell(self, text: str, *, busy: bool = False) -> None:
        self.match.tell(text, busy=busy)

    # -- after a game ---------------------------------------------------------------------------

    @on("match.game_over")
    def end_of_match_game(self, record: GameRecord) -> None:
        """Offer what can be done after a game of the match that a person has played."""
        match = self.match
        if match.guest is None and (match.black.is_human or match.white.is_human):
            run_id = 0 if match.archive is None else match.archive.run_id
            self.ended = Ended(record, run_id, is_own=False)
            self._show_end()

    @on("match.stone_placed")
    def leave_end_of_match_game(self, move: int, color: int) -> None:
        """Remove the offers once a person plays on in the match."""
        if self.ended is not None and not self.ended.is_own and color in self.match.live.people:
            self._leave_end()

    def _leave_end(self) -> None:
        """Remove the panel after a game."""
        self.ended = None
        self._show_end()

    def _show_end(self) -> None:
        """Show or remove the panel after a game."""
        is_over = self.ended is not None
        is_wanted = is_over or self._is_watched or self._is_offered
        is_wanted = is_wanted and not self.match.front.is_paused
        entries = [
            entry for entry in self.panels.panels if entry.slot is self.slot and entry.title == OVER
        ]
        if is_wanted and not entries:
            self.panel(OVER, self.draw_end, dock="overlay-bottom", order=1, icon="flag-checkered")
        for entry in entries if not is_wanted else ():
            self.panels.remove(entry)

    @property
    def _is_watched(self) -> bool:
        """Whether two players play a game of the user's own, so that nobody sits at the board."""
        session, choices = self.live.session, self.choices
        is_here = self.match.guest is not None and session is not None and not session.is_over
        return (
            is_here
            and choices is not None
            and not (choices.black.is_person or choices.white.is_person)
        )

    @property
    def _is_offered(self) -> bool:
        """Whether the game of an earlier session is offered below the board."""
        has_one = self.unfinished is not None and not self._is_put_off
        return has_one and self.ended is None and self.match.guest is None

    def review(self) -> None:
        """Open the game that is over in the viewer."""
        ended = self.ended
        if ended is not None:
            self.match.stored_game_wanted.emit(ended.record.game, ended.run_id)

    def draw_end(self, ui: Ui) -> None:
        """Draw how the game ended, or that one goes on, and what can be done now."""
        ended = self.ended
        if ended is None and self.unfinished is not None:
            self._draw_offer(ui, self.unfinished)
            return
        if ended is None and not self._is_watched:
            return
        over = "" if ended is None else describe_end(ended.record, self.board.sides)
        buttons = []
        if ended is not None and ended.run_id:
            tip = tr("Moves, values and mistakes of this game")
            buttons.append((tr("Review it"), "magnifying-glass", "review", tip))
        buttons.append((tr("New game"), "circle-plus", "open", tr("Choose another game (Ctrl+N)")))
        if ended is not None and ended.is_own:
            tip = tr("The same players, the other way round")
            buttons.append((tr("Again, colours changed"), "right-left", "again", tip))
        if ended is None or ended.is_own:
            tip = tr("The match goes on where it was")
            buttons.append((tr("Back to the match"), "arrow-left", "go_back", tip))
        self._draw_buttons(ui, over or tr("Two players play"), buttons)

    def _draw_offer(self, ui: Ui, unfinished: UnfinishedGame) -> None:
        """Draw the offer to go on with the game of an earlier session."""
        choices = unfinished.choices
        who = tr("{word} against {word2}").format(
            word=choices.black.words, word2=choices.white.words
        )
        buttons = [
            (
                tr("Go on with it"),
                "play",
                "go_on",
                tr("Your game, where you left it; the match waits"),
            ),
            (tr("Not now"), "", "put_off", tr("It waits on: Ctrl+N offers it again")),
        ]
        words = tr("Your game waits: {who}, {moves_text}").format(
            who=who, moves_text=_moves_text(unfinished.plies)
        )
        self._draw_buttons(ui, words, buttons)

    def _draw_buttons(self, ui: Ui, words: str, buttons: Sequence[tuple[str, ...]]) -> None:
        """Draw a heading with buttons beside it.

        Args:
            ui: widgets.
            words: the heading.
            buttons: for each button its label, icon, the method that it calls, and its tip.
        """
        ui.imgui.align_text_to_frame_padding()
        ui.heading(words)
        for label, icon, method, tip in buttons:
            ui.beside(ui.button_width(label, icon=icon))
            if ui.button(label, icon=icon, tip=tip):
                self.by_hand(method)


def _moves_text(plies: int) -> str:
    return tr_many("{count} move", "{count} moves", plies)


NAMES_OF_SEATS = ("black", "white")
OWN_TYPE, SEAT_TYPE = "gomoku.game.new_game:NewGame", "gomoku.seats.table_seat:TableSeat"
OVER = tr("Game over")
SPECIAL = frozenset({"standard", "renju", "caro", "balanced", "pro", "long-pro", "swap", "swap2"})
"""Rules and openings that the scoreboard names."""
