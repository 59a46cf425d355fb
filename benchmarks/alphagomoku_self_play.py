"""What self-play adds to a pair that ships: train it on in phase 3, then play the pair as it was.

    python -m benchmarks.alphagomoku_self_play runs/nine --board 9 --core-hours 1 2 4
    python -m benchmarks.alphagomoku_self_play runs/fifteen --board 15 --core-hours 5 10 20

The training begins with the pair that ships for the board, or with `--pair`, and has the settings
of its card. Half of the games of self-play begin with a balanced opening, the others with the empty
board; `--set` changes this and every other setting. Everything is computed on one core: the games
in one process, and TensorFlow with one thread.

After so many hours of a core the best pair plays the pair that it began with, at equal simulations.
Each opening is played with both colors. The openings are balanced: once both pairs search as the
document does, once as they are seated at the board. The training has these openings, too, so in a
third match the openings are four drawn stones. Prints points with 95 % intervals, as Elo, too.

The folder holds everything. The same command goes on with it, and does not play a match again. What
is there is written to `study.json`, from which `benchmarks.alphagomoku_tables` makes the page's
tables; `--table` only writes and prints it.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from ai import Limit, Rules, create_player
from ai.curriculum.actors import Actors, LocalActors
from ai.curriculum.batches import MatchBatch
from ai.curriculum.folder import METRICS_FILE, PAIR_FILE, Progress, TrainingFolder, training_run
from ai.curriculum.run import Training
from ai.curriculum.settings import BASIC, MENTOR, SELF_PLAY, Curriculum
from ai.learning.alphagomoku.training import TrainState, open_device
from ai.nets.policy_value import load_pair
from base.storage.json_file import read_json, read_lines, write_json
from base.values import JsonObject
from benchmarks.alphagomoku_modifications import NOT_RUN, STUDY, parts_of
from benchmarks.alphagomoku_training import core_hours
from benchmarks.alphagomoku_weights import Score
from benchmarks.console import even, parser_of, settings_of, table
from benchmarks.games import KeptResults, balanced_board, opening, play_numbered

START: Final = Path("versions") / "0000.npz"
"""File of the pair that a training began with, in its folder."""
OWN: Final = {"balanced": "0.5", "window": "2000"}
"""Settings that differ from the card's, unless others are given."""
MATCH_SEED: Final = 7001
"""Seed of the matches; those of the gate have others."""
DOCUMENT: Final = "as the document searches"
SEATED: Final = "as it is seated"
DRAWN: Final = "as it is seated, drawn openings"
MATCHES: Final = (DOCUMENT, SEATED, DRAWN)


