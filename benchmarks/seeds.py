"""Play the published documents' experiments, and make the tables of docs/studies/seeds.md.

    python -m benchmarks.seeds [PART …] --out DIR [--jobs 2]     play, or go on playing
    python -m benchmarks.seeds [PART …] --out DIR --keep         take what was played into the page
    python -m benchmarks.seeds --check                           say what would change, exit code 1
    python -m benchmarks.seeds [PART …] --out DIR --keep --check     the same of what was played

A part is a tournament of the arena in a folder of its name. An interrupted one is resumed.
`--games` and `--move-seconds` make a part shorter, for a trial. The page says how many games it
was. The exit code is 2 if something does not fit.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

from ai import Rules
from ai.arena.arena import read_games_of, read_tournament, results_in, run_arena
from ai.arena.match_table import MatchRow, rows_of_pairs, sum_of
from ai.arena.tournament import Tournament, TournamentError
from ai.runs.statistics import wilson
from base.files import SHIPPED_ROOT
from base.storage.json_file import read_json, write_json
from base.values import JsonObject
from benchmarks.console import parser_of, table
from benchmarks.study_tables import StudyError, made_anew
from tests.nightly import machine

DOCS: Final = SHIPPED_ROOT / "docs"
PAGE: Final = DOCS / "studies" / "seeds.md"
STUDY: Final = DOCS / "studies" / "seeds.json"
FORMAT: Final = "goishi.seeds/1"
BOARD: Final = 15
FREE: Final = Rules(BOARD, 5)
EXACT: Final = Rules(BOARD, 5, rule="standard")
"""Exactly five, as the thesis plays."""
OLD: Final = "@network=earlier"
"""Setting of the move network that was shipped before."""
DENSE: Final = "@network=dense"
"""Setting of the network with a dense output layer."""
THESIS: Final = "mcts@cp=0.707,region=2"
"""The thesis's plain player, where its text is silent as text-books have it; ours is tuned."""
MANY: Final = 50
"""Iterations of `mcts-nn` where the plain player has more: as many as the thesis's has in 1 s."""
OPPONENTS: Final = (
    "random", "move-net", "genetic", "genetic@population=50,generations=30",
    "genetic@default_policy=true", "convolution", "mcts", "mcts@selection=exp3", "mcts-nn",
    "alpha-beta@depth=2", "pattern", "alpha-beta",
)  # fmt: skip
"""Twelve, as in the report's table."""
TIMED: Final = partial(Tournament, clock="cpu")
"""Seconds of the processor: other work of the machine takes nothing from a player."""
Q_SETTINGS: Final = (
    "", "depth=1", "depth=3", "depth=4", "alpha=0.1", "alpha=10", "gamma=0.5", "gamma=1"
)  # fmt: skip
"""Settings of `minimax-q` that the report does not give; each differs from the usual ones in one.

They were fixed before any game, and none is chosen by a result.
"""
REPORTED: Final = (41, 0, 103)
"""Games that the report's engine won, drew and lost in its Table 3."""
ROSTER: Final = (
    *("genetic", "pattern", "convolution", "minimax-q"),
    *("mcts", "move-net", "mcts-nn", "alpha-beta"),
)
"""All players but those that draw or prove, people, and the learners of the small board."""


@dataclass(frozen=True)
class Part:
    """One experiment.

    Attributes:
        name: what it is called on the command line.
        source: document and place.
        claim: the document's figure, in its words' meaning; empty where it has none.
        tournament: what is played here in its place; its first player's points are counted.
    """

    name: str
    source: str
    claim: str
    tournament: Tournament


