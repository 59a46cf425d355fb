"""Sounds of a match besides the stones: a chime when White has won or lost."""

from __future__ import annotations

from ai import WHITE, GameRecord
from scripts.gomoku.game.match import Match
from sim import Script, field, on, tr


class Sounds(Script):
    """Plays a chime at the end of a displayed game."""

    match: Match = field(None)
    volume: float = field(0.45, min=0.0, max=1.0)

    @on("match.game_over")
    @on("match.own_game_over")
    def chime(self, record: GameRecord) -> None:
        """Play the chime of White's result; none for a draw."""
        if self.match.is_shown and record.winner and not self.time.instant:
            name = "win" if record.winner == WHITE else "lose"
            caption = tr("fanfare: White wins") if name == "win" else tr("low tones: White loses")
            self.sound.play(name, volume=self.volume, caption=caption)
