"""`review`: a game file, move by move."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from base.files import SHIPPED_ROOT
from tests.command_line import run_here

GAME = "(;GM[4]FF[4]SZ[9];B[de];W[ce];B[ee];W[ca];B[fe];W[ii];B[ge];W[ia])"
"""Black makes a four with one end closed, and White looks away."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A game file."""
    path = tmp_path / "game.sgf"
    path.write_text(GAME)
    return path


def test_it_tells_blunders_and_a_line_for_each_side(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run_here(capsys, "review", str(file), "--nodes", "1000")
    assert code == 0
    assert "8. White i9 leaves h5 open: Black wins at once; better h5 (the only defence" in out
    assert "\nBlack: 4 moves, " in out
    assert "\nWhite: 4 moves, " in out


def test_the_same_file_and_nodes_give_the_same(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("review", str(file), "--nodes", "1000", "--json", "--player", "alpha-beta")
    code, out, _ = run_here(capsys, *words)
    found = json.loads(out)
    assert code == 0
    assert (len(found["moves"]), found["by"]) == (8, "alpha-beta")
    assert found["moves"][7]["is_blunder"]
    assert 8 in found["blunders"]
    assert all(-1.0 <= item["after"] <= 1.0 for item in found["moves"])
    assert run_here(capsys, *words)[1] == out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--game", "2"), "--game: expected a game from 1 to 1, found 2"),
        (("--nodes", "0"), "--nodes: expected 1 or more, found 0"),
        (("--seconds", "0"), "--seconds: expected 0 to 600, found 0"),
        (("--nodes", "9", "--seconds", "1"), "expected --nodes or --seconds, found both"),
        (("--player", "random"), "--player: expected alpha-beta, found 'random'"),
    ],
)
def test_what_is_wrong_is_one_line(
    file: Path, words: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, error = run_here(capsys, "review", str(file), *words)
    assert (code, out, error.count("\n")) == (2, "", 1)
    assert told in error


@pytest.mark.parametrize("name", ["absent.sgf", "bad.sgf", "empty.sgf", "no_run"])
def test_a_bad_file_is_one_line(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad.sgf").write_text("(;GM[4]SZ[9];B[ee];W[ee])")
    (tmp_path / "empty.sgf").write_text("(;GM[4]SZ[9])")
    code, out, error = run_here(capsys, "review", str(tmp_path / name))
    assert (code, out, error.count("\n")) == (2, "", 1)
    assert "expected" in error


@pytest.mark.nightly
def test_the_page_shows_what_is_printed_of_the_shipped_game(
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = (SHIPPED_ROOT / "docs/review.md").read_text(encoding="utf-8")
    shown = next(part for part in page.split("```") if part.startswith("\nBlunders:"))
    _, out, _ = run_here(capsys, "review", str(SHIPPED_ROOT / "assets/recorded/alpha_beta.sgf"))
    assert out.endswith(shown.lstrip("\n"))


FOUL = (
    "(;GM[4]FF[4]SZ[15]RU[renju];B[hh];W[ao];B[ih];W[an];B[jh];W[am];B[lh];W[al];B[mh];W[aj];B[kh])"
)


def test_a_foul_is_the_end_of_a_game_of_renju(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "foul.sgf"
    path.write_text(FOUL)
    code, out, _ = run_here(capsys, "review", str(path), "--nodes", "100")
    assert code == 0
    assert "k8" in out
    assert "Black's foul (overline), White wins" in out