EQUAL: Final = "thesis: 30,000 iterations each, 74 games"
UNEQUAL: Final = "thesis: more iterations for the plain player (at equal time)"
NET_ALONE: Final = "thesis: mcts, 1,000 iterations, against the network, 1,000 games"
PARTS: Final = (
    Part("table-3", "report on a Gomoku engine, Table 3", "41 : 103, ratio .398",
         TIMED(("minimax-q", *OPPONENTS), 12, FREE, seconds=0.5, first_only=True)),
    Part("mcts-alone", "report, on its Monte Carlo player", "\"far from satisfactory\"",
         TIMED(("mcts", "minimax-q"), 40, FREE, seconds=0.5)),
    Part("policy-genetic", "report, default policy in front of the genetic algorithm", "",
         TIMED(("genetic@default_policy=true", "genetic"), 40, FREE, seconds=0.5)),
    Part("policy-search", "report, default policy in front of the search", "",
         TIMED(("minimax-q", "minimax-q@default_policy=false"), 40, FREE, seconds=0.5)),
    Part("tree-alone", NET_ALONE, "95 %",
         Tournament(("mcts", "move-net"), 200, EXACT, nodes=1000)),
    Part("tree-alone-thesis", NET_ALONE, "95 %",
         Tournament((THESIS, "move-net"), 200, EXACT, nodes=1000)),
    Part("plain", "thesis's plain player, as it is read here, and ours", "",
         Tournament(("mcts", THESIS), 100, EXACT, nodes=1000)),
    *(Part(f"times-{times}", UNEQUAL, "90.3 % (10,000 times)" if times == 1000 else "",
           Tournament((f"mcts-nn@iterations={MANY}", f"{THESIS},iterations={MANY * times}"), 40,
                      EXACT, clock="none"))
      for times in (1, 10, 100, 1000)),
    Part("guided-thesis", EQUAL, "90.5 %",
         Tournament(("mcts-nn", THESIS), 100, EXACT, nodes=1000)),
    Part("guided-ours", f"{EQUAL}; against our tuned player", "90.5 %",
         Tournament(("mcts-nn", "mcts"), 100, EXACT, nodes=1000)),
    Part("dense-thesis", f"{EQUAL}; a dense output layer", "90.5 %",
         Tournament((f"mcts-nn{DENSE}", THESIS), 40, EXACT, nodes=1000)),
    Part("dense-ours", f"{EQUAL}; a dense output layer, against our tuned player", "90.5 %",
         Tournament((f"mcts-nn{DENSE}", "mcts"), 40, EXACT, nodes=1000)),
    Part("dense-alone", f"{NET_ALONE}; a dense output layer", "95 %",
         Tournament((THESIS, f"move-net{DENSE}"), 100, EXACT, nodes=1000)),
    Part("guided-untrained", "control: weights drawn at random", "",
         Tournament(("mcts-nn@network=untrained", THESIS), 40, EXACT, nodes=100)),
    *(Part(f"untrained-{name}", "control: weights drawn at random, equal iterations", "",
           Tournament(("mcts-nn@network=untrained", plain), 40, EXACT, nodes=1000))
      for name, plain in (("thesis", THESIS), ("ours", "mcts"))),
    Part("fives-first", "switch: simulations make and stop fives without the network", "",
         Tournament(("mcts-nn@fives_first=true", "mcts-nn"), 40, EXACT, nodes=200)),
    Part("fives-first-earlier", "the same switch with the earlier network", "",
         Tournament((f"mcts-nn{OLD},fives_first=true", f"mcts-nn{OLD}"), 40, EXACT, nodes=200)),
    Part("guided-alone", "thesis: mcts-nn, 1 s, against the network, 1,000 games", "99.9 %",
         TIMED(("mcts-nn", "move-net"), 100, EXACT, seconds=1.0)),
    Part("guided-time", "thesis: a minute a move, 2,100 games", "90.3 %",
         TIMED(("mcts-nn", THESIS), 40, EXACT, seconds=1.0)),
    Part("equal-time", "the same with the earlier network, against our tuned player",
         "90.3 %", TIMED((f"mcts-nn{OLD}", "mcts"), 100, EXACT, seconds=1.0)),
    Part("equal-iterations", f"{EQUAL}; the earlier network, our tuned player", "90.5 %",
         Tournament((f"mcts-nn{OLD}", "mcts"), 100, EXACT, nodes=1000)),
    Part("tree-net", f"{NET_ALONE}; the earlier one", "95 %",
         Tournament(("mcts", f"move-net{OLD}"), 200, EXACT, nodes=1000)),
    Part("guided-net", "thesis: mcts-nn, 1 s, against its network; the earlier one",
         "99.9 %", TIMED((f"mcts-nn{OLD}", f"move-net{OLD}"), 200, EXACT, seconds=1.0)),
    Part("roster", "all players among each other", "",
         TIMED(ROSTER, 20, FREE, seconds=0.5)),
)  # fmt: skip
Q_PARTS: Final = tuple(
    Part(f"table-3-{given.replace('=', '-') or 'usual'}", "report, Table 3", "41 : 103",
         TIMED((f"minimax-q@{given}" if given else "minimax-q", *OPPONENTS), 12, FREE, seconds=0.1,
               first_only=True))
    for given in Q_SETTINGS
)  # fmt: skip
"""Table 3 again at each of these settings, by less time a move."""
EVERY_PART: Final = (*PARTS, *Q_PARTS)


