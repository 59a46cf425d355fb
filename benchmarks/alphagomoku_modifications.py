"""What each modification of AlphaGomoku is worth: trainings without one of them, and matches.

    python -m benchmarks.alphagomoku_modifications runs/modifications
    python -m benchmarks.alphagomoku_modifications runs/nine --board 9

Trains the whole method, then the method without one thing at a time. On 6x6 (four in a row) these
are two networks, the decay, the basic rules, the mentor and self-play. On larger boards (five in a
row) the mentor's values are left out once, too, and one network makes as many steps as two do
together. All learn from the same number of games; of the mentor's games one in ten is held out.
The control is a pair that is not trained.

Then each pair plays the whole method's pair of its seed, half of the games with each color, and
plays Black in games against `mcts`. The pairs search as the document does, each with the decay it
was trained with. Games begin with three drawn stones. A pair also draws White's first move after
them, from its visits. On larger boards games of self-play begin with such stones, too: Black is not
known to win after them.

A training ends after `--games`, or after `--minutes` of a core. After the last of `--seeds`, what
still may be as strong as the whole method gets `--open-seeds` more.

Every training is a folder and every match a line of `matches.jsonl`: the same command goes on with
an interrupted run. After each training what is there is written to `study.json`, from which
`benchmarks.alphagomoku_tables` makes the page's tables; `--table` only writes and prints it. Scores
have 95 % intervals, of games (for these very networks) and of seeds (by Student's t, for the
method).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from ai import Limit, Rules, create_player
from ai.curriculum.actors import Actors, LocalActors
from ai.curriculum.folder import METRICS_FILE, PAIR_FILE, training_run
from ai.curriculum.run import Training
from ai.curriculum.settings import BASIC, MENTOR, PHASES, SELF_PLAY, Curriculum
from ai.learning.alphagomoku.training import new_pair, open_device
from ai.nets.policy_value import save_pair
from ai.players.base import Player
from ai.runs.statistics import mean_interval, wilson
from base.storage.json_file import read_lines, write_json
from base.storage.run_folder import RUN_FILE
from base.values import JsonObject
from benchmarks.alphagomoku_training import SHORT, core_hours
from benchmarks.console import even, parser_of, settings_of, table
from benchmarks.games import KeptResults, balanced_board, play_numbered, points_text

DRAWN: Final = 4
"""Plies of a match's game, its opening's three included, after which nothing is drawn any more."""
PARTS: Final = 10
"""Parts of a training's time for which the lengths of its games of self-play are printed."""
STUDY: Final = "study.json"
NOT_RUN: Final = "not run yet"


@dataclass(frozen=True)
class Variant:
    """A training that leaves something out."""

    name: str
    folder: str
    phases: tuple[str, ...] = PHASES
    settings: Mapping[str, str] | None = None
    steps: int = 1
    """Factor of the steps of all phases: 2 where one network takes the place of two."""

    @property
    def decay(self) -> str:
        """The winning value decay that it is trained with, and searches with."""
        return (self.settings or {}).get("decay", "0.99")


LONG_MENTOR: Final = {"mentor_most": "100000", "mentor_margin": "1.0"}
WHOLE: Final = Variant("the whole method", "whole")
ONE: Final = {"double": "false"}
VARIANTS: Final = (
    WHOLE,
    Variant("one network for both colours", "one_network", settings=ONE),
    Variant("one network, with as many steps as two", "one_network_equal", settings=ONE, steps=2),
    Variant("no mentor", "no_mentor", (BASIC, SELF_PLAY)),
    Variant("no mentor's values: its games' results", "no_values", settings={"mentor_values": "0"}),
    Variant("no winning value decay", "no_decay", settings={"decay": "1.0"}),
    Variant("no basic rules", "no_basic", (MENTOR, SELF_PLAY)),
    Variant("no self-play: the mentor's games alone", "no_self_play", (BASIC, MENTOR), LONG_MENTOR),
    Variant("self-play alone", "self_play", (SELF_PLAY,)),
    Variant("control: not trained", "untrained", ()),
)


