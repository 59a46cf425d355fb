"""SGF: syntax, escapes, encodings, set-up, variations, errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from ai.formats import GameFileError, LeftOut, format_named, variation_moves
from ai.formats.sgf import read, write
from ai.game import BLACK, WHITE, GameRecord, from_text, parse_moves

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


@pytest.mark.parametrize(("text", "moves", "note"), [
    ("(;GM[4]SZ[9]AB[aa][bb][cc];W[hh])", "a9 pass b8 pass c7 pass pass h2",
     "a.sgf:1:30: white moves after 3 black and 0 white stones of the set-up; passes stand between"),
    ("(;GM[4]SZ[9]AB[aa][bb][cc];B[hh])", "a9 pass b8 pass c7 pass h2", "black moves after 3 black"),
    ("(;GM[4]SZ[9]RU[renju]AB[aa][bb]AW[dd][cc][ee])", "a9 d6 b8 c7 pass e5",
     "a.sgf:1:2: the set-up has 2 black and 3 white stones; passes stand between"),
    ("(;GM[4]SZ[9]PL[W]AB[aa]AW[dd])", "a9 d6 pass", "the set-up has 1 black and 1 white stones"),
    ("(;GM[4]SZ[9];B[aa];B[bb])", "a9 pass b8",
     "a.sgf:1:22: move 2 is of the same side as the one before; a pass stands between"),
    ("(;GM[4]SZ[9];W[aa];B[bb])", "pass a9 b8", "white moves after 0 black and 0 white stones"),
    ("(;GM[4]SZ[9];B[aa];W[];B[tt];W[bb])", "a9 pass pass b8", "a.sgf:1:22: move 2 is a pass"),
])  # fmt: skip
def test_passes_and_unequal_set_ups_are_shown_with_a_pass_where_a_turn_is_missing(
    text, moves, note
):
    game = one(text)
    record = game.record(1)
    assert record.moves == parse_moves(moves, 9)
    assert record.board().ply == len(record.moves)
    assert note in "".join(game.notes)
    assert bool(note) == bool(game.notes)
    again = one(write([game], "a"))
    assert (again, again.moves) == (game, game.moves)
    with pytest.raises(GameFileError, match="expected"):
        format_named(Path("a.psq")).write([game], "a")


@pytest.mark.parametrize("encoding", ["UTF-8", "GB18030", "Shift_JIS", "EUC-KR", "Big5"])
def test_the_encoding_is_the_one_that_the_file_names(encoding):
    assert one(f"(;GM[4]CA[{encoding}]PB[一];B[hh])", encoding).black == "一"


GAME = "(;FF[4]GM[4]SZ[15]%sPB[%s]PW[%s];B[hh];W[ii];B[hi])"


@pytest.mark.parametrize(("encoding", "black", "white"), [
    ("shift_jis", "山田ソ", "中村"), ("euc_kr", "김철수", "박영희"), ("gb18030", "王小明", "李四"),
    ("shift_jis", "山田ソ", "a"), ("shift_jis", "ソ", "b"), ("shift_jis", "能", "表"),
    ("gb18030", "李四", "a"), ("big5", "林小明", "c"), ("koi8-r", "Иванов", "d"),
    ("cp1252", "Ángel", "François"), ("cp1250", "Žofie", "Novák"), ("latin-1", "é", "x"),
    ("big5", "陳大文", "林小明"), ("cp1251", "Иванов", "Петров"), ("cp1250", "Jiří Novák", "Štěpán"),
    ("latin-1", "Müller", "José"), ("utf-16", "Müller", "José"),
])  # fmt: skip
@pytest.mark.parametrize("named", ["", "CA[UTF-8]", "CA[utf-7]"])
def test_an_encoding_that_is_not_named_is_guessed_and_no_move_is_lost(
    encoding, black, white, named
):
    game = one(GAME % (named, black, white), encoding)
    assert (game.black, game.white, len(game.plies)) == (black, white, 3)
    assert bool(game.notes) == (encoding != "utf-16")
    again = one(write([game], "a"))
    assert (again.black, again.notes) == (black, ()), "what is written is UTF-8, and says so"


MASTERS = {
    "gb18030": "曹冬 吴侃 陈科翰 芮震 祁观 朱建锋 张进宇 梅凡 杨彦希 李一 葛凌峰 朱镕基", "gbk": "祁觀 陳靖 張進宇",
    "big5": "江齊文 林書玄 陳科翰 張堯豐 黃立勤 莊鎮", "shift_jis": "中村茂 長谷川一人 山口釉水 岡部寛 早川嘉美",
    "cp932": "髙橋 中村茂", "euc_kr": "김수찬 이호준 전대양 박정호", "cp949": "김똠 박뷁", "euc_jp": "岡部寛 中村茂",
}  # fmt: skip
NAMED = {
    "gb18030": "GB18030", "gbk": "gb2312 GBK cp936 windows-936", "big5": "Big5 cp950 big5-hkscs",
    "shift_jis": "Shift_JIS SJIS x-sjis Windows-31J", "cp932": "Shift_JIS cp932",
    "euc_kr": "EUC-KR ks_c_5601-1987 cp949", "cp949": "EUC-KR uhc", "euc_jp": "EUC-JP",
}  # fmt: skip


@pytest.mark.parametrize("encoding", MASTERS)
def test_names_of_masters_are_read_with_and_without_a_named_encoding(encoding):
    names = MASTERS[encoding].split()
    for named in ("", *(f"CA[{word}]" for word in NAMED[encoding].split())):
        for black, white in [*zip(names, names[1:] + names[:1], strict=True), (names[0], "")]:
            game = one(GAME % (named, black, white), encoding)
            assert (game.black, game.white, len(game.plies)) == (black, white, 3), named
            assert not (named and game.notes), "nothing is guessed where the file says it"


def test_utf_8_is_read_although_another_encoding_is_named():
    game = one(GAME % ("CA[Shift_JIS]", "山田ソ", "中村"))
    assert (game.black, len(game.plies)) == ("山田ソ", 3)
    assert game.notes == ("a.sgf: read as UTF-8, though it names shift_jis",)
    assert one("(;GM[4]PB[é])").notes == ()


@pytest.mark.parametrize(("rule", "found"), [
    ("4", "renju"), ("1", "standard"), ("0", "freestyle"), ("9", "caro"), ("8", "caro"),
    ("RIF", "renju"), ("Renju, Soosorv-8", "renju"), ("Taraguchi-10", "renju"),
    ("Gomoku standard", "standard"), ("exactly five", "standard"), ("Free Style", "freestyle"),
])  # fmt: skip
def test_rules_in_the_words_and_numbers_of_others_are_read(rule, found):
    game = one(f"(;GM[4]SZ[15]RU[{rule}];B[hh])")
    assert game.rules.rule == found
    assert game.notes == (f"a.sgf:1:17: RU[{rule}] is read as {found}",)
    again = one(write([game], "a"))
    assert (again.rules, again.notes) == (game.rules, ()), "what is written is strict"


@pytest.mark.parametrize(("text", "plies", "note"), [
    ("(;GM[4];B[hh];W[ii])\nThanks for the game!", 2, "a.sgf:1:21: text after the game is left out"),
    ("(;GM[4];B[hh];W[ii]", 2, "a.sgf:1:20: ')' is missing"),
    ("(;GM[4];B[hh](;W[ii];B[aa])(;W[aa]", 3, "a.sgf:1:35: ')' is missing"),
    ("(;SZ[15];B[hh])", 1, "a.sgf:1:2: no GM is stated; read as GM[4], Gomoku or Renju"),
    ("(;GM[4];B[rh];W[ii])", 2, "a.sgf:1:2: no SZ is stated; the moves need 19"),
    ("(;GM[4]RE[Mei];B[hh])", 1, "RE[Mei] is no result such as 'B+', 'W+R' or '0'; read as unfin"),
    ("(;GM[4]RU[chess];B[hh])", 1, "RU[chess] is not known; five or more in a row win"),
    ("(;GM[4]SZ[9];B[aa];W[ab];B[ba];W[bb];B[ca];W[cb];B[da];W[db];B[ea];W[])", 9,
     "a pass after the end is left out"),
])  # fmt: skip
def test_what_others_write_is_read_and_what_was_guessed_is_a_line(text, plies, note):
    game = one(text)
    assert len(game.plies) == plies
    (line,) = game.notes
    assert note in line
    assert one(write([game], "a")).moves == game.moves


def test_of_a_collection_the_games_that_can_be_read_are_read():
    text = b"(;GM[4];B[hh])(;GM[1];B[aa])\nwords (;GM[4];B[aa];W[aa])(;GM[4];B[bb]\n(;GM[4];B[cc])"
    games = read("a", text)
    assert [game.moves for game in games] == [(112,), (16,), (32,)]
    said = " ".join(games[0].notes)
    for part in ("found GM[1]; this game is left out", "'words'", "where move 1 lies; this game is",
                 "a:3:1: ')' is missing"):  # fmt: skip
        assert part in said
    with pytest.raises(GameFileError, match=r"found GM\[1\]"):
        read("a", b"(;GM[1])(;GM[2])")


def test_a_collection_holds_several_games():
    games = read("a", b"(;GM[4]SZ[15];B[hh])\n(;GM[4]SZ[20];B[aa])")
    assert [game.rules.size for game in games] == [15, 20]
    assert read("a", write(games, "a").encode()) == games


@pytest.mark.parametrize(("text", "expected"), [
    ("", "a:1:1: expected '(;' and a game, found no game"),
    ("(;GM[1])", "a:1:6: expected GM[4], Gomoku or Renju, found GM[1]"),
    ("(;SZ[19]KM[6.5])", "a:1:2: expected GM[4], Gomoku or Renju, found none, which means Go"),
    ("(;GM[4]\n;B[hh", "a:2:3: expected ']' after the value of B, found B[ without an end"),
    ("(;GM[4];B)", "a:1:10: expected '[' and a value of B, found ')'"),
    ("(;GM[4];B[hh]()", "a:1:15: expected ';', found ')'"),
    ("(;GM[4]SZ[15];B[hp])", "a:1:17: expected a point from 'aa' to 'oo', found 'hp'"),
    ("(;GM[4]SZ[15];B[h16])", "a:1:17: expected a point from 'aa' to 'oo', found 'h16'"),
    ("(;GM[4];B[7])", "a:1:11: expected a point such as 'hh', found '7'"),
    ("(;GM[4]AB[])", "a:1:11: expected a point such as 'hh', found a pass"),
    ("(;GM[4];B[hh];W[hh])", "a:1:17: expected an empty point, found h8, where move 1 lies"),
    ("(;GM[4]AB[hh];B[hh])", "found h8, where a stone of the set-up lies"),
    ("(;GM[4];B[hh]W[ii])", "a:1:16: expected one move in a node, found two"),
    ("(;GM[4];B[hh];AB[ii])", "a:1:18: expected set-up stones before the first move, found AB"),
    ("(;GM[4];AE[ii])", "a:1:12: expected no stone taken away, found AE"),
    ("(;GM[4]SZ[999])", "a:1:11: expected a board of 3 to "),
    ("(;GM[4]SZ[4];B[aa])", "expected rules of a game on this board, found win_length: expected"),
    ("(;GM[4]SZ[x])", "a:1:11: expected a size such as '15' or '9:7', found 'x'"),
    ("(;GM[4]PL[x])", "a:1:11: expected 'B' or 'W', found 'x'"),
    ("(;GM[4]AB[aa][ba][ca][da][ea])", "a:1:27: expected a set-up without a row that wins"),
])  # fmt: skip
def test_each_fault_is_one_line_with_its_place(text, expected):
    with pytest.raises(GameFileError) as found:
        read("a", text.encode())
    assert expected in str(found.value)
    assert "\n" not in str(found.value)


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
