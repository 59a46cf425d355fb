"""Plain Python twins of the tree's kernels, written from their descriptions alone."""

from __future__ import annotations

import itertools
import math

import numpy as np

from ai.game import BLACK, EMPTY, WHITE, Board
from ai.kernels.jit import fields_of
from ai.kernels.tree.layout import EXP3, UCB, cell_of, move_of, new_tree_board
from ai.kernels.tree.stones import put_stone

MASK32 = 0xFFFFFFFF
BLACK_WINS, WHITE_WINS, DRAW = 0, 1, 2


class PlainRandom:
    """Marsaglia's congruential and xorshift generators, added."""

    def __init__(self, congruential, xorshift):
        self.congruential, self.xorshift = congruential, xorshift

    def below(self, bound):
        self.congruential = (69069 * self.congruential + 12345) & MASK32
        bits = self.xorshift
        bits ^= (bits << 13) & MASK32
        bits ^= bits >> 17
        bits ^= (bits << 5) & MASK32
        self.xorshift = bits
        return ((self.congruential + bits & MASK32) * bound) >> 32


def has_row(bits, length, is_exact):
    """Tell whether a list of 0 and 1 holds a row that wins."""
    runs = [len(list(run)) for bit, run in itertools.groupby(bits) if bit]
    return any(run == length if is_exact else run >= length for run in runs)


def region(board, reach):
    """Return the empty points at most `reach` rows and columns from a stone."""
    stones = np.pad(board.array() != EMPTY, reach)
    rows, steps = board.size, range(2 * reach + 1)
    near = sum(stones[row : row + rows, col : col + rows] for row in steps for col in steps)
    return set(np.flatnonzero((near > 0) & (board.array() == EMPTY)).tolist())


def winner_of(board):
    """Return who won a decided or full board."""
    won = board.outcome().winner
    return {BLACK: BLACK_WINS, WHITE: WHITE_WINS}.get(won, DRAW)


def play_out(board, spots, random):
    """Play spots at random to the first row and return the winner."""
    board, spots = board.copy(), list(spots)
    full = board.rules.full_board_winner
    while spots:
        place = random.below(len(spots))
        point, spots[place] = spots[place], spots[-1]
        spots.pop()
        board.push(point)
        if board.is_decided:
            return winner_of(board)
    return {BLACK: BLACK_WINS, WHITE: WHITE_WINS}.get(full, DRAW)


def bound(mean, visits, parent_visits, cp):
    """Return V of UCT."""
    return mean + 2 * cp * math.sqrt(2 * math.log(parent_visits) / visits)


def exp3(gains, gamma):
    """Return the probabilities of Exp3."""
    weights = [math.exp(gamma * gain / len(gains)) for gain in gains]
    total = sum(weights)
    return [(1 - gamma) * weight / total + gamma / len(gains) for weight in weights]


def cells_of(record):
    """Return the cells of a record's spots, in order."""
    fields = fields_of(record)
    return list(map(int, fields.spots[: int(fields.count)]))


def spots_of(record, size):
    """Return the moves of a record's spots, in order."""
    return [move_of(cell, size) for cell in cells_of(record)]


def record_of(board, reach, *, cp=0.7, gamma=None, capacity=20_000):
    """Return the record of a board, set to UCB, or to Exp3 where a gamma is given."""
    record = new_tree_board(board.rules, reach)
    for move in board.moves:
        put_stone(record, cell_of(move, board.size))
    fields = fields_of(record)
    fields.capacity = capacity
    fields.selection = UCB if gamma is None else EXP3
    fields.exploration = 2 * cp if gamma is None else gamma
    return record


def random_board(rules, plies, rng):
    """Return an undecided board after random moves, at most `plies`."""
    board = Board(rules)
    while board.ply < min(plies, rules.points - 1):
        empty = [point for point, color in enumerate(board.stones) if color == EMPTY]
        board.push(int(rng.choice(empty)))
        if board.is_decided:
            board.pop()
            break
    return board
