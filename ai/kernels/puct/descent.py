"""Simulations of the guided tree: selection with virtual loss, game ends, and backup with decay."""

from __future__ import annotations

import math

from ai.kernels.jit import INT, ArrayType, Record, kernel
from ai.kernels.puct.layout import PATH, PLANES, PUCT, UNKNOWN
from ai.kernels.tree.layout import CELLS, LINES, MARGIN, NOBODY, STRIDE, TREE_BOARD, UNDECIDED
from ai.kernels.tree.nodes import PUCT_NODE
from ai.kernels.tree.stones import completes_row, lift_stone, put_stone


@kernel(PUCT, PUCT_NODE, INT, returns="float")
def unseen(searches: Record, nodes: Record, parent: int) -> float:
    """Return the value that is assumed for a move that was never tried (first-play urgency).

    It is 0 if the setting `reduction` is negative or the parent has no earlier visit. Otherwise it
    is the parent's mean value minus `reduction`. The virtual loss of the running simulation is left
    out.

    Args:
        searches: record of the search.
        nodes: record array of the tree's nodes.
        parent: index of the node whose move it is.

    Returns:
        The value for the side to move at the parent.
    """
    search = searches[0]
    known = nodes[parent].visits - 1
    if search.reduction < 0 or known < 1:
        return 0.0
    return float(-(nodes[parent].total + search.virtual_loss) / known - search.reduction)


@kernel(PUCT, PUCT_NODE, INT, returns=INT)
def select_child(searches: Record, nodes: Record, parent: int) -> int:
    """Return the child with the largest Q + c P sqrt(N of the parent) / (1 + N).

    Q is the mean value, P the prior, N the visits and c the exploration constant. The parent's own
    evaluation counts as a visit, so that the first choice follows the priors. A child without
    visits has `unseen` as Q. Of equal children the first is returned.

    Args:
        searches: record of the search.
        nodes: record array of the tree's nodes.
        parent: index of the parent's node.

    Returns:
        Index of the child's node.
    """
    first = nodes[parent].first
    spread = searches[0].exploration * math.sqrt(nodes[parent].visits)
    assumed = unseen(searches, nodes, parent)
    found, best = first, -1e9
    for index in range(first, first + nodes[parent].children):
        mean = nodes[index].mean if nodes[index].visits > 0 else assumed
        bound = mean + spread * nodes[index].prior / (1 + nodes[index].visits)
        if bound > best:
            best = bound
            found = index
    return int(found)


@kernel(PUCT, PUCT_NODE, INT)
def discredit(searches: Record, nodes: Record, index: int) -> None:
    """Add a virtual loss to a node: a visit that counts as lost until its real value is known.

    Args:
        searches: record of the search.
        nodes: record array of the tree's nodes.
        index: index of the node.
    """
    node = nodes[index]
    node.visits += 1
    node.total -= searches[0].virtual_loss
    node.mean = node.total / node.visits


@kernel(PUCT, PUCT_NODE, INT, INT)
def forget_path(searches: Record, nodes: Record, start: int, depth: int) -> None:
    """Remove the visits and virtual losses of one path.

    Args:
        searches: the search.
        nodes: the tree.
        start: index in `paths` where the path begins.
        depth: depth of the path's last node.
    """
    search = searches[0]
    for step in range(depth, -1, -1):
        node = nodes[search.paths[start + step]]
        node.visits -= 1
        node.total += search.virtual_loss
        node.mean = node.total / node.visits if node.visits > 0 else 0.0


@kernel(PUCT, PUCT_NODE, INT, INT, "float")
def back_up(searches: Record, nodes: Record, start: int, depth: int, value: float) -> None:
    """Replace the virtual losses on a leaf's path by the leaf's value.

    Args:
        searches: the search.
        nodes: the tree.
        start: index in `paths` where the path begins.
        depth: depth of the leaf.
        value: value for the side to move at the leaf. One ply up, the value for the side to move
            there is -decay times as much.
    """
    search = searches[0]
    for step in range(depth, -1, -1):
        node = nodes[search.paths[start + step]]
        node.total += search.virtual_loss - value
        node.mean = node.total / node.visits
        value = -value * search.decay


@kernel(TREE_BOARD, PUCT, PUCT_NODE, returns=INT)
def descend(boards: Record, searches: Record, nodes: Record) -> int:
    """Go down from the root to a leaf or a position of certain value; return its depth in plies.

    The path is written to `paths`, its nodes get virtual losses, and the stones are placed on the
    board. If the root's value is certain, the descent goes on below it, so that a move is found. If
    the game ends at the leaf, the node's `winner` is set.

    Args:
        boards: the position at the root; afterwards that at the leaf.
        searches: record of the search.
        nodes: record array of the tree's nodes.
    """
    board, search = boards[0], searches[0]
    start = search.count * PATH
    index, depth = search.root, 0
    search.paths[start] = index
    discredit(searches, nodes, index)
    while nodes[index].first != 0 and (depth == 0 or nodes[index].known == UNKNOWN):
        depth += 1
        index = select_child(searches, nodes, index)
        search.paths[start + depth] = index
        discredit(searches, nodes, index)
        rows = put_stone(boards, nodes[index].cell)
        if rows != 0:
            nodes[index].winner = 1 - board.side
        elif board.ply == board.points:
            nodes[index].winner = board.full_winner
    return depth


