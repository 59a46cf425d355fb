"""The gate: a new pair of networks replaces the best one only if it wins a match.

Both play with the semi-stochastic policy, each opening with both colours. A sequential test
(`ai.arena.ratings.sprt`) ends the match early; at its last pair of games the one that scored more
has won, as the document says it. The pair stands or falls together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ai.arena.ratings import sprt
from base.values import JsonObject


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a gate match ended."""

    is_accepted: bool
    pairs: int
    """Pairs of games that count."""
    score: float
    """The new pair's mean result."""
    ratio: float
    """Log-likelihood ratio of "stronger by `elo`" over "not stronger"."""
    reason: str
    """"stronger", "not stronger", "won the match" or "did not win the match"."""

    def as_dict(self) -> JsonObject:
        """Return plain values for JSON."""
        return {
            "accepted": self.is_accepted, "pairs": self.pairs, "score": round(self.score, 4),
            "ratio": round(self.ratio, 3), "reason": self.reason,
        }  # fmt: skip


def judge(scores: Sequence[float], *, pairs: int, elo: float) -> Verdict | None:
    """Judge a match by the pairs of games played so far; None while it is open.

    Args:
        scores: the new pair's mean result of each pair of games, in their order. What comes after
            the pair that decides does not count, so that it does not matter how many were played
            beside each other.
        pairs: pairs of games of the whole match.
        elo: difference that the test takes for an improvement, against none.
    """
    for count in range(1, min(len(scores), pairs) + 1):
        known = scores[:count]
        test = sprt(known, elo0=0.0, elo1=elo)
        mean = sum(known) / count
        if test.verdict != "undecided":
            return Verdict(test.verdict == "stronger", count, mean, test.ratio, test.verdict)
        if count == pairs:
            has_won = mean > 0.5
            reason = "won the match" if has_won else "did not win the match"
            return Verdict(has_won, count, mean, test.ratio, reason)
    return None


__all__ = ["Verdict", "judge"]
