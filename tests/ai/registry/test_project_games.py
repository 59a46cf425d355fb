"""Games by name: shipped ones and a project's, which are data."""

from __future__ import annotations

import json
import sys

import pytest

from ai import WHITE, OptionError, ProjectError, Rules, UnknownGameError, create_player, get_game
from ai.registry.project_games import GAMES, list_games
from tests.project_page import files_of_page, own_scripts


def write(project, text):
    (project / "goishi.toml").write_text(text, encoding="utf-8")
    return project


def test_the_shipped_games_are_those_of_the_documents():
    assert get_game("tic-tac-toe").rules == Rules(3, 3)
    assert get_game("connect-four").rules == Rules(7, 4, height=6, gravity=True)
    assert get_game("self-teaching").rules == Rules(7, 5, full_board_winner=WHITE)
    assert all(game.name == name and game.description for name, game in GAMES.items())
    assert json.dumps([game.as_dict() for game in list_games()])


def test_a_project_adds_games(tmp_path):
    write(
        tmp_path,
        files_of_page()["goishi.toml"]
        + '\n[games.drop]\nsize = 5\nheight = 4\nwin_length = 3\ngravity = true\n'
        'full_board_winner = "black"\n',
    )  # fmt: skip
    names = [game.name for game in list_games(tmp_path)]
    assert names == [*GAMES, "four-on-six", "drop"]
    assert get_game("four-on-six", tmp_path).rules == Rules(6, 4)
    drop = get_game("drop", tmp_path).rules
    assert drop == Rules(5, 3, height=4, gravity=True, full_board_winner=1)
    with pytest.raises(UnknownGameError, match=r"expected one of .*drop; found 'chess'"):
        get_game("chess", tmp_path)
    with pytest.raises(UnknownGameError, match="found 'drop'"):
        get_game("drop")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[games.gomoku]\nsize = 9", "games.gomoku: expected a name that no shipped game has"),
        ("[games]\nx = 3", "games.x: expected a table such as .*, found 3"),
        ("[games.x]\nwin_length = 3", "games.x.size: expected how many points"),
        ("[games.x]\nsize = 2", "games.x.size: expected an int from 3 to 22, found 2"),
        ("[games.x]\nsize = true", "games.x.size: expected a value of type int, found True"),
        ("[games.x]\nsize = 5\nwin_length = 6", "games.x.win_length: expected an int from 3 to"),
        ("[games.x]\nsize = 5\nwidth = 6", "games.x.width: expected one of size, "),
        ('[games.x]\nsize = 5\nfull_board_winner = "me"', "expected nobody, black or white"),
    ],
)
def test_a_mistake_names_its_place(tmp_path, text, fault):
    with pytest.raises(ProjectError, match=f"goishi.toml:{fault}" if "games" in fault else fault):
        list_games(write(tmp_path, text))


CLASS = """from dataclasses import dataclass

from ai import Game


@dataclass(frozen=True)
class Nim(Game):
    size: int = 4

    def outcome(self, position):
        return None
"""


def test_a_project_names_the_class_of_a_game_that_is_no_m_n_k(tmp_path):
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "nim.py").write_text(CLASS, encoding="utf-8")
    write(tmp_path, '[games.nim]\ncreate = "scripts.nim:Nim"\nsize = 5\n')
    with own_scripts():
        info = get_game("nim", tmp_path)
        assert "scripts.nim" not in sys.modules, "a list imports nothing"
        assert json.dumps(info.as_dict())
        assert info.rules.points == 25
        assert info.rules == get_game("nim", tmp_path).rules
        assert info.rules.as_dict() == {"create": "scripts.nim:Nim", "size": 5}
        for name in ("genetic", "pattern", "oracle", "one-ply", "mcts-nn"):
            with pytest.raises(OptionError, match=rf"{name}: expected an m,n,k game, found Nim\("):
                create_player(name, info.rules)
        for name in ("random", "human"):
            assert create_player(name, info.rules).name == name


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        ('create = "nim"', "games.nim.create: expected"),
        ('create = "scripts.nim:Chess"', "games.nim: expected a game's class"),
        ('create = "scripts.nim:Nim"\nwidth = 3', "games.nim: .*unexpected keyword argument"),
    ],
)
def test_a_mistake_in_a_class_is_told_when_the_game_is_played(tmp_path, entry, fault):
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "nim.py").write_text(CLASS, encoding="utf-8")
    with own_scripts(), pytest.raises(ProjectError, match=f"goishi.toml:{fault}"):
        _ = get_game("nim", write(tmp_path, f"[games.nim]\n{entry}\n")).rules
