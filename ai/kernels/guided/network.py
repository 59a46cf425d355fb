"""The network of `move-net` as kernels: 5x5 convolutions of 4, 4 and 1 filters, with ReLU between.

In the place of the third convolution there may be a dense layer, on boards up to 15x15.

The stones lie on the cells of the tree's board (`ai.kernels.tree.layout`). What a layer finds lies
on planes (`ai.kernels.guided.layout`). So a convolution is a sum of a few long rows of numbers. All
sums are in double precision and in a fixed order, so that compiled and uncompiled results are
bit-identical.
"""

from __future__ import annotations

import math

from ai.kernels.guided.layout import FILTERS, NET, PLANE, REACH, SIDE, TAPS
from ai.kernels.jit import FLOAT, INT, Record, kernel, unsigned


@kernel(NET, INT)
def rectify(nets: Record, layer: int) -> None:
    """Apply ReLU to a layer, and set the padding of its planes to zero.

    Args:
        nets: record of the network.
        layer: 0 for the first, 1 for the second.
    """
    net = nets[0]
    planes = net.seen if layer == 0 else net.found
    for given in range(FILTERS):
        for row in range(net.side):
            start = given * PLANE + net.corner + row * net.width
            for place in range(start, start + net.side):
                planes[place] = max(planes[place], 0.0)
            for place in range(start + net.side, start + net.width):
                planes[place] = 0.0


@kernel(NET, INT, FLOAT, INT)
def add_stone(nets: Record, move: int, value: float, view: int) -> None:
    """Add a stone to what the first layer finds on the points around it.

    Args:
        nets: record of the network.
        move: point of the stone.
        value: 1 for a stone of the side to move, -1 for the opponent's.
        view: 0 for the board as it is, 1 for its mirror image.
    """
    net = nets[0]
    weights, steps, seen, side = net.first, net.steps, net.seen, net.side
    row = move // side
    col = move - row * side
    for tap in range(TAPS):
        down = tap // SIDE - REACH
        along = (tap % SIDE - REACH) * (1 - 2 * view)
        if 0 <= row - down < side and 0 <= col - along < side:
            place = net.places[move] - steps[view * TAPS + tap]
            for given in range(FILTERS):
                seen[given * PLANE + place] += value * weights[tap * FILTERS + given]


@kernel(NET, INT, INT)
def see_stones(nets: Record, color: int, view: int) -> None:
    """Compute the network's first layer for the position that it holds: convolution and ReLU.

    In the input, stones of the side to move are 1 and the opponent's are -1.

    Args:
        nets: record of the network.
        color: side to move, 1 for Black, -1 for White.
        view: 0 for the board as it is, 1 for its mirror image.
    """
    net = nets[0]
    span = unsigned(net.span)
    for given in range(FILTERS):
        start = unsigned(given * PLANE + net.corner)
        for place in range(span):
            net.seen[start + place] = net.first_bias[given]
    for move in range(net.points):
        stone = net.stones[net.cells[move]]
        if stone != 0:
            add_stone(nets, move, float(stone * color), view)
    rectify(nets, 0)


@kernel(NET, INT)
def find_patterns(nets: Record, view: int) -> None:
    """Compute the network's second layer from the result of the first: convolution and ReLU.

    Args:
        nets: record of the network.
        view: 0 for the board as it is, 1 for its mirror image.
    """
    net = nets[0]
    weights, seen, found = net.second, net.seen, net.found
    span = unsigned(net.span)
    second, third, fourth = unsigned(PLANE), unsigned(2 * PLANE), unsigned(3 * PLANE)
    for given in range(FILTERS):
        start = unsigned(given * PLANE + net.corner)
        for place in range(span):
            found[start + place] = net.second_bias[given]
        for tap in range(TAPS):
            source = unsigned(net.corner + net.steps[view * TAPS + tap])
            first = tap * FILTERS * FILTERS + given
            one, two = weights[first], weights[first + FILTERS]
            three, four = weights[first + 2 * FILTERS], weights[first + 3 * FILTERS]
            for place in range(span):
                total = found[start + place]
                total += seen[source + place] * one
                total += seen[source + place + second] * two
                total += seen[source + place + third] * three
                total += seen[source + place + fourth] * four
                found[start + place] = total
    rectify(nets, 1)


