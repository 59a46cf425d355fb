"""A sensible move at once: what a brain plays where its player has no answer in time."""

from __future__ import annotations

from typing import Final

from ai.game import EMPTY, Board, Color, Move, Position, as_board
from ai.game.lines import rays

REACH: Final = 4
"""Points to either side of a point that a row of five through it may take."""


def quick_move(position: Position) -> Move:
    """Return a legal move of an m,n,k game, found in about a millisecond.

    A row that wins, else the point that stops one, else the point beside the longest rows of
    either side, an own one first; in the middle of an empty board.

    Args:
        position: not over; unchanged on return.
    """
    board = as_board(position)
    color = board.to_move
    legal = list(board.legal_moves)
    for side in (color, -color):
        for move in legal:
            if board.completes_row(move, side):
                return move
    size, rows = board.rules.size, board.rules.rows
    middle = ((size - 1) / 2, (rows - 1) / 2)

    def worth(move: Move) -> tuple[int, float]:
        row, column = divmod(move, size)
        far = (column - middle[0]) ** 2 + (row - middle[1]) ** 2
        return 3 * _room(board, move, color) + 2 * _room(board, move, -color), -far

    return max(legal, key=worth)


def _room(board: Board, move: Move, color: Color) -> int:
    """Return the sum of the squares of a side's stones in each line beside a point.

    Lines in which the other side leaves no room for a row count nothing.
    """
    stones, needed = board.stones, board.rules.win_length
    total = 0
    for sides in rays(board.rules.size, REACH, board.rules.height)[move]:
        own, free = 0, 1
        for side in sides:
            for point in side:
                if stones[point] not in (color, EMPTY):
                    break
                own += stones[point] == color
                free += 1
        total += own * own if free >= needed else 0
    return total


__all__ = ["quick_move"]
