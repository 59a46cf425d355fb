"""Piskvork's files, as its manager and Gomocup write them."""

from __future__ import annotations

import pytest

from ai.formats import GameFileError
from ai.formats.psq import read, write
from ai.game import BLACK, WHITE, Rules

PLAYED = """Piskvorky 20x20, 11:11, 0
11,10,0
12,11,4821
9,10,15
FIRST.zip
SECOND.zip
-1
2,Freestyle20
"""


def test_a_file_of_a_tournament_goes_round():
    (game,) = read("a.psq", PLAYED.replace("\n", "\r\n").encode())
    assert game.rules == Rules(20)
    assert game.moves == (9 * 20 + 10, 10 * 20 + 11, 9 * 20 + 8)
    assert [ply.seconds for ply in game.plies] == [0.0, 4.821, 0.015]
    assert (game.black, game.white, game.winner) == ("FIRST.zip", "SECOND.zip", WHITE)
    assert write([game], "a") == PLAYED


def test_a_file_of_the_window_has_no_names_and_who_began_may_be_the_second():
    (game,) = read("a", b"Piskvorky 15x15, 0:3, 1\n8,8,0\n-1\n")
    assert (game.black, game.white, game.termination) == ("", "", "unfinished")
    (game,) = read("a", b"Piskvorky 15x15, 0:3, 1\n8,8,0\none\ntwo\n-1\n1,Renju\n")
    assert (game.black, game.white, game.winner) == ("two", "one", WHITE)


def test_the_code_15_is_a_loss_on_time_of_the_side_to_move():
    (game,) = read("a", b"Piskvorky 15x15, 0:3, 0\n8,8,0\n15\n")
    assert (game.winner, game.termination) == (BLACK, "time")


@pytest.mark.parametrize(("change", "expected"), [
    (("Piskvorky", "Piskvork"), "a:1:1: expected 'Piskvorky 15x15, 0:0, 0', found 'Piskvork "),
    (("20x20", "99x20"), "a:1:11: expected a board of 3 to "),
    (("12,11", "21,11"), "a:3:1: expected a column from 1 to 20, found 21"),
    (("12,11", "12,0"), "a:3:4: expected a row from 1 to 20, found 0"),
    (("12,11", "11,10"), "a:3:1: expected an empty point, found k11, where move 1 lies"),
    (("12,11,4821", "12,11,x"), "a:3:1: expected a move as 'column,row,milliseconds', or a code"),
])  # fmt: skip
def test_each_fault_is_one_line_with_its_place(change, expected):
    with pytest.raises(GameFileError) as found:
        read("a", PLAYED.replace(*change).encode())
    assert str(found.value).startswith(expected) or expected in str(found.value)
    assert "\n" not in str(found.value)


def test_what_the_format_cannot_hold_is_said():
    (game,) = read("a", PLAYED.encode())
    with pytest.raises(GameFileError, match=r"expected one game for a \.psq file, found 2"):
        write([game, game], "a")


@pytest.mark.parametrize(("change", "names", "note"), [
    (("12,11,4821", "12,11"), ("FIRST.zip", "SECOND.zip"), "a:2:1: 1 of 3 moves have no time"),
    (("SECOND.zip\n", ""), ("FIRST.zip", ""), "a:5:1: 1 line for the names of two players"),
    (("-1\n2,Freestyle20\n", ""), ("FIRST.zip", "SECOND.zip"), "a:6:1: no line with the manager's"),
    (("FIRST.zip\nSECOND.zip\n-1\n2,Freestyle20\n", ""), ("", ""), "no line with the manager's code"),
    (("20x20, 11:11, 0", "20x20"), ("FIRST.zip", "SECOND.zip"), ""),
])  # fmt: skip
def test_a_file_without_its_end_or_its_times_is_read_and_says_so(change, names, note):
    (game,) = read("a", PLAYED.replace(*change).encode())
    assert (len(game.plies), game.black, game.white) == (3, *names)
    assert note in " ".join(game.notes)
    assert len(game.notes) == bool(note)
    assert len(read("a", write([game], "a").encode())[0].plies) == 3
