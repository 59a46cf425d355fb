"""`train`: one line for what does not fit; what it does is in tests/ai/learning."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import run_here

GAME = "(;GM[4]FF[4]SZ[7];B[aa];W[bb];B[cc])"


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("pattern", "--records", "a.sgf"), "train: expected move-net, found 'pattern'"),
        (("move-net",), "--records: expected files with games, found none"),
        (("move-net", "--records", "a.sgf", "--held", "1"), "--held: expected a number from 0 to"),
        (("move-net", "--records", "a.sgf", "--epochs", "0"), "--epochs: expected a whole number"),
        (
            ("move-net", "--records", "a.sgf", "--out", "net.txt"),
            "--out: expected a name that ends",
        ),
        (("move-net", "--records", "a.sgf", "--out", "no/net.npz"), "--out: expected a file in a"),
        (("move-net", "--records", "none.sgf"), "--records: "),
        (("move-net", "--records", "a.sgf", "folder"), "expected a folder with games.jsonl or"),
        (("move-net", "--records", "a.sgf"), "expected at least 2 games, one to hold out, found 1"),
        (("move-net", "--records", "bad.sgf"), "bad.sgf"),
    ],
)
def test_what_does_not_fit_is_one_line(
    words: tuple[str, ...],
    text: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.sgf").write_text(GAME)
    (tmp_path / "bad.sgf").write_text(GAME.replace("bb", "aa"))
    (tmp_path / "folder").mkdir()
    code, out, error = run_here(capsys, "train", *words)
    assert code != 0
    assert out == ""
    assert text in error
    assert len(error.splitlines()) <= 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.sgf", "bad.sgf", "folder"]
