"""What each modification of AlphaGomoku is worth: trainings without one of them, and matches.

    python -m benchmarks.alphagomoku_modifications runs/modifications --seeds 3

Trains on a small board (four in a row on 6x6) the whole method, and the method without one
thing at a time, on the same number of games (of the mentor's one in ten is held out): one network
for both colours, no winning value decay, no basic rules, no mentor, no self-play; and self-play
alone. The control is a pair that is not trained. Then each pair plays the whole method's pair of
its seed, half of the games with each colour, and has Black in games against `mcts`. The pairs
search as the document does, each with the decay it was trained with. Games begin with three drawn
stones; of White's first move after them a pair draws, too, from its visits.

A generation is as many steps for each network, so that one network for both colours makes half as
many as two do together.

Every training is a folder and every match a line of `matches.jsonl`, so that a run that was broken
off goes on. Prints scores with 95 % intervals, of games (for these very networks) and of seeds (by
Student's t: for the method), and the lengths of the games of self-play.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from ai import BLACK, Board, Limit, Rules
from ai.arena.tournament import opening_positions
from ai.curriculum.actors import LocalActors
from ai.curriculum.folder import METRICS_FILE, PAIR_FILE
from ai.curriculum.run import Training, TrainingBudget
from ai.curriculum.settings import BASIC, MENTOR, PHASES, SELF_PLAY, Curriculum
from ai.learning.alphagomoku.training import new_pair, open_device
from ai.nets.policy_value import save_pair
from ai.players.base import Player
from ai.runs.statistics import mean_interval, wilson
from ai.session.game import move_seed
from base.files import atomic_write
from base.storage.json_file import read_lines
from base.storage.run_folder import RUN_FILE
from benchmarks.alphagomoku_training import SHORT
from benchmarks.arguments import at_least_one
from benchmarks.matches import seated

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


VARIANTS: Final = (
    Variant(WHOLE, "whole"),
    Variant("one network for both colours", "one_network", settings={"double": "false"}),
    Variant("no winning value decay", "no_decay", settings={"decay": "1.0"}),
    Variant("no basic rules", "no_basic", (MENTOR, SELF_PLAY)),
    Variant("no mentor", "no_mentor", (BASIC, SELF_PLAY)),
    Variant("no self-play: the mentor's games alone", "no_self_play", (BASIC, MENTOR),
            {"mentor_most": "100000", "mentor_margin": "1.0"}),
    Variant("self-play alone", "self_play", (SELF_PLAY,)),
    Variant(UNTRAINED, "untrained", ()),
)  # fmt: skip


def main() -> None:
    """Train, play, print."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("out", type=Path)
    words.add_argument("--games", type=at_least_one, default=1152, help="learnt from, of each")
    words.add_argument("--seeds", type=at_least_one, default=3)
    words.add_argument("--jobs", type=at_least_one, default=1)
    words.add_argument("--match", type=at_least_one, default=100, help="games of a match; even")
    words.add_argument("--simulations", type=at_least_one, default=100, help="a move, in matches")
    words.add_argument("--iterations", type=at_least_one, default=2000, help="of mcts for a move")
    words.add_argument("--against-mcts", type=at_least_one, default=40, help="games as Black")
    given = words.parse_args()
    if given.match % 2:
        words.error(f"--match: expected an even number, found {given.match}")
    matches = Matches(given.out / "matches.jsonl")
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
    print(f"{variant.name}, seed {seed}: {progress.games} games, version {progress.version}, "
          f"{spent / 60:.1f} min of processor time", flush=True)  # fmt: skip


# -- matches -------------------------------------------------------------------------------------


class Matches:
    """Points of games by their key, kept in a file."""

    def __init__(self, path: Path) -> None:
        """Read what there is."""
        self._path = path
        lines = path.read_text("utf-8").splitlines() if path.is_file() else []
        self._points: dict[str, list[float]] = {
            line["key"]: line["points"] for line in map(json.loads, lines)
        }

    def __getitem__(self, key: str) -> list[float]:
        """Return the points of a match's games."""
        return self._points[key]

    def __contains__(self, key: str) -> bool:
        return key in self._points

    def add(self, key: str, points: list[float]) -> None:
        """Keep a match."""
        self._points[key] = points
        lines = [json.dumps({"key": key, "points": kept}) for key, kept in self._points.items()]
        atomic_write(self._path, "".join(line + "\n" for line in lines).encode())


