"""How far `train alphagomoku` comes from nothing, on a small board, within a time.

    python -m benchmarks.alphagomoku_training --minutes 20 --jobs 2
    python -m benchmarks.alphagomoku_training --pair runs/six/pair.npz --simulations 400

Trains (four in a row on 6x6 unless told otherwise), then lets the best pair play `mcts`: as Black
and, for comparison, as White. Prints the scores with 95 % intervals, wall and processor time.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from contextlib import closing
from pathlib import Path

from ai.curriculum.actors import LocalActors
from ai.curriculum.batches import MatchBatch, MatchPlayer, RosterPlayer
from ai.curriculum.run import Training, TrainingBudget
from ai.curriculum.settings import Curriculum, phases_of
from ai.game import Rules
from ai.learning.alphagomoku.training import open_device
from ai.runs.statistics import wilson

SHORT = {
    "basic_steps": "100", "mentor_nodes": "150", "mentor_games": "96", "mentor_match": "8",
    "mentor_most": "2", "games": "48", "simulations": "60",
}  # fmt: skip
"""Settings for a small board and a short time, unless others are given."""


def main() -> None:
    """Train, play, and print."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--board", type=int, default=6)
    words.add_argument("--win-length", type=int, default=4)
    words.add_argument("--minutes", type=float, default=20.0)
    words.add_argument("--jobs", type=int, default=2)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--phase", action="append", default=[])
    words.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    words.add_argument("--games", type=int, default=20)
    words.add_argument("--iterations", type=int, default=2000, help="of mcts for each move")
    words.add_argument("--simulations", default="100", help="of the pair's moves in the match")
    words.add_argument("--pair", type=Path, help="play with this pair; train nothing")
    given = words.parse_args()
    settings = {**SHORT, **dict(text.split("=", 1) for text in given.set)}
    plan = Curriculum.of(Rules(given.board, given.win_length), given.seed, settings)
    with tempfile.TemporaryDirectory() as name, closing(LocalActors(given.jobs)) as actors:
        pair = given.pair
        if pair is None:
            open_device("auto")
            pair = train(plan, Path(name) / "run", actors, given.minutes, given.phase)
        match = Curriculum.of(
            plan.rules, given.seed, {**settings, "simulations": given.simulations}
        )
        opponent = RosterPlayer("mcts", given.iterations)
        for color in ("black", "white"):
            seats: tuple[MatchPlayer, MatchPlayer] = (
                (pair, opponent) if color == "black" else (opponent, pair)
            )
            lot = MatchBatch(match, 0, 0, given.games, *seats, mixes_empty=False, only_black=True)
            ((_, results),) = actors.played([lot])
            points = sum(results) if color == "black" else given.games - sum(results)
            low, high = wilson(round(points), given.games)
            print(
                f"as {color}: {points:g} of {given.games} against mcts with {given.iterations} "
                f"iterations ({low:.0%} to {high:.0%})"
            )
        print(f"opponent and search: {actors.cpu_seconds:.0f} s of the actors' processor time")


def train(
    plan: Curriculum, out: Path, actors: LocalActors, minutes: float, phases: list[str]
) -> Path:
    """Train for some minutes and return the best pair's file."""
    started = time.monotonic()
    training = Training(plan, out, actors, has_controls=False)
    progress = training.run(phases_of(phases), TrainingBudget(hours=minutes / 60.0))
    own = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    print(
        f"trained: {progress.games} games, {progress.generation} generations, version "
        f"{progress.version}, {(time.monotonic() - started) / 60.0:.1f} min of wall time, "
        f"{(own + actors.cpu_seconds) / 60.0:.1f} min of processor time"
    )
    return training.folder.pair_file


if __name__ == "__main__":
    main()
