"""Each format gives back what was written, for games drawn at random."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ai.formats import ColorChoice, LeftOut, Ply, WrittenGame, format_named, written_of
from ai.game import BLACK, EMPTY, PASS, RULE_NAMES, WHITE, Board, GameRecord, Rules

EXAMPLES = settings(max_examples=15, deadline=None)
LINES = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), max_size=8)
TEXTS = st.text(st.sampled_from("a ]\\[;():é中\n\t."), max_size=12)


def back(game, suffix):
    kind = format_named(Path(f"a{suffix}"))
    text = kind.write([game], "a")
    (found,) = kind.read("a", text.encode())
    assert kind.write([found], "a") == text, "what is read is written alike"
    return found


@st.composite
def games(draw, rules=None):
    """A legal game, ended by the board or broken off, with a result that fits."""
    if rules is None:
        size, rows = draw(st.sampled_from([(15, 15), (20, 20), (9, 7), (7, 7), (5, 8)]))
        rules = Rules(size, 5, height=rows)
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    board, plies = Board(rules), draw(st.integers(1, rules.points))
    while board.outcome() is None and board.ply < plies:
        board.push(int(rng.choice([*board.legal_moves])))
    end = board.outcome()
    if end is not None:
        return written_of(GameRecord.from_board(board, 1))
    winner, termination = draw(st.sampled_from([
        (0, "unfinished"), (BLACK, "declared"), (WHITE, "declared")]))  # fmt: skip
    return written_of(GameRecord(rules, tuple(board.moves), winner, termination, 1))


@EXAMPLES
@given(games(Rules(15)), st.sampled_from([None, (3, 2, WHITE), (3, 2, BLACK), (5, 1, WHITE),
                                          (5, 1, BLACK)]))  # fmt: skip
def test_game_text(game, choice):
    if choice is not None and len(game.plies) >= choice[0]:
        game = replace(game, opening=(ColorChoice(*choice),))
    assert back(game, ".txt") == game


@EXAMPLES
@given(games(), st.data())
def test_psq(game, data):
    spent = st.integers(0, 10**7)
    plies = tuple(replace(ply, seconds=data.draw(spent) / 1000.0) for ply in game.plies)
    names = st.sampled_from(["", "RAPFI25.zip", "Žofie 3", "pbrain-x (2)"])
    game = replace(game, plies=plies, black=data.draw(names), white=data.draw(names))
    if data.draw(st.booleans()) and game.termination == "unfinished":
        last = BLACK if len(plies) % 2 else WHITE
        game = replace(game, termination="time", winner=last)
    if data.draw(st.booleans()):
        game = replace(game, other=(("psq.levels", ("11:3",)), ("psq.rule", ("Free15",))))
    assert back(game, ".psq") == game


ENDS = [
    (EMPTY, "unfinished"), (EMPTY, "void"), (EMPTY, "declared"), (BLACK, "declared"),
    (WHITE, "resigned"), (BLACK, "time"), (WHITE, "forfeit"),
]  # fmt: skip


@st.composite
def games_in_rows(draw):
    """A game of any rule, its sides in rows of their own: rows of five and longer are frequent."""
    name = draw(st.sampled_from(RULE_NAMES))
    winner = draw(st.sampled_from([EMPTY, BLACK, WHITE]))
    size, rows = draw(st.sampled_from([(15, 15), (15, 15), (7, 7), (5, 8)]))
    board = Board(Rules(size, 5, name, height=rows, full_board_winner=winner))
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    plies = draw(st.integers(1, board.rules.points))
    while board.outcome() is None and board.ply < plies and not board.must_pass:
        legal = [*board.legal_moves]
        own = [move for move in legal if move // size % 2 == board.ply % 2 and move < 5 * size]
        board.push(int(rng.choice(own or legal)))
    if board.outcome() is not None:
        return written_of(GameRecord.from_board(board, 1))
    end = draw(st.sampled_from(ENDS))
    return written_of(GameRecord(board.rules, tuple(board.moves), *end, 1))


def unfinished_with_six():
    """A game by the standard rule that goes on after Black's last stone made six in a row."""
    board = Board(Rules(15, 5, "standard"))
    for black, white in zip((0, 1, 2, 4, 5), (30, 32, 34, 36, 38), strict=True):
        board.push(black)
        board.push(white)
    board.push(3)
    assert board.outcome() is None
    return written_of(GameRecord(board.rules, tuple(board.moves), EMPTY, "unfinished", 1))


@EXAMPLES
@given(games_in_rows())
@example(unfinished_with_six())
def test_what_does_not_come_back_is_told(game):
    assert back(game, ".sgf") == game
    timed = replace(game, plies=tuple(replace(ply, seconds=0.0) for ply in game.plies))
    kept = {".psq": timed} | ({".txt": game} if game.rules.size == 15 else {})
    for suffix, written in kept.items():
        found = back(written, suffix)
        assert (found.moves, found.winner) == (game.moves, game.winner)
        assert found == written or format_named(Path(f"a{suffix}")).lost(written)


