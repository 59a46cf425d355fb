"""The match: game after game between two seats, and learning from them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, cast

from ai import (
    BLACK,
    FIRST,
    SECOND,
    WHITE,
    Game,
    GameRecord,
    GameSession,
    MoveChoice,
    OpeningPhase,
    Person,
    Position,
    ProjectError,
    Rule,
    Rules,
    RulesError,
    UnknownGameError,
    color_name,
    get_game,
    opening_of,
)
from scripts.gomoku.board.board_view import BoardView
from scripts.gomoku.board.view_state import ViewState, states_of
from scripts.gomoku.game.archive import Archive
from scripts.gomoku.game.game_loop import Answer, play_game, stone_of
from scripts.gomoku.game.match_report import (
    SWAPS,
    file_values,
    legend_of,
    opponent_in,
    resumed_words,
)
from scripts.gomoku.game.match_screen import (
    RECENT,
    MatchStatus,
    Pace,
    ShownPosition,
    learning_text,
    provisional_note,
)
from scripts.gomoku.game.results import MatchResults, RecordLog
from scripts.gomoku.game.table import GuestGame, LiveTable, SeatTable
from scripts.gomoku.seats.kernels import compile_kernels
from scripts.gomoku.seats.learner_client import LearnerClient
from scripts.gomoku.seats.seat import Seat
from sim import FieldError, FormerName, Script, Task, Wait, field, on, option, signal, tr

Adviser = Callable[[Position, int, Callable[[], bool]], Awaitable[int | None]]
"""Function that is told a person's move; see `Match.advised`."""


