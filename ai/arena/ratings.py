"""Ratings from results: Elo by maximum likelihood, and a sequential test of two players."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ai.runs.statistics import Z95
from base.values import JsonObject

SCALE: Final = 400.0 / math.log(10.0)
"""Number of Elo points in one logit (natural unit) of the chance to win."""
PRIOR_GAMES: Final = 1.0
"""Number of virtual draws of each player against an average one; they keep ratings finite."""
CENTRE: Final = 1500.0
"""Elo rating of the average player of a table."""
STEPS: Final = 100

Result = tuple[str, str, float]
"""Result of a game: the first player, the second, and the first one's points.

A win is 1, a draw 0.5 and a loss 0.
"""


class Rating(NamedTuple):
    """A rating, or a difference of two, and the ends of its 95 % interval, in Elo points.

    In a table the mean player has `CENTRE`.
    """

    elo: float
    low: float
    high: float


def results_of(lines: Sequence[JsonObject]) -> list[Result]:
    """Convert lines of `games.jsonl` to results, with Black as the first player."""
    points = {"black": 1.0, "white": 0.0, "draw": 0.5}
    return [(line["black"], line["white"], points[line["winner"]]) for line in lines]


def elo_table(players: Sequence[str], results: Sequence[Result]) -> dict[str, Rating]:
    """Return the maximum-likelihood Elo rating of each player by the Bradley-Terry model.

    The probability that player i beats player j is 1 / (1 + 10^((r_j - r_i) / 400)), where r is the
    rating; a draw is half a win. Each player has `PRIOR_GAMES` further draws against an average
    one. Intervals come from the curvature of the likelihood at its maximum (Bradley, Terry 1952;
    Hunter 2004 for draws as half wins).

    Args:
        players: names of all players.
        results: results of the games, in any order.

    >>> table = elo_table(["a", "b"], [("a", "b", 1.0)] * 3 + [("a", "b", 0.0)])
    >>> round(table["a"].elo - table["b"].elo) > 100
    True
    """
    place = {name: number for number, name in enumerate(players)}
    count = len(players)
    games = np.zeros((count, count))
    wins = np.zeros((count, count))
    for one, other, points in results:
        i, j = place[one], place[other]
        games[i, j] += 1.0
        games[j, i] += 1.0
        wins[i, j] += points
        wins[j, i] += 1.0 - points
    strength, errors = _most_likely(games, wins)
    return {
        name: Rating(
            *(
                round(CENTRE + SCALE * (strength[i] + shift * errors[i]), 1)
                for shift in (0.0, -Z95, Z95)
            )
        )
        for name, i in place.items()
    }


def _most_likely(
    games: NDArray[np.float64], wins: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the strengths `[P]` of P players and their standard errors `[P]`, in natural units.

    The mean strength is 0.

    Args:
        games: `[P, P]` number of games of each pair.
        wins: `[P, P]` points of the row's player against the column's player.
    """
    count = len(games)
    strength = np.zeros(count)
    for _ in range(STEPS):  # Newton's steps; the prior makes the likelihood strictly concave
        chance = 1.0 / (1.0 + np.exp(strength[None, :] - strength[:, None]))
        to_mean = 1.0 / (1.0 + np.exp(-strength))
        gradient = (wins - games * chance).sum(axis=1) + PRIOR_GAMES * (0.5 - to_mean)
        weight = games * chance * (1.0 - chance)
        curvature = np.diag(weight.sum(axis=1) + PRIOR_GAMES * to_mean * (1.0 - to_mean)) - weight
        step = np.linalg.solve(curvature, gradient)
        strength += np.clip(step, -1.0, 1.0)
        if np.abs(step).max() < 1e-10:
            break
    centring = np.eye(count) - 1.0 / count
    covariance = centring @ np.linalg.inv(curvature) @ centring
    errors: NDArray[np.float64] = np.sqrt(np.diag(covariance))
    return strength - strength.mean(), errors


class Sprt(NamedTuple):
    """State of a sequential probability ratio test (SPRT) of one player against another."""

    ratio: float
    """Logarithm of a likelihood ratio: of a difference of `elo1` Elo points to one of `elo0`."""
    lower: float
    """The difference `elo0` is accepted when `ratio` is at most this."""
    upper: float
    """The difference `elo1` is accepted when `ratio` is at least this."""
    verdict: str
    """"stronger" (`elo1` accepted), "not stronger" (`elo0` accepted) or "undecided"."""


