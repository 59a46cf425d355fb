"""Captions for an audience: the players, the reason of a move, White's score. Pure functions."""

from __future__ import annotations

from dataclasses import dataclass, field

from ai import (
    BLACK,
    WHITE,
    Evolution,
    Explanation,
    ForcedMove,
    NetworkAnswer,
    Opening,
    PatternScores,
    PlayerInfo,
    RootScores,
    SearchedMoves,
    TreeVisits,
    ValueField,
)
from scripts.gomoku.explain.choice_words import count

SIDES = {BLACK: "Black", WHITE: "White"}
RECENT = 50
SAME_SITUATION = 1e-6
LIKE_SITUATION = 1.5  # distance of state vectors


@dataclass(frozen=True)
class CaptionInput:
    """Facts for a caption.

    Attributes:
        mover: side that moved last, BLACK, WHITE or 0 for none.
        point: the last move, as "d4".
        explanation: explanation of that move.
        winner: None while the game goes on, 0 for a draw.
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
    """Three lines: the pairing, what happens now, the score."""

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
    reason = reason_of(moment.explanation, player.explains)
    played = f"{SIDES[moment.mover]} plays {moment.point}"
    return f"{played}: {reason}." if reason else f"{played}."


def reason_of(explanation: Explanation, explains: str = "") -> str:
    """Return why a move was chosen, without a full stop; empty where nothing is known.

    Args:
        explanation: of the player.
        explains: what such a player's explanations show, see `PlayerInfo`.
    """
    said = explanation.basis
    match said:
        case Opening():
            return "the first stone is a random point near the centre"
        case NetworkAnswer(rank=int()):
            return _network_reason(said, "memory" if explains == "memory" else "network")
        case Evolution():
            bred = f" after {count(said.generations, 'generation')}" if said.generations else ""
            return f"the fittest of {len(said.population)} plans{bred}"
        case PatternScores():
            return "the point with the strongest pattern"
        case ValueField():
            return "the point with the highest value of its field"
        case RootScores():
            return f"the best of {count(len(said.root_scores), 'point')} that it searched below"
        case SearchedMoves(scores=(_, *_)):
            return f"the best move, {count(said.depth or 0, 'move')} ahead"
        case ForcedMove():
            return f"forced: {said.forced_by}"
        case TreeVisits():
            played = sum(visits for _, visits in said.visits)
            kind = "game" if explains == "guided search" else "random game"
            return f"the point it tried most in {count(played, kind)}"
    return ""


def _network_reason(answer: NetworkAnswer, whose: str) -> str:
    memory, rank = answer.memory, answer.rank or 0
    if whose == "memory" and not (memory and memory.nodes):
        return "its memory is still empty"
    probabilities = sorted(answer.probabilities, reverse=True)
    text = f"the {whose}'s {'first' if rank == 1 else ordinal(rank)} choice"
    if 0 < rank <= len(probabilities):
        text += f" ({probabilities[rank - 1]:.0%})"
    distance = memory.nearest.distance if memory and memory.nearest else None
    if distance is not None and distance <= SAME_SITUATION:
        text += "; it remembers this very situation"
    elif distance is not None and distance <= LIKE_SITUATION:
        text += "; it remembers a situation much like this"
    return text


def score_of(results: tuple[int, ...]) -> str:
    """Return White's score in the latest games."""
    recent = results[-RECENT:]
    if not recent:
        return "The first game"
    wins = recent.count(WHITE)
    if len(recent) == 1:
        outcome = {WHITE: "won", BLACK: "lost"}.get(recent[0], "drew")
        return f"White {outcome} the last game"
    return f"White won {wins} of the last {len(recent)} games ({wins / len(recent):.0%})"


def ordinal(number: int) -> str:
    """Return an ordinal such as "2nd"."""
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