def play(part: Part, out: Path, jobs: int) -> None:
    """Play a part, or the rest of it, saying each game.

    Raises:
        TournamentError: the folder holds another tournament, or a player is not there.
        OSError: the folder cannot be written.
    """

    def report(done: int, count: int, line: JsonObject | None) -> None:
        if line is not None:
            result = f"{line['black']} - {line['white']}: {line['winner']}, {line['plies']} plies"
            print(f"{part.name}: {done} of {count}: {result}", flush=True)

    run_arena(part.tournament, out / part.name, jobs=jobs, resume=True, report=report)


def read_part(part: Part, out: Path) -> JsonObject | None:
    """Return what was played of a part, None where nothing was.

    Raises:
        TournamentError, LinesFileError: the folder is damaged.
    """
    folder = out / part.name
    if not (folder / "run.json").exists():
        return None
    tournament = read_tournament(folder)
    lines = read_games_of(folder)
    if not lines:
        return None
    results = results_in(tournament, lines)
    faults = [game for game in results["games"] if game["fault"]]
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": machine(),
        "config": tournament.as_dict(),
        "games": len(lines),
        "planned": len(tournament.pairings()),
        "pairs": results["pairs"],
        "elo": results["elo"],
        "seconds": results["seconds"],
        "faults": len(faults),
    }


# -- the page -----------------------------------------------------------------------------------


def points_of(pairs: Mapping[str, Sequence[int]], first: str) -> tuple[float, int]:
    """Return the points of a player and its games; a draw is half a point.

    >>> points_of({"a|b": [3, 1, 0], "b|a": [0, 0, 2], "b|c": [9, 0, 0]}, "a")
    (5.5, 6)
    """
    points, games = 0.0, 0
    for pair, (won, drawn, lost) in pairs.items():
        one, other = pair.split("|")
        if first in (one, other):
            points += (won if one == first else lost) + drawn / 2
            games += won + drawn + lost
    return points, games


def budget_of(config: JsonObject) -> str:
    """Return the budget of a move in words."""
    if config["nodes"] is not None:
        return f"{config['nodes']:,} iterations"
    if config.get("clock") == "none":
        return "iterations by their settings"
    return f"{config['seconds']:g} s{' of the processor' if config.get('clock') == 'cpu' else ''}"


