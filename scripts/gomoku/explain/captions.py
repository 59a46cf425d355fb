"""Captions for an audience: the players, the reason of a move, White's score. Pure functions."""

from __future__ import annotations

from dataclasses import dataclass, field

from ai import BLACK, WHITE, Explanation, PlayerInfo, percent
from scripts.gomoku.explain.choice_reading import SIDES

RECENT = 50


@dataclass(frozen=True)
class CaptionInput:
    """Facts from which a caption is made.

    Attributes:
        game: number of the game, from 1.
        black: the player of the black stones.
        white: the player of the white stones.
        mover: side that moved last: BLACK, WHITE, or 0 before the first move.
        point: the last move as text, for example "d4".
        explanation: the player's explanation of that move.
        winner: BLACK, WHITE, 0 for a draw; None until the game is over.
        how: in what way the game was won, as text; empty for no details.
        is_training: whether White is learning now.
        results: winners of the earlier games, the latest last.
    """

    game: int
    black: PlayerInfo
    white: PlayerInfo
    mover: int = 0
    point: str = ""
    explanation: Explanation = field(default_factory=Explanation)
    winner: int | None = None
    how: str = ""
    is_training: bool = False
    results: tuple[int, ...] = ()


@dataclass(frozen=True)
class Caption:
    """A caption of three lines: the players, what happens now, and the score."""

    heading: str
    sentence: str
    score: str


def caption(moment: CaptionInput) -> Caption:
    """Return the caption under the picture."""
    black, white = moment.black.title or "…", moment.white.title or "…"
    return Caption(
        heading=f"Game {max(1, moment.game)}  ·  Black: {black}  ·  White: {white}",
        sentence=sentence_of(moment),
        score=score_of(moment.results),
    )


def sentence_of(moment: CaptionInput) -> str:
    """Return one sentence about the present state of the game."""
    if moment.winner is not None:
        ending = "Draw" if moment.winner == 0 else f"{SIDES[moment.winner]} wins"
        how = f": {moment.how}" if moment.how else ""
        learns = "; White looks back at the game and learns" if moment.is_training else ""
        return f"{ending}{how}{learns}."
    if moment.mover == 0:
        return "A new game begins."
    player = moment.white if moment.mover == WHITE else moment.black
    reason = moment.explanation.caption(player.explains)
    played = f"{SIDES[moment.mover]} plays {moment.point}"
    return f"{played}: {reason}." if reason else f"{played}."


def score_of(results: tuple[int, ...]) -> str:
    """Return White's score in the latest games as text.

    Args:
        results: winner of each game, 0 for a draw, the latest last; only the last 50 count.
    """
    recent = results[-RECENT:]
    if not recent:
        return "The first game"
    wins = recent.count(WHITE)
    if len(recent) == 1:
        outcome = {WHITE: "won", BLACK: "lost"}.get(recent[0], "drew")
        return f"White {outcome} the last game"
    return f"White won {wins} of the last {len(recent)} games ({percent(wins / len(recent))})"
