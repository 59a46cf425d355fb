"""What is seen of a match: its board, and its line in the status bar."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field

from ai import PASS, GameRecord, GameSession, MoveChoice, PlayerInfo, Position
from scripts.gomoku.board.board_view import BoardView
from scripts.gomoku.board.view_state import ViewState
from scripts.gomoku.game.match_report import describe_end
from scripts.gomoku.game.table import LiveTable
from scripts.gomoku.seats.seat import Seat


class Pace:
    """Measures games per minute over the latest games."""

    def __init__(self) -> None:
        self._begun: list[float] = []

    def text(self, game: int, now: float) -> str:
        """Return the status line of a fast-forward game that begins at `now`."""
        self._begun.append(now)
        del self._begun[:-20]
        passed = now - self._begun[0]
        games = len(self._begun) - 1
        pace = f" · {games / passed * 60:.0f} games a minute" if passed > 0 else ""
        return f"Fast-forward: game {game} unseen{pace} · F to watch"


class MatchScreen:
    """Shows a match's games on its board, and says what happens."""

    def __init__(self, board: Callable[[], BoardView], tell: Callable[..., object]) -> None:
        """Show nothing yet.

        Args:
            board: returns where games are shown.
            tell: `tell(text, busy=False)` sets the match's line in the status bar.
        """
        self._board = board
        self._tell = tell

    def begin_game(self, session: GameSession, *, is_shown: bool) -> None:
        """Show the board before the first move; of an unseen game only that of another size."""
        board, rules = self._board(), session.board.rules
        if is_shown:
            board.show(ViewState.of(session.board))
        elif (board.size, board.rows) != (rules.size, rules.rows):
            board.show(ViewState.before(rules))

    async def show_ply(self, session: GameSession, color: int, pause: float) -> None:
        """Say which stone a side has played, and let it drop.

        Args:
            session: the game after it.
            color: the side's.
            pause: seconds after the stone has settled.
        """
        position, board = session.board, self._board()
        move = position.moves[-1]
        played = "passes" if move == PASS else f"plays {position.to_text(move)}"
        self._tell(f"Game {session.game} · {board.sides[color]} {played}")
        await board.play(ViewState.of(position), pause)

    def tell_decision(self, session: GameSession, seat: Seat, question: str) -> None:
        """Say what is to be decided in an opening, and by whom."""
        who = "you" if seat.is_human else f"{seat.label} thinks"
        self._tell(f"Game {session.game} · {question}: {who}", busy=not seat.is_human)

    def tell_turn(self, session: GameSession, seat: Seat) -> None:
        """Say whose turn it is."""
        board = self._board()
        side = board.sides[session.board.to_move]
        waits = f"{seat.info.title} thinks"
        if seat.is_human:
            waits = f"your turn: click a {board.place_word}"
        self._tell(f"Game {session.game} · {side}: {waits}", busy=not seat.is_human)

    def tell_end(self, record: GameRecord) -> None:
        """Say how a game ended."""
        self._tell(f"Game {record.game}: {describe_end(record, self._board().sides)}")

    def tell_state(self, live: LiveTable) -> None:
        """Say who is to move in the live game, or how it ended."""
        session = live.session
        if session is None:
            return
        if session.is_over:
            self.tell_end(session.record())
        elif session.opening.is_over:
            self.tell_turn(session, live.seat_at(session.board.to_move))
        else:
            self._tell(f"Game {session.game}")


def _nothing() -> None:
    """Ask nobody."""


@dataclass(frozen=True)
class ShownPosition:
    """What explanations and overlays are about.

    Attributes:
        board: the position; None before the first game.
        choices: (ply, choice) of the last explained moves, by color.
        players: who plays, or played, each color.
        key: another one whenever anything else here is another.
        note: what a reader must know, such as who was asked; "" for nothing.
        is_asking: whether choices are still to come.
        ask: asks for choices that are missing; called when somebody looks.
    """

    board: Position | None
    choices: Mapping[int, tuple[int, MoveChoice]]
    players: Mapping[int, PlayerInfo]
    key: Hashable
    note: str = ""
    is_asking: bool = False
    ask: Callable[[], object] = field(default=_nothing, compare=False)