class Match(Script):
    """Plays games without end, or a given number. The board only displays them."""

    games: int | None = option(
        min=1, metavar="N", ends_run=True, help="Play this many more games, then stop."
    )
    asked_rule: str | None = option(
        name="rule",
        metavar="NAME",
        choices=("freestyle", "standard", "renju", "caro"),
        help="Which rows win: freestyle, standard (exactly five), renju or caro.",
    )
    asked_opening: str | None = option(
        name="opening",
        metavar="NAME",
        choices=("none", "balanced", "pro", "long-pro", "swap", "swap2"),
        help="How a game begins: none, balanced, pro, long-pro, swap or swap2.",
    )
    black: Seat = field(None, help=tr("Who plays Black, or begins an opening"))
    white: Seat = field(None)
    board: BoardView = field(None)
    trainer: LearnerClient = field(None, former=("coach",))
    archive: Archive = field(None)
    size: int = field(
        7, min=3, max=22, help=tr("Points along a side; takes effect at the next game")
    )
    game_name: str = field("", help=tr("A game that `games` lists, instead of size and the rest"))
    win_length: int = field(5, min=3, max=22, help=tr("Stones in a row that win"))
    rule: Literal["freestyle", "standard", "renju", "caro"] = field(
        "freestyle", help=tr("Which rows win: longer ones too, exactly five, with Black's fouls, …")
    )
    opening: Literal["none", "balanced", "pro", "long-pro", "swap", "swap2"] = field(
        "none", help=tr("How a game begins: who places stones, and who may take which color")
    )
    height: int = field(0, min=0, max=22, title=tr("Rows"), help=tr("0: as many as columns"))
    gravity: bool = field(False, help=tr("Stones fall to the lowest empty point of their column"))
    full_board_wins: bool = field(True, help=tr("White wins when the board is full (else a draw)"))
    random_opening: bool = field(True, help=tr("Black's first stone is a random centre point"))
    wait_for_training: bool = field(True, help=tr("The next game starts when White has learnt"))
    pause_after_stone: float = field(
        0.35,
        min=0.0,
        max=10.0,
        unit="s",
        help=tr("Pause after each stone"),
        former=("move_seconds",),
    )
    end_seconds: float = field(1.6, min=0.0, max=60.0, unit="s", title=tr("Pause after game"))
    show_every: int = field(10, min=1, max=1000, help=tr("Fast-forward shows every n-th game"))
    shows_losses: bool = field(False, help=tr("Fast-forward shows each game that White has lost"))
    game_started = signal(int)
    stone_placed = signal(int, int)
    game_over = signal(object)
    resumed = signal(object)
    taken_back = signal(int)
    game_wanted = signal(int)
    stored_game_wanted = signal(int, int)
    held = signal(bool)
    own_stone_placed = signal(int, int)
    own_game_over = signal(object)
    shown_changed = signal()
    choice_made = signal(str)

    def awake(self) -> None:
        self.game = 0
        self.results = MatchResults(self.metrics.log)
        self.live = LiveTable(
            lambda: (self.black, self.white), lambda: self.board.sides, self.log.info
        )
        self.table: SeatTable = self.live
        """The game that people at the board play: the live one, a side game or one of their own."""
        self.guest: GuestGame | None = None
        """A game of the user's own at the board, in front of the live game; None without one."""
        self.adviser: Adviser | None = None
        """Who is told a person's move before it is played; None for nobody."""
        self.is_fast = False
        self.is_shown = True
        self._instead: ShownPosition | None = None
        self.side_games: list[tuple[GameRecord, dict[str, Any]]] = []
        self._compiler: Task | None = None
        self._coming: Task | None = None  # while the first game's players start
        self._pace = Pace()
        self.status_line = MatchStatus(lambda: self.board, self.tell)
        self._thought_before = {"black": 0.0, "white": 0.0}
        self._wanted_kernels: list[str] = []
        self.is_restored = False
        if self.asked_rule:
            self.rule = cast("Any", self.asked_rule)  # one of its choices
        if self.asked_opening:
            self.opening = cast("Any", self.asked_opening)

    def validate(self) -> None:
        if not self.game_name:
            self._check_opening(self.rules)

    def start(self) -> None:
        fast, losses = partial(getattr, self, "is_fast"), partial(getattr, self, "shows_losses")
        run = self.toggle_fast
        self.command("fast_forward", tr("Fast-forward"), run, key="f", icon="forward", checked=fast)
        self.command("show_losses", tr("Show losses"), self.toggle_losses, key="l", checked=losses)
        for color, name, key in ((BLACK, "take_black", "b"), (WHITE, "take_white", "w")):
            label, take = (
                tr("Play {side}").format(side=self.board.sides[color]),
                partial(self.take_over, color),
            )
            self.command(name, label, take, key=key, checked=partial(self._is_human, color))
        for color, seat in ((BLACK, self.black), (WHITE, self.white)):
            seat.take_side(color)
        self._set_legend()
        self.start_coroutine(self.play())

    @property
    def rules(self) -> Game:
        """Rules of the next game.

        They come from the fields `size`, `rule` and so on, or from the game that `game_name` names.
        A rule given on the command line overrides that game's own.

        Raises:
            FieldError: `game_name` is unknown, the project's `goishi.toml` is invalid, or the rule
                does not fit the game.
        """
        if self.game_name:
            try:
                named = get_game(self.game_name, self.run.offering).rules
            except UnknownGameError as error:
                found = repr(self.game_name)
                raise FieldError("game_name", expected=error.expected, found=found) from None
            except ProjectError as error:
                raise FieldError("game_name", expected="a known game", found=str(error)) from None
            if self.asked_rule and isinstance(named, Rules):
                return replace(named, rule=Rule(self.asked_rule))
            return named
        try:
            return Rules(
                size=self.size,
                win_length=min(self.win_length, max(self.size, self.height)),
                rule=self.rule,
                full_board_winner=WHITE if self.full_board_wins else 0,
                height=self.height if self.height >= 3 else None,
                gravity=self.gravity,
            )
        except RulesError as error:
            raise FieldError("rule", expected="one of this game", found=str(error)) from None

    def _check_opening(self, rules: Game) -> None:
        """Check that the game can be played with the opening of the field `opening`.

        Raises:
            FieldError: the game does not have the opening, or the scene's learner cannot play it.
        """
        try:
            OpeningPhase(rules, opening_of(self.opening))
        except RulesError as error:
            raise FieldError("opening", expected="one of this game", found=str(error)) from None
        if self.trainer is not None and self.opening in SWAPS:
            expected = tr("none, balanced, pro or long-pro: the scene's learner plays White only")
            raise FieldError("opening", expected=expected, found=self.opening)

    def tell(self, text: str, *, busy: bool = False) -> None:
        """Show a text on the match in the status bar.

        Args:
            text: the text.
            busy: whether the text describes work in progress.
        """
        self.status.set("match", text, busy=busy)

    # -- who sits where -----------------------------------------------------------------------

    @property
    def session(self) -> GameSession | None:
        """The game in progress, or the last one between games; None before the first game."""
        return self.live.session

    def seat_of(self, person: Person) -> Seat:
        """Return the seat of a participant, whatever color it plays.

        Args:
            person: FIRST for the one who begins, which is the seat `black`; else SECOND.
        """
        return self.live.seat_of(person)

    def seat_at(self, color: int) -> Seat:
        """Return the seat that plays `color` now; after a swap of colors it is the other seat."""
        return self.live.seat_at(color)

    def toggle_fast(self) -> None:
        """Turn fast-forward on or off: games run without display, and only every n-th is shown.

        The game in progress goes on unseen at once, unless a person plays it. When fast-forward is
        turned off, the game in progress appears on the board.
        """
        self.is_fast = not self.is_fast
        if self.is_fast and not (self.black.is_human or self.white.is_human):
            self.is_shown = False
            self._pace = Pace()
            self._tell_pace()
            if not self.is_other_shown:
                self.shown_changed.emit()
        self._set_pace()
        if not self.is_fast:
            self._show_unseen()

    def update(self, dt: float) -> None:
        if not self.is_shown and not self.is_paused and self._pace.is_due(self.run.elapsed):
            self._tell_pace()

    def _tell_pace(self) -> None:
        """Say which game runs unseen, how fast games follow each other, and when is retrained."""
        winners = list(self.records.winners[-RECENT:])
        learner = self.trainer
        color = WHITE if learner is None or learner.seat is None else learner.seat.color
        learning = learning_text(self._pace, learner, winners, self.board.sides.get(color, "White"))
        self.tell(self._pace.text(max(1, self.game), learning), busy=True)

    def _set_pace(self) -> None:
        self.workers.is_eager = self.is_fast and not self.is_shown and not self.is_paused

    def toggle_losses(self) -> None:
        """Switch what fast-forward replays: each game that White lost, or every n-th game."""
        self.shows_losses = not self.shows_losses

    def _is_human(self, color: int) -> bool:
        return self.seat_at(color).is_human

    def take_over(self, color: int) -> None:
        """Let a person play a color; if a person plays it already, its player takes over again."""
        if self.guest is not None:
            self.tell(tr("A game of your own has its players: Ctrl+N begins another"))
        elif self.live.toggle_person(color).is_human:
            self._show_unseen()  # who plays must see the board

    def _show_unseen(self) -> None:
        """Show the game in progress from now on, if it was played without display."""
        if self.is_shown:
            return
        self.is_shown = True
        self._set_pace()
        if not self.is_paused:
            self._show_live()
            self.status_line.show_state(self.live)

    @property
    def is_paused(self) -> bool:
        """Whether the live game is paused while the board is used for something else."""
        return self.live.is_paused

    @property
    def records(self) -> RecordLog:
        """The games of this run."""
        return self.results.records

    @property
    def played(self) -> int:
        """Number of games played in this run."""
        return len(self.records)

    @property
    def current(self) -> Position | None:
        """Position of the game in progress, or of the last one; None before the first game."""
        return None if self.session is None else self.session.board

    @property
    def is_playing(self) -> bool:
        """Whether a game is in progress."""
        return self.session is not None and not self.session.is_over

    @property
    def last_choice(self) -> MoveChoice | None:
        """The latest answer of a player in this game; None if there is none."""
        return None if self.session is None else self.session.last_choice

    @property
    def last_choices(self) -> Mapping[int, tuple[int, MoveChoice]]:
        """The last chosen move of each side, by color.

        Each entry is a pair: the number of moves before it, and the player's answer.
        """
        return {} if self.session is None else self.session.choices

    @property
    def shown(self) -> ShownPosition:
        """The position on the board: the live game's, or another one set by `show_instead`."""
        if self._instead is not None:
            return self._instead
        board = self.current
        players = {color: self.seat_at(color).info for color in (BLACK, WHITE)}
        if self.session is not None and not self.session.opening.is_over:  # nobody's colors yet
            placer = self.seat_of(self.session.opening.last_placer).info
            players = {BLACK: placer, WHITE: placer}
        note = provisional_note((self.black, self.white))
        key = (self.game, -1 if board is None else board.ply, note)
        return ShownPosition(board, self.last_choices, players, key, note)

    @property
    def is_other_shown(self) -> bool:
        """Whether the board shows a position that is not the live game's."""
        return self._instead is not None

    def show_instead(self, shown: ShownPosition | None) -> None:
        """Set which position counts as shown instead of the live game's; emit `shown_changed`.

        Args:
            shown: the position; None for the live game again.
        """
        self._instead = shown
        self.shown_changed.emit()

    # -- what people and other panels want -----------------------------------------------------

    def show_game(self, number: int) -> None:
        """Emit `game_wanted` to show a past game."""
        self.game_wanted.emit(number)

    def take_back(self) -> bool:
        """Take back a person's last move and the moves after it in the live game.

        Returns:
            Whether there was such a move.
        """
        return self.live.take_back()

    def resign(self, color: int) -> bool:
        """Resign the live game for the person who plays `color`.

        Returns:
            Whether a game was in progress.
        """
        return self.live.resign(color)

    def pause(self) -> None:
        """Suspend the game at the board while the board is used for something else.

        It is the live game, or the game of the user's own in front of it.
        """
        if self.guest is not None:
            self.guest.pause()
        elif not self.is_paused:
            self._set_paused(is_paused=True)

    def resume(self) -> None:
        """Continue the game at the board and show it again; does nothing unless it is paused."""
        if self.guest is not None:
            self.guest.resume()
            return
        if not self.is_paused:
            return
        self.show_instead(None)
        self._set_paused(is_paused=False)
        self._show_live()

    @property
    def front(self) -> LiveTable:
        """The table of the game at the board: of a game of the user's own, or of the live game."""
        return self.live if self.guest is None else self.guest.live

    def seat_guest(self, guest: GuestGame) -> None:
        """Put a game of the user's own in front of the live game, which waits meanwhile.

        Args:
            guest: the game.
        """
        if self.guest is None and not self.is_paused:
            self._set_paused(is_paused=True)
        self.guest = guest
        self.table = guest.live

    def release_guest(self) -> None:
        """Return the board to the live game, which goes on where it was."""
        if self.guest is None:
            return
        self.guest = None
        self.table = self.live
        self.resume()
        self.status_line.show_state(self.live)

    def _show_live(self) -> None:
        """Show the position of the live game.

        If the live game is played without display, the end of the previous game is shown instead.
        """
        is_live = self.is_shown or not self.records
        position = self.current if is_live else self.records[-1].board()
        before = ViewState.before(self.rules)
        self.board.show(before if position is None else ViewState.of(position))

    def queue_side_game(self, record: GameRecord, details: dict[str, Any]) -> None:
        """Store a side game and let the learner learn from it, before the next live game.

        Args:
            record: the side game.
            details: further values to store with it.
        """
        self.side_games.append((record, details))

    def _set_paused(self, *, is_paused: bool) -> None:
        self.live.pause(is_paused=is_paused)
        self._set_pace()
        self.held.emit(is_paused)

    async def wait_while_paused(self) -> bool:
        """Wait while the match is paused; return whether it was."""
        was_paused = self.is_paused
        if was_paused:
            await self.until(lambda: not self.is_paused)
        return was_paused

    hold, release = FormerName("pause"), FormerName("resume")
    unheld, is_held = FormerName("wait_while_paused"), FormerName("is_paused")
    learn_beside = FormerName("queue_side_game")

    # -- game after game ----------------------------------------------------------------------

    async def play(self) -> None:
        """Play games until the run ends."""
        self.results.begin_game(self.rules.points)
        while self.games is None or self.played < self.games:
            rules = self.rules
            self._check_opening(rules)
            if self._begins_ahead():
                self._coming = self.start_coroutine(self._prepare(rules, is_ahead=True))
            else:
                await self._prepare(rules)
            await self.wait_while_paused()
            self.game += 1
            session = await self._play_game(rules)
            record = session.record()
            self._record(session, record)
            await self._learn(record)
            await self._learn_side_games()
            self._report()
        if self.trainer is not None:
            await self.trainer.finish_training()
        self._report()
        self.run.finish(0)

    def _begins_ahead(self) -> bool:
        """Return whether the next game begins while its players still start.

        The first one does if its first stone is drawn by lot, and nothing is stored: games and
        learners of earlier runs decide its number. Nobody watches a run that is faster than life.
        """
        if self.game or not self.random_opening or self.opening != "none" or self.black.is_human:
            return False
        if self.time.speed > 1.0:
            return False
        if self.run.fresh or self.archive is None:
            return True
        is_known = self.trainer is not None and bool(self.trainer.kept_players())
        return not is_known and not self.archive.earlier_games()

    async def _prepare(self, rules: Game, *, is_ahead: bool = False) -> None:
        """Let the players of the next game come to their seats.

        Args:
            rules: rules of the game.
            is_ahead: whether the game, the first of all, begins meanwhile.
        """
        if not self.is_paused:
            self.tell(tr("Starting the players"))
        if self.trainer is not None:
            self.trainer.begin_game(self.game + 1, self.black, self.white)
        self._open_workers(rules)
        for color, seat in ((BLACK, self.black), (WHITE, self.white)):
            await seat.prepare(color, rules)
        if self.trainer is not None:
            await self.trainer.prepare(rules)
            if is_ahead:
                self.is_restored = True
                self.trainer.restore([], self.game)
            elif not self.is_restored:
                self.is_restored = True
                await self._restore(self.trainer)
                self.black.prepare_game(self.game + 1)  # which is known now
                await self.black.prepare(BLACK, rules)
        if any(seat.needs_kernels for seat in (self.black, self.white)):
            self.want_kernels()

    def _open_workers(self, rules: Game) -> None:
        """Start the workers of both seats and the trainer, beside each other."""
        seats = ((BLACK, self.black), (WHITE, self.white))
        for _, seat in seats:
            seat.prepare_game(self.game + 1)
            seat.require_player()
        for color, seat in seats:
            seat.open_worker(color, rules)
        if self.trainer is not None:
            self.trainer.open_worker()

    async def _play_game(self, rules: Game) -> GameSession:
        session = self.live.session = GameSession(
            rules, self.game, seed=self.run.seed, opening=opening_of(self.opening)
        )
        self.results.begin_game(rules.points)
        self.is_shown = self._is_game_shown()
        self._set_pace()
        self._thought_before = self._thought()
        if not self.is_shown:
            self._pace.begin_game(self.run.elapsed)
        if self.is_shown:
            self.board.show(ViewState.of(session.board))
        elif (self.board.size, self.board.rows) != (rules.size, rules.rows):
            self.board.show(ViewState.before(rules))
        self.game_started.emit(self.game)
        await self.start_coroutine(play_game(self, session))
        return session

    def _thought(self) -> dict[str, float]:
        return {"black": self.black.think_seconds, "white": self.white.think_seconds}

    # what the game at the board needs, see `GameHost`

    @property
    def is_waiting(self) -> bool:
        """Whether the live game is paused while the board is used for something else."""
        return self.live.is_paused

    @property
    def is_instant(self) -> bool:
        """Whether the scene runs at unlimited speed."""
        return self.time.instant

    async def answer_of(self, session: GameSession, answer: Awaitable[Answer]) -> Answer:
        """Wait for the answer of a seat of the live game, and return it."""
        if self._coming is not None and not self._is_human(session.board.to_move):
            await self._coming  # then the answer: a seat is not asked before it is awaited
            self._coming = None
        return await answer

    def pause_for(self, seconds: float) -> Wait:
        """Return a wait of some seconds of scene time."""
        return self.seconds(seconds)

    async def advised(
        self, position: Position, choice: MoveChoice, is_wanted: Callable[[], bool]
    ) -> MoveChoice | None:
        """Tell the adviser of a person's move before it is played.

        Args:
            position: the position before the move.
            choice: the move.
            is_wanted: called while waiting; returning False takes the move back.

        Returns:
            The move to play; None if the person takes it back.
        """
        if self.adviser is None:
            return choice

        def is_open() -> bool:
            return is_wanted() and (self.table is not self.front or not self.front.is_paused)

        move = await self.adviser(position, choice.move, is_open)
        if move is None or not is_open():
            return None
        return choice if move == choice.move else MoveChoice(move)

    def note_turn(self, session: GameSession, color: int) -> None:
        """Do nothing: the live game has no clock."""

    def note_ply(self, session: GameSession, color: int) -> None:
        """Emit the move that a side has just played."""
        move = stone_of(session)
        if move is not None:
            self.stone_placed.emit(move, color)
        if session.board.ply == 1:
            self.run.startup("first_move")
        elif session.board.ply == 2:
            self.run.startup("first_white_move")

    def note_choice(self, session: GameSession, text: str) -> None:
        """Show a choice in the opening, and emit it."""
        if self.is_shown:
            self.tell(tr("Game {game} · {text}").format(game=session.game, text=text))
        self.choice_made.emit(text)

    def note_ranks(self, ranks: Sequence[int], by: int = 1) -> None:
        """Count ranks of White's moves: played (1), or taken back (-1)."""
        self.results.count_ranks(ranks, by)

    def note_taken_back(self, session: GameSession) -> None:
        """Emit that moves were taken back."""
        self.taken_back.emit(session.board.ply)

    def note_given_up(self, session: GameSession, color: int) -> None:
        """Log that the player of a side has given up."""
        self.log.warning(f"{color_name(color).capitalize()} loses: {session.forfeit}")

    async def _linger(self) -> None:
        """Pause at the end of a game, unless fast-forward begins meanwhile."""
        if not self.time.instant:
            end, was_shown = self.time.now + self.end_seconds, self.is_shown
            await self.until(lambda: self.time.now >= end or self.is_shown is not was_shown)

    async def _replay(self, record: GameRecord) -> None:
        """Replay a lost game that was played without display, while White learns from it."""
        self.workers.is_eager = False
        self.tell(tr("Game {game}, lost off screen: White learns from it").format(game=record.game))
        before = ViewState.before(record.rules)
        self.board.show(before)
        *states, end = states_of(record.rules, record.moves)
        for state in states:
            if await self.wait_while_paused():
                self.board.show(before)
            await self.board.play(state, self.pause_after_stone)
            before = state
        await self.wait_while_paused()
        self.board.show(end)
        await self._linger()

    # -- what becomes of it -------------------------------------------------------------------

    def _record(self, session: GameSession, record: GameRecord) -> None:
        """Store the game before anything learns from it."""
        opponent = opponent_in(session, self.black)
        is_decided_by_hand = session.decided is not None and not session.forfeit
        has_person = bool(session.people) or is_decided_by_hand
        if self.archive is not None:
            players = [seat.player or seat.player_name() for seat in (self.black, self.white)]
            details: dict[str, Any] = {"ranks": session.ranks, "players": players}
            if opponent is not None:
                details["opponent"] = opponent
            if has_person:
                details |= {"people": session.people_seated, "taken_back": session.taken_back}
            if session.forfeit:
                details["forfeit"] = session.forfeit
            self.archive.keep(record, network_id=self.white.network_id, details=details)
        self.results.add(record, opponent, has_person=has_person)
        self.game_over.emit(record)

    @on("trainer.noted")
    def note(self, change: dict[str, Any]) -> None:
        """Store a change of a setting.

        Args:
            change: the change, with the keys `game`, `key`, `from` and `to`.
        """
        if self.archive is not None:
            self.archive.note(change)

    @on("trainer.measured")
    def measure(self, game: int, values: dict[str, float]) -> None:
        """Store measured values of a game.

        Args:
            game: number of the game.
            values: measured values by name.
        """
        if self.archive is not None:
            self.archive.measure(game, values)

    async def _learn(self, record: GameRecord) -> None:
        await self.wait_while_paused()
        if self.is_shown:
            self.status_line.show_end(record)
        if self.trainer is not None:
            self.trainer.learn(record)
        if self.shows_losses and not self.is_shown and record.winner == BLACK:
            await self._replay(record)
        if self.is_shown:
            await self._linger()
        if self.trainer is not None:
            if self.wait_for_training:
                await self.trainer.finish_training()
            else:
                await self.trainer.swap()
        self._write(record)

    async def _learn_side_games(self) -> None:
        """Store the waiting side games and let the learner learn from each, as numbered games."""
        games, self.side_games = self.side_games, []
        for record, details in games:
            self.game += 1
            numbered = replace(record, game=self.game)
            if self.archive is not None:
                self.archive.keep(numbered, network_id=self.white.network_id, details=details)
            if self.trainer is not None:
                self.trainer.learn(numbered)
        if games and self.trainer is not None and self.wait_for_training:
            await self.trainer.finish_training()

    def _write(self, record: GameRecord) -> None:
        """Write the game into the run's files, if there are any."""
        if self.archive is None or self.run.out is None:
            return
        seconds = {side: now - self._thought_before[side] for side, now in self._thought().items()}
        values = file_values(
            record,
            scene=self.run.scene_path.name,
            seed=self.run.seed,
            black=self.black,
            white=self.white,
            trainer=self.trainer,
            opponent=self.records.opponents[-1],
            ranks=[] if self.session is None else self.session.ranks,
            seconds=seconds,
        )
        self.archive.write(record, **values)

    def _is_game_shown(self) -> bool:
        if not self.is_fast or self.black.is_human or self.white.is_human:
            return True
        return not self.shows_losses and self.game % self.show_every == 0

    # -- beside the first game ----------------------------------------------------------------

    def _set_legend(self) -> None:
        """Set the legend that is on the screen in the first seconds: the players and the keys."""
        legend = legend_of(
            self.board.sides,
            self.black.info,
            self.white.info,
            self.rules,
            self.opening,
            learns=self.trainer is not None,
            played=self.played,
        )
        self.panels.set_legend(self.slot, *legend)

    def want_kernels(self, *users: str) -> None:
        """Compile the players' fast code beside the match, that of the seated players first.

        Args:
            users: names of others that wait for theirs, such as a past game's evaluation.
        """
        self._wanted_kernels += [user for user in users if user not in self._wanted_kernels]
        if self._compiler is None:
            self._compiler = self.start_coroutine(self._compile_kernels())

    def _kernel_users(self) -> list[str]:
        tables = dict.fromkeys((self.front, self.live))  # whoever plays at the board comes first
        seats = [table.seat_of(person) for table in tables for person in (SECOND, FIRST)]
        seated = [seat.sitting()[0] for seat in seats if not seat.is_human]
        return [*seated, *self._wanted_kernels]

    async def _compile_kernels(self) -> None:
        """Compile fast code; players switch to it at their next move, or game in a repeatable run.

        If that fails, a warning is logged and the slower Python version stays in use.
        """
        done = await compile_kernels(self, self._kernel_users)
        if not done.compiled:
            self.log.warning(
                f"fast players cannot be compiled here, slower Python versions play: {done.reason}"
            )

    async def _restore(self, trainer: LearnerClient) -> None:
        """Continue after the last stored game of earlier runs.

        The learner also learns from stored games that it had not learned from yet.
        """
        learnt, archive = trainer.games_learnt, self.archive
        kept = [] if self.run.fresh or archive is None else archive.earlier_games()
        known = [item.record for item in kept if "beside" not in item.details]
        missed = [item.record for item in kept if item.record.game > learnt]
        self.game = max([learnt, *(record.game for record in missed)])
        if self.game:
            self.results.restore(kept, self.rules.points)
            self._restore_measures(trainer)
            self.resumed.emit(known)
        trainer.restore(archive.changes() if known and archive is not None else [], self.game + 1)
        for record in missed:
            if record.rules == self.rules:
                trainer.learn(record)
        if missed:
            await trainer.finish_training()
        if self.game:
            self.log.info(
                f"resumed at game {self.game + 1}: {self._resumed_words(trainer, learnt)}"
            )

    def _resumed_words(self, trainer: LearnerClient, learnt: int) -> str:
        color = BLACK if trainer.seat is self.black else WHITE
        player = trainer.seat.player_name()
        return resumed_words(self.board.sides[color], player, learnt, trainer.kept_players())

    def _restore_measures(self, trainer: LearnerClient) -> None:
        """Log the stored measured values of the games that the learner has learned from."""
        learnt = trainer.games_learnt
        measures = [] if self.archive is None else self.archive.measures()
        for game, name, value in measures:
            if game <= learnt:
                self.metrics.log(name, value, step=game)
        if learnt and not measures:  # kept by an older version: the last point alone is known
            trainer.log_statistics(learnt)

    def _report(self) -> None:
        self.stats.update(self.results.statistics(self.trainer))