def main(words: Sequence[str] | None = None) -> None:
    """Train, play, print."""
    parser = parser_of(
        __doc__,
        board=9,
        core_hours=([1.0], "of training, after each of which a match is played"),
        simulations=(400, "of a move, in matches"),
        seed=1,
        pair=(Path, "to begin with, in place of the one that ships"),
        table=(False, "write and print what is there, and do nothing else"),
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--games", type=even, default=200, help="of each match; even")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    given = parser.parse_args(words)
    matches = KeptResults(given.out / "matches.jsonl")
    if not given.table:
        train_and_play(given, matches)
    print(write_study(given, matches))


def train_and_play(given: argparse.Namespace, matches: KeptResults) -> None:
    """Train to each number of hours, and play its matches."""
    plan = plan_of(given)
    with training_run(given.out).claim(), closing(LocalActors(1)) as actors:
        open_device("cpu", threads=1)
        start(plan, given.out, given.pair or shipped(given.board))
        training = Training(plan, given.out, actors, report=say)
        training.begin(resume=True)
        for hours in sorted(given.core_hours):
            while core_hours(given.out) < hours:
                training.advance((SELF_PLAY,))
            for search in MATCHES:
                key = key_of(given, hours, search)
                if key not in matches:
                    points = play(plan, given, search, actors)
                    version = training.progress.version
                    matches.add({"key": key, "points": points, "version": version})
            write_study(given, matches)


# -- training ------------------------------------------------------------------------------------


def shipped(board: int) -> Path:
    """Return the file of the pair that ships for a board."""
    return Path(__file__).parents[1] / "assets" / "players" / f"alphagomoku_{board}.npz"


def plan_of(given: argparse.Namespace) -> Curriculum:
    """Return the settings of the training: those of the pair's card, and what replaces them."""
    card = read_json((given.pair or shipped(given.board)).with_suffix(".json"))
    settings = {**card["settings"], **OWN, **settings_of(given.set)}
    return Curriculum.of(Rules(given.board, card["win_length"]), given.seed, settings)


def start(plan: Curriculum, out: Path, pair: Path) -> None:
    """Write a checkpoint with a trained pair into a folder without one: phases 1 and 2 are done.

    Args:
        plan: settings of the training.
        out: folder of the training.
        pair: file of the pair.
    """
    folder = TrainingFolder(plan, out)
    folder.prepare(resume=True)
    if not (out / START).is_file():  # it is the last file that is written here
        held = load_pair(pair)
        begun = Progress(finished=[BASIC, MENTOR])
        folder.save(begun, held, TrainState(held), is_new=True, kept=0)


def say(line: JsonObject) -> None:
    """Print a generation."""
    gate = line["gate"]
    print(
        f"generation {line['generation']}: {line['plies']:.1f} plies, Black won "
        f"{line['black_wins']:.0%}, drawn {line['draws']:.0%}; gate {gate['score']:.2f}; "
        f"version {line['version']}; {line['trainer_cpu_seconds']:.0f} and "
        f"{line['actors_cpu_seconds']:.0f} s",
        flush=True,
    )


# -- matches -------------------------------------------------------------------------------------


def key_of(given: argparse.Namespace, hours: float, search: str) -> str:
    """Return what tells a match from the others."""
    return f"{hours:g} h, {search}, {given.simulations} simulations, {given.games} games"


def play(plan: Curriculum, given: argparse.Namespace, search: str, actors: Actors) -> list[float]:
    """Play the best pair against the one it began with; return the points of each game."""
    pairs = given.out / PAIR_FILE, given.out / START
    if search != DOCUMENT:
        return [
            seated_game(plan, given, number, is_drawn=search == DRAWN)
            for number in range(given.games)
        ]
    match = Curriculum.of(
        plan.rules, MATCH_SEED, {**plan.settings, "simulations": given.simulations}
    )
    size = 2 * max(1, plan.count("lot") // 2)
    lots = [
        MatchBatch(
            match, 0, number, min(size, given.games - first), *pairs, False, pairs_before=first // 2
        )
        for number, first in enumerate(range(0, given.games, size))
    ]
    found = dict(actors.played(lots))
    return [points for number in range(len(lots)) for points in found[number]]


def seated_game(
    plan: Curriculum, given: argparse.Namespace, number: int, *, is_drawn: bool
) -> float:
    """Play a game of the two pairs as they are seated; return the points of the best one.

    Args:
        plan: settings of the training.
        given: what the command line says.
        number: number of the game; two in a row have the same opening.
        is_drawn: whether the opening is four drawn stones, in place of a balanced one.
    """
    files = given.out / PAIR_FILE, given.out / START
    players = [create_player("alphagomoku", plan.rules, {"weights": str(file)}) for file in files]
    limits = [Limit(nodes=given.simulations)] * 2
    board = (
        opening(plan.rules, MATCH_SEED, number // 2)
        if is_drawn
        else balanced_board(plan.rules, MATCH_SEED, number)
    )
    points = play_numbered(players, limits, board, MATCH_SEED, number)
    for player in players:
        player.close()
    return points


# -- what is printed -----------------------------------------------------------------------------


def write_study(given: argparse.Namespace, matches: KeptResults) -> str:
    """Write what is trained and played so far to `study.json`; return the table of the matches."""
    lines = read_lines(given.out / METRICS_FILE)
    played = [
        {"hours": hours, "search": search, "points": sum(points), "games": len(points)}
        for hours in sorted(given.core_hours)
        for search in MATCHES
        if (key := key_of(given, hours, search)) in matches
        for points in [matches.points(key)]
    ]
    study: JsonObject = {
        "board": given.board,
        "simulations": given.simulations,
        "hours": round(core_hours(given.out), 2),
        "games": lines[-1]["games"] if lines else 0,
        "generations": len(lines),
        "versions": lines[-1]["version"] if lines else 0,
        "plies": parts_of(lines, "plies"),
        "black_wins": parts_of(lines, "black_wins"),
        "draws": parts_of(lines, "draws"),
        "matches": played,
    }
    write_json(given.out / STUDY, study)
    return matches_table(study)


def matches_table(study: JsonObject) -> str:
    """Return the table of the matches of a pair against the one that it began with."""
    rows = [
        (f"{match['hours']:g}", match["search"], *words_of(match["points"], match["games"]))
        for match in study["matches"]
    ]
    heads = "hours of a core", "search", "points", "interval", "Elo", "interval of Elo"
    return table(heads, rows or [(NOT_RUN, "", "", "", "", "")])


def words_of(points: float, games: int) -> tuple[str, ...]:
    """Return points, and their share and its Elo with intervals, as words."""
    score = Score(points, games).as_dict()
    low, high = score["interval"]
    elo, *bounds = [
        "no bound" if value is None else f"{value:+.0f}"
        for value in (score["elo"], *score["elo_interval"])
    ]
    interval = f"{low:.0%} to {high:.0%}"
    return f"{points:g} of {games}", interval, elo, f"{bounds[0]} to {bounds[1]}"


if __name__ == "__main__":
    main()
