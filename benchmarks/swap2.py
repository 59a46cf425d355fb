"""What the choices of swap2 are worth: made by value, against made at random.

    python -m benchmarks.swap2 [--player mcts] [--games 400] [--nodes 500] [--seed 0]
        [--out GAMES.jsonl] [--json OUT.json]

One player sits at both sides of a game, 15x15, exactly five. One side makes its choices in the
opening by the values that the player sees (`ai/session/opening.py`): where three stones go, which
color it takes or whether two more stones are placed, and which color after five stones. The other
side makes each of them at random: stones within four points of the centre, choices evenly. Then the
player plays on for both. The sides take turns at beginning. As a control, both sides choose at
random in as many games, and the side that begins in odd games counts as the first. Intervals are
Wilson's, for the share of points. With `--out` an interrupted run is resumed. The exit code is
always 0.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from ai import Limit, Player, Rules, create_player
from ai.game import EMPTY, OpeningKind, OpeningPhase, Position, Said, from_centre
from ai.game.opening import FIRST, SECOND, Person
from ai.runs.statistics import wilson
from ai.session.game import GameSession
from ai.session.opening import REACH, answer_opening
from base.storage.json_file import write_json
from benchmarks.console import parser_of
from benchmarks.games import KeptResults

RULES: Final = Rules(15, 5, rule="standard")


@dataclass(frozen=True)
class Played:
    """One game."""

    key: str
    points: float
    """Of the side that counts: 1 won, 0.5 drawn, 0 lost."""
    begins: bool
    """Whether this side placed the first three stones."""
    stones: int
    """On the board when the color was chosen: three or five."""


def random_answer(
    phase: OpeningPhase, board: Position, rng: np.random.Generator
) -> tuple[Said, ...]:
    """Return a choice or all stones of an opening, drawn evenly."""
    if phase.choices:
        return (phase.choices[int(rng.integers(len(phase.choices)))],)
    near = [
        point
        for point, color in enumerate(board.stones)
        if color == EMPTY and from_centre(board.rules, point) <= REACH
    ]
    drawn = rng.choice(near, phase.stones_wanted, replace=False)
    return tuple(int(point) for point in drawn)


def play_one(player: Player, game: int, limit: Limit, seed: int, *, is_control: bool) -> Played:
    """Play the opening and the game; in a control no side chooses by value."""
    session = GameSession(RULES, game, seed=seed, opening=OpeningKind.SWAP2)
    counted: Person = FIRST if game % 2 else SECOND
    while not session.opening.is_over:
        rng = np.random.default_rng(session.next_seed)
        phase = session.opening
        if phase.decider is counted and not is_control:
            said = answer_opening(player, phase, session.board, limit, rng)
        else:
            said = random_answer(phase, session.board, rng)
        session.say(said)
    stones = session.board.ply
    color = session.opening.color_of(counted)
    while not session.is_over:
        rng = np.random.default_rng(session.next_seed)
        session.play_choice(player.choose(session.board, limit, rng))
    points = (1 + session.record().winner * color) / 2
    return Played(f"{is_control}-{game}", points, counted is FIRST, stones)


def scored(games: Iterable[Played]) -> dict[str, object]:
    """Return points and games, and the share of points with its 95 % interval."""
    points = [game.points for game in games]
    total, count = sum(points), len(points)
    low, high = wilson(total, count) if count else (0.0, 1.0)
    return {
        "points": total,
        "games": count,
        "drawn": points.count(0.5),
        "share": round(total / max(count, 1), 3),
        "share_95": [round(low, 3), round(high, 3)],
    }


def all_games(options: Any, *, is_control: bool) -> list[Played]:
    """Play the games, or those that are missing."""
    kept = KeptResults(options.out)
    player, limit = create_player(options.player, RULES), Limit(nodes=options.nodes)
    found = []
    for game in range(1, options.games + 1):
        key = f"{is_control}-{game}"
        if key not in kept:
            played = play_one(player, game, limit, options.seed, is_control=is_control)
            kept.add(asdict(played))
        found.append(Played(**kept.line(key)))
    return found


def main() -> int:
    """Play and print."""
    parser = parser_of(__doc__, player="mcts", games=400, nodes=500, seed=0, out=Path, json=Path)
    options = parser.parse_args()
    games = all_games(options, is_control=False)
    found: dict[str, object] = {
        "by value": scored(games),
        "by value, placing first": scored(game for game in games if game.begins),
        "by value, choosing first": scored(game for game in games if not game.begins),
        "by value, three stones": scored(game for game in games if game.stones == 3),
        "by value, five stones": scored(game for game in games if game.stones == 5),
        "control: both at random": scored(all_games(options, is_control=True)),
    }
    for name, value in found.items():
        print(f"{name:26} {json.dumps(value)}", flush=True)
    if options.json:
        write_json(options.json, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
