"""Play alpha-beta against a program from outside, and keep the games.

    python -m benchmarks.outside_match NAME [--engine COMMAND] [--set futility=160]
        [--evaluation FILE] [--nodes 100000] [--seconds 30] [--games 56] [--seed 1]
        [--rule standard] [--look 300000] [--out runs/outside]
    python -m benchmarks.outside_match NAME --engine COMMAND --move-seconds 1 [--games 100]
    python -m benchmarks.outside_match --table runs/outside

The program is the player `gomocup:NAME` of `--engine NAME=COMMAND`, so it is started and judged as
the arena does it. Without `--engine`, NAME is one that you have declared in `engines.toml`, which
can say that it plays renju. COMMAND is yours: nothing of the program belongs to Goishi. A move of
alpha-beta is limited by positions. How a move of the program is limited, its own command must say:
`--seconds` is only the time that it is told. So the load of the machine decides nothing.

With `--move-seconds`, both have so many seconds of each move instead, on one thread each, as in a
tournament. The machine must be quiet then. How quiet it was, the file says: the share of its own
time in which alpha-beta had a core, in each game. A game is played again if it was below 0.9.

An opening is five stones drawn near the center that a short search finds even. With `--look`, a
search of so many positions with the learned evaluation must find it even, too: of those that only
the short one finds even, many are won by one color, whoever plays it. Each opening is played with
both colors.

Games are kept in `OUT/NAME.jsonl` with the moves, and with the score and the depth of each search,
so an interrupted match is resumed, and `benchmarks.turning_moves` can look at the lost games.
`--table` prints a line for each match of a folder: games won, drawn and lost, the points with their
95 % interval, what they are in Elo, and in how many pairs of games one color won both. The exit
code is 1 if the program has made a fault, else 0.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ai.arena.ratings import SCALE
from ai.game import BLACK, WHITE, Board, Rule, Rules
from ai.game.rules import RULE_NAMES
from ai.nets.evaluation import LearnedEvaluation
from ai.players.alpha_beta import SHIPPED, evaluation_of
from ai.players.base import Player
from ai.registry.engines import PREFIX, declare_engines
from ai.registry.info import UnknownPlayerError
from ai.registry.players import create_player
from ai.runs.statistics import wilson
from ai.search.base import Limit
from ai.search.pattern_alpha_beta import VERSION, PatternAlphaBeta
from base.errors import UsageError
from base.manifest import ProjectError
from base.schema import OptionError
from base.storage.json_file import LinesFile, read_lines
from benchmarks.console import even, parser_of, table
from benchmarks.engine_match import draw_opening, tuning_of

FloatArray = NDArray[np.float64]

LEAST_QUIET: Final = 0.9
"""Share of its time in which alpha-beta must have had a core, if time limits it."""
TRIES: Final = 5
"""Times that a game is played, at most, until alpha-beta has a core in it."""
HEADS: Final = (
    "match", "a move", "games", "won, drawn, lost", "points", "Elo (95 %)",
    "pairs won by one color",
)  # fmt: skip


@dataclass(frozen=True)
class Match:
    """What decides the games of a match; the first line of its file."""

    name: str
    command: str
    """How the program is started, which says how its moves are limited."""
    tuning: Mapping[str, int]
    """Numbers of alpha-beta's search that differ from its version."""
    evaluation: str
    nodes: int
    """Positions of a move of alpha-beta."""
    rule: str
    seed: int
    look: int = 0
    """Positions of the search that must find an opening even; 0: only the short one."""
    move_seconds: float = 0.0
    """Seconds of a move of both, instead of `nodes`; 0: `nodes` limit alpha-beta."""
    version: int = VERSION
    """Version of alpha-beta's search; files that do not name it are of version 6."""

    @property
    def limit(self) -> Limit:
        """What limits a move of alpha-beta."""
        return Limit(seconds=self.move_seconds) if self.move_seconds else Limit(nodes=self.nodes)


