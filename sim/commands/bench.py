"""`bench`: measures the strength and speed of the search `alpha-beta` on this machine.

Modules that compute are imported when the command runs, so that other commands start faster.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Final

from base.errors import UsageError
from base.values import JsonObject
from sim.commands.cli.ending import SUCCESS, echo
from sim.commands.cli.flags import command, flag, switch
from sim.commands.cli.progress import bar, warm_up

MOST_THREES: Final = 90
OLDEST: Final = 4
"""Earliest version of the search that today's is compared with."""
BEFORE: Final = 6
"""The version before today's."""


@command
def bench(
    *,
    seconds: float = flag(1.0, "--seconds S", "Thinking time for each position."),
    nodes: int | None = flag(
        None, "--nodes N", "Positions searched for each, in place of a time: repeatable."
    ),
    suite: Path | None = flag(None, "--suite FILE", "Positions [those that ship]."),
    threes: int = flag(
        0,
        "--threes N",
        "Percent of each search, at most, that looks for wins by continuous threats.",
        0,
        MOST_THREES,
        expected=f"0 to {MOST_THREES}",
    ),
    evaluation: str = flag(
        "shipped",
        "--evaluation NAME",
        "What is added to the patterns: a file "
        "that train evaluation wrote; shipped: ours; patterns: nothing.",
    ),
    against: int = flag(
        BEFORE,
        "--against VERSION",
        "Earlier version to compare with, in speed and by games.",
        OLDEST,
        BEFORE,
    ),
    games: int = flag(
        40, "--games N", "Games against it at equal time, an even number; 0: none.", 0
    ),
    rule: str = flag(
        "standard",
        "--rule NAME",
        "Rule of these games and of the ratio. In freestyle version 7 is 6.",
        choices=("freestyle", "standard", "renju", "caro"),
    ),
    as_json: bool = switch("--json", "Write everything as JSON."),
) -> int:
    """Solve tactical positions; measure the speed and depth of alpha-beta.

    The signature is the number of positions that fixed searches visit. It is the same on every
    machine, and changes only if the search or its evaluation changes.
    """
    if not 0.0 < seconds <= 600.0 or (nodes is not None and nodes < 1):
        raise UsageError(
            f"expected 0 to 600 seconds, and 1 position or more, found {seconds:g} and {nodes}"
        )
    if games % 2:
        raise UsageError(f"--games: expected an even number, found {games}")
    warm_up()
    results = _measure(seconds, nodes, suite, threes, evaluation)
    results["against"] = _compare(against, games, evaluation, rule)
    if as_json:
        echo(json.dumps(results, indent=2))
    else:
        _write(results)
    return SUCCESS


def _measure(
    seconds: float, nodes: int | None, suite: Path | None, threes: int, evaluation: str
) -> JsonObject:
    """Search the suite's positions and measure the speed; return the results as plain values.

    Args:
        seconds: thinking time for each position; ignored if `nodes` is given.
        nodes: positions searched for each; None to use `seconds`.
        suite: file of the positions; None for those that ship with Goishi.
        threes: most percent of each search that looks for wins by continuous threats.
        evaluation: what is added to the patterns, as for `--evaluation`.
    """
    from ai.bench.measure import answer_all, depths_within, rate, signature
    from ai.bench.suite import read_suite
    from ai.players.alpha_beta import evaluation_of
    from ai.search.base import Limit

    learned = evaluation_of(evaluation)

    limit = Limit(seconds=seconds) if nodes is None else Limit(nodes=nodes)
    tasks = read_suite(suite)
    with bar("bench", len(tasks)) as step:
        answers = answer_all(
            tasks,
            limit,
            lambda done, one: step(done, one.task.name),
            threes=threes,
            evaluation=learned,
        )
    every = Counter(task.kind for task in tasks)
    solved = Counter(answer.task.kind for answer in answers if answer.is_right)
    depths = depths_within(1.0, learned)
    return {
        "limit": {"seconds": None if nodes else seconds, "nodes": nodes, "threes": threes},
        "evaluation": evaluation,
        "tasks": len(tasks),
        "solved": sum(solved.values()),
        "kinds": {kind: [solved[kind], every[kind]] for kind in every},
        "missed": [
            {"name": one.task.name, "found": one.move, "right": list(one.task.best)}
            for one in answers
            if not one.is_right
        ],
        "positions_a_cpu_second": round(rate(learned)),
        "depth_in_a_second": min(depths),
        "depths_in_a_second": list(depths),
        "signature": signature(learned),
    }


def _compare(version: int, games: int, evaluation: str, rule: str) -> JsonObject:
    """Compare today's search with an earlier version; return the results as plain values.

    Args:
        version: number of the earlier version.
        games: number of games at equal time; 0 for none.
        evaluation: what is added to the patterns, as for `--evaluation`.
        rule: rule of the games.
    """
    from ai.bench.versions import compare
    from ai.game import Rule, Rules
    from ai.players.alpha_beta import evaluation_of

    learned = evaluation_of(evaluation)
    with bar("games", games) as step:
        found = compare(
            version,
            learned,
            games,
            lambda done: step(done, f"version {version}"),
            Rules(15, 5, Rule(rule)),
        )
    won, drawn, lost = found.counts
    return {
        "version": version,
        "rule": rule,
        "rate_ratio": round(found.rate_ratio, 3),
        "games": {"won": won, "drawn": drawn, "lost": lost},
        "elo": [round(elo) for elo in found.elo] if games else None,
    }


def _write(results: JsonObject) -> None:
    """Print the results."""
    for kind, (solved, every) in results["kinds"].items():
        echo(f"{kind:<12}{solved:>4} of {every}")
    echo(f"{'solved':<12}{results['solved']:>4} of {results['tasks']}")
    for one in results["missed"]:
        echo(f"  missed {one['name']}: found {one['found']}, right {' '.join(one['right'])}")
    echo(f"positions a CPU second: {results['positions_a_cpu_second']:,}")
    against = results["against"]
    echo(
        f"the rate as a ratio to version {against['version']} ({against['rule']}): "
        f"{against['rate_ratio']:.2f}"
    )
    if against["elo"] is not None:
        elo, low, high = against["elo"]
        won, drawn, lost = against["games"].values()
        echo(
            f"against version {against['version']} ({against['rule']}) at equal time: {elo:+} Elo "
            f"({low} to {high}), {won} won, {drawn} drawn, {lost} lost"
        )
    depths = " ".join(str(depth) for depth in results["depths_in_a_second"])
    least = results["depth_in_a_second"]
    echo(f"depth in 1 s, positions of 8 quiet stones: {least} or more, {depths}")
    echo(f"signature: {results['signature']}")
