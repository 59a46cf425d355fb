"""The match: game after game between two seats, and learning from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, cast

from ai import (
    BLACK,
    FIRST,
    PASS,
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
from scripts.gomoku.board.board_view import BoardView, NoPointError
from scripts.gomoku.game.archive import Archive
from scripts.gomoku.game.kernels import compile_kernels
from scripts.gomoku.game.match_report import (
    SWAPS,
    file_values,
    legend_of,
    log_earlier,
    opponent_in,
    ranks_of,
    statistics,
    winning_seat,
)
from scripts.gomoku.game.match_screen import MatchScreen
from scripts.gomoku.game.opening_dialogue import OpeningDialogue
from scripts.gomoku.game.opponents import LeagueTable
from scripts.gomoku.game.record_log import RecordLog
from scripts.gomoku.game.shown import ShownPosition
from scripts.gomoku.game.table import LiveTable, Table
from scripts.gomoku.seats.learner_client import LearnerClient
from scripts.gomoku.seats.seat import Seat
from sim import FieldError, Script, Task, field, on, option, signal


class Match(Script):
    """Plays games without end, or a given number. The board only displays them."""

    games: int | None = option(
        min=1, metavar="N", ends_run=True, help="Play this many more games, then stop."
    )
    asked_rule: str | None = option(
        name="rule", metavar="NAME", choices=("freestyle", "standard", "renju", "caro"),
        help="Which rows win: freestyle, standard (exactly five), renju or caro.",
    )  # fmt: skip
    asked_opening: str | None = option(
        name="opening", metavar="NAME",
        choices=("none", "balanced", "pro", "long-pro", "swap", "swap2"),
        help="How a game begins: none, balanced, pro, long-pro, swap or swap2.",
    )  # fmt: skip
    black: Seat = field(None, help="Who plays Black, or begins an opening")
    white: Seat = field(None)
    board: BoardView = field(None)
    coach: LearnerClient = field(None)
    archive: Archive = field(None)
    size: int = field(7, min=3, max=22, help="Points along a side; takes effect at the next game")
    game_name: str = field("", help="A game that `games` lists, instead of size and the rest")
    win_length: int = field(5, min=3, max=22, help="Stones in a row that win")
    rule: Literal["freestyle", "standard", "renju", "caro"] = field(
        "freestyle", help="Which rows win: longer ones too, exactly five, with Black's fouls, …"
    )
    opening: Literal["none", "balanced", "pro", "long-pro", "swap", "swap2"] = field(
        "none", help="How a game begins: who places stones, and who may take which color"
    )
    height: int = field(0, min=0, max=22, help="Rows, where the board is no square; 0: a square")
    gravity: bool = field(False, help="Stones fall to the lowest empty point of their column")
    full_board_wins: bool = field(True, help="White wins when the board is full (else a draw)")
    random_opening: bool = field(True, help="Black's first stone is a random centre point")
    wait_for_training: bool = field(True, help="The next game starts when White has learnt")
    pause_after_stone: float = field(
        0.35, min=0.0, max=10.0, unit="s", help="Pause after each stone", former=("move_seconds",)
    )
    end_seconds: float = field(1.6, min=0.0, max=60.0, unit="s", help="Pause after each game")
    show_every: int = field(10, min=1, max=1000, help="Fast-forward shows every n-th game")
    shows_losses: bool = field(False, help="Fast-forward shows each game that White has lost")
    game_started = signal(int)
    stone_placed = signal(int, int)
    game_over = signal(object)
    resumed = signal(object)
    taken_back = signal(int)
    game_wanted = signal(int)
    held = signal(bool)
    shown_changed = signal()
    choice_made = signal(str)

    def awake(self) -> None:
        self.session: GameSession | None = None
        self.game = 0
        self.played = 0
        self.records = RecordLog()
        self.league, self.league_now = LeagueTable(), LeagueTable()
        """Results by opponent: of all games, and of this session's."""
        self.rank_counts: list[int] = []
        self.earlier_ranks: list[int] = []
        self.is_fast = False
        self.is_shown = True
        self.is_held = False
        self._instead: ShownPosition | None = None
        self.table: Table = LiveTable(self)
        self.beside: list[tuple[GameRecord, dict[str, Any]]] = []
        self.compiler: Task | None = None
        self.screen = MatchScreen(self)
        self.dialogue = OpeningDialogue(self)
        self.thinking = {"black": 0.0, "white": 0.0}
        self.has_fast_kernels = False
        self.has_resumed = False
        if self.asked_rule:
            self.rule = cast("Any", self.asked_rule)  # one of its choices
        if self.asked_opening:
            self.opening = cast("Any", self.asked_opening)

    def validate(self) -> None:
        if not self.game_name:
            self._check_opening(self.rules)

    def start(self) -> None:
        self.command("fast_forward", "Fast-forward", self.toggle_fast, key="f", icon="forward",
                     checked=lambda: self.is_fast)  # fmt: skip
        self.command("show_losses", "Show losses", self.toggle_losses, key="l",
                     checked=lambda: self.shows_losses)  # fmt: skip
        sides = self.board.sides
        self.command("take_black", f"Play {sides[BLACK]}", lambda: self.take_over(BLACK), key="b",
                     checked=lambda: self.seat_at(BLACK).is_human)  # fmt: skip
        self.command("take_white", f"Play {sides[WHITE]}", lambda: self.take_over(WHITE), key="w",
                     checked=lambda: self.seat_at(WHITE).is_human)  # fmt: skip
        for color, seat in ((BLACK, self.black), (WHITE, self.white)):
            seat.take_side(color)
        self._set_legend()
        self.start_coroutine(self.play())

    @property
    def rules(self) -> Game:
        """The rules, by the fields; those of a game by name, with the rule of the command line.

        Raises:
            FieldError: `game_name` is unknown, the project's `goishi.toml` is invalid, or the rule
                does not fit the game.
        """
        if self.game_name:
            try:
                named = get_game(self.game_name, self.run.offering).rules
            except (UnknownGameError, ProjectError) as error:
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
        """Raise FieldError where a game has not the opening of the field."""
        try:
            OpeningPhase(rules, opening_of(self.opening))
        except RulesError as error:
            raise FieldError("opening", expected="one of this game", found=str(error)) from None
        if self.coach is not None and self.opening in SWAPS:
            expected = "none, balanced, pro or long-pro: the scene's learner plays White only"
            raise FieldError("opening", expected=expected, found=self.opening)

    # -- who sits where -----------------------------------------------------------------------

    def seat_of(self, person: Person) -> Seat:
        """Return the seat of a person, whatever color it plays: the first is `black`'s."""
        return self.black if person == FIRST else self.white

    def seat_at(self, color: int) -> Seat:
        """Return the seat that plays a color now; after a swap that is the other one."""
        if self.session is not None:
            return self.seat_of(self.session.opening.person_at(color))
        return self.black if color == BLACK else self.white

    def seat_people(self, session: GameSession) -> None:
        """Let each seat play its color of the opening."""
        for person in (FIRST, SECOND):
            self.seat_of(person).color = session.opening.color_of(person)

    def toggle_fast(self) -> None:
        """Toggle fast-forward: games are played without display, every n-th is shown.

        Without it the game that is played is shown at once.
        """
        self.is_fast = not self.is_fast
        self._set_pace()
        if not self.is_fast:
            self._show_unseen()

    def _set_pace(self) -> None:
        self.workers.is_eager = self.is_fast and not self.is_shown and not self.is_held

    def toggle_losses(self) -> None:
        """Toggle whether fast-forward replays each game that White lost, not every n-th."""
        self.shows_losses = not self.shows_losses

    def take_over(self, color: int) -> None:
        """Seat a person on a side, or return the seat to its player."""
        seat = self.seat_at(color)
        seat.is_human = not seat.is_human
        self.log.info(f"{self.board.sides[color]} is played by {seat.label}")
        if seat.is_human:
            self._show_unseen()  # who plays must see the board

    def _show_unseen(self) -> None:
        """Show the game that is played unseen, from its present position on."""
        if self.is_shown:
            return
        self.is_shown = True
        self._set_pace()
        if not self.is_held:
            self.screen.show_live()
            self.screen.tell_state(self.session)

    @property
    def game_ranks(self) -> list[int]:
        """Ranks of White's moves in its network's answers, in the present game."""
        return [] if self.session is None else self.session.ranks

    @property
    def current(self) -> Position | None:
        """The position of the present or the last game; None before the first."""
        return None if self.session is None else self.session.board

    @property
    def is_playing(self) -> bool:
        """Whether a game is in progress."""
        return self.session is not None and not self.session.is_over

    @property
    def last_choice(self) -> MoveChoice | None:
        """The latest choice of this game; None for an opening drawn by lot."""
        return None if self.session is None else self.session.last_choice

    @property
    def last_choices(self) -> Mapping[int, tuple[int, MoveChoice]]:
        """Ply and choice of each side's last move in this game, by color."""
        return {} if self.session is None else self.session.choices

    @property
    def shown(self) -> ShownPosition:
        """The position on the board: the live game's, or what stands there instead."""
        if self._instead is not None:
            return self._instead
        board = self.current
        players = {color: self.seat_at(color).info for color in (BLACK, WHITE)}
        if self.session is not None and not self.session.opening.is_over:  # nobody's colors yet
            placer = self.seat_of(self.session.opening.last_placer).info
            players = {BLACK: placer, WHITE: placer}
        key = (self.game, -1 if board is None else board.ply)
        return ShownPosition(board, self.last_choices, players, key)

    @property
    def is_other_shown(self) -> bool:
        """Whether the board shows a position that is not the live game's."""
        return self._instead is not None

    def show_instead(self, shown: ShownPosition | None) -> None:
        """Say what the board shows instead of the live game; None: the live game again."""
        self._instead = shown
        self.shown_changed.emit()

    # -- what people and other panels want -----------------------------------------------------

    def show_game(self, number: int) -> None:
        """Emit `game_wanted` to show a past game."""
        self.game_wanted.emit(number)

    def take_back(self) -> bool:
        """Undo a person's last move and the reply; False if there is none."""
        return self.session is not None and self.session.request_undo() and self._recall()

    def resign(self, color: int) -> bool:
        """Resign for the person at `color`; False if no game is in progress."""
        return self.session is not None and self.session.resign(color) and self._recall()

    def hold(self) -> None:
        """Suspend the live game while the board is used for something else."""
        if not self.is_held:
            self._hold(is_held=True)

    def release(self) -> None:
        """Resume the live game and show it again."""
        if not self.is_held:
            return
        self.show_instead(None)
        self._hold(is_held=False)
        self.screen.show_live()

    def learn_beside(self, record: GameRecord, details: dict[str, Any]) -> None:
        """Queue a side game for the learner, before the next game."""
        self.beside.append((record, details))

    def _hold(self, *, is_held: bool) -> None:
        self.is_held = is_held
        for seat in (self.black, self.white):
            seat.is_away = is_held
        self._set_pace()
        self.held.emit(is_held)

    async def unheld(self) -> bool:
        """Wait while the match is suspended; return whether it was."""
        was_held = self.is_held
        if was_held:
            await self.until(lambda: not self.is_held)
        return was_held

    def _recall(self) -> bool:
        for seat in (self.black, self.white):
            seat.recall()
        return True

    # -- game after game ----------------------------------------------------------------------

    async def play(self) -> None:
        """Play games until the run ends."""
        self.rank_counts = [0] * self.rules.points
        while self.games is None or self.played < self.games:
            rules = self.rules
            self._check_opening(rules)
            await self._prepare(rules)
            await self.unheld()
            self.game += 1
            session = await self._play_game(rules)
            record = session.record()
            self._record(session, record)
            await self._learn(record)
            await self._learn_from_beside()
            self._report()
        if self.coach is not None:
            await self.coach.finish_training()
        self._report()
        self.run.finish(0)

    async def _prepare(self, rules: Game) -> None:
        if not self.is_held:
            self.screen.tell("starting the players")
        if self.coach is not None:
            self.coach.begin_game(self.game + 1, self.black, self.white)
        for color, seat in ((BLACK, self.black), (WHITE, self.white)):
            if self.has_fast_kernels:
                seat.replace_worker()
            seat.prepare_game(self.game + 1)
            await seat.prepare(color, rules)
        if not (self.black.is_compiled and self.white.is_compiled) and self.compiler is None:
            self.compiler = self.start_coroutine(self._compile_kernels())
        if self.coach is not None:
            await self.coach.prepare(rules)
            if not self.has_resumed:
                self.has_resumed = True
                await self._resume()
                self.black.prepare_game(self.game + 1)  # which is known now
                await self.black.prepare(BLACK, rules)

    async def _play_game(self, rules: Game) -> GameSession:
        session = self.session = GameSession(
            rules, self.game, seed=self.run.seed, opening=opening_of(self.opening)
        )
        if len(self.rank_counts) != rules.points:
            self.rank_counts = [0] * rules.points
        self.is_shown = self._is_game_shown()
        self._set_pace()
        self.thinking = {"black": self.black.think_seconds, "white": self.white.think_seconds}
        self.screen.begin_game(rules, session.board)
        self.game_started.emit(self.game)
        while not session.is_over:
            if not session.opening.is_over:
                await self.dialogue.step(session)
                continue
            color = session.board.to_move
            move = await self._next_move(session)
            if move is None:
                self.undo_requests(session)
            else:
                await self.show_stone(session, move, color)
        return session

    async def show_stone(self, session: GameSession, move: int, color: int) -> None:
        """Emit and show a stone that was played.

        Args:
            session: the game.
            move: its last move, or PASS.
            color: the side that played it.
        """
        if move != PASS:
            self.stone_placed.emit(move, color)
        if session.board.ply == 1:
            self.run.startup("first_move")
        elif session.board.ply == 2:
            self.run.startup("first_white_move")
        if self.is_shown and not self.is_held:
            await self.screen.show_move(move, color, session.board)

    async def _next_move(self, session: GameSession) -> int | None:
        """Ask the seat of the side to move; return its move, None after an undo or resignation."""
        board = session.board
        color = board.to_move
        seat = self.seat_at(color)
        while True:
            await self.unheld()
            if session.has_request:
                return None
            if session.play_pass():
                return PASS
            is_person = seat.is_human
            if board.ply == 0 and self.random_opening and not is_person:
                return session.play_opening()
            self.screen.tell_turn(color, seat)
            try:
                choice = await seat.choose(
                    session=0,
                    game=self.game,
                    moves=tuple(board.moves),
                    legal=frozenset(board.legal_moves),
                    seed=session.next_seed,
                )
            except NoPointError:
                continue
            await self.unheld()
            if session.has_request or seat.is_human != is_person:
                continue
            if session.gives_up(choice):
                self.log.warning(f"{color_name(color).capitalize()} loses: {session.forfeit}")
                return None
            ranked = len(session.ranks)
            move = session.take(choice, is_person=is_person)
            for rank in session.ranks[ranked:]:
                self.rank_counts[rank - 1] += 1
            return move

    def undo_requests(self, session: GameSession) -> None:
        """Undo the moves and choices that people asked to undo."""
        before = session.board.ply
        for rank in session.undo():
            self.rank_counts[rank - 1] -= 1
        self.seat_people(session)
        if session.board.ply != before:
            self.taken_back.emit(session.board.ply)
            self.screen.show_taken_back(session.board)

    def _record(self, session: GameSession, record: GameRecord) -> None:
        """Keep the game before anything learns from it."""
        self.played += 1
        opponent = opponent_in(self, session)
        self.records.append(record, opponent)
        has_person = bool(session.people) or (session.resigned and not session.forfeit)
        if self.archive is not None:
            details: dict[str, Any] = {"ranks": session.ranks}
            if opponent is not None:
                details["opponent"] = opponent
            if has_person:
                details |= {"people": session.people_seated, "taken_back": session.taken_back}
            if session.forfeit:
                details["forfeit"] = session.forfeit
            self.archive.keep(record, network_id=self.white.network_id, details=details)
        self.metrics.log("white_won", float(record.winner == WHITE), step=self.game)
        if has_person:
            self.metrics.log("with_person", 1.0, step=self.game)
        else:
            self.league.add(opponent, winning_seat(record))
            self.league_now.add(opponent, winning_seat(record))
        self.metrics.log("plies", float(len(record.moves)), step=self.game)
        self.game_over.emit(record)

    @on("coach.noted")
    def note(self, change: dict[str, Any]) -> None:
        """Store a setting change."""
        if self.archive is not None:
            self.archive.note(change)

    @on("coach.measured")
    def measure(self, game: int, values: dict[str, float]) -> None:
        """Store measures of a game."""
        if self.archive is not None:
            self.archive.measure(game, values)

    @property
    def all_ranks(self) -> list[int]:
        """Counts of the played moves' ranks, earlier sessions included."""
        if len(self.earlier_ranks) != len(self.rank_counts):  # none, or of another board
            return self.rank_counts
        pairs = zip(self.rank_counts, self.earlier_ranks, strict=True)
        return [now + before for now, before in pairs]

    async def _learn(self, record: GameRecord) -> None:
        await self.unheld()
        self.screen.show_end(record)
        if self.coach is not None:
            self.coach.learn(record)
        if self.shows_losses and not self.is_shown and record.winner == BLACK:
            await self.screen.replay(record)
        if self.is_shown:
            await self.screen.linger()
        if self.coach is not None:
            if self.wait_for_training:
                await self.coach.finish_training()
            else:
                await self.coach.swap()
        self._write(record)

    async def _learn_from_beside(self) -> None:
        """Send the games that were played beside the match, each as a game of its own."""
        games, self.beside = self.beside, []
        for record, details in games:
            self.game += 1
            numbered = replace(record, game=self.game)
            if self.archive is not None:
                self.archive.keep(numbered, network_id=self.white.network_id, details=details)
            if self.coach is not None:
                self.coach.learn(numbered)
        if games and self.coach is not None and self.wait_for_training:
            await self.coach.finish_training()

    def _write(self, record: GameRecord) -> None:
        """Write the game into the run's files, if there are any."""
        if self.archive is None or self.run.out is None:
            return
        self.archive.write(record, **file_values(self, record))

    def _is_game_shown(self) -> bool:
        if not self.is_fast or self.black.is_human or self.white.is_human:
            return True
        return not self.shows_losses and self.game % self.show_every == 0

    # -- beside the first game ----------------------------------------------------------------

    def _set_legend(self) -> None:
        """Set the legend of the first seconds: the players, and the keys."""
        self.panels.set_legend(self.slot, *legend_of(self))

    async def _compile_kernels(self) -> None:
        """Compile the kernels beside the match; players change to them between games."""
        done = await compile_kernels(self)
        self.has_fast_kernels = done.compiled
        if not done.compiled:
            self.log.warning(
                f"kernels cannot be compiled here, the slower Python version plays: {done.reason}"
            )

    async def _resume(self) -> None:
        """Continue after the last stored game; learn from stored games that are not learnt yet."""
        learnt = self.coach.games_learnt
        kept = [] if self.run.fresh or self.archive is None else self.archive.earlier_games()
        known = [item.record for item in kept if "beside" not in item.details]
        missed = [item.record for item in kept if item.record.game > learnt]
        self.game = max([learnt, *(record.game for record in missed)])
        if self.game:
            log_earlier(self, kept, learnt)
            self.earlier_ranks = ranks_of(kept, self.rules.points)
            self.resumed.emit(known)
        changes = self.archive.changes() if known and self.archive is not None else []
        self.coach.take_up(changes, self.game + 1)
        for record in missed:
            if record.rules == self.rules:
                self.coach.learn(record)
        if missed:
            await self.coach.finish_training()
        if self.game:
            self.log.info(f"resumed at game {self.game + 1}")

    def _report(self) -> None:
        self.stats.update(statistics(self))
