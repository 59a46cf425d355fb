"""How far `train alphagomoku` comes from nothing, on a small board, within a time.

    python -m benchmarks.alphagomoku_training --minutes 20 --jobs 2
    python -m benchmarks.alphagomoku_training --pair runs/six/pair.npz --simulations 400

Trains (four in a row on 6x6 by default), then the best pair plays `mcts`: as Black and, for
comparison, as White. Prints the scores with 95 % intervals, and wall and processor time.
"""

from __future__ import annotations

import resource
import tempfile
import time
from contextlib import closing
from pathlib import Path

from ai.curriculum.actors import LocalActors
from ai.curriculum.batches import MatchBatch, MatchPlayer, RosterPlayer
from ai.curriculum.folder import METRICS_FILE
from ai.curriculum.run import Training, TrainingBudget
from ai.curriculum.settings import Curriculum, phases_of
from ai.game import Rules
from ai.learning.alphagomoku.training import open_device
from base.storage.json_file import read_lines
from benchmarks.console import machine, parser_of, settings_of
from benchmarks.games import points_text

SHORT = {
    "basic_steps": "100",
    "mentor_nodes": "150",
    "mentor_games": "96",
    "mentor_match": "8",
    "mentor_most": "2",
    "games": "48",
    "simulations": "60",
}
"""Settings for a small board and a short time, unless others are given."""


def main() -> None:
    """Train, play, and print."""
    parser = parser_of(
        __doc__,
        board=6,
        win_length=4,
        minutes=20.0,
        jobs=2,
        seed=1,
        games=20,
        iterations=(2000, "of mcts for each move"),
        simulations=("100", "of the pair's moves in the match"),
        pair=(Path, "play with this pair; train nothing"),
    )
    parser.add_argument("--phase", action="append", default=[])
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    given = parser.parse_args()
    print(machine())
    settings = {**SHORT, **settings_of(given.set)}
    plan = Curriculum.of(Rules(given.board, given.win_length), given.seed, settings)
    with tempfile.TemporaryDirectory() as name, closing(LocalActors(given.jobs)) as actors:
        pair = given.pair
        if pair is None:
            open_device("auto")
            pair = train(plan, Path(name) / "run", actors, given.minutes, given.phase)
        own = {**settings, "simulations": given.simulations}
        match = Curriculum.of(plan.rules, given.seed, own)
        opponent = RosterPlayer("mcts", given.iterations)
        for color in ("black", "white"):
            seats: tuple[MatchPlayer, MatchPlayer] = (
                (pair, opponent) if color == "black" else (opponent, pair)
            )
            lot = MatchBatch(match, 0, 0, given.games, *seats, mixes_empty=False, only_black=True)
            ((_, results),) = actors.played([lot])
            points = sum(results) if color == "black" else given.games - sum(results)
            scored = points_text(points, given.games)
            print(f"as {color}: {scored} against mcts with {given.iterations} iterations")
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


def core_hours(out: Path) -> float:
    """Return the hours of a core that a training's generations have taken, matches included.

    Args:
        out: folder of the training.
    """
    lines = read_lines(out / METRICS_FILE)
    seconds = sum(line["trainer_cpu_seconds"] + line["actors_cpu_seconds"] for line in lines)
    return float(seconds) / 3600.0


if __name__ == "__main__":
    main()
