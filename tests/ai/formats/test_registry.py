"""Formats are told by what a file begins with, then by its suffix; files are bounded."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ai.formats import GameFileError, is_game_file, read_game_file, write_game_file, written_of
from ai.formats import source as source_module
from ai.game import BLACK, GameRecord, Rules

GAME = written_of(GameRecord(Rules(15), (112, 113), BLACK, "declared", 1), black="a", white="b")


def test_a_suffix_says_how_a_game_is_written(tmp_path):
    losses = {suffix: write_game_file(tmp_path / f"game{suffix}", [GAME])
              for suffix in (".sgf", ".psq", ".txt")}  # fmt: skip
    assert losses == {".sgf": (), ".psq": (), ".txt": ("names",)}
    for suffix in losses:
        (game,) = read_game_file(tmp_path / f"game{suffix}")
        assert (game.moves, game.winner) == (GAME.moves, BLACK)


def test_what_a_file_begins_with_goes_before_its_suffix(tmp_path):
    path = tmp_path / "game.txt"
    path.write_bytes(b"\xef\xbb\xbf  (;GM[4];B[hh])")
    assert read_game_file(path)[0].moves == (112,)


@pytest.mark.parametrize(("name", "content", "expected"), [
    ("a.sgf", b"hello", "a.sgf:1:1: expected '(;' and a game, found no game"),
    ("a.psq", b"hello", "a.psq:1:1: expected 'Piskvorky 15x15, 0:0, 0', found 'hello'"),
    ("a.bin", b"hello", "expected a name that ends in .sgf, .psq, .txt, found 'a.bin'"),
    ("a.sgf", b"(;GM[4]\x00", "a.sgf:1:8: expected text, found the character U+0000"),
])  # fmt: skip
def test_what_is_no_game_file_is_said(tmp_path, name, content, expected):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(GameFileError) as found:
        read_game_file(tmp_path / name)
    assert expected in str(found.value)
    assert is_game_file(Path("A.SGF"))
    assert not is_game_file(Path("a.bin"))


def test_a_file_of_100_mb_is_refused_before_it_is_read(tmp_path, monkeypatch):
    path = tmp_path / "large.sgf"
    with path.open("wb") as file:
        os.truncate(file.fileno(), 100 << 20)
    monkeypatch.setattr(source_module, "LARGEST", 1 << 20)
    with pytest.raises(GameFileError, match=r"large\.sgf: expected at most 1 MB, found 100 MB"):
        read_game_file(path)
    assert source_module.LARGEST < 100 << 20


def test_a_folder_or_nothing_is_one_error(tmp_path):
    for path in (tmp_path, tmp_path / "none.sgf"):
        with pytest.raises(GameFileError, match="expected a game file, found: "):
            read_game_file(path)
