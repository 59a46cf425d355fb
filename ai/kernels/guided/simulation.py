"""Simulations in which the network plays a position to the end, with stones on two boards.

One board is the tree's, the other the network's.
"""

from __future__ import annotations

from ai.kernels.clock import CLOCK
from ai.kernels.guided.layout import NET
from ai.kernels.guided.network import best_point
from ai.kernels.jit import INT, Record, kernel
from ai.kernels.tree.layout import TREE_BOARD, UNDECIDED
from ai.kernels.tree.stones import completes_row, lift_stone, put_stone


@kernel(TREE_BOARD, NET, INT, returns=INT)
def place(boards: Record, nets: Record, cell: int) -> int:
    """Place a stone of the side to move on the tree's and the network's board.

    Args:
        boards: record of the tree's board.
        nets: record of the network and its board.
        cell: the point as a cell, an index on the padded board.

    Returns:
        0; any other number if the stone makes a winning row.
    """
    nets[0].stones[cell] = 1 - 2 * boards[0].side
    return put_stone(boards, cell)


@kernel(TREE_BOARD, NET, INT)
def take_back(boards: Record, nets: Record, cell: int) -> None:
    """Remove the last stone from the tree's and the network's board.

    Args:
        boards: record of the tree's board.
        nets: record of the network and its board.
        cell: cell of this stone, an index on the padded board.
    """
    nets[0].stones[cell] = 0
    lift_stone(boards, cell)


@kernel(TREE_BOARD, NET, returns=INT)
def five_to_play(boards: Record, nets: Record) -> int:
    """Return the cell of a winning row to make, else of one to stop; 0 if there is none.

    Args:
        boards: record of the tree's board.
        nets: record of the network and its board, which has the same stones.
    """
    board, net = boards[0], nets[0]
    stopping = 0
    for move in range(net.points):
        cell = net.cells[move]
        if net.stones[cell] == 0:
            if completes_row(boards, board.side, cell) != 0:
                return int(cell)
            if stopping == 0 and completes_row(boards, 1 - board.side, cell) != 0:
                stopping = cell
    return int(stopping)


@kernel(TREE_BOARD, NET, CLOCK, returns=INT)
def simulate(boards: Record, nets: Record, clocks: Record) -> int:
    """Let the network play for both sides until the game ends; return the winner.

    It plays its best move each time. With `fives_first` set, a five is made or stopped without
    asking it. Afterwards the position is the same as before.

    Args:
        boards: record of the tree's board.
        nets: record of the network and its board.
        clocks: the budget of the move; only its stop flag is looked at.

    Returns:
        0 for Black, 1 for White, NOBODY for a draw, or UNDECIDED if the time ran out first.
    """
    board, net = boards[0], nets[0]
    count = 0
    winner = UNDECIDED
    while winner == UNDECIDED and clocks[0].is_stopped == 0:
        cell = five_to_play(boards, nets) if net.fives_first != 0 else 0
        if cell == 0:
            cell = net.cells[best_point(nets, 1 - 2 * board.side)]
        rows = place(boards, nets, cell)
        net.played[count] = cell
        count += 1
        if rows != 0:
            winner = 1 - board.side
        elif board.ply == board.points:
            winner = board.full_winner
    net.simulated += count
    while count > 0:
        count -= 1
        take_back(boards, nets, net.played[count])
    return winner
