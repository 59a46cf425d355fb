"""The large board: a game of the training with the growing search, or a person's game."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from ai import BLACK, Board, to_text
from ai.messages import GrowSearch, SearchGrown, TrainingGame
from scripts.alphagomoku.board import title_of
from scripts.alphagomoku.training import AlphaGomokuTraining
from scripts.gomoku.board.board_view import BoardView, NoPointError
from scripts.gomoku.board.mark_layers import Ghost, MarkLayers, ShareColumn, draw_number
from scripts.gomoku.board.overlay_picture import OverlayPicture, ink_on, scale_color
from scripts.gomoku.board.view_state import ViewState
from scripts.pieces.fitting import fit
from sim import Script, WorkerError, field, on, tr

TALLEST = 1.9  # metres: the column of the most visited point
LEAST = 0.02  # of the greatest share: less is not drawn
MOST_LINE = 4  # stones of the expected line


class SearchMarks(NamedTuple):
    """Marks that show a search on a board; its fields are the arguments of `MarkLayers.show`."""

    ground: OverlayPicture
    """Coloured plates for the networks' probabilities before the search."""
    top: OverlayPicture
    """Numbers on the stones of the expected continuation."""
    ghosts: list[Ghost]
    """Translucent stones of the expected continuation."""
    columns: list[ShareColumn]
    """Columns whose heights show the visits of each point."""


def search_marks(size: int, found: SearchGrown) -> SearchMarks:
    """Convert the result of a search so far to marks on a board.

    Args:
        size: number of points along a side of the board.
        found: result of the search so far.
    """
    color = BLACK if len(found.moves) % 2 == 0 else -BLACK
    ground, top = OverlayPicture(size), OverlayPicture(size)
    line, most = found.line[:MOST_LINE], float(found.prior.max())
    for point, share in enumerate(found.prior):
        if most > 0.0 and share > LEAST * most:
            shade = scale_color(float(share) / most)
            ground.plate(point, 0.24 + 0.22 * (float(share) / most) ** 0.5, shade, 0.95)
            if share >= 0.01 and point not in line:
                ground.letters(point, f"{share:.0%}", 0.17, ink_on(shade), at=(0.0, 0.04))
    sides = [color * (-1) ** index for index in range(len(line))]
    for index, (point, side) in enumerate(zip(line, sides, strict=True)):
        draw_number(top, point, index + 1, side, 0.2)
    ghosts = [Ghost(point, side, 0.6) for point, side in zip(line, sides, strict=True)]
    return SearchMarks(ground, top, ghosts, columns_of(found))


def columns_of(found: SearchGrown) -> list[ShareColumn]:
    """Return a column for each often visited point; its height is relative to the most visits."""
    most = max(int(found.visits.max()), 1)
    shares = ((point, int(visits) / most) for point, visits in enumerate(found.visits))
    return [
        ShareColumn(point, (0.3, 0.3), 0.0, max(0.05, TALLEST * share), scale_color(share), 0.1)
        for point, share in shares
        if share > LEAST
    ]


def best_points(found: SearchGrown, count: int) -> list[tuple[str, float, float]]:
    """Return the most visited points of a search.

    Args:
        found: result of the search.
        count: maximum number of points.

    Returns:
        For each point its name, the networks' probability before the search, and its share of the
        visits (0 to 1).
    """
    size, total = round(len(found.visits) ** 0.5), max(int(found.visits.sum()), 1)
    order = sorted(range(len(found.visits)), key=lambda point: -int(found.visits[point]))
    return [
        (to_text(point, size), float(found.prior[point]), int(found.visits[point]) / total)
        for point in order[:count]
        if found.visits[point]
    ]


NOBODY = -1  # no second pair