@EXAMPLES
@given(games(), st.data())
def test_sgf(game, data):
    draw = data.draw
    plies = tuple(
        replace(ply, seconds=draw(st.sampled_from([None, 0.0, 1.234])), comment=draw(TEXTS),
                other=draw(st.sampled_from([(), (("LB", ("aa:1", "bb:\\]")),)])))
        for ply in game.plies[:6]
    ) + game.plies[6:]  # fmt: skip
    if game.termination == "declared":
        kinds = ["declared", "resigned", "time", "forfeit"]
        game = replace(game, termination=draw(st.sampled_from(kinds)))
    branches = (LeftOut(0, "a b", "(;B[aa]N[a b];W[bb](;B[cc])(;C[\\]]))"),
                LeftOut(0, "variation 2 after move 0", "(;C[x])"),
                LeftOut(len(plies), f"variation 1 after move {len(plies)}", "(;C[y])"))  # fmt: skip
    game = replace(
        game, plies=plies, black=draw(LINES), white=draw(LINES), comment=draw(TEXTS),
        variations=branches[: draw(st.integers(0, 3))],
        opening=draw(st.sampled_from([(), (ColorChoice(3, 2, WHITE), ColorChoice(5, 1, BLACK))])),
        other=draw(st.sampled_from([(), (("EV", ("Cup",)), ("KM", ("0",)))])),
    )  # fmt: skip
    assert back(game, ".sgf") == game


@pytest.mark.parametrize("rules", [
    Rules(7, 5, full_board_winner=WHITE), Rules(15, 5, exact=True), Rules(3, 3), Rules(20),
    Rules(7, 4, height=6, gravity=True), Rules(9, 6, exact=True, full_board_winner=BLACK),
    Rules(15, 5, "renju"), Rules(22, 5, "caro"),
])  # fmt: skip
def test_sgf_holds_the_rules(rules):
    board = Board(rules)
    board.push(rules.points - 1)
    game = written_of(GameRecord(rules, tuple(board.moves), EMPTY, "unfinished", 1))
    assert back(game, ".sgf").rules == rules


@pytest.mark.parametrize("name", RULE_NAMES)
@pytest.mark.parametrize("suffix", [".sgf", ".psq"])
def test_a_won_game_of_each_rule_comes_back(name, suffix):
    """White's stones stand at both ends of Black's row but where that row would not win."""
    rules = Rules(15, 5, name)
    whites = [16, 50, 52, 54] if name == "caro" else [16, 22, 50, 52]
    blacks = [17, 18, 19, 20, 21]
    moves = [blacks[0], *(move for pair in zip(whites, blacks[1:], strict=True) for move in pair)]
    game = written_of(GameRecord(rules, tuple(moves), BLACK, "five", 1), black="a", white="b")
    found = back(game, suffix)
    assert (found.rules, found.moves, found.winner) == (rules, game.moves, BLACK)
    assert found.termination == "five"


def test_a_row_that_the_stated_rule_does_not_count_goes_on():
    """Five between two white stones in caro: the game is not over."""
    caro = Rules(15, 5, "caro")
    moves = [17, 16, 18, 22, 19, 50, 20, 52, 21, 54, 100, 56]
    game = written_of(GameRecord(caro, tuple(moves), EMPTY, "unfinished", 1))
    assert back(game, ".sgf") == game


def test_sgf_holds_stones_in_any_turn_and_their_set_up():
    game = WrittenGame(
        Rules(15), (Ply(10, WHITE), Ply(11, WHITE), Ply(12, BLACK)),
        setup=((0, BLACK), (2, BLACK), (30, WHITE)), first=WHITE,
    )  # fmt: skip
    assert back(game, ".sgf") == game
    assert game.moves == (0, 30, 2, 10, PASS, 11, 12)
    assert [game.ply_at(number) for number in (3, 4, 5, 6)] == [
        None,
        game.plies[0],
        None,
        game.plies[1],
    ]


def test_a_paper_s_full_board_keeps_its_winner_in_every_format_that_holds_the_board():
    rules = Rules(3, 3, full_board_winner=WHITE)
    moves = (0, 1, 2, 4, 3, 5, 7, 6, 8)
    game = written_of(GameRecord(rules, moves, WHITE, "full", 1), black="a", white="b")
    assert back(game, ".sgf") == game


STUCK = [
    5, 22, 17, 24, 12, 9, 30, 31, 15, 29, 18, 23, 10, 0, 26, 14, 25, 8, 21, 34, 27, 28, 6, 13, 2,
    33, 19, 11, 4, 16, 7, 32, 3, 1,
]  # fmt: skip
"""A game of renju on 5x7 in which the last empty point is a foul."""


@pytest.mark.parametrize("winner", [EMPTY, BLACK, WHITE])
def test_a_game_in_which_black_has_only_fouls_left_is_full(winner):
    rules = Rules(5, 5, "renju", height=7, full_board_winner=winner)
    record = GameRecord.from_board(Board.from_moves(STUCK, rules), 1)
    assert (record.winner, record.termination) == (winner, "full")
    game = written_of(record)
    assert back(game, ".sgf") == game
