"""Plays the self-teaching player against the genetic algorithm and shows what it learns.

    python -m benchmarks.self_teaching --games 300 --seed 1 2 3 --player cnn-ann-plus --set alpha=5

No workers, no window: the loop of the live match, bare. Prints the losses of every fifty
games, the memory's size and the time each part took.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ai.game import BLACK, WHITE, Board, GameRecord, Rules
from ai.learning.self_teaching import SelfTeachingLearner
from ai.players.base import Limit, Player
from ai.registry.players import create_player, get_player_info, resolve_settings

_GROUP = 50


@dataclass
class Trial:
    """What a run of games came to."""

    is_lost: list[bool] = field(default_factory=list)
    plies: list[int] = field(default_factory=list)
    nodes: int = 0
    seconds: dict[str, float] = field(
        default_factory=lambda: {"black": 0.0, "white": 0.0, "training": 0.0}
    )
    slowest_training: float = 0.0

    def losses(self, group: int = _GROUP) -> list[int]:
        """Return the losses of each group of games."""
        return [sum(self.is_lost[i : i + group]) for i in range(0, len(self.is_lost), group)]


def play_trial(
    *,
    games: int,
    seed: int,
    player: str = "cnn-ann-plus",
    settings: Mapping[str, object] | None = None,
    black: Mapping[str, object] | None = None,
    size: int = 7,
) -> Trial:
    """Play `games` games, the learner on White, and return what happened."""
    rules = Rules(size, 5, full_board_winner=WHITE)
    given = dict(settings or {})
    learner = SelfTeachingLearner(player, rules, given, seed)
    learner.prepare()
    white = create_player(player, rules, resolve_settings(get_player_info(player), given))
    learner.weights().load_into(white)  # type: ignore[arg-type]
    opponent = create_player("genetic", rules, dict(black or {}))
    trial = Trial()
    for game in range(1, games + 1):
        record = _play_game(rules, opponent, white, game=game, seed=seed, trial=trial)
        started = time.perf_counter()
        if learner.observe(record):
            trained = learner.train()
            trained.load_into(white)  # type: ignore[arg-type]
        seconds = time.perf_counter() - started
        trial.seconds["training"] += seconds
        trial.slowest_training = max(trial.slowest_training, seconds)
        trial.is_lost.append(record.winner == BLACK)
        trial.plies.append(len(record.moves))
    trial.nodes = len(learner.memory)
    return trial


def _play_game(
    rules: Rules, black: Player, white: Player, *, game: int, seed: int, trial: Trial
) -> GameRecord:
    """Play one game; Black's first stone is drawn from the nine centre points."""
    board = Board(rules)
    while board.outcome() is None:
        side, name = (black, "black") if board.to_move == BLACK else (white, "white")
        rng = np.random.default_rng([seed, game, board.ply])
        started = time.perf_counter()
        board.play(side.choose(board, Limit(), rng).move)
        trial.seconds[name] += time.perf_counter() - started
    return GameRecord.from_board(board, game)


def main() -> None:
    """Read the command line, play, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--seed", type=int, nargs="+", default=[1])
    parser.add_argument("--player", default="cnn-ann-plus")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--ga", action="append", default=[], metavar="KEY=VALUE")
    options = parser.parse_args()
    settings = dict(pair.split("=", 1) for pair in options.set)
    black = dict(pair.split("=", 1) for pair in options.ga)
    for seed in options.seed:
        started = time.perf_counter()
        trial = play_trial(
            games=options.games, seed=seed, player=options.player, settings=settings, black=black
        )
        parts = ", ".join(f"{name} {value:.1f} s" for name, value in trial.seconds.items())
        print(
            f"seed {seed}: losses per {_GROUP} games {trial.losses()}, total "
            f"{sum(trial.is_lost)} of {options.games}; mean plies {np.mean(trial.plies):.1f}; "
            f"nodes {trial.nodes}; wall {time.perf_counter() - started:.1f} s ({parts}; "
            f"slowest training {trial.slowest_training:.2f} s)",
            flush=True,
        )


if __name__ == "__main__":
    main()
