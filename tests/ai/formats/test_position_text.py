"""Positions as text: what is written is read again, and what cannot be read says where."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai.formats.position_text import read_position, sgf_text, to_move_of, write_position
from ai.formats.source import GameFileError
from ai.formats.written import WrittenGame
from ai.game import BLACK, WHITE, Rule, Rules, from_text


@st.composite
def positions(draw: st.DrawFn) -> WrittenGame:
    """Return set-ups in which no row can win: at most four stones a side."""
    size = draw(st.integers(5, 22))
    rules = Rules(size, 5, draw(st.sampled_from(list(Rule))))
    points = draw(st.lists(st.integers(0, size * size - 1), unique=True, max_size=8))
    black = draw(st.integers(max(0, len(points) - 4), min(4, len(points))))
    setup = [(point, BLACK if place < black else WHITE) for place, point in enumerate(points)]
    return WrittenGame(rules, (), setup=tuple(setup), first=draw(st.sampled_from([BLACK, WHITE])))


@settings(max_examples=60, deadline=None)
@given(positions())
def test_a_position_comes_back_from_its_text_and_from_its_sgf(game: WrittenGame) -> None:
    for text in (write_position(game), sgf_text(game)):
        again = read_position(text)
        assert again.rules == game.rules
        assert dict(again.setup) == dict(game.setup)
        assert to_move_of(again) == to_move_of(game) == game.first


def test_rows_of_other_programs_are_read() -> None:
    drawn = "  a b c d e\n5 + + + + + 5\n4 + ● ○ + +\n3 | + x O * + |\n2 .....\n1 - _ . + ·\n"
    game = read_position(drawn)
    stones = {from_text(text, 5) for text in ("b4", "b3", "d3")}
    assert {point for point, color in game.setup if color == BLACK} == stones
    assert (game.rules, len(game.setup)) == (Rules(5), 5)


def test_moves_are_read_in_turn() -> None:
    assert read_position("h8 i9 h9").moves == tuple(
        from_text(text, 15) for text in ("h8", "i9", "h9")
    )
    assert read_position(" h8\n").moves == (from_text("h8", 15),)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("  ", "expected a position, found nothing"),
        ("hello", "text:1:1: expected a drawn position, SGF, moves"),
        ("15x15, nonsense", "found 'nonsense'"),
        ("h8 h8", "expected an empty point, found h8, where move 1 lies"),
        ("(;GM[4]SZ[15];B[zz])", "expected a point from 'aa' to 'oo', found 'zz'"),
        (".....\n....\n.....\n.....\n.....", "text:2:1: expected a row of 5 points, found 4"),
        ("5x6\n" + ".....\n" * 5, "expected 5x6 points as stated, found 5x5 points"),
        ("XXXXX\n" + ".....\n" * 4, "expected a set-up without a row that wins"),
        (".....\nhello\n.....", "text:2:1: expected a row of '.', 'X' and 'O', found 'hello'"),
        ("." * 40 + "\n", "a board of 3 to 22 points a side, found 40"),
    ],
)  # fmt: skip
def test_a_text_that_is_no_position_says_where_and_what_was_expected(text: str, told: str) -> None:
    with pytest.raises(GameFileError) as caught:
        read_position(text)
    assert told in str(caught.value)
