"""One board of the tournament: two players in processes of their own, and what people see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ai import (
    BLACK,
    WHITE,
    Entrant,
    GameSession,
    IllegalMoveError,
    OptionError,
    Pairing,
    Rules,
)
from ai.messages import Configure
from scripts.gomoku.board.board_view import BoardView
from scripts.gomoku.seats.player_worker import PlayerWorker
from sim import SceneObject, Script, WorkerError, field

if TYPE_CHECKING:
    from scripts.tournament.tournament import LiveTournament

NAMES = {BLACK: "black", WHITE: "white"}
MOST_LETTERS = 60
LETTERS = 0.8  # height of a capital, metres
BELOW = 3.4  # metres from the board's edge to its caption


class TournamentBoard(Script):
    """Plays one game of a tournament after another, and shows them."""

    view: BoardView = field(None)

    def awake(self) -> None:
        self.pairing: Pairing | None = None
        self.session: GameSession | None = None
        self.result = ""
        self.caption: SceneObject | None = None
        self._players = {
            color: PlayerWorker(self, f"{self.object.name}, {name}")
            for color, name in NAMES.items()
        }

    def prepare(self, rules: Rules) -> None:
        """Show an empty board, before its first game."""
        self.view.show_board(rules.size)
        if self.caption is None:
            self.caption = self.scene.spawn(
                "Caption",
                parent=self.object,
                position=(0.0, -(rules.size - 1) / 2.0 - BELOW, 0.0),
                rotation=(0.0, -40.0, 0.0),
                material={"color": [0.93, 0.9, 0.84], "roughness": 0.6},
            )
            self.caption.casts_shadow = False
        self._say("")

    async def play(
        self, tournament: LiveTournament, pairing: Pairing, entrants: dict[str, Entrant]
    ) -> dict[str, Any]:
        """Play a game to its end and return its result, as a line of an arena's games.

        A player that fails or plays an illegal move loses, and the line says why.
        """
        rules = tournament.rules
        session = GameSession(rules, pairing.number, seed=tournament.seed, moves=pairing.moves)
        self.pairing, self.session, self.result = pairing, session, ""
        self.view.show_game(rules.size, pairing.moves)
        self._say(f"{pairing.black} - {pairing.white}"[:MOST_LETTERS])
        fault = ""
        try:
            for color, label in ((BLACK, pairing.black), (WHITE, pairing.white)):
                await self._sit_down(color, entrants[label], rules)
            while not session.is_over:
                await self._play_move(tournament, session)
        except (WorkerError, OptionError, IllegalMoveError) as error:
            loser = session.board.to_move if self._is_seated else self._absent
            fault = f"{pairing.black if loser == BLACK else pairing.white}: {error}"
            session.resign(loser)
        return await self._finish(tournament, pairing, session, fault)

    async def _sit_down(self, color: int, entrant: Entrant, rules: Rules) -> None:
        player = self._players[color]
        player.player = None  # each game has a player that remembers no other
        await player.sit_down(Configure(entrant.player, rules, entrant.settings))

    @property
    def _is_seated(self) -> bool:
        return all(player.player is not None for player in self._players.values())

    @property
    def _absent(self) -> int:
        return BLACK if self._players[BLACK].player is None else WHITE

    async def _play_move(self, tournament: LiveTournament, session: GameSession) -> None:
        color = session.board.to_move
        chosen = await self._players[color].choose(
            tuple(session.board.moves), seed=session.next_seed, game=session.game,
            limit=tournament.limit,
        )  # fmt: skip
        session.seconds[color] += chosen.seconds
        move = session.take(chosen.choice)
        self.run.startup("first_move")
        await self.view.show_move(move, color, tournament.pause_after_stone)

    async def _finish(
        self, tournament: LiveTournament, pairing: Pairing, session: GameSession, fault: str
    ) -> dict[str, Any]:
        """Show the end and return the game's line."""
        record = session.record()
        winner = NAMES.get(record.winner, "draw")
        line = session.board.winning_line()
        if line:
            self.view.show_line(tuple(line))
        who = getattr(pairing, winner) if record.winner else ""
        self.result = f"{who} wins" if who else "a draw"
        self._say(f"{pairing.black} - {pairing.white}: {self.result}"[:MOST_LETTERS])
        if not self.time.instant:
            await self.seconds(tournament.pause_after_game)
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
            shown = {"builtin": "text", "text": text, "size": LETTERS, "depth": 0.06}
            self.caption.model = shown if text else None

    def free(self) -> None:
        """Play no game any more; the last position stays."""
        self.pairing = self.session = None


def as_pairing(values: Sequence[Any]) -> Pairing:
    """Return a pairing from the plain values that a job sends."""
    number, black, white, opening, moves = values
    return Pairing(number, black, white, opening, tuple(int(move) for move in moves))
