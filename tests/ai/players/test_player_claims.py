"""Every player on every rule and size that it claims, in the positions that are hard on players."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from ai import PLAYERS, Board, GameOverError, Limit, Rules, create_player, get_player_info
from ai.game import WHITE, RulesError
from ai.registry.info import ALL_RULES, FOUL_FREE, PlayerInfo

TIGHT = (Limit(nodes=1), Limit(seconds=0.001))
QUICK = {"genetic": {"generations": 1}, "mcts": {"memory": 8}}
"""Settings that shorten the least that a player does whatever its limit."""
BRISK = ("pattern", "convolution", "minimax-q", "mcts", "one-ply", "random")
"""Players that are quick on a large board, too: by day they play their largest."""


def rules_of(size: int, rule: str) -> Rules | None:
    """Return the rules on a board; None where there is no such game."""
    try:
        return Rules(size, min(5, size), rule, full_board_winner=WHITE)
    except RulesError:
        return None


def claims() -> Iterator[object]:
    """Yield each player's rules and sizes; by day its smallest board, some the largest."""
    for name, info in PLAYERS.items():
        for rule in info.supported_rules if name != "human" else ():
            known = [
                size
                for size in info.ready_sizes or range(info.sizes[0], info.sizes[1] + 1)
                if rules_of(size, rule) is not None
            ]
            for size in known:
                is_daily = size == known[0] or (
                    size == known[-1] and rule == "freestyle" and name in BRISK
                )
                marks = () if is_daily else pytest.mark.nightly
                yield pytest.param(name, rule, size, marks=marks, id=f"{name}-{rule}-{size}")


def filled(rules: Rules) -> list[int]:
    """Return the moves of a whole board without three in a row."""
    points = [divmod(point, rules.size) for point in range(rules.points)]
    sides: tuple[list[int], list[int]] = ([], [])
    for row, column in points:
        sides[(column // 2 + row) % 2].append(row * rules.size + column)
    black, white = sides
    while len(black) > len(white) + 1:
        white.append(black.pop())
    while len(white) > len(black):
        black.append(white.pop())
    found = [0] * rules.points
    found[0::2], found[1::2] = black, white
    return found


def positions(rules: Rules) -> Iterator[Board]:
    """Yield an empty board, one to win at once, one to stop a row, and an almost full one."""
    size, length = rules.size, rules.win_length
    yield Board(rules)
    corners = [(size - 1, 0), (size - 1, 2), (size - 2, 0), (size - 3, 3)]
    white = [row * size + column for row, column in corners[: length - 1]]
    moves = [move for pair in zip(range(length - 1), white, strict=True) for move in pair]
    for played in (moves, moves[:-1]):
        board = Board(rules)
        for move in played:
            board.push(move)
        yield board
    board = Board(rules)
    for move in filled(rules)[:-1]:
        board.push(move)
    if board.outcome() is None and not board.must_pass:
        yield board


@pytest.mark.parametrize(("name", "rule", "size"), list(claims()))
def test_plays_every_rule_and_size_that_it_claims(name: str, rule: str, size: int) -> None:
    rules = rules_of(size, rule)
    assert rules is not None
    player, rng = create_player(name, rules, QUICK.get(name)), np.random.default_rng(size)
    for board in positions(rules):
        for limit in TIGHT:
            move = player.choose(board, limit, rng).move
            assert move in board.legal_moves, (board, limit)
    over = Board(rules)
    while over.outcome() is None:  # Black along the first row, White along the second
        over.push(over.ply // 2 + size * (over.ply % 2))
    with pytest.raises(GameOverError):
        player.choose(over, TIGHT[0], rng)
    player.close()


def test_who_claims_no_rule_plays_those_without_fouls() -> None:
    assert PlayerInfo("quiet", "", "").supported_rules == FOUL_FREE == ("freestyle", "standard")
    assert get_player_info("scripts.mine:create").supported_rules == FOUL_FREE
    for name in ("alpha-beta", "one-ply", "random", "human"):
        assert PLAYERS[name].supported_rules == ALL_RULES
