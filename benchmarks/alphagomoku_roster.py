"""`alphagomoku` as it is seated, against players of the roster; exit code 1 where a goal is missed.

    python -m benchmarks.alphagomoku_roster [--board 15] [--simulations 400] [--games 40] [--jobs 2]
        [--opponent mcts=0.5s] [--opponent pattern=1] [--set forced=true,leaf_fours=100]
        [--goal 0.9] [--out runs/roster.jsonl]

Each move of `alphagomoku` takes so many simulations, its best move is played; an opponent has
positions or iterations for each move, or, as 0.5s, seconds of the processor. Balanced openings,
each with both colours. Every game is a line of the file, so that a run that was broken off goes on.
Printed are points with their 95 % interval, and games won, drawn and lost with each colour.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import numpy as np

from ai import BLACK, Board, Limit, Rules
from ai.arena.tournament import opening_positions
from ai.runs.statistics import wilson
from ai.session.game import move_seed
from base.files import atomic_write
from benchmarks.arguments import at_least_one
from benchmarks.matches import seated

PLAYER: Final = "alphagomoku"
ROSTER: Final = ("genetic=0.5s", "move-net=0.5s", "minimax-q=0.5s", "convolution=0.5s", "mcts=0.5s")


@dataclass(frozen=True)
class Game:
    """One game to be played."""

    board: int
    opponent: str
    settings: str
    simulations: int
    seed: int
    number: int
    """In its match; even ones give `alphagomoku` the black stones."""

    @property
    def key(self) -> str:
        """What tells the game from all others."""
        words = (self.board, self.opponent, self.settings, self.simulations, self.seed, self.number)
        return " ".join(map(str, words))


def limit_of(text: str) -> tuple[str, Limit]:
    """Return player and limit of NAME=NODES or NAME=SECONDSs."""
    name, _, words = text.rpartition("=")
    if words.endswith("s"):
        return name, Limit(seconds=float(words[:-1]), on_processor=True)
    return name, Limit(nodes=int(words))


def settings_of(words: str) -> Mapping[str, object]:
    """Return the settings KEY=VALUE,… as the player's factory takes them."""
    return dict(item.split("=", 1) for item in words.split(",") if item)


def play(game: Game) -> dict[str, Any]:
    """Play a game; return what `alphagomoku` got of it: 1, 0.5 or 0."""
    rules = Rules(game.board, 5)
    opening = opening_positions("balanced", rules, game.number // 2 + 1, seed=game.seed)[-1]
    name, limit = limit_of(game.opponent)
    pair = (seated(PLAYER, rules, settings_of(game.settings)), seated(name, rules))
    limits = (Limit(nodes=game.simulations), limit)
    first = BLACK if game.number % 2 == 0 else -BLACK
    board = Board.from_moves(opening, rules)
    while (outcome := board.outcome()) is None:
        at = 0 if board.to_move == first else 1
        rng = np.random.default_rng(move_seed(game.seed, game.number, board.ply))
        board.push(pair[at].choose(board.copy(), limits[at], rng).move)
    for player in pair:
        player.close()
    return {"key": game.key, "points": (1 + outcome.winner * first) / 2, "moves": list(board.moves)}


def played(games: Sequence[Game], out: Path | None, jobs: int) -> dict[str, float]:
    """Play what the file does not hold yet; return the points of each game by its key."""
    lines = [] if out is None or not out.is_file() else out.read_text("utf-8").splitlines()
    known = {line["key"]: line for line in map(json.loads, lines)}
    missing = [game for game in games if game.key not in known]
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        for line in pool.map(play, missing):
            known[line["key"]] = line
            if out is not None:
                text = "".join(json.dumps(kept) + "\n" for kept in known.values())
                atomic_write(out, text.encode())
    return {game.key: known[game.key]["points"] for game in games}


def counted(results: Sequence[float]) -> str:
    """Return how many games were won, drawn and lost."""
    won, drawn, lost = (sum(result == points for result in results) for points in (1.0, 0.5, 0.0))
    return f"{won} won, {drawn} drawn, {lost} lost"


def main(words: Sequence[str] | None = None) -> int:
    """Play, print the scores, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--board", type=at_least_one, default=15)
    parser.add_argument("--simulations", type=at_least_one, default=400)
    parser.add_argument("--games", type=at_least_one, default=40, help="of each match; even")
    parser.add_argument("--jobs", type=at_least_one, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", default="", metavar="KEY=VALUE,…", help="settings of alphagomoku")
    parser.add_argument("--opponent", action="append", metavar="NAME=LIMIT")
    parser.add_argument("--goal", type=float, default=0.9, help="share of the points wanted")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args(words)
    if given.games % 2:
        parser.error(f"--games: expected an even number, found {given.games}")
    is_met = True
    for opponent in given.opponent or ROSTER:
        games = [
            Game(given.board, opponent, given.set, given.simulations, given.seed, number)
            for number in range(given.games)
        ]
        results = list(played(games, given.out, given.jobs).values())
        points = sum(results)
        low, high = wilson(points, given.games)
        is_enough = points >= given.goal * given.games
        is_met = is_met and is_enough
        print(
            f"{PLAYER} against {opponent}: {points:g} of {given.games} ({low:.0%} to {high:.0%}), "
            f"goal {given.goal:.0%}: {'met' if is_enough else 'MISSED'}; "
            f"as Black {counted(results[::2])}, as White {counted(results[1::2])}",
            flush=True,
        )
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