@kernel(TREE_BOARD, PUCT, INT, ArrayType("float32"))
def write_planes(boards: Record, searches: Record, last: int, planes: Record) -> None:
    """Write the input planes of a position for the network, as those of the next waiting leaf.

    Args:
        boards: the position.
        searches: record of the search; `count` leaves wait already.
        last: cell of the last move; -1 for none.
        planes: `[batch * points * 3]`, receives for each point 0 or 1: own stone, the other side's,
            last move.
    """
    board, search = boards[0], searches[0]
    size, own = search.size, board.side * LINES
    other = LINES - own
    place = search.count * board.points * PLANES
    for row in range(MARGIN, MARGIN + size):
        for col in range(MARGIN, MARGIN + size):
            planes[place] = (board.lines[own + row] >> col) & 1
            planes[place + 1] = (board.lines[other + row] >> col) & 1
            planes[place + 2] = 1 if row * STRIDE + col == last else 0
            place += PLANES


@kernel(TREE_BOARD, PUCT)
def note_forced(boards: Record, searches: Record) -> None:
    """Store the forced move of the next waiting leaf, and the leaf's value if that is certain.

    A side that can complete a row does so. Otherwise it must block a row of the other side, and has
    lost if there are two such points. Among several points the first one on the board is chosen. If
    the setting `is_forced` is 0, no move counts as forced.

    Args:
        boards: the position at the leaf.
        searches: record of the search; `forced` and `known` receive the results.
    """
    board, search = boards[0], searches[0]
    slot, side = search.count, board.side
    search.forced[slot] = 0
    search.known[slot] = UNKNOWN
    if search.is_forced == 0:
        return
    wins, threats = 0, 0
    win, threat = CELLS, CELLS
    for place in range(board.count):
        cell = board.spots[place]
        if completes_row(boards, side, cell) != 0:
            wins += 1
            win = min(win, cell)
        elif wins == 0 and completes_row(boards, 1 - side, cell) != 0:
            threats += 1
            threat = min(threat, cell)
    if wins > 0:
        search.forced[slot] = win
        search.known[slot] = search.decay
    elif threats > 0:
        search.forced[slot] = threat
        if threats > 1:
            search.known[slot] = -search.decay * search.decay


@kernel(TREE_BOARD, PUCT, PUCT_NODE, ArrayType("float32"), INT, returns=INT)
def collect(boards: Record, searches: Record, nodes: Record, planes: Record, most: int) -> int:
    """Run simulations until a whole batch of leaves waits for the network, or `most` have begun.

    Ends of games and positions of certain value are backed up at once, without the network. At the
    end of a game the value is -1 for the side to move if the other side has won, 0 for a draw. If a
    simulation meets a leaf that already waits, it is taken back and the batch ends there.

    Args:
        boards: the position at the root; unchanged afterwards.
        searches: record of the search.
        nodes: record array of the tree's nodes.
        planes: `[batch * points * 3]`, receives the planes of the waiting leaves.
        most: greatest number of simulations.

    Returns:
        The number of waiting leaves. `ended` of the record is the number of simulations backed up
        at once.
    """
    board, search = boards[0], searches[0]
    search.count = search.ended = 0
    is_free = 1
    while is_free != 0 and search.count < search.batch and search.count + search.ended < most:
        depth = descend(boards, searches, nodes)
        start = search.count * PATH
        leaf = search.paths[start + depth]
        winner = nodes[leaf].winner
        search.deepest = max(search.deepest, depth)
        last = nodes[leaf].cell if depth > 0 else search.last
        if winner != UNDECIDED:
            value = 0.0
            if winner != NOBODY:
                value = 1.0 if winner == board.side else -1.0
            back_up(searches, nodes, start, depth, value)
            search.ended += 1
        elif depth > 0 and nodes[leaf].known != UNKNOWN:
            back_up(searches, nodes, start, depth, nodes[leaf].known)
            search.ended += 1
        elif nodes[leaf].is_expanding != 0:
            forget_path(searches, nodes, start, depth)
            search.collisions += 1
            is_free = 0
        else:
            nodes[leaf].is_expanding = 1
            write_planes(boards, searches, last, planes)
            note_forced(boards, searches)
            search.leaves[search.count] = leaf
            search.depths[search.count] = depth
            search.sides[search.count] = board.side
        for step in range(depth, 0, -1):
            lift_stone(boards, nodes[search.paths[start + step]].cell)
        if nodes[leaf].is_expanding != 0 and is_free != 0:
            search.count += 1
    count: int = search.count
    return count
