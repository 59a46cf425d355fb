"""The match: game after game between two seats, and what is learnt from them."""

from __future__ import annotations

import enum
from typing import Any, ClassVar

from ai import (
    BLACK,
    WHITE,
    Board,
    CompileDone,
    CompileKernels,
    GameRecord,
    Rules,
    Termination,
    move_seed,
    opening_move,
)
from scripts.gomoku.archive import Archive
from scripts.gomoku.board_view import BoardView
from scripts.gomoku.coach import Coach
from scripts.gomoku.seat import Seat, SeatLeftError
from sim import Script, Task, field, on, signal

NAMES = {BLACK: "black", WHITE: "white", 0: "draw"}


LEARNER = "a network that teaches itself"
KINDS = {"genetic": "a genetic algorithm", "cnn-ann": LEARNER, "cnn-ann-plus": LEARNER}


class State(enum.Enum):
    """Where the match stands."""

    SETUP = "setup"
    AWAIT_MOVE = "await move"
    APPLY = "apply"
    ANIMATE = "animate"
    GAME_OVER = "game over"
    RECORD = "record"


class Match(Script):
    """Plays games for ever, or as many as asked for. The board only shows what happened."""

    plays_games: ClassVar[bool] = True
    black: Seat = field(None)
    white: Seat = field(None)
    board: BoardView = field(None)
    coach: Coach = field(None)
    archive: Archive = field(None)
    size: int = field(7, min=3, max=20, help="Points along a side; takes effect at the next game")
    win_length: int = field(5, min=3, max=20, help="Stones in a row that win")
    full_board_wins: bool = field(True, help="White wins when the board is full (else a draw)")
    random_opening: bool = field(True, help="Black's first stone is a random centre point")
    wait_for_training: bool = field(True, help="The next game starts when White has learnt")
    move_seconds: float = field(0.35, min=0.0, max=10.0, unit="s", help="Pause after each stone")
    end_seconds: float = field(1.6, min=0.0, max=60.0, unit="s", help="Pause after each game")
    show_every: int = field(10, min=1, max=1000, help="Fast-forward shows every n-th game")
    shows_losses: bool = field(False, help="Fast-forward shows each game that White has lost")
    game_started = signal(int)
    stone_placed = signal(int, int)
    game_over = signal(object)
    resumed = signal(object)

    def awake(self) -> None:
        self.state = State.SETUP
        self.game = 0
        self.played = 0
        self.records: list[GameRecord] = []
        self.rank_counts: list[int] = []
        self.last_choice: Any = None
        self.last_choices: dict[int, tuple[int, Any]] = {}
        self.is_fast = False
        self.is_shown = True
        self.current: Board | None = None
        self.game_ranks: list[int] = []
        self.compiler: Task | None = None
        self.pace: list[float] = []
        self.thinking = {"black": 0.0, "white": 0.0}
        self.has_fast_kernels = False
        self.has_resumed = False

    def start(self) -> None:
        self.command("fast_forward", "Fast-forward", self.toggle_fast, key="f", icon="forward",
                     checked=lambda: self.is_fast)  # fmt: skip
        self.command("show_losses", "Show losses", self.toggle_losses, key="l",
                     checked=lambda: self.shows_losses)  # fmt: skip
        self.command("take_black", "Play Black", lambda: self.take_over(BLACK), key="b",
                     checked=lambda: self.black.is_human)  # fmt: skip
        self.command("take_white", "Play White", lambda: self.take_over(WHITE), key="w",
                     checked=lambda: self.white.is_human)  # fmt: skip
        self._set_legend()
        self.start_coroutine(self.play())

    def _set_legend(self) -> None:
        who = {
            side: KINDS.get(seat.chosen_player(color), seat.chosen_player(color))
            for side, color, seat in (("Black", BLACK, self.black), ("White", WHITE, self.white))
        }
        lines = ["F fast-forward · L its losses · B / W sit down yourself · Space pause · F1 help"]
        if self.coach is not None and who["White"] == LEARNER:
            lines.insert(0, "When White loses, it walks the game back, remembers and retrains")
        title = " · ".join(f"{side}: {name}" for side, name in who.items())
        self.panels.set_legend(self.slot, title, tuple(lines))

    @property
    def rules(self) -> Rules:
        """The rules by the fields."""
        return Rules(
            size=self.size,
            win_length=min(self.win_length, self.size),
            full_board_winner=WHITE if self.full_board_wins else 0,
        )

    def toggle_fast(self) -> None:
        """Switch fast-forward: games are played unseen, every n-th is shown."""
        self.is_fast = not self.is_fast
        self.workers.is_eager = self.is_fast and not self.is_shown

    def toggle_losses(self) -> None:
        """Switch whether fast-forward stops to show each game that White has lost."""
        self.shows_losses = not self.shows_losses

    def take_over(self, color: int) -> None:
        """Let a person sit down at a seat, or leave it again."""
        seat = self.black if color == BLACK else self.white
        seat.is_human = not seat.is_human
        self.log.info(f"{NAMES[color].capitalize()} is played by {seat.label}")

    # -- the state machine --------------------------------------------------------------------

    async def play(self) -> None:
        """Play games until the run ends."""
        self.rank_counts = [0] * self.size**2
        while self.run.games is None or self.played < self.run.games:
            self.state = State.SETUP
            rules = self.rules
            await self._prepare(rules)
            self.game += 1
            record = await self._play_game(rules)
            self.state = State.RECORD
            self._record(record)
            await self._learn(record)
            self._report()
        if self.coach is not None:
            await self.coach.finish_training()
        self._report()
        self.run.finish(0)

    async def _prepare(self, rules: Rules) -> None:
        self.status.set("match", "setting up the players")
        if self.coach is not None:
            self.coach.begin_game(self.game + 1, self.black, self.white)
        for color, seat in ((BLACK, self.black), (WHITE, self.white)):
            if self.has_fast_kernels:
                seat.replace_worker()
            await seat.prepare(color, rules)
        if not (self.black.is_compiled and self.white.is_compiled) and self.compiler is None:
            self.compiler = self.start_coroutine(self._compile())
        if self.coach is not None:
            await self.coach.prepare(rules)
            if not self.has_resumed:
                self.has_resumed = True
                await self._resume()

    async def _compile(self) -> None:
        """Compile the kernels beside the match; players change to them between games."""
        link = self.workers.open("compiler", "ai.workers.compiler:main", {}, owner=self.slot)
        pending = link.request(CompileKernels())
        text = "preparing fast kernels (first start only)"
        self.status.set("kernels", text, busy=True)
        pending.on_progress = lambda done: self.status.set(
            "kernels", f"{text}: {done.step} of {done.steps}", busy=True
        )
        done: CompileDone = await self.background(pending)
        self.status.clear("kernels")
        self.has_fast_kernels = done.compiled
        if not done.compiled:
            self.log.warning(
                f"kernels cannot be compiled here, the slower twin plays: {done.reason}"
            )
        link.close()

    async def _resume(self) -> None:
        """Go on after the last game that was kept; learn from those nobody learnt from yet."""
        learnt = self.coach.games_learnt
        known = [] if self.run.fresh or self.archive is None else self.archive.games_after(0)
        missed = [record for record in known if record.game > learnt]
        self.game = max([learnt, *(record.game for record in missed)])
        if learnt:
            for record in known:  # the charts and the scoreboard go on, too
                self.metrics.log("white_won", float(record.winner == WHITE), step=record.game)
            self.coach.log_statistics(learnt)
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

    async def _play_game(self, rules: Rules) -> GameRecord:
        board = self.current = Board(rules)
        self.last_choices = {}
        self.game_ranks = []
        if len(self.rank_counts) != rules.size**2:
            self.rank_counts = [0] * rules.size**2
        self.is_shown = self._is_game_shown()
        self.workers.is_eager = self.is_fast and not self.is_shown
        self.thinking = {"black": self.black.think_seconds, "white": self.white.think_seconds}
        if not self.is_shown:
            self._tell_pace()
        if self.is_shown or self.board.size != rules.size:
            self.board.show_board(rules.size)
        self.game_started.emit(self.game)
        while board.outcome() is None:
            move = await self._next_move(board)
            self.state = State.APPLY
            color = board.to_move
            board.push(move)
            self.stone_placed.emit(move, color)
            if board.ply == 1:
                self.run.startup("first_move")
            elif board.ply == 2:
                self.run.startup("first_white_move")
            if self.is_shown:
                self.state = State.ANIMATE
                await self._show_move(move, color)
        self.state = State.GAME_OVER
        return GameRecord.from_board(board, self.game, learner_color=WHITE)

    async def _next_move(self, board: Board) -> int:
        self.state = State.AWAIT_MOVE
        color = board.to_move
        seat = self.black if color == BLACK else self.white
        seed = move_seed(self.run.seed, self.game, board.ply)
        if board.ply == 0 and self.random_opening and not seat.is_human:
            return opening_move(board.rules, self.run.seed, self.game)
        side = NAMES[color].capitalize()
        if self.is_shown:
            waits = "your turn: click a point" if seat.is_human else f"{seat.label} thinks"
            self.status.set("match", f"Game {self.game} · {side}: {waits}", busy=not seat.is_human)
        while True:
            try:
                choice = await seat.choose(
                    session=0,
                    game=self.game,
                    moves=tuple(board.moves),
                    legal=frozenset(board.legal_moves),
                    seed=seed,
                )
            except SeatLeftError:
                continue
            if choice.move in board.legal_moves:
                break
            raise ValueError(f"{side}: expected a legal move, found {choice.move!r}")
        self.last_choice = choice
        self.last_choices[color] = (board.ply, choice)
        rank = choice.explanation.get("rank")
        if color == WHITE and isinstance(rank, int):
            self.rank_counts[rank - 1] += 1
            self.game_ranks.append(rank)
        return int(choice.move)

    async def _show_move(self, move: int, color: int) -> None:
        self.board.mark_last(move)
        await self.board.drop(move, color)
        if not self.time.instant:
            await self.seconds(self.move_seconds)

    def _record(self, record: GameRecord) -> None:
        """Keep the game before anything learns from it."""
        self.played += 1
        self.records.append(record)
        if self.archive is not None:
            self.archive.keep(
                record, network_id=self.white.network_id, details={"ranks": self.game_ranks}
            )
        self.metrics.log("white_won", float(record.winner == WHITE), step=self.game)
        self.metrics.log("plies", float(len(record.moves)), step=self.game)
        self.game_over.emit(record)

    @on("coach.noted")
    def note(self, change: dict[str, Any]) -> None:
        """Keep what was changed on the way."""
        if self.archive is not None:
            self.archive.note(change)

    async def _learn(self, record: GameRecord) -> None:
        how = "five in a row" if record.termination == Termination.FIVE.value else "full board"
        winner = NAMES[record.winner]
        if self.is_shown:
            text = "draw" if winner == "draw" else f"{winner.capitalize()} wins"
            self.status.set("match", f"Game {record.game}: {text} ({how})")
            if record.termination == Termination.FIVE.value and self.current is not None:
                self.board.show_line(tuple(self.current.winning_line() or ()))
        if self.coach is not None:
            self.coach.learn(record)
        if self.shows_losses and not self.is_shown and record.winner == BLACK:
            await self._replay(record)
        if self.is_shown and not self.time.instant:
            await self.seconds(self.end_seconds)
        if self.coach is not None:
            if self.wait_for_training:
                await self.coach.finish_training()
            else:
                await self.coach.swap()
        self._write(record)

    async def _replay(self, record: GameRecord) -> None:
        """Show a game that was played unseen, while White learns from it."""
        self.workers.is_eager = False
        self.status.set("match", f"Game {record.game}, lost unseen: White learns from it")
        self.board.show_board(record.rules.size)
        for ply, move in enumerate(record.moves):
            await self._show_move(move, WHITE if ply % 2 else BLACK)
        line = record.board().winning_line()
        self.board.show_line(tuple(line or ()))
        if not self.time.instant:
            await self.seconds(self.end_seconds)

    def _write(self, record: GameRecord) -> None:
        """Write the game into the run's files, if there are any."""
        if self.archive is None or self.run.out is None:
            return
        coach = self.coach
        was_trained = coach is not None and coach.trained_game == record.game
        self.archive.write(
            record,
            config={
                "scene": self.run.scene_path.name,
                "seed": self.run.seed,
                "size": record.rules.size,
                "win_length": record.rules.win_length,
                "black": {"player": self.black.player, **self.black.settings()},
                "white": {"player": self.white.player, **self.white.settings()},
            },
            ranks=self.game_ranks,
            ann_nodes=coach.statistics.get("nodes", 0) if coach is not None else 0,
            relearn_records=coach.statistics.get("records", 0) if coach is not None else 0,
            seconds={
                "black": self.black.think_seconds - self.thinking["black"],
                "white": self.white.think_seconds - self.thinking["white"],
            },
            retrain_seconds=coach.retrain_seconds[-1] if was_trained else None,
        )

    def _is_game_shown(self) -> bool:
        return not self.is_fast or (not self.shows_losses and self.game % self.show_every == 0)

    def _tell_pace(self) -> None:
        """Say that games are played unseen, and how many a minute."""
        now = self.run.elapsed
        self.pace.append(now)
        del self.pace[:-20]
        passed = now - self.pace[0]
        pace = f" · {(len(self.pace) - 1) / passed * 60:.0f} games a minute" if passed > 0 else ""
        self.status.set("match", f"Fast-forward: game {self.game} unseen{pace} · F to watch")

    def _report(self) -> None:
        winners = [NAMES[record.winner] for record in self.records]
        coach = self.coach
        self.stats.update(
            games=len(self.records),
            results={name: winners.count(name) for name in ("black", "white", "draw")},
            winners=winners,
            moves=[list(record.moves) for record in self.records],
            plies=sum(len(record.moves) for record in self.records),
            retrains=coach.retrains if coach is not None else 0,
            retrain_seconds=coach.retrain_seconds if coach is not None else [],
            ann_nodes=coach.statistics.get("nodes", 0) if coach is not None else 0,
            rank_counts=self.rank_counts,
        )
