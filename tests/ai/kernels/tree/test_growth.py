"""The tree grows by one node an iteration, by the formulas, within its memory."""

from __future__ import annotations

import numpy as np
import pytest

from ai.game import Board, Rules
from ai.kernels.clock import CLOCK
from ai.kernels.guided.network import NET
from ai.kernels.jit import fields_of, new_record, set_field
from ai.kernels.randomness import new_random, seed_random
from ai.kernels.tree.growth import grow, plant
from ai.kernels.tree.layout import UNDECIDED, cell_of
from ai.kernels.tree.nodes import (
    NODE,
    child_at,
    children_of,
    column_of,
    keep,
    new_nodes,
    write_column,
)
from ai.kernels.tree.selection import select_child
from tests.ai.kernels.tree.plain_tree import bound, cells_of, exp3, record_of

BOARD = Board.from_moves("h8 i9 h9 i8", Rules(15))


def budget(nodes):
    record = new_record(CLOCK)
    set_field(record, "node_limit", nodes)
    return record


def grown(board, iterations, reach=2, seed=1, **settings):
    record, random = record_of(board, reach, **settings), new_random()
    nodes = new_nodes(NODE, int(fields_of(record).capacity))
    seed_random(random, seed)
    plant(record, nodes)
    clock = budget(iterations)
    depth = grow(record, nodes, random, new_record(NET), clock)
    assert int(fields_of(clock).nodes) == max(1, iterations)
    return record, nodes, depth


def visited(nodes, index=0):
    """Return every visited node of a tree with its children."""
    found = {index: children_of(nodes, index)}
    for child in found[index]:
        found |= visited(nodes, child.node)
    return found


@pytest.mark.parametrize("gamma", [None, 0.2], ids=["ucb", "exp3"])
def test_an_iteration_adds_one_node_and_one_visit_on_its_path(gamma):
    lines = fields_of(record_of(BOARD, 2)).lines
    record, nodes, depth = grown(BOARD, 1500, gamma=gamma, capacity=100_000)
    assert list(fields_of(record).lines) == list(lines)
    tree = visited(nodes)
    is_over = sum(nodes[index]["winner"] != UNDECIDED for index in tree)
    again = sum(int(nodes[index]["visits"]) - 1 for index in tree if index and not tree[index])
    assert len(tree) - 1 + again == 1500
    assert again == 0 or is_over
    assert 2 <= depth < 20
    for index, children in tree.items():
        first = 0 if index == 0 else 1
        if children:
            assert nodes[index]["visits"] == first + sum(child.visits for child in children)
            # A parent's results are its children's, seen from the other side, and its own first.
            total = sum(round(child.mean * child.visits) for child in children)
            assert abs(nodes[index]["mean"] * nodes[index]["visits"] + total) < 1.001


def test_ucb_takes_each_child_once_and_then_the_highest_bound():
    record, nodes, _ = grown(BOARD, 400, cp=0.4)
    random = new_random()
    seed_random(random, 1)
    children = children_of(nodes, 0)
    assert len(children) == int(nodes[0]["children"]) == len(cells_of(record))
    visits = int(nodes[0]["visits"])
    best = max(children, key=lambda child: bound(child.mean, child.visits, visits, 0.4))
    assert select_child(record, nodes, random, 0, 1) == best.node
    few = grown(BOARD, 7)[1]
    assert [child.visits for child in children_of(few, 0)] == [1] * 7


def test_exp3_draws_by_its_probabilities():
    gamma = 0.3
    record, nodes, _ = grown(BOARD, 600, gamma=gamma)
    first, count = int(nodes[0]["first"]), int(nodes[0]["children"])
    expected = exp3([float(nodes[index]["weight"]) for index in range(first, first + count)], gamma)
    random, drawn = new_random(), np.zeros(count)
    seed_random(random, 4)
    for _ in range(2000):
        drawn[select_child(record, nodes, random, 0, 1) - first] += 1
    assert np.abs(drawn / 2000 - expected).max() < 0.04
    for _ in range(20):
        child = select_child(record, nodes, random, 0, 1)
        chance = float(fields_of(record).chances[1])
        assert abs(chance - expected[child - first]) < 1e-12
    assert sum(expected) == pytest.approx(1.0)


def test_memory_is_never_exceeded_and_the_tree_goes_on():
    record, nodes, _ = grown(BOARD, 1500, capacity=400)
    assert int(fields_of(record).used) <= 400
    assert int(nodes[0]["visits"]) == 1500
    assert sum(child.visits for child in children_of(nodes, 0)) == 1500


def test_the_stop_flag_ends_it_after_one_iteration():
    record, random, clock = record_of(BOARD, 2), new_random(), budget(10**9)
    nodes = new_nodes(NODE, 20_000)
    seed_random(random, 1)
    plant(record, nodes)
    set_field(clock, "is_stopped", 1)
    grow(record, nodes, random, new_record(NET), clock)
    assert int(nodes[0]["visits"]) == 1


def test_the_part_below_a_move_is_kept_as_it_is():
    _, nodes, _ = grown(BOARD, 3000)
    child = children_of(nodes, 0)[0]
    assert child_at(nodes, 0, child.cell) == child.node
    assert child_at(nodes, 0, cell_of(0, 15)) == 0
    target = new_nodes(NODE, 20_000)
    used = keep(nodes, target, child.node, budget(1))

    def shape(tree, index):
        return [
            (item.cell, item.visits, item.mean, shape(tree, item.node))
            for item in sorted(children_of(tree, index), key=lambda item: item.cell)
        ]

    assert shape(target, 0) == shape(nodes, child.node)
    assert target[0]["visits"] == child.visits
    assert used < 20_000
    stopped = budget(1)
    set_field(stopped, "is_stopped", 1)
    assert keep(nodes, new_nodes(NODE, 20_000), child.node, stopped) == 0


def test_a_position_that_is_over_is_not_played_out():
    board = Board.from_moves("g8 g1 h8 h2 i8 j3 j8 k4", Rules(15))  # Black wins at f8 and k8
    _, nodes, _ = grown(board, 3000, reach=1)
    wins = {cell_of(board.rules.size * row + col, 15) for row, col in ((7, 5), (7, 10))}
    best = children_of(nodes, 0)[:2]
    assert {child.cell for child in best} == wins
    for child in best:
        assert (child.mean, int(nodes[child.node]["winner"])) == (1.0, 0)
        assert children_of(nodes, child.node) == []


def test_a_node_fits_half_a_line_of_the_cache():
    assert NODE.itemsize == 32


def test_a_field_of_all_children_is_read_and_written_at_once():
    _, nodes, _ = grown(BOARD, 300)
    visits, cells = (column_of(nodes, 0, name) for name in ("visits", "cell"))
    assert visits.sum() == 300
    known = {child.cell: child.visits for child in children_of(nodes, 0)}
    assert {
        cell: count for cell, count in zip(cells.tolist(), visits.tolist(), strict=True) if count
    } == known
    visits[0] += 1000
    assert column_of(nodes, 0, "visits").sum() == 300, "it is a copy"
    write_column(nodes, 0, "visits", visits)
    assert column_of(nodes, 0, "visits").tolist() == visits.tolist()
    assert len(column_of(new_nodes(NODE, 100), 0, "cell")) == 0