def overview(study: JsonObject) -> str:
    """Return the table of all parts: the document's figure, ours with its interval, the games."""
    heads = (
        "part",
        "the document's experiment",
        "its figure",
        "here",
        "points of the first",
        "95 %",
    )
    rows = []
    for part in PARTS:
        if part.name == "roster":
            continue
        found = study["parts"].get(part.name)
        names = part.tournament.players
        other = names[1] if len(names) == 2 else f"{len(names) - 1} others"
        here = f"`{names[0]}` against {f'`{other}`' if len(names) == 2 else other}"
        if found is None:
            cells = [here, "not played yet", ""]
        else:
            points, games = points_of(found["pairs"], names[0])
            low, high = wilson(points, games)
            of_all = "" if games == found["planned"] else f" (planned: {found['planned']})"
            cells = [
                f"{here}, {budget_of(found['config'])}, {games} games{of_all}",
                f"{points:g} of {games}: {points / games:.1%}",
                f"{low:.1%} to {high:.1%}",
            ]
        rows.append((f"`{part.name}`", part.source, part.claim or "–", *cells))
    return table(heads, rows)


def opponents(study: JsonObject) -> str:
    """Return the report's Table 3 in its form."""
    found = study["parts"].get("table-3")
    if found is None:
        return "Not played yet."
    first = PARTS[0].tournament.players[0]
    rows = rows_of_pairs(found["pairs"], first)
    total = sum_of(rows)
    made = table(
        ("opponent", f"`{first}` won", "drawn", "lost", "points", "95 %"),
        [
            (name, str(row.won), str(row.drawn), str(row.lost), *_share(row))
            for name, row in (*((f"`{row.opponent}`", row) for row in rows), ("all", total))
        ],
    )
    return f"{made}\n\nWon to lost: {total.won} : {total.lost}, ratio {total.ratio:.3f}."


def settings_of_q(study: JsonObject) -> str:
    """Return the sums of Table 3 at each setting of `minimax-q`, below the report's own."""
    rows = [("the report's engine, against its twelve", *_sums(MatchRow("", *REPORTED)), "144")]
    for part, given in zip(Q_PARTS, Q_SETTINGS, strict=True):
        found = study["parts"].get(part.name)
        name = f"`{given}`" if given else "as it ships"
        if found is None:
            rows.append((name, "not played yet", *("",) * 5))
            continue
        total = sum_of(rows_of_pairs(found["pairs"], part.tournament.players[0]))
        rows.append((name, *_sums(total), str(total.games)))
    heads = ("`minimax-q`", "won : lost", "drawn", "points", "95 %", "ratio (95 %)", "games")
    return table(heads, rows)


def opponents_at_settings(study: JsonObject) -> str:
    """Return the points of `minimax-q` against each opponent, a column for each setting."""
    heads, columns = [], []
    for part, given in zip(Q_PARTS, Q_SETTINGS, strict=True):
        found = study["parts"].get(part.name)
        if found is not None:
            heads.append(f"`{given}`" if given else "as it ships")
            rows = rows_of_pairs(found["pairs"], part.tournament.players[0])
            columns.append({row.opponent: f"{row.points:g}" for row in rows})
    if not columns:
        return "Not played yet."
    return table(
        ("points of 12 against", *heads),
        [(f"`{name}`", *(column.get(name, "–") for column in columns)) for name in OPPONENTS],
    )


def _share(row: MatchRow) -> tuple[str, str]:
    low, high = row.interval
    return f"{row.share:.1%}", f"{low:.1%} to {high:.1%}"


def _sums(row: MatchRow) -> tuple[str, ...]:
    low, high = row.ratio_interval
    ratio = f"{row.ratio:.3f} ({low:.3f} to {high:.3f})"
    return f"{row.won} : {row.lost}", str(row.drawn), *_share(row), ratio


