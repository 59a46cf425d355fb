"""Measure the best pair of a `train alphagomoku`, and ship it with its card.

    python -m benchmarks.alphagomoku_weights runs/nine --opponent mcts=5000 --opponent pattern=1
    python -m benchmarks.alphagomoku_weights runs/fifteen --opponent mcts=0.5s
    python -m benchmarks.alphagomoku_weights runs/nine --games 40 --jobs 2 --ship assets/players

Plays the pair against its controls (an untrained pair, its own weights shuffled), against earlier
pairs of its training, and against players of the roster. Each color gets half of the games of a
match, with the same balanced openings. Prints each score with its 95 % interval and what it means
in Elo. `--ship` writes `alphagomoku_N.npz` and beside it the card, `.json`: the training's
settings, hours and command, what the networks held of positions not learnt, and the matches. The
exit code is 1 if a control scores as much as the pair.
"""

from __future__ import annotations

import json
import math
import os
import platform
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from ai.curriculum.actors import Actors, LocalActors
from ai.curriculum.batches import MatchBatch, MatchPlayer, RosterPlayer
from ai.curriculum.folder import METRICS_FILE, PAIR_FILE
from ai.curriculum.settings import Curriculum
from ai.game import Rules
from ai.learning.alphagomoku.measures import SHUFFLED_WEIGHTS, UNTRAINED, shuffled_weights
from ai.learning.alphagomoku.training import new_pair
from ai.nets.policy_value import NetworkPair, load_pair, save_pair
from ai.runs.statistics import wilson
from base.storage.json_file import read_json, read_lines, write_json
from base.storage.run_folder import RUN_FILE
from base.values import JsonObject
from benchmarks.console import even, parser_of
from benchmarks.games import limit_of, points_text

LADDER = 4
"""Earlier pairs, at most, that the best one plays."""


@dataclass(frozen=True)
class Score:
    """What the pair got in a match."""

    points: float
    games: int

    def as_dict(self) -> JsonObject:
        """Return plain values: the share, its interval, and both as Elo (None: without bound)."""
        low, high = wilson(self.points, self.games)
        share = self.points / self.games
        return {
            "points": self.points,
            "games": self.games,
            "score": round(share, 4),
            "interval": [round(low, 4), round(high, 4)],
            "elo": elo_of(share),
            "elo_interval": [elo_of(low), elo_of(high)],
        }

    def __str__(self) -> str:
        said = elo_of(self.points / self.games)
        elo = "no bound" if said is None else f"{said:+.0f} Elo"
        return f"{points_text(self.points, self.games)}, {elo}"


def elo_of(share: float) -> float | None:
    """Return the difference in Elo that a share of the points means; None at 0 and 1."""
    if not 0.0 < share < 1.0:
        return None
    return round(400.0 * math.log10(share / (1.0 - share)), 1)


def main() -> int:
    """Play, print, and ship where that is asked for; return the exit code."""
    parser = parser_of(
        __doc__, simulations=(400, "of the pairs' moves"), jobs=1, seed=1, ship=(Path, "folder")
    )
    parser.add_argument("run", type=Path, help="folder of the training")
    parser.add_argument("--games", type=even, default=20, help="of each match; even")
    parser.add_argument("--command", action="append", default=[], help="for the card")
    parser.add_argument(
        "--opponent",
        action="append",
        default=[],
        metavar="NAME=LIMIT",
        help="a player, with positions or iterations for each move, or, as 0.5s, CPU seconds",
    )
    given = parser.parse_args()
    plan = plan_of(given.run, given.simulations, given.seed)
    with tempfile.TemporaryDirectory() as name, closing(LocalActors(given.jobs)) as actors:
        opponents = {
            **controls_of(plan, given.run, Path(name)),
            **ladder_of(given.run / "versions"),
            **{text: seat_of(text) for text in given.opponent},
        }
        scores: dict[str, Score] = {}
        for label, seat in opponents.items():
            scores[label] = match(plan, given.run / PAIR_FILE, seat, given.games, actors)
            print(f"against {label}: {scores[label]}", flush=True)
    if given.ship is not None:
        card = card_of(given.run, plan, scores, given.command)
        print(f"written: {ship(given.run / PAIR_FILE, card, given.ship)}")
    beaten = [
        name for name in (UNTRAINED, SHUFFLED_WEIGHTS) if scores[name].points <= given.games / 2
    ]
    for name in beaten:
        print(f"MISSED: expected more points than the control {name!r}", file=sys.stderr)
    return 1 if beaten else 0


