"""The root of the alpha-beta search, called for one depth after the other."""

from __future__ import annotations

from typing import Any

from ai.kernels.alpha_beta.entries import WORDS
from ai.kernels.alpha_beta.layout import TREE, WIDTH, WIN
from ai.kernels.alpha_beta.order import list_moves
from ai.kernels.alpha_beta.search import evaluate, lead_line, search
from ai.kernels.clock import CLOCK
from ai.kernels.jit import INT, TABLE, Record, Table, kernel
from ai.kernels.layout import POSITION
from ai.kernels.moves import place, take_back
from ai.kernels.threats.fouls import end_stop, is_forbidden
from ai.kernels.threats.fours import find_fours
from ai.kernels.threats.layout import FOURS
from ai.kernels.threats.points import five_point


@kernel(POSITION, TABLE, TREE)
def list_roots(positions: Record, table: Table, trees: Record) -> None:
    """List the moves of the root position in the search's record.

    If the other side threatens a five, only the moves that stop it are listed, unless stopping it
    is a foul. The moves' visits are set to 0, their scores to -WIN.

    Args:
        positions: the position at the root.
        table: lookup table of the patterns on lines (`ai.kernels.patterns`).
        trees: record of the alpha-beta search.
    """
    position = positions[0]
    tree = trees[0]
    answer = five_point(positions, 1 - position.side, -1)
    if answer >= 0 and is_forbidden(positions, table, answer) == 0:
        tree.is_whole[0] = 1
        tree.count = 1
        tree.roots[0] = answer
        second = end_stop(positions, 1 - position.side, answer)
        if second >= 0:
            tree.count = 2
            tree.roots[1] = second
    else:
        tree.count = list_moves(positions, table, trees, 0, WIDTH, -1)
        for index in range(tree.count):
            tree.roots[index] = tree.moves[index]
        if answer >= 0:
            tree.is_whole[0] = 1  # what would stop the five is a foul: every move loses
    for index in range(tree.count):
        tree.visits[index] = 0
        tree.scores[index] = -WIN


@kernel(TREE, INT, INT, INT)
def sink(trees: Record, index: int, to: int, score: int) -> None:
    """Move a root move to an earlier place of the root's list and set its score.

    The moves from the new place on go one place back.

    Args:
        trees: record of the alpha-beta search.
        index: present place of the move.
        to: new place of the move.
        score: new score of the move.
    """
    tree = trees[0]
    move = tree.roots[index]
    visits = tree.visits[index]
    for place_at in range(index, to, -1):
        tree.roots[place_at] = tree.roots[place_at - 1]
        tree.visits[place_at] = tree.visits[place_at - 1]
        tree.scores[place_at] = tree.scores[place_at - 1]
    tree.roots[to] = move
    tree.visits[to] = visits
    tree.scores[to] = score


@kernel(POSITION, TABLE, TREE, FOURS, CLOCK)
def drop_refuted(
    positions: Record, table: Table, trees: Record, fours: Record, clocks: Record
) -> None:
    """Remove the root moves after which a win by fours is found for the other side.

    If that is so after every move, none is removed. The scores of the moves that are kept become
    -WIN. Call it when the other side would win by fours if it were to move.

    Args:
        positions: the position at the root; unchanged afterwards.
        table: lookup table of the patterns on lines (`ai.kernels.patterns`).
        trees: record of the alpha-beta search.
        fours: memory of the search for fours.
        clocks: the budget of the move.
    """
    tree = trees[0]
    four = fours[0]
    kept = 0
    for index in range(tree.count):
        four.nodes = 0
        four.is_cut = 0
        before = clocks[0].nodes
        place(positions, table, tree.roots[index])
        found = find_fours(positions, table, fours, clocks, 0)
        take_back(positions, table)
        tree.visits[index] += clocks[0].nodes - before
        if found == 0:
            sink(trees, index, kept, -WIN)
            kept += 1
    if kept > 0:
        tree.count = kept


@kernel(POSITION, TABLE, TREE, FOURS, WORDS, CLOCK, INT)
def search_roots(
    positions: Record,
    table: Table,
    trees: Record,
    fours: Record,
    words: Any,
    clocks: Record,
    depth: int,
) -> None:
    """Search each root move to a depth, and put the best one first.

    The score of the best move is exact; those of the others are upper bounds. The principal
    variation is `lines` of level 0. If a limit ends the search, `finished` is the number of moves
    searched. The rest keep their scores of the depth before, but at most the best score.

    If the best score lies outside the window from `low` to `high`, `missed` says on which side, and
    the search ends. The scores are then those of the depth before, except that of a move above
    `high`. `trees` is the search with its root moves listed, `depth` is in plies.
    """
    tree = trees[0]
    floor = tree.low
    tree.is_cut = 0
    tree.missed = 0
    tree.finished = 0
    tree.evals[0] = evaluate(positions, trees, 0)
    for index in range(tree.count):
        before = clocks[0].nodes
        move = tree.roots[index]
        tree.played[0] = move
        top = -tree.high if index == 0 else -floor - 1
        place(positions, table, move)
        score = -search(positions, table, trees, fours, words, clocks, 1, depth - 1, top, -floor)
        if index > 0 and score > floor and tree.is_cut == 0:
            score = -search(
                positions, table, trees, fours, words, clocks, 1, depth - 1, -tree.high, -floor
            )
        take_back(positions, table)
        tree.visits[index] += clocks[0].nodes - before
        if tree.is_cut == 1:
            break
        if index == 0 and score <= tree.low and tree.low > -WIN:
            tree.missed = -1
            return
        tree.finished += 1
        if score > floor or index == 0:
            floor = score
            lead_line(trees, 0, move)
            sink(trees, index, 0, score)
            if score >= tree.high and tree.high < WIN:
                tree.missed = 1
                return
        else:
            tree.scores[index] = min(score, floor)
    if tree.finished > 0:
        for index in range(tree.finished, tree.count):
            tree.scores[index] = min(tree.scores[index], floor)
