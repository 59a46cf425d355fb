"""What each modification of AlphaGomoku is worth: trainings without one of them, and matches.

    python -m benchmarks.alphagomoku_modifications runs/modifications --seeds 3

Trains the whole method on a small board (four in a row on 6x6), then the method without one thing
at a time: one network for both colors, no winning value decay, no basic rules, no mentor, no
self-play, and self-play alone. All learn from the same number of games; of the mentor's games one
in ten is held out. The control is a pair that is not trained.

Then each pair plays the whole method's pair of its seed, half of the games with each color, and
plays Black in games against `mcts`. The pairs search as the document does, each with the decay it
was trained with. Games begin with three drawn stones. A pair also draws White's first move after
them, from its visits.

A generation has as many steps for each network. So one network for both colors makes half as many
steps as two do together.

Every training is a folder and every match a line of `matches.jsonl`, so an interrupted run is
resumed. Prints scores with 95 % intervals, of games (for these very networks) and of seeds (by
Student's t, for the method), and the lengths of the games of self-play.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from ai import Limit, Rules, create_player
from ai.curriculum.actors import LocalActors
from ai.curriculum.folder import METRICS_FILE, PAIR_FILE
from ai.curriculum.run import Training, TrainingBudget
from ai.curriculum.settings import BASIC, MENTOR, PHASES, SELF_PLAY, Curriculum
from ai.learning.alphagomoku.training import new_pair, open_device
from ai.nets.policy_value import save_pair
from ai.players.base import Player
from ai.runs.statistics import mean_interval
from base.storage.json_file import read_lines
from base.storage.run_folder import RUN_FILE
from benchmarks.alphagomoku_training import SHORT
from benchmarks.console import even, parser_of, table
from benchmarks.games import KeptResults, balanced_board, play_numbered, points_text

RULES: Final = Rules(6, 4)
WHOLE: Final = "the whole method"
UNTRAINED: Final = "not trained"
DRAWN: Final = 4
"""Plies of a match's game, its opening's three included, after which nothing is drawn any more."""


@dataclass(frozen=True)
class Variant:
    """A training that leaves something out."""

    name: str
    folder: str
    phases: tuple[str, ...] = PHASES
    settings: Mapping[str, str] | None = None

    @property
    def decay(self) -> str:
        """The winning value decay that it is trained with, and searches with."""
        return (self.settings or {}).get("decay", "0.99")


LONG_MENTOR: Final = {"mentor_most": "100000", "mentor_margin": "1.0"}
VARIANTS: Final = (
    Variant(WHOLE, "whole"),
    Variant("one network for both colours", "one_network", settings={"double": "false"}),
    Variant("no winning value decay", "no_decay", settings={"decay": "1.0"}),
    Variant("no basic rules", "no_basic", (MENTOR, SELF_PLAY)),
    Variant("no mentor", "no_mentor", (BASIC, SELF_PLAY)),
    Variant("no self-play: the mentor's games alone", "no_self_play", (BASIC, MENTOR), LONG_MENTOR),
    Variant("self-play alone", "self_play", (SELF_PLAY,)),
    Variant(UNTRAINED, "untrained", ()),
)


def main() -> None:
    """Train, play, print."""
    parser = parser_of(
        __doc__,
        games=(1152, "learnt from, of each"),
        seeds=3,
        jobs=1,
        simulations=(100, "a move, in matches"),
        iterations=(2000, "of mcts for a move"),
        against_mcts=(40, "games as Black"),
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--match", type=even, default=100, help="games of a match; even")
    given = parser.parse_args()
    matches = KeptResults(given.out / "matches.jsonl")
    with closing(LocalActors(given.jobs)) as actors:
        open_device("auto")
        for seed in range(1, given.seeds + 1):
            for variant in VARIANTS:
                train(variant, seed, given.out, given.games, actors)
                play_all(variant, seed, given, matches)
                print_row(variant, seed, given, matches)
    print_table(given, matches)


# -- trainings -----------------------------------------------------------------------------------


def pair_of(variant: Variant, seed: int, out: Path) -> Path:
    """Return the file of a variant's best pair."""
    return out / f"{variant.folder}_{seed}" / PAIR_FILE


def train(variant: Variant, seed: int, out: Path, games: int, actors: LocalActors) -> None:
    """Train a variant on so many games, or go on with it."""
    folder = pair_of(variant, seed, out).parent
    plan = Curriculum.of(RULES, seed, {**SHORT, **(variant.settings or {})})
    if not variant.phases:
        folder.mkdir(parents=True, exist_ok=True)
        save_pair(folder / PAIR_FILE, new_pair(plan.architecture, seed, shares=False))
        return
    is_begun = (folder / RUN_FILE).is_file()
    started = time.process_time() + actors.cpu_seconds
    training = Training(plan, folder, actors, has_controls=False)
    progress = training.run(variant.phases, TrainingBudget(games=games), resume=is_begun)
    if progress.games < games:
        raise SystemExit(f"{folder}: expected {games} games, found {progress.games}")
    spent = time.process_time() + actors.cpu_seconds - started
    print(
        f"{variant.name}, seed {seed}: {progress.games} games, version {progress.version}, "
        f"{spent / 60:.1f} min of processor time",
        flush=True,
    )