def play_game(
    search: PatternAlphaBeta,
    other: Player,
    match: Match,
    number: int,
    seconds: float,
    referee: PatternAlphaBeta | None = None,
) -> dict[str, Any]:
    """Play game `number` of a match and return its line.

    Games 2n and 2n + 1 have the same opening; alpha-beta has Black in the first of them.

    Args:
        search: alpha-beta.
        other: the program.
        match: the match.
        number: number of the game.
        seconds: time of a move that the program is told.
        referee: search that must find the opening even; None for none.
    """
    own = number % 2
    drawn = (search.rules, match.seed, number // 2)
    opening = draw_opening(*drawn, referee, match.look) if referee else draw_opening(*drawn)
    board, rng = Board.from_moves(opening, search.rules), np.random.default_rng(number)
    search.forget()
    scores: list[int] = []
    depths: list[int] = []
    fault, slowest, searched = "", 0.0, 0
    spent = np.zeros(2)  # seconds by the clock and of the processor
    while board.outcome() is None and not fault:
        if board.ply % 2 == own:
            before = np.array([time.perf_counter(), time.thread_time()])
            found = search.search(board, match.limit, rng)
            took = np.array([time.perf_counter(), time.thread_time()]) - before
            spent, slowest, searched = spent + took, max(slowest, took[0]), searched + found.nodes
            scores.append(found.scores[found.move])
            depths.append(found.depth)
            board.push(found.move)
            continue
        choice = other.choose(board, Limit(seconds=match.move_seconds or seconds), rng)
        fault = choice.forfeit
        if not fault:
            board.push(choice.move)
    return {
        "game": number,
        "color": own,
        "opening": len(opening),
        "moves": [int(move) for move in board.moves],
        "points": _points(board, own, fault),
        "scores": scores,
        "depths": depths,
        "fault": fault,
        **_pace(spent, searched, slowest if match.move_seconds else 0.0),
    }


def _pace(spent: FloatArray, searched: int, slowest: float) -> dict[str, Any]:
    """Return how fast alpha-beta was in a game; nothing if time did not limit it."""
    if not slowest:
        return {}
    return {
        "positions a second": round(searched / max(spent[0], 1e-9)),
        "slowest": round(slowest, 3),
        "quiet": round(float(spent[1] / max(spent[0], 1e-9)), 3),
    }


def _points(board: Board, own: int, fault: str) -> float:
    """Return the points of a game: 1, 0.5 or 0.

    Args:
        board: the last position.
        own: 0 if alpha-beta has Black, 1 if it has White.
        fault: why the program has lost before the end; empty if it has not.
    """
    outcome = board.outcome()
    if fault:
        return 1.0
    if outcome is None or outcome.is_draw:
        return 0.5
    return float(outcome.winner == (BLACK, WHITE)[own])


def read_match(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the first line of a match's file and its games; nothing of a missing file."""
    lines = list(read_lines(path)) if path.exists() else []
    return (lines[0], lines[1:]) if lines else ({}, [])


def play_match(match: Match, games: int, seconds: float, out: Path) -> list[dict[str, Any]]:
    """Play the games of a match that its file still lacks, and return all of them.

    Raises:
        SystemExit: the file is of another match.
    """
    head, known = read_match(out)
    if head and {"look": 0, "move_seconds": 0.0, "version": 6, **head} != asdict(match):
        raise SystemExit(f"{out}: expected the match {asdict(match)}, found {head}")
    if match.command:
        declare_engines([f"{match.name}={match.command}"])
    rules = Rules(15, 5, Rule(match.rule))
    evaluation = evaluation_of(match.evaluation)
    search = PatternAlphaBeta(rules, tuning=match.tuning, evaluation=_used(evaluation, match))
    other = create_player(PREFIX + match.name, rules, {})
    referee = PatternAlphaBeta(rules, evaluation=evaluation_of(SHIPPED)) if match.look else None
    with LinesFile(out) as file:
        if not head:
            file.append(asdict(match))
        for number in range(len(known), games):
            for _ in range(TRIES):
                game = play_game(search, other, match, number, seconds, referee)
                if "quiet" not in game or game["quiet"] >= LEAST_QUIET:
                    break
                print(f"game {number}: alpha-beta had a core in {game['quiet']:.0%} of its time")
            else:
                raise SystemExit("expected a quiet machine; what is played so far is kept")
            known.append(game)
            file.append(known[-1])
            if game["fault"]:
                print(f"game {number} says nothing of strength: {game['fault']}")
            print(f"{len(known)} games: {words_of(known)}", flush=True)
    other.close()
    return known


def _used(evaluation: LearnedEvaluation | None, match: Match) -> LearnedEvaluation | None:
    return None if match.tuning.get("learned") == 0 else evaluation


def words_of(games: Sequence[Mapping[str, Any]]) -> str:
    """Return how many games were won, drawn and lost, and how many a fault of the program ended.

    >>> words_of([{"points": 1.0, "fault": "no reply"}, {"points": 0.0, "fault": ""}])
    '1, 0, 1 (1 by faults of the program)'
    """
    points = [game["points"] for game in games]
    counts = ", ".join(str(points.count(one)) for one in (1.0, 0.5, 0.0))
    faults = sum(bool(game.get("fault")) for game in games)
    return f"{counts} ({faults} by faults of the program)" if faults else counts


def one_sided(games: Sequence[Mapping[str, Any]]) -> str:
    """Return in how many pairs with one opening the same color won both games, as `3 of 10`.

    >>> one_sided([{"points": 1.0}, {"points": 0.0}, {"points": 1.0}, {"points": 1.0}])
    '1 of 2'
    """
    pairs = [
        (first["points"], second["points"])
        for first, second in zip(games[::2], games[1::2], strict=False)
    ]
    found = sum(pair in ((1.0, 0.0), (0.0, 1.0)) for pair in pairs)
    return f"{found} of {len(pairs)}"


def elo_of(share: float) -> float:
    """Return the difference in Elo that a share of the points stands for, -800 to 800.

    >>> round(elo_of(0.75))
    191
    """
    share = min(max(share, 0.01), 0.99)
    return min(max(SCALE * math.log(share / (1.0 - share)), -800.0), 800.0)


def row_of(head: Mapping[str, Any], games: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the line of a match in the table."""
    points = sum(game["points"] for game in games)
    low, high = wilson(points, len(games))
    share = points / len(games)
    return (
        head["name"],
        f"{head['move_seconds']:g} s" if head.get("move_seconds") else f"{head['nodes']:,}",
        str(len(games)),
        words_of(games),
        f"{share:.0%} ({low:.0%} to {high:.0%})",
        f"{elo_of(share):+.0f} ({elo_of(low):+.0f} to {elo_of(high):+.0f})",
        one_sided(games),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Play a match, or print the table of those in a folder."""
    parser = parser_of(
        __doc__, engine="", evaluation=SHIPPED, nodes=100_000, seconds=30.0, seed=1,
        out=Path("runs/outside"), table=Path, move_seconds=0.0,
    )  # fmt: skip
    parser.add_argument("name", nargs="?")
    parser.add_argument("--set", type=tuning_of, default={}, dest="tuning")
    parser.add_argument("--look", type=int, default=0)
    parser.add_argument("--games", type=even, default=56)
    parser.add_argument("--rule", choices=RULE_NAMES, default=Rule.FREESTYLE.value)
    options = parser.parse_args(arguments)
    if options.table:
        known = [read_match(path) for path in sorted(options.table.glob("*.jsonl"))]
        print(table(HEADS, [row_of(head, games) for head, games in known if games]))
        return 0
    if not options.name:
        parser.error("expected a NAME, declared or with --engine COMMAND, or --table DIR")
    match = Match(
        options.name, options.engine, options.tuning, options.evaluation, options.nodes,
        options.rule, options.seed, options.look, options.move_seconds,
    )  # fmt: skip
    file = options.out / f"{match.name}.jsonl"
    try:
        games = play_match(match, options.games, options.seconds, file)
    except (ProjectError, UnknownPlayerError, OptionError, UsageError) as error:
        parser.error(str(error))
    print(table(HEADS, [row_of(asdict(match), games)]))
    return 1 if any(game["fault"] for game in games) else 0


if __name__ == "__main__":
    sys.exit(main())
