"""Tic-tac-toe, counted to the end: the exhaustively checkable twin of every rule."""

from __future__ import annotations

from collections import Counter

from ai.game import BLACK, WHITE, Board, Rules, symmetries


def count_games(board, nodes, ends):
    outcome = board.outcome()
    if outcome is not None:
        ends[outcome.winner] += 1
        return
    for move in list(board.legal_moves):
        board.push(move)
        nodes[board.ply] += 1
        count_games(board, nodes, ends)
        board.pop()


def collect_positions(board, seen):
    if board.key in seen:
        return
    seen[board.key] = bytes(stone + 1 for stone in board.stones)
    if board.outcome() is None:
        for move in list(board.legal_moves):
            with board.played(move):
                collect_positions(board, seen)


def test_every_game():
    nodes, ends = Counter(), Counter()
    count_games(Board(Rules(3, 3)), nodes, ends)
    leaves = [nodes[ply] for ply in range(1, 10)]
    assert leaves == [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]
    assert (ends[BLACK], ends[WHITE], ends[0]) == (131_184, 77_904, 46_080)
    assert ends.total() == 255_168


def test_every_position():
    seen = {}
    collect_positions(Board(Rules(3, 3)), seen)
    assert len(seen) == len(set(seen.values())) == 5_478
    tables = symmetries(3)
    classes = {min(bytes(stones[i] for i in table) for table in tables) for stones in seen.values()}
    assert len(classes) == 765
