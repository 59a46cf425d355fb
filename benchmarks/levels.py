"""Measure the levels of strength, and make the tables of docs/studies/levels.md.

    python -m benchmarks.levels --out DIR [--games 40]      play, or go on playing
    python -m benchmarks.levels --out DIR --keep            take what was played into the page
    python -m benchmarks.levels --check                     say what would change, exit code 1

All games are played on 15x15 in freestyle, from balanced openings with both colors. Each player
ends its moves by its level. So the same seed gives the same games on every machine. A level plays
`--games` games against the next one, and a quarter of them against the one after that and the same
level of another player. The lowest ones meet simple players, too. Each group is a tournament of the
arena in a folder of its own, so an interrupted run is resumed, and a greater `--games` adds games.
The program reads the ratings that `--keep` stores. Games of levels that are declared otherwise
today are left out. The exit code is 2 if something does not fit.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Final

from ai import PLAYERS, Rules
from ai.arena.arena import read_games_of, run_arena
from ai.arena.ratings import Result, cross_table, elo_table, results_of
from ai.arena.tournament import Tournament, TournamentError
from ai.players.levels import FORMAT, MEASURED, Level
from ai.runs.statistics import wilson
from base.files import SHIPPED_ROOT
from base.storage.json_file import read_json, write_table
from base.values import JsonObject
from benchmarks.console import even, parser_of, table
from benchmarks.study_tables import StudyError, made_anew
from tests.nightly import machine

PAGE: Final = SHIPPED_ROOT / "docs" / "studies" / "levels.md"
BOARD: Final = 15
SEED: Final = 43
LEVELED: Final = tuple(name for name, info in PLAYERS.items() if info.levels)
YARDSTICKS: Final = ("random", "one-ply", "pattern")
"""Players that the lowest levels meet, the weakest first."""
LOWEST: Final = 3
"""Number of levels that meet them."""


@dataclass(frozen=True)
class Group:
    """Games of one level against some opponents."""

    first: str
    others: tuple[str, ...]
    share: int
    """Part of the games asked for that each pair plays: 1 for all of them, 4 for a quarter."""

    @property
    def folder(self) -> str:
        """Name of the folder; it changes with what is declared of the levels."""
        declared = json.dumps([declared_of(name) for name in (self.first, *self.others)])
        mark = hashlib.sha256(declared.encode()).hexdigest()[:8]
        return f"{self.first.replace('@level=', '-')}-{self.share}-{mark}"

    def tournament(self, games: int) -> Tournament:
        """Return the tournament, for a number of games asked for."""
        count = max(2, games // self.share // 2 * 2)
        players = (self.first, *self.others)
        return Tournament(players, count, Rules(BOARD, 5), first_only=True, clock="none", seed=SEED)


def levels() -> dict[str, Level]:
    """Return all levels by label."""
    return {level.label: level for name in LEVELED for level in PLAYERS[name].levels}


def declared_of(label: str) -> dict[str, object]:
    """Return what is declared of a level; nothing for another player."""
    found = levels().get(label)
    return {"player": label} if found is None else {"player": label, **found.limits()}


def groups() -> Iterator[Group]:
    """Yield all groups, those of low levels first; a level's neighbour is a group of its own."""
    ladders = [PLAYERS[name].levels for name in LEVELED]
    for number in range(len(ladders[0])):
        for place, ladder in enumerate(ladders):
            label = ladder[number].label
            if number + 1 < len(ladder):
                yield Group(label, (ladder[number + 1].label,), 1)
            others = [level.label for level in ladder[number + 2 : number + 3]]
            if place + 1 < len(ladders):
                others.append(ladders[place + 1][number].label)
            if number < LOWEST:
                others += YARDSTICKS
            if others:
                yield Group(label, tuple(others), 4)


def play(out: Path, games: int) -> None:
    """Play all games that are missing, those of neighbours first, saying each group.

    Raises:
        TournamentError: a folder holds another tournament.
        OSError: a folder cannot be written.
    """
    for group in sorted(groups(), key=lambda group: group.share):
        run_arena(group.tournament(games), out / group.folder, resume=True)
        counts = cross_table((group.first, *group.others), results_in(out, group))
        told = ", ".join(
            f"{other} {'-'.join(map(str, counts[group.first, other]))}" for other in group.others
        )
        print(f"{group.first}: {told}", flush=True)


def results_in(out: Path, group: Group) -> list[Result]:
    """Return the results of a group's games; none if it was not played."""
    folder = out / group.folder
    return results_of(read_games_of(folder)) if (folder / "run.json").exists() else []


def measured(out: Path) -> JsonObject:
    """Return what is stored of the games in a folder: ratings of all, and each pair's results.

    Raises:
        StudyError: a level has no game.
    """
    results = [result for group in groups() for result in results_in(out, group)]
    names = [*YARDSTICKS, *levels()]
    met = {name for one, other, _ in results for name in (one, other)}
    missing = [name for name in names if name not in met]
    if missing:
        raise StudyError(f"levels: expected games of all, found none of {', '.join(missing)}")
    counts = cross_table(names, results)
    order = {name: place for place, name in enumerate(names)}
    return {
        "format": FORMAT,
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": machine(),
        "board": BOARD,
        "games": len(results),
        "elo": {name: list(rating) for name, rating in elo_table(names, results).items()},
        "pairs": [
            {"players": list(pair), "results": list(counts[pair])}
            for pair in counts
            if order[pair[0]] < order[pair[1]]
        ],
        "declared": [declared_of(label) for label in levels()],
    }


