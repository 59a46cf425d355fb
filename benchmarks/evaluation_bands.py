"""How well learned evaluations predict games that they have not seen, by the number of stones.

    python -m benchmarks.evaluation_bands DIR [--evaluations shipped FILE …] [--outside FILE …]

DIR is a folder of positions of `train evaluation`. One game in ten is held out there, and only
those are looked at. For each band of stones it prints the positions, and the mean loss in nats of
what predicts the results of the games:

- even chances
- the search's score, which took thousands of positions; and the same multiplied by the factor that
  fits the other games best
- a control: those scores, each given to another position of its band, at their best factor
- the patterns alone, and each evaluation; without any search

After each evaluation stands its loss at its best factor, which the other games chose. So a wrong
scale and wrong knowledge can be told apart. The last row is half the width of the 95 % interval of
the last evaluation's gain on even chances, over games.

`--outside` names files of games of `benchmarks.outside_match`. In place of the held-out games,
their positions with alpha-beta to move are looked at; the factors are still those of the folder's
games. Nothing is learned from them. The exit code is always 0.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ai.game import Board
from ai.kernels.position import KernelPosition
from ai.learning.evaluation.network import (
    HELD_OUT,
    base_logits,
    best_factor,
    lines_of,
    log_loss,
    logits_of,
    seen_logits,
)
from ai.learning.evaluation.positions import (
    COLUMNS,
    RULES,
    UNKNOWN,
    WON,
    Positions,
    is_settled,
    load_positions,
)
from ai.nets.evaluation import LearnedEvaluation, floats_of
from ai.players.alpha_beta import SHIPPED, evaluation_of
from benchmarks.console import parser_of, table
from benchmarks.outside_match import read_match
from benchmarks.turning_moves import FEWEST_DEPTH

BANDS: Final = ((0, 13), (14, 24), (25, 40), (41, 60), (61, 225), (14, 60))
"""Smallest and largest number of stones of each band; the last one is what play is lost in."""

DRAWN: Final = 0.5


@dataclass(frozen=True)
class Prediction:
    """Logits of what predicts results: for games to fit a factor to, and for held-out games."""

    name: str
    fitted: NDArray[np.floating[Any]]
    held: NDArray[np.floating[Any]]


def known(positions: Positions) -> Positions:
    """Return the positions of which the game's result is known, draws left out."""
    return positions.only((positions.result != UNKNOWN) & (positions.result != 0))


def outside_positions(files: Iterable[Path]) -> Positions:
    """Return alpha-beta's turns of games with outside programs, as positions with results.

    Left out are drawn games, positions that are settled or decided, and answers that were not
    searched.

    Args:
        files: files of matches.
    """
    rows: list[tuple[object, ...]] = []
    position = KernelPosition(RULES)
    for number, game in enumerate(game for path in files for game in read_match(path)[1]):
        if game["points"] == DRAWN:
            continue
        plies = range(game["opening"], len(game["moves"]))
        turns = [ply for ply in plies if ply % 2 == game["color"]]
        for ply, score, depth in zip(turns, game["scores"], game["depths"], strict=False):
            board = Board.from_moves(game["moves"][:ply], RULES)
            position.follow(board)
            if abs(score) > WON or depth < FEWEST_DEPTH or is_settled(position):
                continue
            stones = [stone if stone >= 0 else 2 for stone in board.stones]
            result = 1 if game["points"] == 1.0 else -1
            rows.append((stones, game["color"], score, game["moves"][ply], result, number))
    columns = zip(*rows, strict=True) if rows else [np.zeros((0, RULES.points)), *[[]] * 5]
    kinds = COLUMNS.values()
    return Positions({}, *(np.array(one, kind) for one, kind in zip(columns, kinds, strict=True)))


def results_of(positions: Positions) -> NDArray[np.float32]:
    """Return `[N]` 1 where the side to move won, else 0."""
    return (positions.result > 0).astype(np.float32)