@kernel(NET, INT)
def score_points(nets: Record, view: int) -> None:
    """Compute the network's last layer on the empty points, from the result of the second.

    The scores of the second view are added to those of the first.

    Args:
        nets: record of the network.
        view: 0 for the board as it is, 1 for its mirror image.
    """
    net = nets[0]
    weights, found, totals = net.last, net.found, net.totals
    start, span = unsigned(net.corner), unsigned(net.span)
    second, third, fourth = unsigned(PLANE), unsigned(2 * PLANE), unsigned(3 * PLANE)
    for place in range(span):
        totals[start + place] = net.last_bias
    for tap in range(TAPS):
        source = unsigned(net.corner + net.steps[view * TAPS + tap])
        first = tap * FILTERS
        one, two, three, four = (
            weights[first], weights[first + 1], weights[first + 2], weights[first + 3],
        )  # fmt: skip
        for place in range(span):
            totals[start + place] += (
                found[source + place] * one
                + found[source + place + second] * two
                + found[source + place + third] * three
                + found[source + place + fourth] * four
            )
    for move in range(net.points):
        if net.stones[net.cells[move]] == 0:
            score = totals[net.places[move]]
            net.scores[move] = score if view == 0 else net.scores[move] + score


@kernel(NET, INT)
def score_densely(nets: Record, view: int) -> None:
    """Compute a dense last layer on the empty points, from the result of the second.

    The scores of the second view are added to those of the first.

    Args:
        nets: record of the network.
        view: 0 for the board as it is, 1 for its mirror image.
    """
    net = nets[0]
    weights, found, totals = net.dense, net.found, net.totals
    points = unsigned(net.points)
    for place in range(points):
        totals[place] = net.dense_bias[place]
    for move in range(net.points):
        seen = move if view == 0 else net.mirrored[move]
        for given in range(FILTERS):
            value = found[given * PLANE + net.places[move]]
            if value != 0.0:
                start = unsigned((seen * FILTERS + given) * net.points)
                for place in range(points):
                    totals[place] += value * weights[start + place]
    for move in range(net.points):
        if net.stones[net.cells[move]] == 0:
            score = totals[move if view == 0 else net.mirrored[move]]
            net.scores[move] = score if view == 0 else net.scores[move] + score


@kernel(NET, INT, returns=INT)
def best_point(nets: Record, color: int) -> int:
    """Score the empty points for a side; return the best one, the first of equal ones.

    Args:
        nets: the network.
        color: side to move, 1 for Black, -1 for White.

    Returns:
        The move; -1 if no point is empty.
    """
    net = nets[0]
    for view in range(net.views):
        see_stones(nets, color, view)
        find_patterns(nets, view)
        if net.is_dense != 0:
            score_densely(nets, view)
        else:
            score_points(nets, view)
    best, highest = -1, 0.0
    for move in range(net.points):
        if net.stones[net.cells[move]] == 0 and (best < 0 or net.scores[move] > highest):
            best, highest = move, net.scores[move]
    return best


@kernel(NET, INT, returns=INT)
def share_points(nets: Record, color: int) -> int:
    """Compute each empty point's probability (softmax), and return the best point.

    It is -1 if no point is empty. The record's `shares` receive the probabilities. The network was
    not trained on the empty board: there the middle point has probability 1.

    Args:
        nets: record of the network.
        color: side to move, 1 for Black, -1 for White.
    """
    best = best_point(nets, color)
    net = nets[0]
    stones, total = 0, 0.0
    for move in range(net.points):
        share = 0.0
        if net.stones[net.cells[move]] == 0:
            share = math.exp(net.scores[move] - net.scores[best])
        else:
            stones += 1
        net.shares[move] = share
        total += share
    for move in range(net.points):
        if stones == 0:
            net.shares[move] = 1.0 if move == net.middle else 0.0
        elif total > 0.0:
            net.shares[move] /= total
    return net.middle if stones == 0 else best


@kernel(NET, FLOAT, returns=INT)
def rank_points(nets: Record, threshold: float) -> int:
    """List the moves with a probability above a threshold, the likeliest first.

    The probabilities are those of `share_points`; the record's `order` receives the list.

    Args:
        nets: record of the network.
        threshold: probability, 0 to 1.

    Returns:
        Number of listed moves, at least 1: if none is above the threshold, the best is listed.
    """
    net = nets[0]
    count = best = 0
    for move in range(net.points):
        share = net.shares[move]
        if share > net.shares[best]:
            best = move
        if share > threshold:
            place = count
            while place > 0 and net.shares[net.order[place - 1]] < share:
                net.order[place] = net.order[place - 1]
                place -= 1
            net.order[place] = move
            count += 1
    if count == 0:
        net.order[0] = best
        count = 1
    return count