def everybody(study: JsonObject) -> str:
    """Return the cross table of all players, the strongest first."""
    found = study["parts"].get("roster")
    if found is None:
        return "Not played yet."
    order = sorted(found["elo"], key=lambda name: -found["elo"][name][0])
    heads = ("", "Elo (95 %)", "s a move", *(f"`{name}`" for name in order))
    rows = []
    for name in order:
        elo, low, high = found["elo"][name]
        cells = [f"{elo:.0f} ({low:.0f} to {high:.0f})", f"{found['seconds'][name] or 0:.2f}"]
        for other in order:
            pairs = found["pairs"].items()
            own = {pair: item for pair, item in pairs if set(pair.split("|")) == {name, other}}
            points, games = points_of(own, name)
            cells.append(f"{points:g} of {games}" if games else "–")
        rows.append((f"`{name}`", *cells))
    note = f"{found['games']} of {found['planned']} games, {budget_of(found['config'])} a move."
    return f"{table(heads, rows)}\n\n{note}"


def learning(study: JsonObject) -> str:
    """Return what the shipped network's card says of its training, with its controls."""
    card = read_json(DOCS.parent / "assets" / "players" / "move_net.json")
    networks = {**card["on_held_out"], "trained, on positions learnt from": card["on_training"]}
    rows = [
        (name, f"{values['so']:.3f}", f"{values['share']:.1%}", f"{values['loss']:.2f}")
        for name, values in networks.items()
    ]
    first = "network, on positions of games not learnt from"
    return table((first, "SO", "most frequent move", "loss"), rows)


TABLES: Final = {
    "overview": overview,
    "table-3": opponents,
    "table-3-settings": settings_of_q,
    "table-3-opponents": opponents_at_settings,
    "roster": everybody,
    "learning": learning,
}


def rewritten(text: str, study: JsonObject) -> str:
    """Return the page with its tables made anew.

    Raises:
        StudyError: a table's marks are missing or name none.
    """
    return made_anew(text, {name: make(study) for name, make in TABLES.items()})


def main(words: Sequence[str] | None = None) -> int:
    """Play, keep or check; return 1 where the page would change, 2 where something does not fit."""
    parser = parser_of(
        __doc__, out=Path, jobs=1, games=int, move_seconds=float, keep=False, check=False
    )
    names = [part.name for part in EVERY_PART]
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(names))
    options = parser.parse_args(words)
    wrong = [name for name in options.parts if name not in names]
    if wrong:
        parser.error(f"expected parts of {', '.join(names)}, found {', '.join(wrong)}")
    if options.out is None and (options.keep or not options.check):
        parser.error("expected --out DIR or --check, found neither")
    try:
        return _run(options)
    except (TournamentError, StudyError, OSError, ValueError) as error:
        print(f"seeds: {error}", file=sys.stderr)
        return 2


def _run(options: argparse.Namespace) -> int:
    chosen = [part for part in EVERY_PART if not options.parts or part.name in options.parts]
    study: JsonObject = read_json(STUDY) if STUDY.exists() else {"format": FORMAT, "parts": {}}
    if options.keep:
        for part in chosen:
            found = read_part(part, options.out)
            if found is not None:
                study["parts"][part.name] = found
    if options.check:
        return _check(study)
    if options.keep:
        write_json(STUDY, study)
        text = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(rewritten(text, study), encoding="utf-8", newline="\n")
        return 0
    for part in chosen:
        play(shortened(part, options.games, options.move_seconds), options.out, options.jobs)
    return 0


def _check(study: JsonObject) -> int:
    """Print what would change in the page; return 1 if something would."""
    text = PAGE.read_text(encoding="utf-8")
    after = rewritten(text, study)
    before = text.splitlines()
    changed = [line for line in after.splitlines() if line not in before]
    print("\n".join(changed) or "nothing would change")
    return int(after != text)


def shortened(part: Part, games: int | None, seconds: float | None) -> Part:
    """Return a part with fewer games a pair or less time a move, for a trial."""
    tournament = part.tournament
    if games is not None:
        tournament = replace(tournament, games=games)
    if seconds is not None and tournament.nodes is None and tournament.clock != "none":
        tournament = replace(tournament, seconds=seconds)
    return replace(part, tournament=tournament)


if __name__ == "__main__":
    sys.exit(main())
