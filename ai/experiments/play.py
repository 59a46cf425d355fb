"""One game of an experiment, and the randomness of its moves: the same as in the live scene."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ai.game import BLACK, Board, GameRecord, Rules, random_centre_point
from ai.players.base import Limit, Player


def move_seed(seed: int, game: int, ply: int) -> int:
    """Return the seed of one move, from the run's seed, the game (from 1) and the ply (from 0)."""
    text = f"{seed}/{game}/{ply}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=6).digest(), "little")


def opening_move(rules: Rules, seed: int, game: int) -> int:
    """Return Black's first stone: one of the nine centre points (the paper, section 4.1)."""
    return random_centre_point(rules, np.random.default_rng(move_seed(seed, game, 0)))


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game, the ranks of White's moves in the network's answer, and seconds by side."""

    record: GameRecord
    ranks: tuple[int, ...]
    seconds: Mapping[str, float]


def play_game(
    rules: Rules,
    black: Player,
    white: Player,
    *,
    game: int,
    seed: int,
    on_move: Callable[[Board], None] = lambda board: None,
) -> PlayedGame:
    """Play one game; Black's first stone is drawn, all else is the players' choice.

    `on_move` is called after each stone; it may raise to stop the game.
    """
    board = Board(rules)
    board.push(opening_move(rules, seed, game))
    on_move(board)
    ranks: list[int] = []
    seconds = {"black": 0.0, "white": 0.0}
    limit = Limit()
    while board.outcome() is None:
        is_black = board.to_move == BLACK
        player = black if is_black else white
        rng = np.random.default_rng(move_seed(seed, game, board.ply))
        started = time.perf_counter()
        choice = player.choose(board, limit, rng)
        seconds["black" if is_black else "white"] += time.perf_counter() - started
        board.push(choice.move)
        on_move(board)
        rank = choice.rank
        if not is_black and isinstance(rank, int):
            ranks.append(rank)
    return PlayedGame(GameRecord.from_board(board, game), tuple(ranks), seconds)
