"""A tournament on several boards at once: its games, ratings and results."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any

from ai import (
    Entrant,
    Limit,
    Pairing,
    Rating,
    Rules,
    Tournament,
    TournamentError,
    cross_table,
    elo_table,
    results_of,
)
from scripts.gomoku.seats.kernels import compile_kernels
from scripts.learning.kept_choices import KeptChoices
from scripts.learning.panel_parts import add_pause_command
from scripts.tournament.board import TournamentBoard, as_pairing
from sim import JobError, Script, Task, field, job, option, signal, tr

USAGE = 2
OPENINGS = ("balanced", "first", "none")
CHOICES = ("players", "games", "size", "opening", "nodes", "seed")
"""Fields that a person can change in the panel, for the next tournament."""


@job
def pairings(
    players: tuple[str, ...],
    games: int,
    size: int,
    opening: str,
    nodes: int,
    seed: int,
    project: str,
) -> list[tuple[int, str, str, int, list[int]]]:
    """Return all games of a tournament as plain values; runs in a worker.

    Args:
        players: labels of the players, `NAME` or `NAME@KEY=VALUE,…`.
        games: number of games per pair, even.
        size: board size.
        opening: kind of opening, one of `OPENINGS`.
        nodes: number of positions that a player may search for a move.
        seed: random seed.
        project: folder of the project, which may define players.

    Returns:
        For each game: number, Black, White, opening number and initial moves.

    Raises:
        TournamentError: a player or a number is invalid.
    """
    tournament = Tournament(
        players, games, Rules(size, 5), opening, nodes=nodes, seed=seed, project=Path(project)
    )
    tournament.entrants()
    return [
        (item.number, item.black, item.white, item.opening, list(item.moves))
        for item in tournament.pairings()
    ]


class LiveTournament(Script, title="Tournament"):
    """Lets players play each other on the scene's boards, and rates them.

    With the same seed and `nodes` its games are those of `python main.py arena`.
    """

    asked: int | None = option(
        name="games", min=1, metavar="N", ends_run=True, help="Play this many games, then stop."
    )
    players: str = field(
        tr("alpha-beta, genetic, pattern, one-ply"),
        help=tr("Two or more players, as in: alpha-beta, alpha-beta@depth=1, random"),
    )
    games: int = field(4, min=2, max=1000, help=tr("Games of each pair, an even number"))
    size: int = field(15, min=5, max=20, help=tr("Points along a side"))
    opening: str = field(
        "balanced", choices=OPENINGS, help=tr("How games begin; with both colours")
    )
    nodes: int = field(300, min=1, help=tr("Positions a player may look at for a move"))
    seed: int = field(0, min=0, help=tr("Random seed of openings and players"))
    pause_after_stone: float = field(0.15, min=0.0, max=10.0, unit="s")
    pause_after_game: float = field(2.5, min=0.0, max=60.0, unit="s")
    is_paused: bool = field(False, help=tr("Pause the games after the present move"))
    changed = signal()

    def awake(self) -> None:
        self.boards: list[TournamentBoard] = []
        self.lines: list[dict[str, Any]] = []
        self.entrants: dict[str, Entrant] = {}
        self.waiting: deque[Pairing] = deque()
        self._names: tuple[str, ...] = ()
        self._rules: Rules | None = None
        self._compiler: Task | None = None
        self.total = 0
        self.fault = ""
        self.ratings: dict[str, Rating] = {}
        self.table: dict[tuple[str, str], tuple[int, int, int]] = {}
        self.planned_size = self.size
        """Size of the boards for which the scene was arranged."""
        self.choices = KeptChoices(self, CHOICES)
        self.choices.apply()
        self._budget: int | None = None
        self._tasks: list[Task] = []

    @property
    def rules(self) -> Rules:
        """Rules of all games; fixed once the tournament has begun."""
        return self._rules or Rules(self.size, 5)

    @property
    def limit(self) -> Limit:
        """Budget of a move; fixed once the tournament has begun."""
        return Limit(nodes=self._budget or self.nodes)

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the players with which the tournament began."""
        return self._names or tuple(name.strip() for name in split_players(self.players))

    @property
    def is_over(self) -> bool:
        """Whether all games are played."""
        return bool(self.total) and len(self.lines) >= self.total

    def want_kernels(self) -> None:
        """Compile the players' fast code beside the games; players of the next ones use it."""
        if self._compiler is None:
            names = tuple(entrant.player for entrant in self.entrants.values())
            self._compiler = self.start_coroutine(compile_kernels(self, lambda: names))

    @property
    def waiting_for(self) -> str:
        """What the boards wait for while they are empty, in words; empty if stones are placed."""
        if self.is_paused or self.fault or self.is_over:
            return ""
        if not self.total:
            return tr("Choosing random openings")
        busy = [board for board in self.boards if board.pairing is not None]
        if self.lines or any(board.has_moved for board in busy):
            return ""
        seated, needed = sum(board.seated for board in busy), 2 * len(busy)
        if seated < needed:
            return tr("Starting {needed} players, each in a process: {seated} of {needed}").format(
                needed=needed, seated=seated
            )
        first = busy[0].pairing if busy else None
        return (
            ""
            if first is None
            else tr("Waiting for the first move of {black}").format(black=first.black)
        )

    def may_play(self) -> bool:
        """Return whether the games go on, not paused."""
        return not self.is_paused

    def toggle_pause(self) -> None:
        """Pause the games after the present move, or resume them."""
        self.slot.host.set_field(self.slot, "is_paused", not self.is_paused)

    def start_over(self) -> None:
        """Begin the tournament anew, with the present fields; its results so far are dropped."""
        for task in self._tasks:
            task.cancel()
        if self._compiler is not None and self._compiler.done:
            self._compiler = None  # other players may need other code
        self.lines, self.entrants, self.ratings, self.table = [], {}, {}, {}
        self.waiting.clear()
        self._names, self._rules, self._budget = (), None, None
        self.total, self.fault = 0, ""
        for board in self.boards:
            board.stop()
            board.prepare(self.rules, self.planned_size)
        self._tasks = [self.start_coroutine(self.hold())]

    def start(self) -> None:
        add_pause_command(self, "tournament_pause", tr("games", "are paused"))
        found = [slot.instance for slot in self.scene.components()]
        boards = [item for item in found if isinstance(item, TournamentBoard)]
        self.boards = sorted(boards, key=lambda board: (board.object.order, board.object.name))
        for board in self.boards:
            board.prepare(self.rules, self.planned_size)
        self.panels.set_legend(
            self.slot,
            tr("Tournament: each pair plays each opening with both colours"),
            (tr("The table rates them; its intervals narrow as games come in."),),
        )
        self._tasks = [self.start_coroutine(self.hold())]

    async def hold(self) -> None:
        """Play all games on the boards, then publish the table."""
        names, rules = self.labels, self.rules
        self._budget = self.nodes
        self.status.set("tournament", tr("Tournament: choosing random openings"), busy=True)
        try:
            drawn = await self.background(
                pairings(
                    names,
                    self.games,
                    rules.size,
                    self.opening,
                    self.nodes,
                    self.seed,
                    str(self.run.offering),
                )
            )
            self.entrants = {label: Entrant.parse(label, self.run.offering) for label in names}
        except (JobError, TournamentError) as error:
            self.fault = str(error).rpartition("TournamentError: ")[2]
            self.status.clear("tournament")
            self.log.error(self.fault)
            if self.asked is not None:
                self.run.finish(USAGE)
            return
        self._names, self._rules = names, rules
        self.waiting.extend(as_pairing(values) for values in drawn[: self.asked])
        self.total = len(self.waiting)
        self._publish()
        tasks = [self.start_coroutine(self._serve(board)) for board in self.boards]
        self._tasks += tasks
        await self.until(lambda: all(task.done for task in tasks))
        self.status.clear("tournament")
        self._publish()
        if self.asked is not None:
            self.run.finish(0)

    async def _serve(self, board: TournamentBoard) -> None:
        """Play waiting games on a board, one after another, until there are none."""
        while self.waiting:
            line = await board.play(self, self.waiting.popleft(), self.entrants)
            if line["fault"]:
                self.log.warning(f"game {line['game']} is lost by an error: {line['fault']}")
            self.lines.append(line)
            self._publish()
        board.free()

    def _publish(self) -> None:
        """Compute the ratings from all results, and show them in the panel and the charts.

        The run's statistics are updated, too.
        """
        ordered = sorted(self.lines, key=lambda line: int(line["game"]))
        results = results_of(ordered)
        self.ratings = elo_table(self.labels, results)
        self.table = dict(cross_table(self.labels, results))
        for label, rating in self.ratings.items():
            if self.lines:
                self.metrics.log(f"Elo/{label}", rating.elo, step=len(self.lines))
        if not self.is_over:
            self.status.set(
                "tournament",
                tr("Tournament: {lines} of {total} games").format(
                    lines=len(self.lines), total=self.total
                ),
                busy=True,
            )
        winners = [line["winner"] for line in ordered]
        self.stats.update(
            games=len(ordered),
            results={name: winners.count(name) for name in ("black", "white", "draw")},
            winners=winners,
            moves=[line["moves"] for line in ordered],
            pairs={"|".join(pair): list(counts) for pair, counts in self.table.items()},
            elo={label: list(rating) for label, rating in self.ratings.items()},
            faults=[line["fault"] for line in ordered if line["fault"]],
        )
        self.changed.emit()


def split_players(text: str) -> list[str]:
    """Split a list of players at commas, except at those between a player's settings.

    >>> split_players("a, b@x=1,y=2, c")
    ['a', 'b@x=1,y=2', 'c']
    """
    found: list[str] = []
    for part in filter(None, (item.strip() for item in text.split(","))):
        is_setting = "=" in part and "@" not in part
        if is_setting and found:
            found[-1] += f",{part}"
        else:
            found.append(part)
    return found