@dataclass(frozen=True)
class Setup:
    """What is the same in all trainings on a board, and which of the variants are trained."""

    settings: Mapping[str, str]
    left_out: tuple[str, ...]
    """Folders of the variants that are not trained unless they are named."""
    games: int
    seeds: int


SMALL: Final = Setup(SHORT, ("one_network_equal", "no_values"), games=1152, seeds=3)
LARGE: Final = Setup(
    {
        "rate": "0.01",
        "mentor_games": "500",
        "mentor_steps": "450",
        "mentor_match": "10",
        "mentor_most": "4",
        "mentor_wanders": "0.15",
        "mentor_empty": "8",
        "mentor_values": "1",
        "window": "2000",
        "balanced": "1",
    },
    ("one_network", "no_self_play"),
    games=4000,
    seeds=2,
)
"""For five in a row: the mentor as in the trainings of what ships, and one rate for all phases."""


def setup_of(board: int) -> Setup:
    """Return what the trainings on a board have in common."""
    return SMALL if board < 7 else LARGE


def main(words: Sequence[str] | None = None) -> None:
    """Train, play, print."""
    given = arguments(words)
    matches = KeptResults(given.out / "matches.jsonl")
    if not given.table:
        with closing(LocalActors(given.jobs)) as actors:
            open_device("cpu", threads=given.jobs)
            for variant, seed in work(given, matches):
                train(variant, seed, given, actors)
                play_all(variant, seed, given, matches)
                say(cell_of(variant, seed, given, matches))
                write_study(given, matches)
    print(write_study(given, matches))


