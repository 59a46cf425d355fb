"""Explanations of a past game's moves: its players are asked again what they would play."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ai import (
    BLACK,
    FIRST,
    SECOND,
    WHITE,
    GameRecord,
    GameSession,
    MoveChoice,
    OptionValue,
    PlayerInfo,
    Position,
    find_player_info,
)
from ai.messages import Configure, LoadCheckpoint, LoadWeights
from scripts.gomoku.board.names import SIDES
from scripts.gomoku.game.match import Match
from scripts.gomoku.game.match_screen import ShownPosition
from scripts.gomoku.seats.kernels import until_compiled
from scripts.gomoku.seats.seat import HUMAN, PERSON, PlayerWorker, Seat, player_like
from sim import Script, Task, WorkerError, tr, wording

YOU = "you"
STRANGER = "stranger"
"""Name of a player that is known only from the file of a game; nobody can ask it."""
NO_NETWORK = tr("no saved network has learnt on this board")


@dataclass(frozen=True)
class PlayedBy:
    """The players of a past game, as far as they are known.

    Attributes:
        names: name of each color's player, "you" for a person. For a missing color it is the player
            that sits in the match.
        since: number of moves at the start of the game that other players made.
        network_id: id of the learner's network; None if it is not known.
        network: message that makes a worker load that network; None if it is no longer stored.
        settings: by color, those settings of the player that differ from the match's.
    """

    names: Mapping[int, str] = field(default_factory=dict)
    since: int = 0
    network_id: int | None = None
    network: LoadWeights | LoadCheckpoint | None = None
    settings: Mapping[int, Mapping[str, OptionValue]] = field(default_factory=dict)
    earlier: Mapping[int, str] = field(default_factory=dict)
    """Like `names`, for the moves before `since`."""
    titles: Mapping[int, str] = field(default_factory=dict)
    """Names by color of players that are known only from the file of a game."""


def played_on(before: PlayedBy, names: Mapping[int, str], since: int) -> PlayedBy:
    """Return the players of a game that others have played on.

    Args:
        before: players of the game.
        names: name of each color's player from then on.
        since: number of moves that are of the game.
    """
    return PlayedBy(names, since, earlier=before.names, titles=before.titles)


def played_by_strangers(titles: Mapping[int, str]) -> PlayedBy:
    """Return the players of a game that was read from a file.

    Args:
        titles: their names by color, as far as the file has them.
    """
    return PlayedBy({BLACK: STRANGER, WHITE: STRANGER}, titles=titles)


class MoveExplainer:
    """Explains the moves of past games, for the Insight panel and the overlays.

    Players are asked only when an explanation is shown. They run in a worker of their own, so that
    the moves of the live game still follow from its random seed.
    """

    def __init__(self, script: Script, match: Match) -> None:
        """Create the explainer; its worker starts with the first question.

        Args:
            script: script that owns the worker and the coroutines.
            match: match that shows the past positions instead of its own.
        """
        self._script = script
        self._match = match
        self._worker = PlayerWorker(script, tr("past game"))
        self._record: GameRecord | None = None
        self._played_by = PlayedBy()
        self._known: dict[tuple[int, ...], MoveChoice | None] = {}  # by the moves before it
        self._provisional: dict[tuple[int, tuple[int, ...]], None] = {}
        """Answers by a short search, as fast code was not compiled yet: side and moves before."""
        self._faults: dict[int, str] = {}
        self._board: Position | None = None
        self._task: Task | None = None
        self._times = 0

    def open(self, record: GameRecord, played_by: PlayedBy) -> None:
        """Set the game, or the variation of a game, whose moves will be explained.

        Explanations made so far are dropped if the players or the rules are not the same as before.

        Args:
            record: the game or variation.
            played_by: its players.
        """
        if (
            self._record is None
            or record.rules != self._record.rules
            or (played_by != self._played_by)
        ):
            self._known.clear()
            self._provisional.clear()
        self._record, self._played_by, self._faults = record, played_by, {}

    def show(self, board: Position) -> None:
        """Set the position that is on the board.

        Args:
            board: the position; it must belong to the game that `open` has set.
        """
        self._stop()
        self._board = board
        self._publish()

    def close(self) -> None:
        """Forget the game."""
        self._stop()
        self._record = self._board = None
        self._known.clear()
        self._provisional.clear()

    def _stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def _publish(self) -> None:
        board, self._times = self._board, self._times + 1
        if board is None:
            return
        players = {color: self._info(color, board.ply) for color in (BLACK, WHITE)}
        choices = {}
        for ply in self._plies(board):
            color = side_of(ply)
            players[color] = self._info(color, ply)
            choice = self._known.get(tuple(board.moves[:ply]))
            if choice is not None:
                choices[color] = (ply, choice)
        shown = ShownPosition(
            board,
            choices,
            players,
            key=("past", id(self), self._times),
            note=self._note(),
            is_asking=bool(self._missing(board)),
            ask=self.ask,
        )
        self._match.show_instead(shown)

    def _plies(self, board: Position) -> list[int]:
        """Return which moves are the last one of each side.

        The first move of the game is left out, because it was drawn at random.

        Args:
            board: the position on the board.

        Returns:
            The number of moves before each, the latest first.
        """
        return [ply for ply in range(board.ply - 1, max(0, board.ply - 2) - 1, -1) if ply > 0]

    def _missing(self, board: Position) -> list[int]:
        return [
            ply
            for ply in self._plies(board)
            if tuple(board.moves[:ply]) not in self._known
            and self._name(side_of(ply), ply) not in (YOU, STRANGER)
        ]

    def ask(self) -> None:
        """Ask the players to explain the last moves, unless they were asked before."""
        board = self._board
        if self._task is None and board is not None and self._missing(board):
            self._task = self._script.start_coroutine(self._ask(board))

    async def _ask(self, board: Position) -> None:
        for ply in self._missing(board):
            color, moves = side_of(ply), tuple(board.moves[:ply])
            await self._ask_once(color, moves)
        if self._provisional and self._worker.link is not None:
            self._match.want_kernels()
            await until_compiled(self._script, self._worker.link)
            for color, moves in [*self._provisional]:
                await self._ask_once(color, moves)

    async def _ask_once(self, color: int, moves: tuple[int, ...]) -> None:
        """Ask a side's player to explain its move, and publish the answer.

        Args:
            color: the side.
            moves: the moves before it.
        """
        try:
            self._known[moves] = await self._choice(color, moves)
        except WorkerError as error:
            self._known[moves] = None
            self._faults[color] = str(error)
        self._provisional.pop((color, moves), None)
        if self._worker.is_provisional and self._known[moves] is not None:
            self._provisional[color, moves] = None
        self._publish()

    async def _choice(self, color: int, moves: tuple[int, ...]) -> MoveChoice | None:
        record = self._record
        if record is None:
            return None
        name = self._name(color, len(moves))
        seats = [self._match.seat_of(person) for person in (SECOND, FIRST)]
        player, network = player_like(seats, name, record.rules)
        if color in self._played_by.settings:
            player = Configure(name, record.rules, self._played_by.settings[color])
        if self._info(color, len(moves)).learner is not None:
            network = self._played_by.network or network
            if network is None:
                self._faults[color] = NO_NETWORK
                return None
        await self._worker.sit_down(player, network)
        run_seed = self._script.run.seed
        seed = GameSession(record.rules, record.game, seed=run_seed, moves=moves).next_seed
        return (await self._worker.choose(moves, seed=seed)).choice

    # -- who played ---------------------------------------------------------------------------

    def _name(self, color: int, ply: int) -> str:
        """Return the name of the player that made a side's move.

        Args:
            color: the side.
            ply: number of moves before the move.
        """
        played_by = self._played_by
        names = played_by.names if ply >= played_by.since else played_by.earlier
        if own := names.get(color):
            return own
        seat = self._seat(color)
        name = seat.player or seat.chosen_player()
        return seat.player_name() if name == HUMAN else name

    def _seat(self, color: int) -> Seat:
        """Return the seat of the match that played a color in the open game.

        If the opening has swapped the colors, it is the other seat.

        Args:
            color: the color.
        """
        if self._record is not None:
            return self._match.seat_of(self._record.person_at(color))
        return self._match.seat_of(FIRST if color == BLACK else SECOND)

    def _info(self, color: int, ply: int) -> PlayerInfo:
        name = self._name(color, ply)
        if name == STRANGER:
            title = self._played_by.titles.get(color, "") or SIDES[color]
            return PlayerInfo(
                STRANGER, tr("A player of a game file."), STRANGER, "", title, title, ""
            )
        return PERSON if name == YOU else find_player_info(name, self._script.run.project)

    def _note(self) -> str:
        """Return a note on which players and networks explain, or why there is no explanation."""
        names = (*self._played_by.names.values(), *self._played_by.earlier.values())
        if names and set(names) == {STRANGER}:
            return tr("A game of a file: the panel Review compares its moves.")
        said = [tr("Past game: its players analyse this position again.")]
        if self._provisional:
            said.append(tr("Provisional: fast code is being compiled, they are asked again then."))
        ply = 0 if self._board is None else self._board.ply
        for color in (BLACK, WHITE):
            if color in self._faults:
                said.append(
                    tr("No explanation for {side}: {faults}.").format(
                        side=SIDES[color], faults=self._faults[color]
                    )
                )
            elif self._info(color, ply).learner is not None:
                said.append(self._network_words(color))
        return wording(" ").join(filter(None, said))

    def _network_words(self, color: int) -> str:
        own, played = self._played_by.network, self._played_by.network_id
        if own is not None:
            return tr("{side}'s network is the one that played this game ({network_id}).").format(
                side=SIDES[color], network_id=own.network_id
            )
        seat = self._seat(color)
        if seat.network is None:
            return ""
        was = (
            ""
            if played is None
            else tr("; the one that played ({played}) was not saved").format(played=played)
        )
        return tr("{side}'s network is the latest one ({network_id}){was}.").format(
            side=SIDES[color], network_id=seat.network_id, was=was
        )


def side_of(ply: int) -> int:
    """Return the color that moves after `ply` moves."""
    return BLACK if ply % 2 == 0 else WHITE
