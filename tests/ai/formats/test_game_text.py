"""The game text of the swap2 thesis: its rounds, its choices, its errors."""

from __future__ import annotations

import pytest

from ai.formats import ColorChoice, GameFileError
from ai.formats.game_text import read, write
from ai.game import BLACK, WHITE, Rules, to_text

PRINTED = b"""1. h8 g7 2. e11 white 3. \xe2\x80\x93 i7 4. h6 h7 5. j7 g6 6. f7 i6 7. i8 g8 8. g9 f9 9.
g9 e10 0-1
"""
SOUND = "1. h8 g7 2. e11 white 3. - i7 4. h6 h7 5. j7 g6 6. f7 i6 7. i8 g8 8. g9 f9 9. e10 j9 0-1\n"


def fault(text):
    with pytest.raises(GameFileError) as found:
        read("game.txt", text.encode() if isinstance(text, str) else text)
    return str(found.value)


def test_the_example_as_printed_plays_a_point_twice():
    assert fault(PRINTED) == (
        "game.txt:2:1: expected an empty point, found 'g9', where move 13 lies".replace(
            "'g9'", "g9"
        )
    )


def test_another_example_goes_round():
    (game,) = read("game.txt", SOUND.encode())
    assert write([game], "game.txt") == SOUND
    assert game.opening == (ColorChoice(3, 2, WHITE),)
    assert [to_text(move, 15) for move in game.moves[:5]] == ["h8", "g7", "e11", "i7", "h6"]
    assert game.moves[0] == 112, "as the thesis counts h8"
    assert [ply.color for ply in game.plies[:5]] == [BLACK, WHITE, BLACK, WHITE, BLACK]
    assert (game.winner, game.termination, game.rules) == (WHITE, "declared", Rules(15))


@pytest.mark.parametrize(("text", "choice", "winner"), [
    ("1. h8 g7 2. e11 black 3. i7 h6 0-1", ColorChoice(3, 2, BLACK), BLACK),
    ("1. h8 g7 2. e11 i7 3. - h6 4. white - 5. h7 j7 1-0", ColorChoice(5, 1, WHITE), WHITE),
    ("1. h8 g7 2. e11 i7 3. - h6 4. black h7 5. j7 *", ColorChoice(5, 1, BLACK), 0),
    ("1. h8 g7 2. e11 white 1/2-1/2", ColorChoice(3, 2, WHITE), 0),
])  # fmt: skip
def test_every_choice_of_swap2_goes_round(text, choice, winner):
    (game,) = read("a", text.encode())
    assert (game.opening, game.winner) == ((choice,), winner)
    assert write([game], "a") == text + "\n"


def test_games_follow_each_other():
    games = read("a", b"1. h8 g7 1-0\n1. a1 *  1.\nb2 c3 2. d4 0-1")
    assert [len(game.plies) for game in games] == [2, 1, 3]
    assert read("a", write(games, "a").encode()) == games


@pytest.mark.parametrize(("text", "expected"), [
    ("", "a:1:1: expected a result such as '1-0', '0-1' or '*', found the end of the file"),
    ("1. h8 g7 2. e11", ":1:16: expected a result"),
    ("1. h8 g7 3. e11 *", ":1:10: expected '2.', found '3.'"),
    ("1. h8 2. g7 *", ":1:7: expected an action of round 1, found '2.'"),
    ("1. h8 g7 2. *", ":1:13: expected an action of round 2, found a result"),
    ("h8 g7 *", ":1:1: expected '1.' or a result, found 'h8'"),
    ("h8 g7 h8", ":1:7: expected an empty point, found h8, where move 1 lies"),
    ("h8z26", ":1:3: expected a point of a board, found 'z26'"),
    ("1. h8 g7 e11 *", ":1:10: expected '2.' or a result, found 'e11'"),
    ("1. h8\np9 *", ":2:1: expected a point such as 'h8', 'white', 'black', '-' or a result "
     "such as '0-1', found 'p9'"),
    ("1. h8 pass *", "found 'pass'"),
    ("1. h8 white *", ":1:7: expected a point or '-', found 'white'"),
    ("1. - h8 *", ":1:4: expected a point, found '-'"),
    ("1. h8 g7 2. e11 white 3. i7 *", ":1:26: expected '-': player 1 has no action here"),
    ("1. h8 g7 2. e11 white 3. - - *", ":1:28: expected a point of player 2, found '-'"),
    ("1. h8 g7 2. e11 i7 3. - h6 4. j7 *", ":1:31: expected the choice of a color"),
    ("*", ":1:1: expected '1.' and a game, found a result"),
    ("1. a1 a2 2. b1 b2 3. c1 c2 4. d1 d2 5. e1 e2 *", ":1:43: expected no move after the end"),
    ("1. a1 a2 2. b1 b2 3. c1 c2 4. d1 d2 5. e1 0-1", "expected that black wins, who has 5 in a "
     "row, found that white wins"),
    (b"1. h8 \xff\x81", ":1:7: expected a point such as 'h8', 'white', 'black', '-' or a result"),
    (b"1. h8 \x00", ":1:7: expected text, found the character U+0000"),
])  # fmt: skip
def test_each_fault_is_one_line_with_its_place(text, expected):
    with pytest.raises(GameFileError) as found:
        read("a", text if isinstance(text, bytes) else text.encode())
    assert expected in str(found.value)
    assert "\n" not in str(found.value)


def test_a_row_too_long_does_not_end_a_game_that_goes_on():
    row = "1. a1 a3 2. b1 b4 3. c1 c5 4. e1 e6 5. f1 f7 6. d1"
    (game,) = read("a", f"{row} g8 *".encode())
    assert game.rules.exact
    (game,) = read("a", f"{row} 1-0".encode())
    assert (game.rules.exact, game.termination) == (False, "five")


@pytest.mark.parametrize(("text", "sizes", "games"), [
    ("h8g7h9", 15, [["h8", "g7", "h9"]]),
    ("H13H11J13\n", 15, [["h13", "h11", "j13"]]),
    ("a1 b2, t20", 20, [["a1", "b2", "t20"]]),
    ("h8 i9\nh8 g7 h7\n", 15, [["h8", "i9"], ["h8", "g7", "h7"]]),
])  # fmt: skip
def test_points_alone_are_a_game_of_five_or_more(text, sizes, games):
    found = read("a", text.encode())
    assert [[to_text(move, sizes) for move in game.moves] for game in found] == games
    assert found[0].rules == Rules(sizes)
    assert found[0].notes == (
        f"a:1:1: points without rules; read as five or more in a row on {sizes}x{sizes}",
    )
