"""SGF: syntax, escapes, encodings, set-up, variations, errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from ai.formats import GameFileError, LeftOut, format_named, variation_moves
from ai.formats.sgf import read, write
from ai.game import BLACK, WHITE, GameRecord, from_text

FULL = r"""junk before (;FF[4]GM[4]SZ[15]PB[Mei]PW[Jiří \]]RE[W+R]EV[Open]
C[a \\ b\
c];B[hh]C[centre];C[more];W[ig]BL[12.5]
(;B[hi];W[jj])(;B[aa]N[the other];W[bb](;B[cc])(;B[dd]))(;B[ab]))"""


def one(text, encoding="utf-8"):
    (game,) = read("a.sgf", text.encode(encoding))
    return game


def test_names_texts_and_the_main_line_are_read():
    game = one(FULL)
    assert (game.black, game.white) == ("Mei", "Jiří ]")
    assert game.comment == "a \\ bc"
    assert (game.winner, game.termination) == (WHITE, "resigned")
    assert game.moves == tuple(from_text(text, 15) for text in ("h8", "i9", "h7", "j6"))
    assert game.plies[0].comment == "centre\nmore"
    assert game.plies[1].other == (("BL", ("12.5",)),)
    assert game.other == (("EV", ("Open",)),)


def test_variations_are_kept_with_their_names():
    game = one(FULL)
    found = [(item.ply, item.name) for item in game.variations]
    assert found == [(2, "the other"), (2, "variation 2 after move 2")]
    assert game.variations[0].text == "(;B[aa]N[the other];W[bb](;B[cc])(;B[dd]))"
    assert variation_moves(game, game.variations[0])[2:] == (0, 16, 32)
    with pytest.raises(GameFileError, match=r"^out:.* expected a point"):
        variation_moves(game, LeftOut(2, "out", "(;B[zz])"))
    again = one(write([game], "a"))
    assert again == game


def test_stones_set_up_stand_before_the_first_move():
    game = one("(;GM[4]SZ[9]AB[aa:ac]AW[ee][ff];W[gg])")
    assert game.setup == ((0, BLACK), (9, BLACK), (18, BLACK), (40, WHITE), (50, WHITE))
    record = game.record(1)
    assert record.moves == (0, 40, 9, 50, 18, 60)
    assert record.board().ply == 6


def test_stones_that_do_not_take_turns_are_read_but_no_game_to_play():
    game = one("(;GM[4]AB[aa][bb][cc];W[hh])")
    with pytest.raises(GameFileError, match="found 3 black and 0 white"):
        game.record(1)
    with pytest.raises(GameFileError, match="found move 2 of Black"):
        one("(;GM[4];B[aa];B[bb])").record(1)


@pytest.mark.parametrize("encoding", ["UTF-8", "GB18030", "Shift_JIS", "EUC-KR", "Big5"])
def test_the_encoding_is_the_one_that_the_file_names(encoding):
    assert one(f"(;GM[4]CA[{encoding}]PB[一];B[hh])", encoding).black == "一"


def test_an_encoding_without_a_name_is_utf_8_or_latin_1():
    assert one("(;GM[4]PB[é])").black == "é"
    assert one("(;GM[4]PB[é])", "latin-1").black == "é"


def test_a_collection_holds_several_games():
    games = read("a", b"(;GM[4]SZ[15];B[hh])\n(;GM[4]SZ[20];B[aa])")
    assert [game.rules.size for game in games] == [15, 20]
    assert read("a", write(games, "a").encode()) == games


@pytest.mark.parametrize(("text", "expected"), [
    ("", "a:1:1: expected '(;' and a game, found no game"),
    ("(;GM[1])", "a:1:6: expected GM[4], Gomoku or Renju, found GM[1]"),
    ("(;SZ[15])", "a:1:2: expected GM[4], Gomoku or Renju, found none, which means Go"),
    ("(;GM[4];B[hh]", "a:1:14: expected ';', '(' or ')', found the end of the file"),
    ("(;GM[4]\n;B[hh", "a:2:3: expected ']' after the value of B, found B[ without an end"),
    ("(;GM[4];B)", "a:1:10: expected '[' and a value of B, found ')'"),
    ("(;GM[4];B[hh](;W[aa])", "a:1:22: expected '(' or ')', found the end of the file"),
    ("(;GM[4];B[hh]()", "a:1:15: expected ';', found ')'"),
    ("(;GM[4])x", "a:1:9: expected '(' or the end of the file, found 'x'"),
    ("(;GM[4]SZ[15];B[hp])", "a:1:17: expected a point from 'aa' to 'oo', found 'hp'"),
    ("(;GM[4]SZ[15];B[h16])", "a:1:17: expected a point from 'aa' to 'oo', found 'h16'"),
    ("(;GM[4];B[7])", "a:1:11: expected a point such as 'hh', found '7'"),
    ("(;GM[4];B[])", "a:1:11: expected a point such as 'hh', found a pass"),
    ("(;GM[4];B[hh];W[hh])", "a:1:17: expected an empty point, found h8, where move 1 lies"),
    ("(;GM[4]AB[hh];B[hh])", "found h8, where a stone of the set-up lies"),
    ("(;GM[4];B[hh]W[ii])", "a:1:16: expected one move in a node, found two"),
    ("(;GM[4];B[hh];AB[ii])", "a:1:18: expected set-up stones before the first move, found AB"),
    ("(;GM[4];AE[ii])", "a:1:12: expected no stone taken away, found AE"),
    ("(;GM[4]SZ[999])", "a:1:11: expected a board of 3 to "),
    ("(;GM[4]SZ[4];B[aa])", "expected rules of a game on this board, found win_length: expected"),
    ("(;GM[4]SZ[x])", "a:1:11: expected a size such as '15' or '9:7', found 'x'"),
    ("(;GM[4]RE[Mei])", "a:1:11: expected a result such as 'B+', 'W+R' or '0', found 'Mei'"),
    ("(;GM[4]PL[x])", "a:1:11: expected 'B' or 'W', found 'x'"),
    ("(;GM[4]CA[utf-7])", "a:1:11: expected an encoding such as 'UTF-8' or 'GB18030', "
     "found 'utf-7'"),
    ("(;GM[4]AB[aa][ba][ca][da][ea])", "a:1:27: expected a set-up without a row that wins"),
])  # fmt: skip
def test_each_fault_is_one_line_with_its_place(text, expected):
    with pytest.raises(GameFileError) as found:
        read("a", text.encode())
    assert expected in str(found.value)
    assert "\n" not in str(found.value)


def test_bytes_that_are_none_of_the_encoding_are_named():
    with pytest.raises(GameFileError, match=r"a:2:4: expected text \(utf-8\), found the byte 0xff"):
        read("a", b"(;GM[4]CA[UTF-8]\nPB[\xff])")


def test_a_deep_tree_is_read_without_recursion():
    text = "(;GM[4]" + "(;C[a]" * 3_000 + ")" * 3_000 + "(;B[aa]" * 1_000 + ")" * 1_000 + ")"
    assert len(one(text).variations) == 1


def test_many_variations_are_read_in_one_go() -> None:
    """Each is numbered once: to count those before it anew took hours for a large file."""
    text = "(;GM[4]FF[4]SZ[15]" + "(;B[aa])" * 20_000 + ")"
    (game,) = read("a.sgf", text.encode())
    assert [item.name for item in game.variations[-2:]] == [
        "variation 19998 after move 0", "variation 19999 after move 0",
    ]  # fmt: skip


FOUL = "(;GM[4]FF[4]SZ[15]RU[renju]%s;B[hh];W[ao];B[ih];W[an];B[jh];W[am];B[lh];W[al];B[mh];W[aj];B[kh])"


@pytest.mark.parametrize(
    ("stated", "winner", "termination"),
    [("", WHITE, "foul"), ("RE[W+]", WHITE, "foul"), ("RE[B+R]", BLACK, "resigned")],
)
def test_a_foul_ends_the_game_unless_the_file_says_that_black_won(stated, winner, termination):
    game = one(FOUL % stated)
    assert (game.winner, game.termination) == (winner, termination)
    for suffix, kept in (
        (".sgf", termination),
        (".psq", "foul" if winner == WHITE else "declared"),
    ):
        path = Path(f"a{suffix}")
        form = format_named(path)
        (again,) = form.read("a", form.write([game], path.name).encode())
        assert (again.moves, again.winner, again.termination) == (game.moves, winner, kept)
    record = game.record(1)
    assert record.board().foul_made() == "overline"
    if termination == "foul":
        assert GameRecord.from_dict(record.as_dict()) == record
