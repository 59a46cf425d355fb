"""Plays the games that the shipped network of `move-net` learnt from, and writes them as SGF.

    python -m benchmarks.move_net_games --out DIR [--rounds 1] [--seed 0]

`pattern` and `minimax-q` play each other and themselves on 15x15, free style, from all balanced
openings, each turned and mirrored: 192 openings x 4 pairs are a round. The openings have 24 shapes;
games of the last four go to held_*.sgf, which are not trained on, the others to games_*.sgf. A
file holds the games of a shape; files that are there are kept, so an interrupted run goes on.
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path
from typing import Final

from ai.kernels import cache

cache.configure_environment(jit=True)

from ai import BLACK, WHITE, Board, GameRecord, Player, Rules  # noqa: E402
from ai.formats import Ply, WrittenGame, write_game_file  # noqa: E402
from ai.game import balanced_stones  # noqa: E402
from ai.game.opening import BALANCED_COUNT  # noqa: E402
from ai.session.game import move_seed  # noqa: E402
from benchmarks.arguments import at_least_one  # noqa: E402
from benchmarks.matches import play, seated  # noqa: E402

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
    setup = tuple(
        (move, BLACK if ply % 2 == 0 else WHITE) for ply, move in enumerate(record.moves[:STONES])
    )
    plies = tuple(
        Ply(move, BLACK if ply % 2 == 0 else WHITE)
        for ply, move in enumerate(record.moves[STONES:], start=STONES)
    )
    return WrittenGame(
        RULES, plies, record.winner, record.termination, black.name, white.name, setup=setup,
        first=WHITE,
    )  # fmt: skip


def games_of_shape(shape: int, rounds: int, seed: int) -> list[WrittenGame]:
    """Play all games of a shape: every turn of it, every pair, every round."""
    players = {name: seated(name, RULES) for name in PLAYERS}
    games = []
    for number in range(rounds):
        for opening in range(shape, BALANCED_COUNT, SHAPES):
            for pair, (black, white) in enumerate(itertools.product(PLAYERS, repeat=2)):
                draw = move_seed(seed, opening * 4 + pair, number)
                games.append(play_one(players[black], players[white], opening, draw))
    return games


def main() -> int:
    """Play what is missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rounds", type=at_least_one, default=1)
    parser.add_argument("--seed", type=int, default=0)
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
