"""One board of the tournament: two players in worker processes, and the shown game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from ai import (
    BLACK,
    WHITE,
    Entrant,
    GameSession,
    IllegalMoveError,
    Limit,
    OptionError,
    Pairing,
    Rules,
)
from ai.messages import Configure
from scripts.gomoku.board.board_view import BoardView
from scripts.gomoku.board.picture_board import BoardCaption
from scripts.gomoku.board.view_state import ViewState
from scripts.gomoku.seats.seat import PlayerWorker
from scripts.pieces.fitting import fit
from sim import Script, WorkerError, field, tr

NAMES = {BLACK: "black", WHITE: "white"}
MOST_LETTERS = 60
LETTERS = 0.8  # height of a capital, metres
BELOW = 3.4  # metres from the board's edge to its caption


class Terms(Protocol):
    """Settings that all games of a tournament share."""

    seed: int
    pause_after_stone: float
    pause_after_game: float

    @property
    def rules(self) -> Rules:
        """Rules of the games."""

    @property
    def limit(self) -> Limit:
        """Budget of a move."""

    def want_kernels(self) -> None:
        """Compile the players' fast code beside the games; players of the next ones use it."""

    def may_play(self) -> bool:
        """Return whether the games go on, not paused."""


class TournamentBoard(Script):
    """Plays games of a tournament one after another and shows them on its board."""

    view: BoardView = field(None)

    def awake(self) -> None:
        self.pairing: Pairing | None = None
        self.session: GameSession | None = None
        self.result = ""
        self.caption: BoardCaption | None = None
        self._players = {
            color: PlayerWorker(self, f"{self.object.name}, {name}", keeps_limits=True)
            for color, name in NAMES.items()
        }

    def prepare(self, rules: Rules, planned: int) -> None:
        """Show an empty board with an empty caption, before the first game.

        Args:
            rules: rules of the games.
            planned: points along a side of the boards for which the scene was arranged.
        """
        fit(self.view.object, rules.size, planned)
        self.view.show(ViewState.before(rules))
        if self.caption is None:
            away = (rules.size - 1) / 2.0 + BELOW
            self.caption = BoardCaption(self.object, away, height=LETTERS, depth=0.06)
        self.caption.show("")

    async def play(
        self, terms: Terms, pairing: Pairing, entrants: dict[str, Entrant]
    ) -> dict[str, Any]:
        """Play a game to its end and return its result, in the form of a line of `games.jsonl`.

        A player that fails or plays an illegal move loses; the entry `fault` says why.

        Args:
            terms: settings of the tournament.
            pairing: the game to play.
            entrants: the players by label.
        """
        session = GameSession(terms.rules, pairing.number, seed=terms.seed, moves=pairing.moves)
        self.pairing, self.session, self.result = pairing, session, ""
        self.view.show(ViewState.of(session.board))
        who = f"{pairing.black} - {pairing.white}"
        self._say(tr("{who}: starting").format(who=who[:MOST_LETTERS]))
        fault = ""
        try:
            for color, label in ((BLACK, pairing.black), (WHITE, pairing.white)):
                await self._sit_down(color, entrants[label], terms)
            self._say(who[:MOST_LETTERS])
            while not session.is_over:
                await self._play_move(terms, session)
        except (WorkerError, OptionError, IllegalMoveError) as error:
            loser = session.board.to_move if self._is_seated else self._absent
            fault = f"{pairing.black if loser == BLACK else pairing.white}: {error}"
            session.resign(loser)
        return await self._finish(terms, pairing, session, fault)

    async def _sit_down(self, color: int, entrant: Entrant, terms: Terms) -> None:
        player = self._players[color]
        player.player = None  # each game has a player that remembers no other
        await player.sit_down(Configure(entrant.player, terms.rules, entrant.settings))
        if not player.is_compiled:
            terms.want_kernels()

    @property
    def seated(self) -> int:
        """How many of the two players of the game are there."""
        return sum(player.player is not None for player in self._players.values())

    @property
    def has_moved(self) -> bool:
        """Whether a player has placed a stone in the present game."""
        if self.pairing is None or self.session is None:
            return False
        return self.session.board.ply > len(self.pairing.moves)

    @property
    def _is_seated(self) -> bool:
        return all(player.player is not None for player in self._players.values())

    @property
    def _absent(self) -> int:
        return BLACK if self._players[BLACK].player is None else WHITE

    async def _play_move(self, terms: Terms, session: GameSession) -> None:
        if not terms.may_play():
            await self.until(terms.may_play)
        color = session.board.to_move
        chosen = await self._players[color].choose(
            tuple(session.board.moves),
            seed=session.next_seed,
            game=session.game,
            limit=terms.limit,
        )
        session.seconds[color] += chosen.seconds
        session.play_choice(chosen.choice)
        self.run.startup("first_move")
        await self.view.play(ViewState.of(session.board), terms.pause_after_stone)

    async def _finish(
        self, terms: Terms, pairing: Pairing, session: GameSession, fault: str
    ) -> dict[str, Any]:
        """Show the result of a game, and return it in the form of a line of `games.jsonl`.

        Args:
            terms: settings of the tournament.
            pairing: number, players and opening of the game.
            session: the finished game.
            fault: error or illegal move by which a player lost; empty if there was none.

        Returns:
            The line as a dictionary.
        """
        record = session.record()
        winner = NAMES.get(record.winner, "draw")
        who = getattr(pairing, winner) if record.winner else ""
        self.result = tr("{who} wins").format(who=who) if who else tr("a draw")
        self._say(f"{pairing.black} - {pairing.white}: {self.result}"[:MOST_LETTERS])
        if not self.time.instant:
            await self.seconds(terms.pause_after_game)
        return {
            "game": pairing.number,
            "black": pairing.black,
            "white": pairing.white,
            "opening": pairing.opening,
            "winner": winner,
            "reason": record.termination,
            "fault": fault or None,
            "plies": len(record.moves),
            "moves": [int(move) for move in record.moves],
            "seconds": {name: round(session.seconds[color], 3) for color, name in NAMES.items()},
        }

    def _say(self, text: str) -> None:
        """Write a caption in front of the board."""
        if self.caption is not None:
            self.caption.show(text)

    def free(self) -> None:
        """Stop playing; the last position stays on the board."""
        self.pairing = self.session = None

    def stop(self) -> None:
        """Stop playing in the middle of a game, which then counts as not played."""
        self.free()
        self.result = ""
        for player in self._players.values():
            player.stand_up()


def as_pairing(values: Sequence[Any]) -> Pairing:
    """Create a pairing from plain values.

    Args:
        values: number, Black, White, opening number and initial moves, as the job `pairings`
            returns them for a game.
    """
    number, black, white, opening, moves = values
    return Pairing(number, black, white, opening, tuple(int(move) for move in moves))
