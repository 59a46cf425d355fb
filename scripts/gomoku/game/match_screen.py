"""What a match reports: texts in the status bar, and the position that panels explain."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field

from ai import PASS, GameRecord, GameSession, MoveChoice, PlayerInfo, Position
from scripts.gomoku.board.board_view import BoardView
from scripts.gomoku.game.match_report import describe_end
from scripts.gomoku.game.table import LiveTable
from scripts.gomoku.seats.seat import Seat


class Pace:
    """Measures games per minute over the latest games."""

    def __init__(self) -> None:
        self._begun: list[float] = []

    def text(self, game: int, now: float) -> str:
        """Return the status text for a fast-forward game that begins now.

        Args:
            game: number of the game.
            now: present time since the start of the run, seconds.
        """
        self._begun.append(now)
        del self._begun[:-20]
        passed = now - self._begun[0]
        games = len(self._begun) - 1
        pace = f" · {games / passed * 60:.0f} games a minute" if passed > 0 else ""
        return f"Fast-forward: game {game}{pace} · F to watch"


class MatchStatus:
    """Says in the status bar what happens in a match."""

    def __init__(
        self, board: Callable[[], BoardView], tell: Callable[..., object], title: str = "Game"
    ) -> None:
        """Create the object; nothing is reported yet.

        Args:
            board: function that returns the board on which the games are shown. The names of the
                sides come from that board.
            tell: `tell(text, busy=False)` sets the match's line in the status bar.
            title: what a game is called before its number.
        """
        self._board = board
        self._tell = tell
        self._title = title

    def show_ply(self, session: GameSession, color: int) -> None:
        """Report the last move of a game, which `color` has played."""
        position = session.board
        move = position.moves[-1]
        played = "passes" if move == PASS else f"plays {position.to_text(move)}"
        self._tell(f"{self._title} {session.game} · {self._board().sides[color]} {played}")

    def show_decision(self, session: GameSession, seat: Seat, question: str) -> None:
        """Report in the status bar what must be decided in an opening, and by whom.

        Args:
            session: the game.
            seat: the seat that decides.
            question: the decision, as text.
        """
        who = "you" if seat.is_human else f"{seat.label} thinks"
        self._tell(f"{self._title} {session.game} · {question}: {who}", busy=not seat.is_human)

    def show_turn(self, session: GameSession, seat: Seat) -> None:
        """Report whose turn it is."""
        board = self._board()
        side = board.sides[session.board.to_move]
        waits = f"{seat.info.title} thinks"
        if seat.is_human:
            waits = f"your turn: click a {board.place_word}"
        self._tell(f"{self._title} {session.game} · {side}: {waits}", busy=not seat.is_human)

    def show_end(self, record: GameRecord) -> None:
        """Report how a game ended."""
        self._tell(f"{self._title} {record.game}: {describe_end(record, self._board().sides)}")

    def show_state(self, live: LiveTable) -> None:
        """Report who is to move in the live game, or how it ended.

        Args:
            live: the live game with its seats.
        """
        session = live.session
        if session is None:
            return
        if session.is_over:
            self.show_end(session.record())
        elif session.opening.is_over:
            self.show_turn(session, live.seat_at(session.board.to_move))
        else:
            self._tell(f"{self._title} {session.game}")


def _nothing() -> None:
    """Do nothing: the default of `ShownPosition.ask`."""


@dataclass(frozen=True)
class ShownPosition:
    """The position on the board, and what explains it.

    It belongs to the live game, to a past game or to a side game.

    Attributes:
        board: the position; None before the first game.
        choices: for each color a pair: the number of moves before the side's last explained move,
            and the player's answer.
        players: the player of each color.
        key: value that changes whenever anything else here changes.
        note: a note for readers, for example which player was asked; empty for none.
        is_asking: whether some answers may still arrive.
        ask: called without arguments when explanations are to be shown; requests the missing
            answers.
    """

    board: Position | None
    choices: Mapping[int, tuple[int, MoveChoice]]
    players: Mapping[int, PlayerInfo]
    key: Hashable
    note: str = ""
    is_asking: bool = False
    ask: Callable[[], object] = field(default=_nothing, compare=False)
