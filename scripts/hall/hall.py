"""The training hall: many boards, and the workers that play and learn on them.

Training runs at full speed in the workers. The front board shows its games live, the other boards
only some of theirs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ai.messages import (
    BoardLoaded,
    BoardOpened,
    BoardStopped,
    FinishHall,
    FollowBoard,
    GameFinished,
    GameLearnt,
    HallFinished,
    LearntSaved,
    LoadBoard,
    OpenBoard,
    PauseHall,
    PlayUntil,
    SaveBoard,
    StonePlaced,
)
from scripts.gomoku.seats.kernels import compile_kernels
from scripts.hall.board import HallBoard
from scripts.learning.kept_choices import KeptChoices
from scripts.learning.panel_parts import add_pause_command
from sim import Script, WorkerError, field, option, signal, tr

LEARNT = ".learnt"
"""Suffix of files with what a player has learnt."""
MOST_WORKERS = 4
PAINT_SECONDS = 0.12  # between two rounds of painting
PAINTED_AT_ONCE = 4
STATUS_SECONDS = 0.5
USAGE = 2
CHOICES = ("player", "ga", "games", "attempt", "processes")
"""Fields that a person can change in the panel."""


class Hall(Script):
    """Runs the games of all `HallBoard` scripts in the scene."""

    asked: int | None = option(
        name="games",
        min=1,
        metavar="N",
        ends_run=True,
        help="Play this many more games on each board, then stop.",
    )
    player_white: str | None = option(
        metavar="NAME", help="Who plays White on every board.", listed_by="players"
    )
    processes: int = field(
        0, min=0, max=64, help=tr("Worker processes; 0: one core fewer than there are, 4 at most")
    )
    nice: int = field(
        10,
        min=0,
        max=19,
        title=tr("Niceness"),
        help=tr("0: as important as the rest; 19: yields to it"),
    )
    games: int = field(600, min=1, help=tr("Games of each board in a run without --games"))
    ga: str = field("10x10", title=tr("Genetic algorithm"), help=tr("Population x generations"))
    player: str = field(
        "",
        title=tr("White's player"),
        help=tr("Who plays White on every board; empty: as each board says"),
    )
    attempt: int = field(
        1,
        min=1,
        max=999,
        help=tr("Each begins anew with other dice; earlier ones stay as they are"),
    )
    show_every: int = field(5, min=1, max=1000, help=tr("Far boards show every n-th game"))
    is_paused: bool = field(False, help=tr("Pause the training; the picture goes on"))
    game_over = signal(object)
    stone_placed = signal(object)

    def awake(self) -> None:
        self.boards: list[HallBoard] = []
        self.links: list[Any] = []
        self.followed: HallBoard | None = None
        self._openings: dict[int, OpenBoard] = {}
        self._painted_at = 0.0
        self._told_at = 0.0
        self._next = 0
        self._is_slow = False
        self.notice = ""
        self._was_paused = self.is_paused
        self.choices = KeptChoices(self, CHOICES)
        self.choices.apply()

    def start(self) -> None:
        slots = self.scene.components()
        found = [slot.instance for slot in slots if isinstance(slot.instance, HallBoard)]
        self.boards = sorted(found, key=lambda board: (board.object.order, board.object.name))
        for session, board in enumerate(self.boards, start=1):
            board.session = session
            board.changed.connect(self.change)
        add_pause_command(self, "hall_pause")
        if self.run.graphics:
            from scripts.hall import painter

            for board in self.boards:
                board.build(painter)
        if self._is_folder_free():
            self.start_coroutine(self.play())

    # -- the run ------------------------------------------------------------------------------

    async def play(self) -> None:
        """Start the workers, open every board, wait until all are done, and write the results."""
        count = min(self.processes or default_processes(), max(1, len(self.boards)))
        for number in range(count):
            link = self.workers.open(
                f"hall worker {number + 1}",
                "ai.workers.hall:main",
                {"nice": self.nice},
                on_restart=self._open_again,
                owner=self.slot,
            )
            link.on_message = self.handle
            self.links.append(link)
            if self.is_paused:
                link.send(PauseHall(True))
        for board in self.boards:
            self._open(board, fresh=self.run.fresh)
        self.status.set(
            "training", tr("{boards} boards learn").format(boards=len(self.boards)), busy=True
        )
        await self.until(lambda: all(board.is_done for board in self.boards))
        await self._finish()

    async def _finish(self) -> None:
        """Let the workers write their files; end the run if the option `games` was used."""
        for link in self.links:
            try:
                done: HallFinished = await self.background(link.request(FinishHall()))
            except WorkerError as error:
                self.log.error(str(error))
                continue
            for text in done.errors:
                self.log.error(f"files could not be written: {text}")
        self.status.clear("training")
        self._show_status()
        self.report()
        if self.asked is not None:
            self.run.finish(1 if any(board.stopped for board in self.boards) else 0)

    def report(self) -> None:
        """Update the run's statistics from all boards."""
        parts = [board.report() for board in self.boards]
        names = ("black", "white", "draw")
        self.stats.update(
            games=sum(part["games"] for part in parts),
            results={name: sum(part["results"][name] for part in parts) for name in names},
            retrains=sum(part["retrains"] for part in parts),
            boards=parts,
        )

    def toggle_pause(self) -> None:
        """Pause or resume the training."""
        self.slot.host.set_field(self.slot, "is_paused", not self.is_paused)

    def validate(self) -> None:
        if self.is_paused != self._was_paused:
            self._was_paused = self.is_paused
            for link in self.links:
                link.send(PauseHall(self.is_paused))

    def follow(self, board: HallBoard | None) -> None:
        """Receive every stone of one board from now on; None for no board.

        Other boards report finished games only.
        """
        self.followed = board
        for number, link in enumerate(self.links):
            is_there = board is not None and self._link_number(board) == number
            link.send(FollowBoard(board.session if is_there and board is not None else None))

    # -- boards and their workers -------------------------------------------------------------

    def start_over(self) -> None:
        """Open all boards with the present fields; what was learnt with others stays in its folder.

        A board whose settings were in use before goes on there.
        """
        if self.links:
            for board in self.boards:
                self.change(board)

    @property
    def waiting_for(self) -> str:
        """What the boards wait for while they are empty, in words; empty if games are shown."""
        if self.is_paused or not self.boards or any(board.games for board in self.boards):
            return ""
        ready = sum(board.base is not None or bool(board.stopped) for board in self.boards)
        if ready < len(self.boards):
            workers = (
                tr("a worker")
                if len(self.links) == 1
                else tr("{links} workers").format(links=len(self.links))
            )
            return tr("Starting {workers}: {ready} of {boards} boards are ready").format(
                workers=workers, ready=ready, boards=len(self.boards)
            )
        return tr("Waiting for the first game: each takes some seconds")

    def change(self, board: HallBoard) -> None:
        """Reset a board's results and reopen it with its changed settings."""
        if board.session:
            board.forget()
            self._open(board, fresh=False)

    def _open(self, board: HallBoard, *, fresh: bool) -> None:
        """Ask a worker to open a board with its present settings.

        Args:
            board: the board.
            fresh: whether to begin anew; False to continue from the files in the board's folder.
        """
        configuration = board.configuration(
            self.player_white or self.player or None, self.ga, self.attempt
        )
        if self.run.out is not None:
            folder = self.run.out / f"board_{board.session:02}"
        else:
            folder = self.run.scene_dir / board.folder_name(configuration)
        request = OpenBoard(board.session, configuration, str(folder), known=0, fresh=fresh)
        self._openings[board.session] = request
        self.links[self._link_number(board)].send(request)

    def _open_again(self, link: Any) -> None:
        """Open a restarted worker's boards again; they continue from their folders."""
        if self.is_paused:
            link.send(PauseHall(True))
        for board in self.boards:
            request = self._openings.get(board.session)
            if request is None or self.links[self._link_number(board)] is not link or board.stopped:
                continue
            link.send(
                OpenBoard(request.session, request.configuration, request.folder, known=board.games)
            )
            if board.target is not None:
                link.send(PlayUntil(board.session, board.target))
        if self.followed is not None:
            self.follow(self.followed)

    def _link_number(self, board: HallBoard) -> int:
        return (board.session - 1) % max(1, len(self.links))

    # -- files of what was learnt -------------------------------------------------------------

    def ask_save_learnt(self, session: int) -> None:
        """Ask for a file, and write into it what a board has learnt.

        Args:
            session: number of the board.
        """
        board = self._board_of(session)
        self.ask_save(
            lambda path: self._by_hand_with(self.save_learnt, session, path),
            tr("Save what was learnt"),
            [LEARNT],
            name=f"{board.seated or board.player}-board-{session:02}-game-{board.games}{LEARNT}",
        )

    def ask_load_learnt(self, session: int) -> None:
        """Ask for a file, and load what it holds on a board.

        Args:
            session: number of the board.
        """
        self._board_of(session)
        self.ask_file(
            lambda path: self._by_hand_with(self.load_learnt, session, path),
            tr("Load what was learnt"),
            [LEARNT],
        )

    def _by_hand_with(self, method: Callable[[int, str], None], session: int, path: str) -> None:
        self.by_hand(method.__name__, session, path)

    def save_learnt(self, session: int, path: str) -> None:
        """Write what a board has learnt into one file, which another machine can load.

        Args:
            session: number of the board.
            path: path of the file; one that is there is replaced.
        """
        self.start_coroutine(self._save_learnt(self._board_of(session), path))

    async def _save_learnt(self, board: HallBoard, path: str) -> None:
        link = self.links[self._link_number(board)]
        self._tell(tr("{board}: saving what was learnt …").format(board=board.object.name))
        try:
            request = SaveBoard(board.session, path)
            saved: LearntSaved = await self.background(link.request(request))
        except WorkerError as error:
            self._tell(tr("not saved: {error}").format(error=error.reason), is_error=True)
            return
        self._tell(tr("saved {path} ({word})").format(path=path, word=saved.words))

    def load_learnt(self, session: int, path: str) -> None:
        """Load what a file holds on a board; what it had learnt before becomes a checkpoint.

        The board plays with it from its next game on. A file that does not fit changes nothing.

        Args:
            session: number of the board.
            path: path of the file.
        """
        self.start_coroutine(self._load_learnt(self._board_of(session), path))

    async def _load_learnt(self, board: HallBoard, path: str) -> None:
        link = self.links[self._link_number(board)]
        self._tell(tr("{board}: loading what was learnt …").format(board=board.object.name))
        try:
            request = LoadBoard(board.session, path)
            loaded: BoardLoaded = await self.background(link.request(request, retry=False))
        except WorkerError as error:
            self._tell(tr("not loaded: {error}").format(error=error.reason), is_error=True)
            return
        board.on_loaded(loaded)
        self._tell(
            tr("{board}: loaded {path} ({words}), played from the next game on").format(
                board=board.object.name, path=path, words=loaded.words
            )
        )

    def _board_of(self, session: int) -> HallBoard:
        """Return a board by its number.

        Raises:
            LookupError: the hall has no such board, or no workers yet.
        """
        boards = {board.session: board for board in self.boards}
        if session not in boards or not self.links:
            raise LookupError(f"expected a board, one of {sorted(boards)}, found {session!r}")
        return boards[session]

    def _tell(self, text: str, *, is_error: bool = False) -> None:
        """Show a message in the panel and in the console."""
        self.notice = text
        (self.log.error if is_error else self.log.info)(text)

    # -- what workers tell --------------------------------------------------------------------

    def handle(self, message: Any) -> None:
        """Process one message of a worker."""
        handlers: dict[type, Callable[[Any, HallBoard], None]] = {
            StonePlaced: self._on_stone,
            GameFinished: self._on_game,
            GameLearnt: self._on_lesson,
            BoardOpened: self._on_opened,
            BoardStopped: lambda found, board: self._stop(board, found.reason),
        }
        handler = handlers.get(type(message))
        if handler is None:
            self.log.error(f"a hall worker: {message!r:.300}")
            return
        handler(message, self.boards[message.session - 1])

    def _on_opened(self, message: BoardOpened, board: HallBoard) -> None:
        board.on_opened(message)
        if board.base is None:
            board.begin(message.games, self.asked or self.games)
            self.links[self._link_number(board)].send(PlayUntil(board.session, board.target))
        if not message.compiled and not self._is_slow:
            self._is_slow = True
            self.start_coroutine(self._compile())

    def _on_stone(self, message: StonePlaced, board: HallBoard) -> None:
        board.on_stone(message)
        self.stone_placed.emit(message)

    def _on_game(self, message: GameFinished, board: HallBoard) -> None:
        if board.on_game(message, show_every=self.show_every):
            self.run.startup("first_move")
            self.game_over.emit(message)

    def _on_lesson(self, message: GameLearnt, board: HallBoard) -> None:
        board.on_learnt(message)
        if message.retrain_seconds is None:
            return
        if board.advice:
            self.log.warning(f"{board.object.name}, game {message.game}: {board.advice}")
        if board.held is not None:
            self.metrics.log(f"held/{board.session:02}", board.held, step=message.game)

    def _stop(self, board: HallBoard, reason: str) -> None:
        board.stop(reason)
        self.log.error(f"{board.object.name}: {reason}")

    async def _compile(self) -> None:
        """Compile the kernels during the training, then restart the workers with them."""
        done = await compile_kernels(self)
        if done.compiled:
            for worker in self.links:
                worker.restart()

    def _is_folder_free(self) -> bool:
        """Return whether the folder of --out holds no other run; if it does, end this run."""
        out = self.run.out
        taken = list(_runs_in(out)) if out is not None else []
        if taken:
            self.log.error(f"--out: expected an empty folder, found another run in {taken[0]}")
            self.run.finish(USAGE)
        return not taken

    # -- the picture --------------------------------------------------------------------------

    def late_update(self, dt: float) -> None:
        now = self.run.elapsed
        if now - self._told_at >= STATUS_SECONDS and self.boards:
            self._told_at = now
            self._show_status()
        if self.run.graphics and now - self._painted_at >= PAINT_SECONDS:
            self._painted_at = now
            self._paint()

    def _paint(self) -> None:
        """Redraw a few of the changed boards and plates; the next call redraws the next ones."""
        left = PAINTED_AT_ONCE
        for _ in range(len(self.boards)):
            board = self.boards[self._next % len(self.boards)]
            if left <= 0:
                break
            self._next += 1
            if board.needs_board:
                board.paint_board()
                left -= 1
            if board.needs_plate:
                board.paint_plate()
                left -= 1

    def _show_status(self) -> None:
        games = sum(board.played for board in self.boards)
        pace = sum(board.pace for board in self.boards)
        text = tr("{boards} boards · {games} games").format(boards=len(self.boards), games=games)
        if self.is_paused:
            text += tr(" · training paused")
        elif pace:
            text += tr(" · {pace:.0f} games a minute").format(pace=pace)
        self.status.set("hall", self.waiting_for or text)
        for board in self.boards:
            board.needs_plate |= board.is_learning != board.is_learning_shown
        self.report()

    def destroy(self) -> None:
        self.report()


def default_processes() -> int:
    """Return the default number of workers: at most 4, with one core left for rendering."""
    usable = getattr(os, "sched_getaffinity", None)
    cores = len(usable(0)) if usable is not None else os.cpu_count() or 1
    return max(1, min(MOST_WORKERS, cores - 1))


def _runs_in(folder: Path) -> Iterator[Path]:
    return (path.parent for path in sorted(folder.glob("board_*/run.json")))
