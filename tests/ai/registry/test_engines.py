"""Outside engines are declared by the user alone; each fault of the file is one clear line."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from ai.game import Rules
from ai.registry import engines
from ai.registry.engine_editing import add_engine
from ai.registry.players import (
    UnknownPlayerError,
    create_player,
    get_player_info,
    list_players,
)
from base.command_line import join_words
from base.errors import UsageError
from base.schema import OptionError

QUOTE = join_words(("x y",))[0]
"""The sign that holds words of a command line together here."""


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty settings folder of the user, and no engine of a command line."""
    for name in ("XDG_CONFIG_HOME", "WIN_PD_OVERRIDE_LOCAL_APPDATA"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.delenv(engines.VARIABLE, raising=False)
    monkeypatch.setenv(engines.VARIABLE, "")  # so that what is declared here is forgotten
    engines.engines_file().parent.mkdir(parents=True, exist_ok=True)
    return engines.engines_file()


def test_an_engine_of_the_settings_is_a_player(config: Path) -> None:
    config.write_text(
        '[yixin]\ncommand = "/opt/my engine/yixin --quiet"\nmemory = 350\nseconds = 2\n'
        '[other]\ncommand = ["wine", "a b.exe"]\nrules = ["freestyle"]\nsizes = [15, 15]\n'
        'folder = "~/x"\nlog = "/tmp/log"\n'
    )
    info = get_player_info("gomocup:yixin")
    assert (info.name, info.title, info.sizes) == ("gomocup:yixin", "yixin", (5, 20))
    assert "engines.toml" in info.source
    assert [player.name for player in list_players()][-2:] == ["gomocup:yixin", "gomocup:other"]
    other = engines.get_engine("other")
    assert other.command == ("wine", "a b.exe")
    assert other.folder == Path.home() / "x"
    player = create_player("gomocup:yixin", Rules(15))
    assert player.name == "gomocup:yixin"
    player.close()
    with pytest.raises(OptionError, match="expected a board from 15 to 15, found 19"):
        create_player("gomocup:other", Rules(19))
    with pytest.raises(OptionError, match="expected the rule freestyle, found standard"):
        create_player("gomocup:other", Rules(15, exact=True))


def test_an_engine_of_the_command_line_wins(config: Path) -> None:
    config.write_text('[a]\ncommand = "from-file"\n')
    engines.declare_engines([f"a={join_words(('python', 'x y.py'))}", "b=z=1"])
    engines.declare_engines(["c=d"])
    assert engines.get_engine("a").command == ("python", "x y.py")
    assert list(engines.declared_engines()) == ["a", "b", "c"]
    assert "(--engine)" in get_player_info("gomocup:c").source


@pytest.mark.parametrize("text", ["", "a", "a=", "=x", "a b=x", "../a=x", f"a={QUOTE}"])
def test_a_wrong_declaration_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError, match="--engine: expected NAME=COMMAND"):
        engines.declare_engines([text])
    assert engines.declared_engines() == {}


@pytest.mark.parametrize(
    "name", ["gomocup:", "gomocup:x", "gomocup:x=rm", "gomocup:/bin/sh", "gomocup:sh -c true"]
)
def test_who_is_not_declared_does_not_play(name: str, config: Path) -> None:
    with pytest.raises(UnknownPlayerError, match="expected an engine that you have declared in"):
        get_player_info(name)
    config.write_text('[yes]\ncommand = "true"\n')
    with pytest.raises(UnknownPlayerError, match=r"\(declared: yes\), found"):
        get_player_info(name)


def test_settings_name_no_other_engine_and_no_command(config: Path) -> None:
    config.write_text('[a]\ncommand = "true"\n[b]\ncommand = "true"\n')
    for given in ({"engine": "b"}, {"command": "rm"}, {"engine": "a", "memory": 1}):
        with pytest.raises(OptionError, match="expected"):
            create_player("gomocup:a", Rules(15), given)


def test_the_factory_itself_starts_nothing_that_was_not_declared() -> None:
    with pytest.raises(RuntimeError, match="found no name of an engine"):
        create_player(engines.FACTORY, Rules(15))


def test_a_project_declares_no_engine(tmp_path: Path, config: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "engines.toml").write_text(f'[evil]\ncommand = "{sys.executable}"\n')
    (project / "goishi.toml").write_text(
        '[players]\n"gomocup:evil" = "scripts.evil:create"\n[engines.evil]\ncommand = "sh"\n'
    )
    with pytest.raises((UnknownPlayerError, ValueError), match="expected"):
        get_player_info("gomocup:evil", project)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no toml", "expected engines in TOML"),
        ("a = 1", 'a: expected a table with command = "…", found 1'),
        ("['a b']\ncommand='x'", "expected a name of letters"),
        ("[a]", "a.command: expected a program with its arguments, or the list of them, found not"),
        ("[a]\ncommand = 3", "a.command: expected a program"),
        (f"[a]\ncommand = {json.dumps(QUOTE)}", "a.command: expected a program"),
        ("[a]\ncommand = 'x'\nrules = ['go']", "a.rules: expected a list of freestyle, standard"),
        ("[a]\ncommand = 'x'\nsizes = [9]", r"a.sizes: expected \[smallest, largest\]"),
        ("[a]\ncommand = 'x'\nmemory = -1", "a.memory: expected a number of at least 0"),
        ("[a]\ncommand = 'x'\nseconds = nan", "a.seconds: expected a number of at least 0.01"),
        ("[a]\ncommand = 'x'\nfolder = 1", "a.folder: expected a path, found 1"),
        ("[a]\ncommand = 'x'\nshell = true", "a.shell: expected one of command, rules"),
    ],
)
def test_a_fault_of_the_file_says_where_it_is(text: str, expected: str, config: Path) -> None:
    config.write_text(text)
    with pytest.raises(engines.EngineFileError, match=expected) as caught:
        engines.declared_engines()
    assert str(config) in str(caught.value)
    assert get_player_info("random").name == "random"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are of POSIX alone")
def test_a_pipe_is_no_file_of_engines_and_no_wait(config: Path) -> None:
    os.mkfifo(config)
    with pytest.raises(engines.EngineFileError, match="a pipe, no file"):
        engines.declared_engines()
    with pytest.raises(engines.EngineFileError, match="a pipe, no file"):
        add_engine("mine", {"command": "x"})
    assert config.is_fifo()
