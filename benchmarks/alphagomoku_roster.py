"""`alphagomoku` as a match seats it, against players of the roster.

    python -m benchmarks.alphagomoku_roster [--board 15] [--simulations 400] [--games 40] [--jobs 2]
        [--opponent mcts=0.5s] [--opponent pattern=1] [--set forced=true,leaf_fours=100]
        [--goal 0.9] [--out runs/roster.jsonl]

Each move of `alphagomoku` takes so many simulations, and its best move is played. An opponent has
positions or iterations for each move, or, as 0.5s, seconds of the processor. The openings are
balanced, each with both colors. Every game is a line of the file, so an interrupted run is resumed.
Prints points with their 95 % interval, and games won, drawn and lost with each color. The exit code
is 1 if a goal is missed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from ai import Limit, Rules, create_player
from benchmarks import games
from benchmarks.console import even, parser_of, settings_of, verdict

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


def play(game: Game) -> dict[str, Any]:
    """Play a game; return the line of it, with the points of `alphagomoku`: 1, 0.5 or 0."""
    rules = Rules(game.board, 5)
    name, limit = games.limit_of(game.opponent)
    settings = settings_of(item for item in game.settings.split(",") if item)
    players = (create_player(PLAYER, rules, settings), create_player(name, rules))
    limits = (Limit(nodes=game.simulations), limit)
    board = games.balanced_board(rules, game.seed, game.number)
    points = games.play_numbered(players, limits, board, game.seed, game.number)
    for player in players:
        player.close()
    return {"key": game.key, "points": points, "moves": list(board.moves)}


def played(match: Sequence[Game], kept: games.KeptResults, jobs: int) -> list[float]:
    """Play the games that are not kept yet; return the points of all."""
    missing = [game for game in match if game.key not in kept]
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        for line in pool.map(play, missing):
            kept.add(line)
    return [kept.points(game.key) for game in match]


def main(words: Sequence[str] | None = None) -> int:
    """Play, print the scores, and return the exit code."""
    parser = parser_of(
        __doc__,
        board=15,
        simulations=400,
        jobs=1,
        seed=1,
        set=("", "settings of alphagomoku, KEY=VALUE,…"),
        goal=(0.9, "share of the points wanted"),
        out=Path,
    )
    parser.add_argument("--games", type=even, default=40, help="of each match; even")
    parser.add_argument("--opponent", action="append", metavar="NAME=LIMIT")
    given = parser.parse_args(words)
    is_met, kept = True, games.KeptResults(given.out)
    for opponent in given.opponent or ROSTER:
        match = [
            Game(given.board, opponent, given.set, given.simulations, given.seed, number)
            for number in range(given.games)
        ]
        results = played(match, kept, given.jobs)
        is_enough = sum(results) >= given.goal * given.games
        is_met = is_met and is_enough
        colors = games.Score.of(results[::2]), games.Score.of(results[1::2])
        print(
            f"{PLAYER} against {opponent}: {games.points_text(sum(results), given.games)}, goal "
            f"{given.goal:.0%}: {verdict(is_enough)}; as Black {colors[0]}, as White {colors[1]}",
            flush=True,
        )
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