def sprt(
    scores: Sequence[float],
    *,
    elo0: float = 0.0,
    elo1: float = 50.0,
    alpha: float = 0.05,
    beta: float = 0.05,
) -> Sprt:
    """Test whether a player A is stronger than a player B by `elo1` rather than by `elo0`.

    This is the generalised sequential test: the scores of pairs of games are modelled as normal
    with their own variance (Van den Bergh 2016). So one opening played with both colours counts as
    one sample.

    Args:
        scores: A's mean result of each pair of games with one opening, in [0, 1].
        elo0: Elo difference that counts as no improvement.
        elo1: Elo difference that counts as an improvement.
        alpha: probability of accepting `elo1` if `elo0` holds.
        beta: probability of accepting `elo0` if `elo1` holds.

    Raises:
        ValueError: elo1 is not above elo0, or a probability is not between 0 and 0.5.
    """
    if not elo0 < elo1 or not 0.0 < alpha < 0.5 or not 0.0 < beta < 0.5:
        raise ValueError(
            f"expected elo0 < elo1 and chances between 0 and 0.5, found {elo0:g}, {elo1:g}, "
            f"{alpha:g}, {beta:g}"
        )
    lower, upper = math.log(beta / (1.0 - alpha)), math.log((1.0 - beta) / alpha)
    ratio = 0.0
    if scores:
        values = np.array([*scores, 0.0, 1.0])  # two made-up pairs keep the variance above zero
        low, high = expected_score(elo0), expected_score(elo1)
        mean = float(np.mean(scores))
        ratio = len(scores) * (high - low) * (2.0 * mean - low - high) / (2.0 * values.var())
    verdict = "undecided"
    if ratio >= upper:
        verdict = "stronger"
    elif ratio <= lower:
        verdict = "not stronger"
    return Sprt(ratio, lower, upper, verdict)


def expected_score(elo: float) -> float:
    """Return the expected result of a player that is stronger by `elo` points.

    >>> round(expected_score(400), 3)
    0.909
    """
    return float(1.0 / (1.0 + 10.0 ** (-elo / 400.0)))


def pair_elo(scores: Sequence[float]) -> Rating:
    """Return by how many Elo points a player is stronger than its only opponent.

    The two games of a pair have the same opening and are alike, so the interval comes from the
    spread of the pairs. It is 0 where all pairs ended alike, and says little with a few pairs.

    Args:
        scores: the player's mean result of each pair of games, from 0 to 1; none is a draw.

    >>> round(pair_elo([1.0, 0.5]).elo)
    191
    """
    found = np.array(scores or [0.5])
    spread = Z95 * float(found.std()) / len(found) ** 0.5
    shares = (float(np.clip(found.mean() + shift * spread, 1e-3, 1 - 1e-3)) for shift in (0, -1, 1))
    return Rating(*(SCALE * math.log(share / (1.0 - share)) for share in shares))


def pair_scores(lines: Sequence[JsonObject], player: str) -> list[float]:
    """Return a player's mean result for each opening that it has played with both colors.

    The mean is over the two games of the pair, from 0 to 1.

    Args:
        lines: lines of `games.jsonl`.
        player: label of the player.
    """
    by_opening: dict[tuple[str, int], list[float]] = {}
    for line in lines:
        if player not in (line["black"], line["white"]):
            continue
        is_black = line["black"] == player
        points = {"draw": 0.5, "black": float(is_black), "white": float(not is_black)}
        other = line["white"] if is_black else line["black"]
        by_opening.setdefault((other, line["opening"]), []).append(points[line["winner"]])
    return [sum(points) / 2.0 for points in by_opening.values() if len(points) == 2]


def cross_table(
    players: Sequence[str], results: Sequence[Result]
) -> Mapping[tuple[str, str], tuple[int, int, int]]:
    """Return the wins, draws and losses of each player against each other one.

    Args:
        players: labels of the players.
        results: results of the games.

    Returns:
        For each (first, second) that have played: wins, draws and losses of the first.
    """
    table: dict[tuple[str, str], list[int]] = {}
    for one, other, points in results:
        column = {1.0: 0, 0.5: 1, 0.0: 2}[points]
        table.setdefault((one, other), [0, 0, 0])[column] += 1
        table.setdefault((other, one), [0, 0, 0])[2 - column] += 1
    order = {name: number for number, name in enumerate(players)}
    return {
        pair: (counts[0], counts[1], counts[2])
        for pair, counts in sorted(
            table.items(), key=lambda item: (order[item[0][0]], order[item[0][1]])
        )
    }
