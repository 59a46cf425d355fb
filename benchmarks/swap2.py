"""What swap2 by value is worth: the color that is chosen, against always staying and swapping.

    python -m benchmarks.swap2 [--player mcts] [--games 20] [--nodes 2000] [--seed 0]
        [--json OUT.json]

A player plays both sides of swap2 by the values that it sees (`ai/session/opening.py`), up to the
choice of a color, and then the game, 15x15, free style. The game that follows is the same for each
choice. So each game says what the choice by value has won, and what always staying at the side to
move (White) and always swapping (Black) would have won. Intervals are of wins alone. The exit code
is always 0.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from ai import BLACK, WHITE, Limit, Player, Rules, create_player
from ai.game import Choice, OpeningKind
from ai.session.game import GameSession
from ai.session.opening import answer_opening
from base.storage.json_file import write_json
from benchmarks.console import parser_of
from benchmarks.games import Score

RULES: Final = Rules(15, 5)


class Played(NamedTuple):
    """One game."""

    chosen: int
    """Color that was chosen by value."""
    winner: int
    """Color that won, 0 for a draw."""
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
    return Score.of([(1 + winner) / 2 for winner in winners])


def main() -> int:
    """Play and print."""
    parser = parser_of(__doc__, player="mcts", games=20, nodes=2000, seed=0, json=Path)
    options = parser.parse_args()
    player, limit = create_player(options.player, RULES), Limit(nodes=options.nodes)
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
        write_json(options.json, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