# -- who plays -----------------------------------------------------------------------------------


def plan_of(run: Path, simulations: int, seed: int) -> Curriculum:
    """Return a training's own rules and settings, with the simulations of the matches."""
    config = read_json(run / RUN_FILE)["config"]
    settings = {**config["settings"], "simulations": simulations}
    return Curriculum.of(Rules(config["size"], config["win_length"]), seed, settings)


def controls_of(plan: Curriculum, run: Path, folder: Path) -> dict[str, MatchPlayer]:
    """Write an untrained pair and one of shuffled weights, and return their files by name."""
    shares = not plan.settings["double"]
    pairs: Mapping[str, NetworkPair] = {
        UNTRAINED: new_pair(plan.architecture, plan.seed, shares=shares),
        SHUFFLED_WEIGHTS: shuffled_weights(load_pair(run / PAIR_FILE), plan.seed),
    }
    found: dict[str, MatchPlayer] = {}
    for number, (name, pair) in enumerate(pairs.items()):
        found[name] = folder / f"{number}.npz"
        save_pair(folder / f"{number}.npz", pair)
    return found


def ladder_of(versions: Path) -> dict[str, MatchPlayer]:
    """Return the files of earlier pairs, spread evenly, by name; the newest one is the best."""
    files = sorted(versions.glob("*.npz"))[:-1]
    count = min(LADDER, len(files))
    chosen = [files[round(place * len(files) / count)] for place in range(count)]
    return {f"version {int(path.stem)}": path for path in chosen}


def seat_of(text: str) -> RosterPlayer:
    """Return the player of NAME=NODES, or NAME=SECONDSs."""
    name, limit = limit_of(text)
    return RosterPlayer(name, limit.nodes, limit.seconds)


def match(plan: Curriculum, pair: Path, seat: MatchPlayer, games: int, actors: Actors) -> Score:
    """Play a match, and return what the pair got."""
    size = max(2, plan.count("lot") // 2 * 2)
    lots = []
    for number, first in enumerate(range(0, games, size)):
        count = min(size, games - first)
        lots.append(
            MatchBatch(
                plan, 0, number, count, pair, seat, mixes_empty=False, pairs_before=first // 2
            )
        )
    return Score(sum(sum(results) for _, results in actors.played(lots)), games)


# -- what ships ----------------------------------------------------------------------------------


def card_of(
    run: Path, plan: Curriculum, scores: Mapping[str, Score], commands: Sequence[str]
) -> JsonObject:
    """Return what is told of a pair beside its weights."""
    config = read_json(run / RUN_FILE)
    lines = read_lines(run / METRICS_FILE)
    last = {line["phase"]: line for line in lines}
    seconds = sum(line["trainer_cpu_seconds"] + line["actors_cpu_seconds"] for line in lines)
    return {
        "board": plan.rules.size,
        "win_length": plan.rules.win_length,
        "commands": list(commands),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs",
        "versions": config["versions"],
        "seed": config["config"]["seed"],
        "settings": config["config"]["settings"],
        "hours": round(sum(line["seconds"] for line in lines) / 3600.0, 3),
        "processor_hours": round(seconds / 3600.0, 3),
        "generations": {phase: sum(line["phase"] == phase for line in lines) for phase in last},
        "games": lines[-1]["games"],
        "held_out": {phase: line.get("held_out", {}) for phase, line in last.items()},
        "simulations": plan.count("simulations"),
        "matches": {name: score.as_dict() for name, score in scores.items()},
    }


def ship(pair: Path, card: JsonObject, folder: Path) -> Path:
    """Write a pair with its card, and the card beside it; return the pair's file."""
    held = load_pair(pair)
    path = folder / f"alphagomoku_{card['board']}.npz"
    save_pair(path, NetworkPair(held.black, held.white, json.loads(json.dumps(card))))
    write_json(path.with_suffix(".json"), card)
    return path


if __name__ == "__main__":
    sys.exit(main())
