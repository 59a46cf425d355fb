"""Play the games that the earlier network of `move-net` learnt from, and write them as SGF.

    python -m benchmarks.move_net_games --out DIR [--rounds 1] [--seed 0]

`pattern` and `minimax-q` play each other and themselves on 15x15, free style, from all balanced
openings, each turned and mirrored. A round is 192 openings x 4 pairs. The openings have 24 shapes,
and a file holds the games of one shape. Games of the last four shapes go to held_*.sgf, which are
not trained on, the others to games_*.sgf. Files that are there are kept, so an interrupted run is
resumed. The exit code is always 0.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Final

from ai import BLACK, WHITE, Board, GameRecord, Player, Rules, create_player
from ai.formats import Ply, WrittenGame, write_game_file
from ai.game import balanced_stones
from ai.game.opening import BALANCED_COUNT
from ai.session.game import move_seed
from benchmarks.console import parser_of
from benchmarks.games import play

RULES: Final = Rules(15, 5)
PLAYERS: Final = ("pattern", "minimax-q")
SHAPES: Final = 24
HELD: Final = 4
"""Shapes, the last ones, that are held out."""
STONES: Final = 3


def play_one(black: Player, white: Player, opening: int, seed: int) -> WrittenGame:
    """Play one game from a balanced opening; its three stones are the set-up."""
    board = Board.from_moves(list(balanced_stones(RULES, opening)), RULES)
    play(black, white, board, seed)
    record = GameRecord.from_board(board, 1)
    stones = tuple((move, (BLACK, WHITE)[ply % 2]) for ply, move in enumerate(record.moves))
    plies = tuple(Ply(move, color) for move, color in stones[STONES:])
    names = black.name, white.name
    result = record.winner, record.termination
    return WrittenGame(RULES, plies, *result, *names, setup=stones[:STONES], first=WHITE)


def games_of_shape(shape: int, rounds: int, seed: int) -> list[WrittenGame]:
    """Play all games of a shape: every turn of it, every pair, every round."""
    players = {name: create_player(name, RULES) for name in PLAYERS}
    games = []
    for number in range(rounds):
        for opening in range(shape, BALANCED_COUNT, SHAPES):
            for pair, (black, white) in enumerate(itertools.product(PLAYERS, repeat=2)):
                draw = move_seed(seed, opening * 4 + pair, number)
                games.append(play_one(players[black], players[white], opening, draw))
    return games


def main() -> int:
    """Play what is missing."""
    parser = parser_of(__doc__, rounds=1, seed=0)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for shape in range(SHAPES):
        kind = "held" if shape >= SHAPES - HELD else "games"
        file = options.out / f"{kind}_{shape:02}.sgf"
        if not file.exists():
            games = games_of_shape(shape, options.rounds, options.seed)
            write_game_file(file, games)
            plies = sum(len(game.plies) for game in games)
            print(f"{file.name}: {len(games)} games, {plies} moves", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
