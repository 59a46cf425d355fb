"""Find the move with which alpha-beta lost each game of a match, and sort the games by cause.

    python -m benchmarks.turning_moves FILE… [--factor 20] [--around 2] [--games 60]
        [--positions FILE] [--out runs/turning_moves.jsonl]
    python -m benchmarks.turning_moves --table runs/turning_moves.jsonl

FILE is a file of games of `benchmarks.outside_match`. A judge, the same search with `--factor`
times as many positions a move, says which of alpha-beta's turns were lost. The turning move is the
last one before which the game was not lost. It is found by halving, as if a lost game stays lost.
The moves around it are judged, too: what chance each of them has cost. Causes, the first that fits:

- opening: the judge holds the game for lost from its first turn on.
- budget: the search was cut before it had finished a depth of 2, and the move was not forced.
- fours, threes: after the move the program has a proven win by continuous fours, or by threats.
- threats: the judge sees a forced win for the program, but it is made by other moves, too.
- horizon: the limit of the game sees the loss one turn later, as a score far below.
- evaluation: nothing is forced, the judge only values the position otherwise.

A game is a line of the file, so an interrupted run is resumed. `--positions` writes the positions
before the turning moves of which the cause is proven, with the moves that the judge finds best. The
exit code is always 0.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from ai.game import Board, Rule, Rules
from ai.players.alpha_beta import evaluation_of
from ai.search.base import Limit
from ai.search.fours import FourSearch
from ai.search.pattern_alpha_beta import LOGIT, PatternAlphaBeta
from ai.search.threes import ThreeSearch
from base.files import atomic_write
from base.storage.json_file import LinesFile, read_lines
from benchmarks.console import parser_of, table
from benchmarks.outside_match import read_match

CAUSES: Final = ("opening", "budget", "fours", "threes", "threats", "horizon", "evaluation")
PROVEN: Final = ("fours", "threes", "threats")
LOST: Final = 0.2
"""A turn is lost where the judge gives the side to move less than this chance."""
WON: Final = 900_000
"""If a score is above this, or below its negative, the game is decided."""
FOURS: Final = 50_000
THREES: Final = 20_000
"""Greatest number of positions in which a win by threats is looked for; `FOURS` by fours alone."""
FEWEST_DEPTH: Final = 2


@dataclass(frozen=True)
class Verdict:
    """What the judge says of a position, for the side to move."""

    score: int
    move: int
    depth: int
    is_forced: bool = False
    """Whether there is one answer, which was not searched; the score is that of what follows."""

    @property
    def chance(self) -> float:
        """Chance that the side to move wins, 0 to 1."""
        return chance_of(self.score)


def chance_of(score: int) -> float:
    """Return the chance that a score stands for; one logit is `LOGIT` points.

    >>> chance_of(0), round(chance_of(300), 2), chance_of(-999_000), chance_of(-499_968)
    (0.5, 0.73, 0.0, 0.0)
    """
    return 0.5 + 0.5 * math.tanh(score / (2 * LOGIT))


def turning_point(is_lost: Callable[[int], bool], turns: int) -> int | None:
    """Return the last turn that is not lost, found by halving; None if the first one is lost.

    Args:
        is_lost: whether a turn is lost, from 0 on; the game was lost in the end.
        turns: number of turns of the side that lost.

    >>> turning_point(lambda turn: turn > 5, 20)
    5
    """
    if is_lost(0):
        return None
    low, high = 0, turns
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_lost(middle) else (middle, high)
    return low


class Judge:
    """Judges the turns of a lost game by long searches; each turn once.

    Args:
        game: line of the game.
        rules: rules of the game.
        search: the search.
        nodes: positions of a search.
    """

    def __init__(
        self, game: Mapping[str, Any], rules: Rules, search: PatternAlphaBeta, nodes: int
    ) -> None:
        self.game, self.rules = game, rules
        self.turns = len(game["scores"])
        self._search, self._nodes = search, nodes
        self._first = next(
            ply
            for ply in range(game["opening"], len(game["moves"]) + 2)
            if ply % 2 == game["color"]
        )
        self._known: dict[int, Verdict] = {}

    def ply(self, turn: int) -> int:
        """Return the number of stones before a turn."""
        return int(self._first + 2 * turn)

    def board(self, plies: int) -> Board:
        """Return the position after so many moves."""
        return Board.from_moves(self.game["moves"][:plies], self.rules)

    def verdict(self, plies: int, nodes: int = 0) -> Verdict:
        """Return what a search says of the position after so many moves.

        Args:
            plies: number of stones.
            nodes: positions of the search; 0 for those of the judge.
        """
        key = plies if nodes == 0 else -plies
        if key not in self._known:
            self._known[key] = self._look(self.board(plies), Limit(nodes=nodes or self._nodes))
        return self._known[key]

    def _look(self, board: Board, limit: Limit) -> Verdict:
        """Return what a search says of a position.

        The search answers a five that is threatened at once, and looks at nothing. So the answer is
        given, and the position after it is searched.

        Args:
            board: the position.
            limit: limit of a search.
        """
        self._search.forget()
        found = self._search.search(board, limit, np.random.default_rng(0))
        score, move = found.scores[found.move], int(found.move)
        if found.depth >= FEWEST_DEPTH or abs(score) > WON or len(found.scores) > 1:
            return Verdict(score, move, found.depth)
        after = board.copy()
        after.push(move)
        if after.outcome() is not None:
            return Verdict(score, move, found.depth)
        follows = self._look(after, limit)
        return Verdict(-follows.score, move, follows.depth + 1, is_forced=True)

    def is_lost(self, turn: int) -> bool:
        """Return whether the judge holds a turn for lost."""
        return self.verdict(self.ply(turn)).chance < LOST

    def cost(self, turn: int) -> float:
        """Return the chance that the move of a turn has cost, 0 to 1."""
        ply = self.ply(turn)
        if ply + 1 > len(self.game["moves"]):
            return 0.0
        return max(0.0, self.verdict(ply).chance - (1.0 - self.verdict(ply + 1).chance))


def cause_of(judge: Judge, turn: int | None, nodes: int) -> str:
    """Return why a game was lost, one of `CAUSES`.

    Args:
        judge: judge of the game.
        turn: the turning move; None if the game was lost from the first turn on.
        nodes: positions of a move in the game.
    """
    if turn is None:
        return "opening"
    ply = judge.ply(turn) + 1
    is_cut = judge.game["depths"][turn] < FEWEST_DEPTH and abs(judge.game["scores"][turn]) < WON
    if is_cut and not judge.verdict(ply - 1).is_forced:
        return "budget"
    after = judge.board(ply)
    if FourSearch(judge.rules).find(after, Limit(nodes=FOURS)).line:
        return "fours"
    if ThreeSearch(judge.rules).find(after, Limit(nodes=THREES)).line:
        return "threes"
    if judge.verdict(ply).score > WON:
        return "threats"
    if ply + 1 <= len(judge.game["moves"]) and judge.verdict(ply + 1, nodes).chance < LOST:
        return "horizon"
    return "evaluation"


def line_of(judge: Judge, name: str, nodes: int, around: int) -> dict[str, Any]:
    """Return the line of a lost game: its turning move, what it cost, and the cause."""
    turn = turning_point(judge.is_lost, judge.turns)
    found: dict[str, Any] = {
        "match": name,
        "game": judge.game["game"],
        "color": judge.game["color"],
        "cause": cause_of(judge, turn, nodes),
    }
    if turn is None:
        return found
    near = range(max(0, turn - around), min(judge.turns, turn + around + 1))
    before = judge.verdict(judge.ply(turn))
    return found | {
        "turn": turn,
        "ply": judge.ply(turn),
        "moves": judge.game["moves"][: judge.ply(turn)],
        "played": judge.game["moves"][judge.ply(turn)],
        "better": before.move,
        "score": judge.game["scores"][turn],
        "judged": before.score,
        "costs": {str(one - turn): round(judge.cost(one), 3) for one in near},
    }


def table_of(lines: Sequence[Mapping[str, Any]]) -> str:
    """Return the table of lost games by cause, in Markdown."""
    rows = []
    for cause in CAUSES:
        chosen = [line for line in lines if line["cause"] == cause]
        if not chosen:
            continue
        turned = [line for line in chosen if "turn" in line]
        costs = [line["costs"]["0"] for line in turned]
        gaps = [chance_of(line["score"]) - chance_of(line["judged"]) for line in turned]
        rows.append(
            (
                cause,
                str(len(chosen)),
                f"{len(chosen) / len(lines):.0%}",
                str(sum(line["color"] == 1 for line in chosen)),
                f"{np.median([line['ply'] for line in turned]):.0f}" if turned else "",
                f"{np.mean(costs):.0%}" if turned else "",
                f"{np.mean(gaps):+.0%}" if turned else "",
            )
        )
    heads = (
        "cause", "games", "share", "with White", "ply, median", "chance lost by the move",
        "seen too high by",
    )  # fmt: skip
    return table(heads, rows)


def positions_of(lines: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the positions before turning moves after which the program's win is proven."""
    return [
        {
            "name": f"{line['match']}-{line['game']}",
            "kind": line["cause"],
            "moves": line["moves"],
            "wrong": line["played"],
            "better": line["better"],
        }
        for line in lines
        if line["cause"] in PROVEN
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge the lost games of the files, or print the table of those judged before."""
    parser = parser_of(
        __doc__, factor=20, around=2, games=60, positions=Path, table=Path,
        out=Path("runs/turning_moves.jsonl"),
    )  # fmt: skip
    parser.add_argument("files", nargs="*", type=Path)
    options = parser.parse_args(arguments)
    if options.table:
        print(table_of(read_lines(options.table)))
        return 0
    done = list(read_lines(options.out)) if options.out.exists() else []
    known = {(line["match"], line["game"]) for line in done}
    with LinesFile(options.out) as file:
        for path in options.files:
            head, games = read_match(path)
            rules = Rules(15, 5, Rule(head["rule"]))
            evaluation = evaluation_of(head["evaluation"])
            search = PatternAlphaBeta(
                rules, tuning=head["tuning"], memory=64, evaluation=evaluation
            )
            for game in games:
                is_lost = game["points"] == 0.0 and game["scores"]
                if not is_lost or (path.stem, game["game"]) in known or len(done) >= options.games:
                    continue
                judge = Judge(game, rules, search, options.factor * head["nodes"])
                done.append(line_of(judge, path.stem, head["nodes"], options.around))
                file.append(done[-1])
                print(f"{len(done)} games, the last: {done[-1]['cause']}", flush=True)
    if options.positions:
        atomic_write(options.positions, json.dumps(positions_of(done), indent=1) + "\n")
    print(table_of(done))
    return 0


if __name__ == "__main__":
    sys.exit(main())