# -- matches -------------------------------------------------------------------------------------


AS_DOCUMENTED: Final = {
    "forced": "false",
    "leaf_fours": "0",
    "vcf": "false",
    "reduction": "-1",
    "policy": "semi-stochastic",
    "batch": "1",
}
"""Settings of the search that the document describes."""


@dataclass(frozen=True)
class Seat:
    """Who plays in a match: a pair that searches as the document does, or `mcts`."""

    limit: Limit
    pair: Path | None = None
    decay: str = ""

    def player(self) -> Player:
        """Return a player for one game."""
        if self.pair is None:
            return create_player("mcts", RULES)
        own = {"weights": str(self.pair), "decay": self.decay, "stochastic_plies": str(DRAWN)}
        return create_player("alphagomoku", RULES, {**AS_DOCUMENTED, **own})


def play_all(variant: Variant, seed: int, given: argparse.Namespace, matches: KeptResults) -> None:
    """Play the matches of a pair that the file does not hold yet."""
    own, whole = (
        Seat(Limit(nodes=given.simulations), pair_of(one, seed, given.out), one.decay)
        for one in (variant, VARIANTS[0])
    )
    key = key_of(variant, seed, "whole", given)
    if variant is not VARIANTS[0] and key not in matches:
        points = [game((own, whole), seed, number) for number in range(given.match)]
        matches.add({"key": key, "points": points})
    key = key_of(variant, seed, "mcts", given)
    if key not in matches:
        seats = (own, Seat(Limit(nodes=given.iterations)))
        points = [game(seats, seed, 2 * number) for number in range(given.against_mcts)]
        matches.add({"key": key, "points": points})


def key_of(variant: Variant, seed: int, opponent: str, given: argparse.Namespace) -> str:
    """Return what tells a match from the others."""
    counts = (given.match, 0) if opponent == "whole" else (given.against_mcts, given.iterations)
    words = (variant.folder, seed, opponent, given.games, given.simulations, *counts)
    return " ".join(map(str, words))


def game(seats: tuple[Seat, Seat], seed: int, number: int) -> float:
    """Play a game, the first seat with Black where its number is even; return its points."""
    players, limits = [seat.player() for seat in seats], [seat.limit for seat in seats]
    return play_numbered(players, limits, balanced_board(RULES, seed, number), seed, number)


# -- what is printed -----------------------------------------------------------------------------


def share(points: Sequence[float]) -> str:
    """Return points with their interval."""
    return points_text(sum(points), len(points))


def lengths(folder: Path) -> list[float]:
    """Return the mean plies of self-play's games, generation by generation."""
    lines = read_lines(folder / METRICS_FILE)
    return [line["plies"] for line in lines if line["phase"] == SELF_PLAY]


def print_row(variant: Variant, seed: int, given: argparse.Namespace, matches: KeptResults) -> None:
    """Print one training's scores and the lengths of its games, in six parts of its time."""
    scores = [
        f"against {opponent} {share(matches.points(key))}"
        for opponent in ("whole", "mcts")
        if (key := key_of(variant, seed, opponent, given)) in matches
    ]
    plies = lengths(pair_of(variant, seed, given.out).parent)
    parts = [f"{part.mean():.1f}" for part in np.array_split(np.array(plies), 6) if len(part)]
    print(f"{variant.name}, seed {seed}: {'; '.join(scores)}; plies {' '.join(parts)}", flush=True)


def print_table(given: argparse.Namespace, matches: KeptResults) -> None:
    """Print the scores of all seeds together."""
    against = f"against the whole, {given.seeds} seeds", "by seed", "of seeds"
    as_black = f"as Black against mcts, {given.iterations}", "by seed", "of seeds"
    rows = []
    for variant in VARIANTS:
        cells = []
        for opponent in ("whole", "mcts"):
            keys = [key_of(variant, seed, opponent, given) for seed in range(1, given.seeds + 1)]
            lists = [matches.points(key) for key in keys if key in matches]
            together = [point for points in lists for point in points]
            by_seed = [100.0 * sum(got) / len(got) for got in lists]
            mean, half = mean_interval(by_seed)
            cells += [
                share(together) if together else "",
                ", ".join(f"{sum(got):g}" for got in lists),
                f"{mean:.0f} ± {half:.0f} %" if by_seed else "",
            ]
        rows.append((variant.name, *cells))
    print(f"\n{table(('left out', *against, *as_black), rows)}")


if __name__ == "__main__":
    main()