class FrontSearch(Script, title="Large board"):
    """Searches each position of a game on the large board and shows the search tree grow.

    The game is the newest one of the training. Instead, a person may play against the networks. The
    search uses the training's newest pair of networks, one network for each color. An older version
    of the pair can be chosen.
    """

    training: AlphaGomokuTraining = field(None)
    view: BoardView = field(None)
    version: int = field(
        0,
        min=0,
        max=9999,
        title=tr("Networks"),
        help=tr(
            "Those that search here and that N plays: 0 the newest, else a former best by number"
        ),
    )
    compared: int = field(
        NOBODY,
        min=NOBODY,
        max=9999,
        title=tr("Compared networks"),
        help=tr("Search each position, too, for the panel: -1 none, 0 the newest, else by number"),
    )
    simulations: int = field(
        400, min=2, max=20_000, help=tr("Simulations for a position on this board")
    )
    step: int = field(40, min=1, max=20_000, title=tr("Simulations between pictures"))
    pause_after_picture: float = field(0.12, min=0.0, max=5.0, unit="s")
    pause_after_search: float = field(1.0, min=0.0, max=60.0, unit="s")
    pause_after_stone: float = field(0.3, min=0.0, max=10.0, unit="s")
    pause_after_game: float = field(3.0, min=0.0, max=60.0, unit="s")

    def awake(self) -> None:
        self.title = ""
        self.game: TrainingGame | None = None
        self.found: SearchGrown | None = None
        self.searched: list[tuple[int, float]] = []  # (ply, the search's value for Black)
        self.is_with_person = False
        self.person = BLACK
        self.link: Any = None
        self.marks: MarkLayers | None = None
        self._round = 0  # another number for each game that is begun by hand
        self.compared_found: SearchGrown | None = None
        self._position: tuple[int, ...] | None = None  # the one that was searched last
        self._version, self._compared = self.version, self.compared
        self._missing: set[int] = set()  # versions that were asked for and are not there

    def start(self) -> None:
        if self.training is None or self.view is None:
            return
        self.command(
            "play_pair",
            tr("Play against the newest network"),
            self.toggle_person,
            key="n",
            icon="user",
            checked=lambda: self.is_with_person,
        )
        marks = tr(
            "Plates: the networks alone · columns: visits of the search · numbers: its best line"
        )
        keys = tr("N play against the newest network, N again to watch · P pause training")
        title = tr("AlphaGomoku: two networks and a search teach themselves")
        self.panels.set_legend(self.slot, title, (marks, keys))
        self._lay_board()
        self.marks = MarkLayers(self.view, tr("Search"))
        self.start_coroutine(self._show())

    def _lay_board(self) -> None:
        """Show an empty board of the training's size, in the room that the scene has for it."""
        fit(self.view.object, self.training.size, self.training.planned_size)
        self.view.show(ViewState.empty(self.training.size))

    @on("training.begun_anew")
    def begin_anew(self) -> None:
        """Show an empty board of the training's size until there is a game."""
        if self.marks is None:
            return
        self.title, self.game, self.found, self.compared_found = "", None, None, None
        self.searched, self._position = [], None
        self.is_with_person = False
        self._missing.clear()
        self._round += 1
        self.marks.hide()
        self._lay_board()

    def toggle_person(self) -> None:
        """Begin a person's game against the networks, or leave it and watch the training again."""
        self.is_with_person = not self.is_with_person
        self._round += 1

    def validate(self) -> None:
        if self.marks is None:
            return
        if self.version != self._version:
            self._version = self.version
            self._missing.clear()
            self._round += 1  # another pair, another game
        if self.compared != self._compared:
            self._compared, self.compared_found = self.compared, None
            self._missing.clear()
            if self._position is not None:
                self.start_coroutine(self._compare(self._position))

    @property
    def pair(self) -> Path:
        """File of the pair of networks that searches: the newest, or the chosen version."""
        return self._file_of(self.version, "version")

    @property
    def pair_name(self) -> str:
        """Name of the pair that searches."""
        return self._name_of(self.pair)

    @property
    def compared_name(self) -> str:
        """Display name of the second pair of networks, with which the first pair is compared."""
        return self._name_of(self._file_of(self.compared, "compared"))

    @property
    def comparison(self) -> tuple[SearchGrown, SearchGrown] | None:
        """Search results of both pairs of networks in one position; None while one is missing."""
        first, second = self.found, self.compared_found
        if first is None or second is None or first.moves != second.moves:
            return None
        return first, second

    def _file_of(self, version: int, key: str) -> Path:
        """Return the file of a version of the networks.

        If it is missing, an error is logged and the newest file is returned.

        Args:
            version: number of the version; 0 or below for the newest.
            key: name of the field with the version, for the error.
        """
        newest = Path(self.training.pair)
        if version <= 0 or not self.training.pair:
            return newest
        chosen = newest.parent / "versions" / f"{version:04d}.npz"
        if chosen.is_file():
            return chosen
        if version not in self._missing:
            self._missing.add(version)
            known = [int(path.stem) for path in chosen.parent.glob("[0-9]*.npz")]
            expected = (
                tr("1 to {known}").format(known=max(known)) if known else tr("0: there is none yet")
            )
            self.log.error(f"{key}: expected {expected}, found {version}; the newest network plays")
        return newest

    def _name_of(self, file: Path) -> str:
        is_newest = file == Path(self.training.pair)
        return (
            tr("the newest network")
            if is_newest
            else tr("version {stem}").format(stem=int(file.stem))
        )

    # -- what is shown ---------------------------------------------------------------------------

    async def _show(self) -> None:
        """Show games one after another: the newest of the training, or a person's if requested."""
        while True:
            await self.until(lambda: self._is_ready)
            round_ = self._round
            try:
                if self.is_with_person:
                    await self._play(round_)
                else:
                    await self._watch(self.training.games[-1], round_)
            except WorkerError as error:
                self.log.error(f"the large board: {error}")
            await self._rest(self.pause_after_game, round_)

    @property
    def _is_ready(self) -> bool:
        if not self.training.pair:
            return False
        return self.is_with_person or bool(self.training.games)

    async def _watch(self, game: TrainingGame, round_: int) -> None:
        """Show a game of the training, with a new search in each position.

        Args:
            game: the game.
            round_: number of the round; the game ends when another round has begun.
        """
        opening = len(game.moves) - len(game.policies)
        board = Board.from_moves(game.moves[:opening], self.training.rules)
        self._begin(tr("game {title_of}").format(title_of=title_of(game)), game, board)
        for move in game.moves[opening:]:
            await self._search(board)
            await self._rest(self.pause_after_search, round_)
            if self._round != round_:
                return
            await self._place(board, move)

    async def _play(self, round_: int) -> None:
        """Play a game of a person against the networks, which play their most visited move.

        Args:
            round_: number of the round; the game ends when another round has begun.
        """
        board = Board(self.training.rules)
        self._begin(tr("you against {pair_name}").format(pair_name=self.pair_name), None, board)
        while board.outcome() is None and self._round == round_:
            if board.to_move == self.person:
                try:
                    move = await self.view.ask_point(
                        frozenset(board.legal_moves),
                        board.to_move,
                        is_wanted=lambda: self._round == round_,
                    )
                except NoPointError:
                    return
            else:
                found = await self._search(board)
                await self._rest(self.pause_after_search, round_)
                move = int(found.visits.argmax())
            await self._place(board, move)
        self.person = -self.person  # the other colour in the next game

    def _begin(self, title: str, game: TrainingGame | None, board: Board) -> None:
        self.title, self.game, self.found, self.searched = title, game, None, []
        self.compared_found = None
        if self.marks is not None:
            self.marks.hide()
        self.view.show(ViewState.of(board))

    async def _search(self, board: Board) -> SearchGrown:
        """Search a position with the networks, show how the tree grows, and return the result."""
        if self.link is None:
            self.link = self.workers.open(
                "AlphaGomoku's search",
                "ai.workers.searcher:main",
                {"jit": True},
                owner=self.slot,
                keeps_nothing=True,
                is_optional=True,
            )
        told: list[SearchGrown] = []
        self._position, self.compared_found = tuple(board.moves), None
        request = self.link.request(self._asked(self._position, self.pair))
        request.on_progress = told.append
        last: SearchGrown = await self.background(request)
        for found in (*told, last):
            self._show_search(found)
            if not self.time.instant:
                await self.seconds(self.pause_after_picture)
        self.searched.append((board.ply, last.value * board.to_move * BLACK))
        await self._compare(self._position)
        return last

    async def _compare(self, moves: tuple[int, ...]) -> None:
        """Search a position with the second pair of networks, if one is chosen."""
        wanted = self.compared
        if wanted == NOBODY:
            return
        request = self._asked(moves, self._file_of(wanted, "compared"))
        try:
            found = await self.background(self.link.request(request))
        except WorkerError as error:
            self.log.error(f"comparison: {error}")
            return
        if wanted == self.compared and moves == self._position:
            self.compared_found = found

    def _asked(self, moves: tuple[int, ...], pair: Path) -> GrowSearch:
        plan, count, step = self.training, self.simulations, self.step
        return GrowSearch(plan.rules, moves, str(pair), count, step, plan.decay, plan.temperature)

    def _show_search(self, found: SearchGrown) -> None:
        self.found = found
        if self.marks is not None and self.run.graphics:
            self.marks.show(**search_marks(self.view.size, found)._asdict())

    async def _place(self, board: Board, move: int) -> None:
        if self.marks is not None:
            self.marks.hide()
        board.push(move)
        await self.view.play(ViewState.of(board), self.pause_after_stone)

    async def _rest(self, seconds: float, round_: int) -> None:
        """Pause, or return at once if another game is wanted."""
        end = self.time.now + seconds
        await self.until(lambda: self.time.now >= end or self._round != round_)
