"""Display of a match: stones and lines on the board, and its status line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ai import PASS, Game, GameRecord, GameSession, Position
from scripts.gomoku.game.match_report import Pace, describe_end
from scripts.gomoku.seats.seat import Seat

if TYPE_CHECKING:
    from scripts.gomoku.game.match import Match

LINE = "match"
"""Its line of the status bar."""


class MatchScreen:
    """Displays a match's games; those of fast-forward by one status line each."""

    def __init__(self, match: Match) -> None:
        self._match = match
        self._pace = Pace()

    def tell(self, text: str, *, busy: bool = False) -> None:
        """Set the match's line in the status bar."""
        self._match.status.set(LINE, text, busy=busy)

    def begin_game(self, rules: Game, begun: Position) -> None:
        """Show the board before the first move, unless the game is played unseen.

        Args:
            rules: of the game.
            begun: its position, with the stones of a balanced opening.
        """
        match = self._match
        board = match.board
        if not match.is_shown:
            self.tell(self._pace.text(match.game, match.run.elapsed))
        if match.is_shown or (board.size, board.rows) != (rules.size, rules.rows):
            board.show_board(rules.size, rules.rows, rules.start().tolist())
        if begun.ply and match.is_shown:
            board.show_position(tuple(begun.moves), begun.stones)

    def tell_choice(self, text: str) -> None:
        """Say what was chosen in an opening."""
        if self._match.is_shown:
            self.tell(f"Game {self._match.game} · {text}")

    def tell_turn(self, color: int, seat: Seat) -> None:
        """Show whose turn it is."""
        match = self._match
        if match.is_shown:
            waits = (
                f"your turn: click a {match.board.place_word}"
                if seat.is_human
                else f"{seat.info.title} thinks"
            )
            side = match.board.sides[color]
            self.tell(f"Game {match.game} · {side}: {waits}", busy=not seat.is_human)

    def tell_state(self, session: GameSession | None) -> None:
        """Say who is to move in the game, or how it ended."""
        if session is None:
            return
        if session.is_over:
            self.tell(
                f"Game {session.game}: {describe_end(session.record(), self._match.board.sides)}"
            )
        elif session.opening.is_over:
            color = session.board.to_move
            self.tell_turn(color, self._match.seat_at(color))
        else:
            self.tell(f"Game {session.game}")

    async def show_move(self, move: int, color: int, board: Position) -> None:
        """Say which stone is played, and let it drop.

        Args:
            move: the point, or PASS.
            color: the side's.
            board: the position after it.
        """
        match, side = self._match, self._match.board.sides[color]
        played = "passes" if move == PASS else f"plays {board.to_text(move)}"
        self.tell(f"Game {match.game} · {side} {played}")
        await match.board.show_move(move, color, match.pause_after_stone, board.stones)

    def show_taken_back(self, board: Position) -> None:
        """Show the position after an undo."""
        if self._match.is_shown:
            self._match.board.show_position(tuple(board.moves), board.stones)

    def show_end(self, record: GameRecord) -> None:
        """Show the result of a game, and its winning line."""
        match = self._match
        if match.is_shown:
            self.tell(f"Game {record.game}: {describe_end(record, match.board.sides)}")
            if match.current is not None and match.current.winning_line():
                match.board.show_line(match.current.winning_line())

    async def linger(self) -> None:
        """Pause at the end of a game."""
        if not self._match.time.instant:
            await self._match.seconds(self._match.end_seconds)

    def show_live(self) -> None:
        """Show the live game again, or the last one in fast-forward."""
        match = self._match
        board = match.current if match.is_shown or not match.records else match.records[-1].board()
        if board is None:
            rules = match.rules
            match.board.show_board(rules.size, rules.rows, rules.start().tolist())
        else:
            line = board.winning_line()
            match.board.show_game(
                board.size, tuple(board.moves), line, board.stones, board.rules.rows
            )

    async def replay(self, record: GameRecord) -> None:
        """Show a fast-forward game while White learns from it."""
        match, view = self._match, self._match.board
        match.workers.is_eager = False
        self.tell(f"Game {record.game}, lost unseen: White learns from it")
        view.show_board(record.rules.size, record.rules.rows, record.rules.start().tolist())
        shown = GameSession(record.rules, record.game)
        for move in record.moves:
            if await match.unheld():
                view.show_position(tuple(shown.board.moves), shown.board.stones)
            color = shown.board.to_move
            shown.play(move)
            await view.show_move(move, color, match.pause_after_stone, shown.board.stones)
        await match.unheld()
        view.show_line(shown.board.winning_line())
        await self.linger()
