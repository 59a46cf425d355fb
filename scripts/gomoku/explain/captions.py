"""Captions for an audience: the players, the reason of a move, White's score. Pure functions."""

from __future__ import annotations

from dataclasses import dataclass, field

from ai import BLACK, WHITE, Explanation, PlayerInfo, percent
from scripts.gomoku.board.names import SIDES
from sim import tr, wording

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
        heading=tr("Game {game}  ·  Black: {black}  ·  White: {white}").format(
            game=max(1, moment.game), black=black, white=white
        ),
        sentence=sentence_of(moment),
        score=score_of(moment.results),
    )


def sentence_of(moment: CaptionInput) -> str:
    """Return one sentence about the present state of the game."""
    if moment.winner is not None:
        ending = (
            tr("Draw")
            if moment.winner == 0
            else tr("{side} wins").format(side=SIDES[moment.winner])
        )
        how = wording(": {how}").format(how=moment.how) if moment.how else ""
        learns = tr("; White looks back at the game and learns") if moment.is_training else ""
        return tr("{ending}{how}{learns}.").format(ending=ending, how=how, learns=learns)
    if moment.mover == 0:
        return tr("A new game begins.")
    player = moment.white if moment.mover == WHITE else moment.black
    reason = moment.explanation.caption(player.explains)
    played = tr("{side} plays {point}").format(side=SIDES[moment.mover], point=moment.point)
    if reason:
        return tr("{played}: {reason}.").format(played=played, reason=reason)
    return tr("{played}.").format(played=played)


def score_of(results: tuple[int, ...]) -> str:
    """Return White's score in the latest games as text.

    Args:
        results: winner of each game, 0 for a draw, the latest last; only the last 50 count.
    """
    recent = results[-RECENT:]
    if not recent:
        return tr("The first game")
    wins = recent.count(WHITE)
    if len(recent) == 1:
        said = {WHITE: tr("White won the last game"), BLACK: tr("White lost the last game")}
        return said.get(recent[0], tr("White drew the last game"))
    return tr("White won {wins} of the last {recent} games ({percent})").format(
        wins=wins, recent=len(recent), percent=percent(wins / len(recent))
    )
