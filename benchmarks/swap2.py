"""What swap2 by value is worth: the colour that is chosen, against always staying and swapping.

    python -m benchmarks.swap2 [--player mcts] [--games 20] [--nodes 2000] [--seed 0]
        [--json OUT.json]

A player plays both sides of swap2 by the values that it sees (`ai/session/opening.py`), up to the
choice of a colour, and then the game, 15x15, free style. Whoever chooses, the game that follows is
the same: so each game says at once what the choice by value has won, and what always staying at the
side to move (White) and always swapping (Black) would have. A draw is half a point; intervals are
of wins alone.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Final, NamedTuple

from ai.kernels import cache

cache.configure_environment(jit=True)

import numpy as np  # noqa: E402

from ai import BLACK, WHITE, Limit, Player, Rules  # noqa: E402
from ai.game import Choice, OpeningKind  # noqa: E402
from ai.session.game import GameSession  # noqa: E402
from ai.session.opening import answer_opening  # noqa: E402
from benchmarks.arguments import at_least_one  # noqa: E402
from benchmarks.matches import Score, seated  # noqa: E402

RULES: Final = Rules(15, 5)


class Played(NamedTuple):
    """One game."""

    chosen: int
    """Colour that was chosen by value."""
    winner: int
    """Colour that won, 0 for a draw."""
    stones: int
    """On the board at the choice: three or five."""


def play_one(player: Player, game: int, limit: Limit, seed: int) -> Played:
    """Play the opening and the game."""
    session = GameSession(RULES, game, seed=seed, opening=OpeningKind.SWAP2)
    chosen, stones = WHITE, 0
    while not session.opening.is_over:
        rng = np.random.default_rng(session.next_seed)
        said = answer_opening(player, session.opening, session.board, limit, rng)
        session.say(said)
        if said[0] in (Choice.BLACK, Choice.WHITE):
            chosen = BLACK if said[0] == Choice.BLACK else WHITE
            stones = session.board.ply
    while not session.is_over:
        rng = np.random.default_rng(session.next_seed)
        session.play_choice(player.choose(session.board, limit, rng))
    return Played(chosen, session.record().winner, stones)


def score_of(winners: list[int]) -> Score:
    """Return the games from the side of a 1."""
    return Score(winners.count(1), winners.count(0), winners.count(-1))


def main() -> int:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--player", default="mcts")
    parser.add_argument("--games", type=at_least_one, default=20)
    parser.add_argument("--nodes", type=at_least_one, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    player, limit = seated(options.player, RULES), Limit(nodes=options.nodes)
    games = [play_one(player, game, limit, options.seed) for game in range(1, options.games + 1)]
    found: dict[str, object] = {
        "by value": score_of([game.winner * game.chosen for game in games]).as_dict(),
        "always stay (White)": score_of([game.winner * WHITE for game in games]).as_dict(),
        "always swap (Black)": score_of([game.winner * BLACK for game in games]).as_dict(),
        "asked for two more": sum(game.stones == 5 for game in games),
        "took Black": sum(game.chosen == BLACK for game in games),
    }
    for name, value in found.items():
        print(f"{name:20} {json.dumps(value)}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
