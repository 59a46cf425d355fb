"""The scoreboard over the board."""

from __future__ import annotations

from typing import Any

from ai import BLACK, WHITE, GameRecord
from scripts.gomoku.game.match import Match
from sim import Script, field, on

GROUP = 5
SHOWN_GROUPS = 12


class Scoreboard(Script):
    """Shows the players, their wins, and White's wins of each five games."""

    match: Match = field(None)

    def awake(self) -> None:
        self.wins = {BLACK: 0, WHITE: 0, 0: 0}
        self.results: list[int] = []

    def start(self) -> None:
        self.panel("Scoreboard", self.draw, dock="overlay-top")

    @on("match.game_over")
    def count(self, record: GameRecord) -> None:
        """Count a finished game."""
        self.wins[record.winner] += 1
        self.results.append(record.winner)

    @on("match.resumed")
    def take_up(self, records: list[GameRecord]) -> None:
        """Count the games of earlier sessions."""
        for record in records:
            self.count(record)

    def groups(self) -> list[float]:
        """Return White's share of each full group of five games."""
        full = len(self.results) // GROUP
        return [
            self.results[index * GROUP : (index + 1) * GROUP].count(WHITE) / GROUP
            for index in range(full)
        ]

    def draw(self, ui: Any) -> None:
        """Draw two lines."""
        match = self.match
        if match is None:
            return
        ui.heading(
            f"{match.board.sides[BLACK]} {self.wins[BLACK]}  {match.black.label or 'genetic'}      "
            f"{match.white.label or 'cnn-ann-plus'}  {self.wins[WHITE]} {match.board.sides[WHITE]}"
        )
        draws = f" · {self.wins[0]} drawn" if self.wins[0] else ""
        ui.muted_text(f"Game {max(1, match.game)}{draws}")
        ui.same_line()
        shares: list[float | None] = list(self.groups()[-SHOWN_GROUPS:])
        ui.blocks(shares + [None] * (SHOWN_GROUPS - len(shares)))