def arguments(words: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line; what depends on the board is filled in."""
    parser = parser_of(
        __doc__,
        board=6,
        win_length=(int, "stones in a row that win; 4 on 6x6, else 5"),
        games=(int, "learnt from, of each"),
        minutes=(float, "of a core, at most, of each"),
        seeds=int,
        open_seeds=(0, "of what may be as strong as the whole method"),
        jobs=(1, "processes that play"),
        simulations=(100, "a move, in matches"),
        iterations=(2000, "of mcts for a move"),
        against_mcts=(40, "games as Black"),
        table=(False, "write and print what is there, and do nothing else"),
    )
    folders = [variant.folder for variant in VARIANTS]
    parser.add_argument("out", type=Path)
    parser.add_argument("--variants", nargs="+", choices=folders, help="whole is always trained")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--match", type=even, default=100, help="games of a match; even")
    given = parser.parse_args(words)
    setup = setup_of(given.board)
    given.games = given.games or setup.games
    given.seeds = given.seeds or setup.seeds
    given.win_length = given.win_length or (4 if setup is SMALL else 5)
    chosen = given.variants or [name for name in folders if name not in setup.left_out]
    given.variants = [one for one in VARIANTS if one is WHOLE or one.folder in chosen]
    return given


def rules_of(given: argparse.Namespace) -> Rules:
    """Return the rules of the trainings."""
    return Rules(given.board, given.win_length)


def work(given: argparse.Namespace, matches: KeptResults) -> Iterator[tuple[Variant, int]]:
    """Yield what is to be trained, with its seed: all of one seed, then all of the next.

    What comes of the first seeds decides who gets more, so one has to finish before the next is
    asked for.
    """
    for seed in range(1, given.seeds + 1):
        for variant in given.variants:
            yield variant, seed
    still = [one for one in given.variants if one is not WHOLE and is_open(one, given, matches)]
    for seed in range(given.seeds + 1, given.seeds + given.open_seeds + 1):
        for variant in [WHOLE, *still] if still else []:
            yield variant, seed


def is_open(variant: Variant, given: argparse.Namespace, matches: KeptResults) -> bool:
    """Return whether the games of the first seeds leave open who is stronger."""
    keys = [key_of(variant, seed, "whole", given) for seed in range(1, given.seeds + 1)]
    points = [point for key in keys if key in matches for point in matches.points(key)]
    low, high = wilson(sum(points), len(points)) if points else (0.0, 1.0)
    return low <= 0.5 <= high


# -- trainings -----------------------------------------------------------------------------------


def pair_of(variant: Variant, seed: int, out: Path) -> Path:
    """Return the file of a variant's best pair."""
    return out / f"{variant.folder}_{seed}" / PAIR_FILE


def train(variant: Variant, seed: int, given: argparse.Namespace, actors: Actors) -> None:
    """Train a variant to its games or its time, or go on with it; say what it took."""
    folder = pair_of(variant, seed, given.out).parent
    plan = plan_of(variant, seed, given)
    if not variant.phases:
        folder.mkdir(parents=True, exist_ok=True)
        save_pair(folder / PAIR_FILE, new_pair(plan.architecture, seed, shares=False))
        return
    with training_run(folder).claim():
        training = Training(plan, folder, actors, has_controls=False)
        training.begin(resume=(folder / RUN_FILE).is_file())
        minutes = given.minutes or np.inf
        while training.progress.games < given.games and 60.0 * core_hours(folder) < minutes:
            if not training.advance(variant.phases):
                break
    print(
        f"{variant.name}, seed {seed}: {training.progress.games} games, "
        f"version {training.progress.version}, {60.0 * core_hours(folder):.1f} min of a core",
        flush=True,
    )


def plan_of(variant: Variant, seed: int, given: argparse.Namespace) -> Curriculum:
    """Return the settings of a variant's training."""
    settings = {**setup_of(given.board).settings, **settings_of(given.set)}
    plan = Curriculum.of(rules_of(given), seed, {**settings, **(variant.settings or {})})
    steps = {
        key: plan.count(key) * variant.steps for key in ("basic_steps", "mentor_steps", "steps")
    }
    return Curriculum.of(plan.rules, seed, {**plan.settings, **steps})


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

    rules: Rules
    limit: Limit
    pair: Path | None = None
    decay: str = ""

    def player(self) -> Player:
        """Return a player for one game."""
        if self.pair is None:
            return create_player("mcts", self.rules)
        own = {"weights": str(self.pair), "decay": self.decay, "stochastic_plies": str(DRAWN)}
        return create_player("alphagomoku", self.rules, {**AS_DOCUMENTED, **own})


def play_all(variant: Variant, seed: int, given: argparse.Namespace, matches: KeptResults) -> None:
    """Play the matches of a pair that the file does not hold yet."""
    rules = rules_of(given)
    own, whole = (
        Seat(rules, Limit(nodes=given.simulations), pair_of(one, seed, given.out), one.decay)
        for one in (variant, WHOLE)
    )
    key = key_of(variant, seed, "whole", given)
    if variant is not WHOLE and key not in matches:
        points = [game((own, whole), seed, number) for number in range(given.match)]
        matches.add({"key": key, "points": points})
    key = key_of(variant, seed, "mcts", given)
    if key not in matches:
        seats = (own, Seat(rules, Limit(nodes=given.iterations)))
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
    return play_numbered(
        players, limits, balanced_board(seats[0].rules, seed, number), seed, number
    )


# -- what is printed -----------------------------------------------------------------------------


def study_of(given: argparse.Namespace, matches: KeptResults) -> JsonObject:
    """Return what is trained and played so far, a cell for each variant and seed."""
    cells = [
        cell
        for variant in given.variants
        for seed in range(1, given.seeds + given.open_seeds + 1)
        if (cell := cell_of(variant, seed, given, matches))
    ]
    counts = ("board", "win_length", "games", "minutes", "seeds", "simulations", "iterations")
    return {
        **{name: getattr(given, name) for name in counts},
        "variants": {variant.folder: variant.name for variant in given.variants},
        "cells": cells,
    }


def cell_of(
    variant: Variant, seed: int, given: argparse.Namespace, matches: KeptResults
) -> JsonObject:
    """Return what a training took and what its pair got; empty if it was not begun.

    The lengths of self-play's games, and Black's share of the wins, are means of tenths of its
    generations.
    """
    folder = pair_of(variant, seed, given.out).parent
    lines = read_lines(folder / METRICS_FILE)
    points = {
        opponent: [sum(matches.points(key)), len(matches.points(key))]
        for opponent in ("whole", "mcts")
        if (key := key_of(variant, seed, opponent, given)) in matches
    }
    if not lines and not points:
        return {}
    return {
        "variant": variant.folder,
        "seed": seed,
        "games": lines[-1]["games"] if lines else 0,
        "minutes": round(60.0 * core_hours(folder), 1),
        "points": points,
        "plies": parts_of(lines, "plies"),
        "black_wins": parts_of(lines, "black_wins"),
    }


def parts_of(lines: Sequence[JsonObject], key: str) -> list[float]:
    """Return the means of a number over the tenths of self-play; fewer if it was short.

    Args:
        lines: lines of `metrics.jsonl`.
        key: name of the number.
    """
    known = np.array([line[key] for line in lines if line["phase"] == SELF_PLAY])
    return [round(float(part.mean()), 3) for part in np.array_split(known, PARTS) if len(part)]


def say(cell: JsonObject) -> None:
    """Print one training's scores and the lengths of its games."""
    scores = [
        f"against {opponent} {points_text(*points)}" for opponent, points in cell["points"].items()
    ]
    plies = " ".join(f"{mean:.1f}" for mean in cell["plies"])
    print(f"{cell['variant']}, seed {cell['seed']}: {'; '.join(scores)}; plies {plies}", flush=True)


def write_study(given: argparse.Namespace, matches: KeptResults) -> str:
    """Write what is there so far to `study.json`; return its tables."""
    study = study_of(given, matches)
    write_json(given.out / STUDY, study)
    return f"{scores_table(study)}\n\n{lengths_table(study)}"


def scores_table(study: JsonObject) -> str:
    """Return the table of the scores of all seeds together, a row for each variant."""
    as_black = f"as Black against `mcts`, {study['iterations']}"
    heads = ("left out", "games, minutes of a core", "against the whole", "by seed", "of seeds")
    rows = []
    for folder, name in study["variants"].items():
        cells = [cell for cell in study["cells"] if cell["variant"] == folder]
        spent = "; ".join(f"{cell['games']}, {cell['minutes']:.0f}" for cell in cells)
        scores = [of_seeds(cells, opponent) for opponent in ("whole", "mcts")]
        rows.append((name, spent or NOT_RUN, *scores[0], *scores[1]))
    return table((*heads, as_black, *heads[3:]), rows)


def of_seeds(cells: Sequence[JsonObject], opponent: str) -> tuple[str, str, str]:
    """Return a variant's points of all seeds, those of each, and the mean of the seeds."""
    found = [cell["points"][opponent] for cell in cells if opponent in cell["points"]]
    if not found:
        return "", "", ""
    shares = [100.0 * points / games for points, games in found]
    mean, half = mean_interval(shares)
    return (
        points_text(sum(points for points, _ in found), sum(games for _, games in found)),
        ", ".join(f"{points:g}" for points, _ in found),
        f"{mean:.0f} ± {half:.0f} %" if len(found) > 1 else "",
    )


def lengths_table(study: JsonObject) -> str:
    """Return the table of the plies of self-play's games over each training."""
    rows = [
        (
            f"{study['variants'][cell['variant']]}, seed {cell['seed']}",
            *[f"{mean:.1f}" for mean in cell["plies"]],
            *[""] * (PARTS - len(cell["plies"])),
            f"{cell['black_wins'][0]:.0%}, {cell['black_wins'][-1]:.0%}",
        )
        for cell in study["cells"]
        if cell["plies"]
    ]
    parts = [str(part) for part in range(1, PARTS + 1)]
    heads = ("plies, by tenths of self-play", *parts, "Black won, first and last")
    return table(heads, rows or [(NOT_RUN, *[""] * (PARTS + 1))])


if __name__ == "__main__":
    main()
