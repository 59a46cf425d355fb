"""`brain` and `--engine` on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from ai.game import Rules
from ai.registry.engines import VARIABLE, declared_engines
from ai.registry.players import get_player_info, refusal_of
from sim.core.project.run_options import RunOptions
from tests.command_line import ROOT, install_fake_app, is_one_line, run_here


@pytest.fixture(autouse=True)
def no_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget what a test declares."""
    monkeypatch.setenv(VARIABLE, "")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("nobody",), "PLAYER: expected one of cnn-ann-plus"),
        (("human",), "PLAYER: expected one that computes, found 'human'"),
        (("random", "--set", "depth"), "--set: expected KEY=VALUE, found 'depth'"),
        (("alpha-beta", "--set", "depth=x"), "--set: depth: expected a whole number"),
        (("gomocup:x",), "PLAYER: gomocup:x: expected an engine that you have declared in"),
        (("random", "--engine", "x"), "--engine: expected NAME=COMMAND"),
    ],
)
def test_what_does_not_fit_is_one_line(words, expected, capsys) -> None:
    code, out, error = run_here(capsys, "brain", *words)
    assert (code, out) == (2, "")
    assert is_one_line(error)
    assert error.startswith(f"goishi: {expected}")


def test_a_package_holds_the_whole_command_line(tmp_path: Path, capsys) -> None:
    code, out, _ = run_here(
        capsys, "brain", "alpha-beta", "--set", "depth=3", "--seed", "7",
        "--package", str(tmp_path / "p"),
    )  # fmt: skip
    assert code == 0
    *launchers, readme = map(Path, out.splitlines())
    launcher = launchers[-1]  # on Windows after a program that does the same
    assert launcher.name.startswith("pbrain-goishi-alpha-beta.")
    assert (
        launcher.read_text()
        .rstrip()
        .endswith(f"{ROOT / 'main.py'} brain alpha-beta --set depth=3 --seed 7")
    )
    assert readme.name == "README.txt"
    text = readme.read_text()
    assert str(ROOT / "main.py") in text
    for line in ("- 0  freestyle", "- 1  standard", "- 4  renju", "- 9  caro", "\n396 MB or more"):
        assert line in text
    run_here(capsys, "brain", "mcts", "--package", str(tmp_path / "q"))
    text = (tmp_path / "q" / "README.txt").read_text()
    assert "- 1  standard" in text
    assert ("renju" in text) == (refusal_of(get_player_info("mcts"), Rules(15, 5, "renju")) == "")


def test_run_declares_engines_before_names_are_checked(capsys, monkeypatch) -> None:
    asked: list[RunOptions] = []
    install_fake_app(monkeypatch, lambda options, **more: asked.append(options) or 0)
    words = ("run", "--no-graphics", "--games", "1", "--player-white", "gomocup:mine")
    code, _, error = run_here(capsys, *words)
    assert code == 2
    assert "--player-white: gomocup:mine: expected an engine that you have declared" in error
    code, _, error = run_here(capsys, *words, "--engine", "mine=a b", "--engine", "other=c")
    assert (code, error) == (0, "")
    assert asked[0].engine == ("mine=a b", "other=c")
    assert declared_engines()["mine"].command == ("a", "b")