def predictions(
    fitted: Positions, held: Positions, evaluations: Sequence[tuple[str, LearnedEvaluation]]
) -> list[Prediction]:
    """Return what predicts the results, but for the controls.

    Args:
        fitted: positions of games to fit factors to.
        held: positions of held-out games.
        evaluations: learned evaluations with their names.
    """
    made = [
        Prediction("search", seen_logits(fitted), seen_logits(held)),
        Prediction("patterns", base_logits(fitted), base_logits(held)),
    ]
    lines = lines_of(fitted), lines_of(held)
    for name, evaluation in evaluations:
        weights = floats_of(evaluation.arrays)
        made.append(Prediction(name, *(logits_of(weights, one) for one in lines)))
    return made


def rows_of(
    fitted: Positions, held: Positions, evaluations: Sequence[tuple[str, LearnedEvaluation]]
) -> list[tuple[str, ...]]:
    """Return the rows of the table, a column for each band."""
    made = predictions(fitted, held, evaluations)
    stones = [(one.stones != 0).sum(axis=1) for one in (fitted, held)]
    columns = []
    for low, high in BANDS:
        rows = [(count >= low) & (count <= high) for count in stones]
        columns.append(_column(fitted, held, made, rows))
    return list(zip(_names(made), *columns, strict=True))


def _names(made: Sequence[Prediction]) -> list[str]:
    names = ["positions held out", "games", "even chances", "search, shuffled"]
    for one in made:
        names += [one.name, f"{one.name}, best factor"]
    return [*names, "half width of the interval"]


def _column(
    fitted: Positions,
    held: Positions,
    made: Sequence[Prediction],
    rows: Sequence[NDArray[np.bool_]],
) -> list[str]:
    """Return the entries of a band.

    Args:
        fitted: positions of games to fit factors to.
        held: positions of held-out games.
        made: what predicts the results.
        rows: which positions of both are in the band.
    """
    results, others = results_of(held)[rows[1]], results_of(fitted)[rows[0]]
    games = held.game[rows[1]]
    if not len(results) or not len(others):
        return [str(len(results)), str(len(set(games.tolist()))), *["-"] * (3 + 2 * len(made))]
    rng = np.random.default_rng(0)
    search = made[0]
    factor = best_factor(rng.permutation(search.fitted[rows[0]]), others)
    shuffled = rng.permutation(search.held[rows[1]]) * factor
    losses = [np.log(2.0), log_loss(shuffled, results)]
    for one in made:
        factor = best_factor(one.fitted[rows[0]], others)
        held_logits = one.held[rows[1]]
        losses += [log_loss(held_logits, results), log_loss(held_logits * factor, results)]
    last = made[-1].held[rows[1]]
    gains = np.log(2.0) - np.logaddexp(0.0, last) + results * last
    by_game = [float(gains[games == game].sum()) for game in set(games.tolist())]
    spread = 1.96 * float(np.std(by_game)) * len(by_game) ** 0.5 / len(gains)
    return [
        str(len(results)), str(len(by_game)), *(f"{loss:.3f}" for loss in losses), f"{spread:.3f}",
    ]  # fmt: skip


def table_of(
    positions: Positions,
    evaluations: Sequence[tuple[str, LearnedEvaluation]],
    outside: Positions | None = None,
) -> str:
    """Return the table of positions with results, in Markdown.

    Args:
        positions: positions of own games, of which some are held out.
        evaluations: learned evaluations with their names.
        outside: positions to look at in place of the held-out ones; None for those.
    """
    is_held = positions.held_out(HELD_OUT)
    held = positions.only(is_held) if outside is None else outside
    heads = ("mean loss", *(f"{low} to {high} stones" for low, high in BANDS))
    return table(heads, rows_of(positions.only(~is_held), held, evaluations))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = parser_of(__doc__, evaluations=[SHIPPED], outside=[Path])
    parser.add_argument("folder", type=Path)
    options = parser.parse_args(arguments)
    positions = known(load_positions(options.folder))
    named = [(Path(name).stem, evaluation_of(name)) for name in options.evaluations]
    evaluations = [(name, one) for name, one in named if one is not None]
    outside = outside_positions(options.outside) if options.outside else None
    print(table_of(positions, evaluations, outside))
    return 0


if __name__ == "__main__":
    sys.exit(main())