# -- the page -----------------------------------------------------------------------------------


def ratings(stored: JsonObject) -> str:
    """Return the table of ratings: a row for each level, a column for each player."""
    heads = ("level", *(f"`{name}`" for name in LEVELED))
    rows = []
    for number in range(1, len(PLAYERS[LEVELED[0]].levels) + 1):
        level = PLAYERS[LEVELED[0]].levels[number - 1]
        cells = [_elo(stored, f"{name}@level={number}") for name in LEVELED]
        rows.append((f"{number} ({level.word})", *cells))
    others = ", ".join(f"`{name}` {_elo(stored, name)}" for name in YARDSTICKS)
    made = table(heads, rows)
    note = f"These are Elo with their 95 % intervals. On the same scale stand {others}."
    return f"{made}\n\n{note}"


def _elo(stored: JsonObject, name: str) -> str:
    elo, low, high = stored["elo"][name]
    return f"{elo:.0f} ({low:.0f} to {high:.0f})"


def neighbours(stored: JsonObject) -> str:
    """Return the table of each level's games against the one below."""
    found = {tuple(item["players"]): item["results"] for item in stored["pairs"]}
    rows = []
    for name in LEVELED:
        for one, other in pairwise(PLAYERS[name].levels):
            lost, drawn, won = found[one.label, other.label]
            games = won + drawn + lost
            low, high = wilson(won + drawn / 2, games)
            share = f"{(won + drawn / 2) / games:.0%}", f"{low:.0%} to {high:.0%}"
            counts = map(str, (won, drawn, lost))
            rows.append((f"`{name}`", f"{other.number} : {one.number}", *counts, *share))
    heads = ("player", "levels", "the higher won", "drawn", "lost", "points", "95 %")
    return table(heads, rows)


def low_levels(stored: JsonObject) -> str:
    """Return the points of the lowest levels against simple players."""
    found = {tuple(item["players"]): item["results"] for item in stored["pairs"]}
    rows = []
    for name in LEVELED:
        for level in PLAYERS[name].levels[:LOWEST]:
            cells = []
            for other in YARDSTICKS:
                lost, drawn, won = found[other, level.label]
                cells.append(f"{won + drawn / 2:g} of {won + drawn + lost}")
            rows.append((f"`{name}`", str(level.number), *cells))
    return table(("player", "level", *(f"against `{name}`" for name in YARDSTICKS)), rows)


def declared(stored: object = None) -> str:
    """Return what each level may cost, and how much worse its move may be."""
    rows = []
    for name in LEVELED:
        for level in PLAYERS[name].levels:
            sees = SEEN[level.sight]
            ahead = str(level.depth) if level.player == "alpha-beta" else "–"
            cost = f"{level.nodes:,} {level.unit}"
            rows.append((f"`{name}`", str(level.number), cost, ahead, f"{level.margin:g}", sees))
    heads = ("player", "level", "a move costs at most", "plies ahead", "margin", "never misses")
    return table(heads, rows)


SEEN: Final = {2: "fives", 3: "fives, own open fours", 4: "fives, open fours"}
TABLES: Final = {
    "ratings": ratings,
    "neighbours": neighbours,
    "low-levels": low_levels,
    "declared": declared,
}


def rewritten(text: str, stored: JsonObject | None) -> str:
    """Return the page with its tables made anew; without a stored result, only the declared levels.

    Raises:
        StudyError: a table's marks are missing or name none.
    """
    made = {
        name: declared() if name == "declared" else make(stored) if stored else "Not measured yet."
        for name, make in TABLES.items()
    }
    return made_anew(text, made)


def not_rising(stored: JsonObject | None) -> list[str]:
    """Return the levels whose rating is not above that of the level below; none if not measured."""
    if stored is None:
        return []
    return [
        other.label
        for name in LEVELED
        for one, other in pairwise(PLAYERS[name].levels)
        if stored["elo"][other.label][0] <= stored["elo"][one.label][0]
    ]


def main(words: Sequence[str] | None = None) -> int:
    """Play, keep or check; return 1 where the page would change, 2 where something does not fit."""
    parser = parser_of(__doc__, out=Path, keep=False, check=False)
    parser.add_argument("--games", type=even, default=40, help="of neighbours; even")
    options = parser.parse_args(words)
    if options.out is None and not options.check:
        parser.error("expected --out DIR or --check, found neither")
    try:
        return _run(options)
    except (TournamentError, StudyError, OSError, ValueError) as error:
        print(f"levels: {error}", file=sys.stderr)
        return 2


def _run(options: argparse.Namespace) -> int:
    if not options.keep and not options.check:
        play(options.out, options.games)
        return 0
    is_new = options.out is not None
    kept = read_json(MEASURED) if MEASURED.is_file() else None
    stored: JsonObject | None = measured(options.out) if is_new else kept
    text = PAGE.read_text(encoding="utf-8")
    after = rewritten(text, stored)
    for label in not_rising(stored):
        print(f"not above the level below: {label}")
    if options.check:
        before = text.splitlines()
        changed = [line for line in after.splitlines() if line not in before]
        print("\n".join(changed) or "nothing would change")
        return int(after != text)
    if stored is not None:
        write_table(MEASURED, stored)
    PAGE.write_text(after, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