@dataclass(frozen=True)
class Seat:
    """Who plays in a match: a pair that searches as the document does, or `mcts`."""

    limit: Limit
    pair: Path | None = None
    decay: str = ""

    def player(self) -> Player:
        """Return a player for one game."""
        if self.pair is None:
            return seated("mcts", RULES)
        settings = {
            "weights": str(self.pair), "decay": self.decay, "forced": "false", "leaf_fours": "0",
            "vcf": "false", "reduction": "-1", "policy": "semi-stochastic",
            "stochastic_plies": str(DRAWN), "batch": "1",
        }  # fmt: skip
        return seated("alphagomoku", RULES, settings)


def play_all(variant: Variant, seed: int, given: argparse.Namespace, matches: Matches) -> None:
    """Play the matches of a pair that the file does not hold yet."""
    own, whole = (
        Seat(Limit(nodes=given.simulations), pair_of(one, seed, given.out), one.decay)
        for one in (variant, VARIANTS[0])
    )
    key = key_of(variant, seed, "whole", given)
    if variant is not VARIANTS[0] and key not in matches:
        matches.add(key, [game((own, whole), seed, number) for number in range(given.match)])
    key = key_of(variant, seed, "mcts", given)
    if key not in matches:
        seats = (own, Seat(Limit(nodes=given.iterations)))
        matches.add(key, [game(seats, seed, 2 * n) for n in range(given.against_mcts)])


def key_of(variant: Variant, seed: int, opponent: str, given: argparse.Namespace) -> str:
    """Return what tells a match from the others."""
    counts = (given.match, 0) if opponent == "whole" else (given.against_mcts, given.iterations)
    return " ".join(
        map(str, (variant.folder, seed, opponent, given.games, given.simulations, *counts))
    )


def game(seats: tuple[Seat, Seat], seed: int, number: int) -> float:
    """Play a game, the first seat with Black where its number is even; return its points."""
    pair = tuple(seat.player() for seat in seats)
    first = BLACK if number % 2 == 0 else -BLACK
    listed = opening_positions("balanced", RULES, number // 2 + 1, seed=seed)[-1]
    board = Board.from_moves(listed, RULES)
    while (outcome := board.outcome()) is None:
        at = 0 if board.to_move == first else 1
        rng = np.random.default_rng(move_seed(seed, number, board.ply))
        board.push(pair[at].choose(board.copy(), seats[at].limit, rng).move)
    return (1 + outcome.winner * first) / 2


# -- what is printed -----------------------------------------------------------------------------


def share(points: Sequence[float]) -> str:
    """Return points with their interval."""
    low, high = wilson(sum(points), len(points))
    return f"{sum(points):g} of {len(points)} ({low:.0%} to {high:.0%})"


def lengths(folder: Path) -> list[float]:
    """Return the mean plies of self-play's games, generation by generation."""
    lines = read_lines(folder / METRICS_FILE) if (folder / METRICS_FILE).is_file() else []
    return [line["plies"] for line in lines if line["phase"] == SELF_PLAY]


def print_row(variant: Variant, seed: int, given: argparse.Namespace, matches: Matches) -> None:
    """Print one training's scores and the lengths of its games, in six parts of its time."""
    scores = [
        f"against {opponent} {share(matches[key])}"
        for opponent in ("whole", "mcts")
        if (key := key_of(variant, seed, opponent, given)) in matches
    ]
    plies = lengths(pair_of(variant, seed, given.out).parent)
    parts = [f"{part.mean():.1f}" for part in np.array_split(np.array(plies), 6) if len(part)]
    print(f"{variant.name}, seed {seed}: {'; '.join(scores)}; plies {' '.join(parts)}", flush=True)


def print_table(given: argparse.Namespace, matches: Matches) -> None:
    """Print the scores of all seeds together."""
    print(
        f"\n| left out | against the whole, {given.seeds} seeds | by seed | of seeds | as Black "
        f"against mcts, {given.iterations} | by seed | of seeds |\n|{'---|' * 7}"
    )
    for variant in VARIANTS:
        cells = []
        for opponent in ("whole", "mcts"):
            keys = [key_of(variant, seed, opponent, given) for seed in range(1, given.seeds + 1)]
            lists = [matches[key] for key in keys if key in matches]
            together = [point for points in lists for point in points]
            by_seed = [100.0 * sum(got) / len(got) for got in lists]
            mean, half = mean_interval(by_seed)
            cells += [
                share(together) if together else "",
                ", ".join(f"{sum(got):g}" for got in lists),
                f"{mean:.0f} ± {half:.0f} %" if by_seed else "",
            ]
        print(f"| {variant.name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
