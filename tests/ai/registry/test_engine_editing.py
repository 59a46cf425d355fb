"""Engines are added, renamed and removed; everything else in the user's file stays."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ai.registry import engines
from ai.registry.engine_editing import (
    add_engine,
    engine_command,
    free_engine_name,
    remove_engine,
    rename_engine,
)
from ai.registry.engines import EngineFileError, declared_engines
from ai.registry.players import get_player_info, list_players
from tests.ai.registry.test_engines import config

__all__ = ["config"]  # a fixture

TABLE = {"command": ["/opt/x y/engine", "-q"], "rules": ["freestyle"], "seconds": 2.5}
NAMES = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,8}", fullmatch=True)


def test_an_engine_is_added_renamed_and_removed(config: Path) -> None:
    config.parent.rmdir()
    entry = add_engine("one", TABLE)
    assert entry.command == ("/opt/x y/engine", "-q")
    assert declared_engines() == {"one": entry}
    assert list_players()[-1].name == "gomocup:one"
    add_engine("v.2", {"command": "b"})
    rename_engine("one", "first")
    rename_engine("v.2", "v.2")
    assert list(declared_engines()) == ["first", "v.2"]
    assert get_player_info("gomocup:first").supported_rules == ("freestyle",)
    remove_engine("first")
    rename_engine("v.2", "v.3")
    assert list(declared_engines()) == ["v.3"]
    remove_engine("v.3")
    assert declared_engines() == {}


def test_what_the_user_wrote_stays(config: Path) -> None:
    text = (
        "# my engines\r\n\r\n[a] # the old one\r\ncommand = 'x'   # in the path\r\n\r\n"
        "# of b\r\n[ 'b' ]\r\ncommand = [\r\n  'y',\r\n]\r\n# end\r\n"
    )
    config.write_bytes(text.encode())
    rename_engine("a", "c")
    assert config.read_bytes().decode() == text.replace("[a]", "[c]")
    remove_engine("c")
    assert config.read_bytes().decode() == text[: text.index("[a]")] + text[text.index("# of b") :]
    add_engine("d", {"command": "z"})
    assert config.read_bytes().decode().endswith('# end\n\n[d]\ncommand = "z"\n')
    rename_engine("b", "e")
    assert list(declared_engines()) == ["e", "d"]


@pytest.mark.parametrize(
    "text", ["a = {command = 'x'}\n", "a.command = 'x'\n", "[a]\ncommand = '''\n[b]\n'''\n"]
)
def test_a_form_that_is_not_understood_is_left_alone(text: str, config: Path) -> None:
    config.write_text(text)
    for change in (lambda: rename_engine("a", "c"), lambda: remove_engine("a")):
        if "'''" in text and change.__code__.co_names == ("rename_engine",):
            continue  # only its end is not found
        with pytest.raises(EngineFileError, match="change it in an editor"):
            change()
        assert config.read_text() == text


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda: add_engine("a", TABLE), "expected a name that no engine has, found 'a'"),
        (lambda: add_engine("a b", TABLE), "expected a name of letters"),
        (lambda: add_engine("b", {}), r"b\.command: expected a program with its arguments"),
        (lambda: add_engine("b", {**TABLE, "shell": True}), r"b\.shell: expected one of command"),
        (lambda: add_engine("b", {"command": ["\udcff"]}), "expected a file that can be written"),
        (lambda: rename_engine("a", "of-line"), "expected a name that no engine has"),
        (lambda: rename_engine("a", ""), "expected a name of letters"),
        (lambda: rename_engine("x", "y"), r"expected one of its engines \(a\), found 'x'"),
        (lambda: remove_engine("of-line"), r"expected one of its engines \(a\), found 'of-line'"),
    ],
)
def test_a_wrong_change_is_one_error_and_changes_nothing(change, expected, config: Path) -> None:
    config.write_text("[a]\ncommand = 'x'\n")
    engines.declare_engines(["of-line=x"])
    with pytest.raises(EngineFileError, match=expected):
        change()
    assert config.read_text() == "[a]\ncommand = 'x'\n"


def test_an_invalid_file_is_not_changed(config: Path) -> None:
    config.write_text("[a\n")
    for change in (
        lambda: add_engine("b", TABLE),
        lambda: rename_engine("a", "b"),
        lambda: remove_engine("a"),
    ):
        with pytest.raises(EngineFileError, match="expected engines in TOML"):
            change()
    assert config.read_text() == "[a\n"


@settings(
    max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(names=st.lists(NAMES, min_size=2, max_size=5, unique=True), comments=st.booleans())
def test_a_change_touches_one_engine_only(names: list[str], comments: bool, config: Path) -> None:
    config.unlink(missing_ok=True)
    for name in names[1:]:
        add_engine(name, {"command": [name, "["]})
        if comments:
            config.write_text(config.read_text() + "# [x]\n")
    before = config.read_text()
    add_engine(names[0], TABLE)
    remove_engine(names[0])
    assert config.read_text().strip() == before.strip()
    rename_engine(names[1], names[0])
    assert list(tomllib.loads(config.read_text())) == [names[0], *names[2:]]
    rename_engine(names[0], names[1])
    assert tomllib.loads(config.read_text()) == tomllib.loads(before)


def test_a_file_makes_a_command_and_a_name(config: Path) -> None:
    assert engine_command(Path("a/b.py")) == [sys.executable, str(Path("a/b.py"))]
    windows = engine_command(Path("pbrain-x.EXE"))
    assert windows == (["pbrain-x.EXE"] if sys.platform == "win32" else ["wine", "pbrain-x.EXE"])
    assert free_engine_name(Path("/x/pbrain-My Engine (64).exe")) == "My-Engine-64"
    assert free_engine_name(Path("/x/???")) == "engine"
    add_engine("rapfi", TABLE)
    assert free_engine_name(Path("rapfi")) == "rapfi-2"
    assert len(free_engine_name(Path("a" * 99))) <= 40
