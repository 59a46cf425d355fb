"""Players and games of a project whose code fails: one line with its place, never a traceback."""

from __future__ import annotations

import pytest

from ai import ProjectError, Rules, create_player
from ai.registry.project_games import get_game
from base.errors import MakerError
from tests.project_page import own_scripts

TEXT = """
from ai import Game

class Odd(BaseException): ...
class Mute(Exception):
    def __str__(self):
        raise ValueError

def no_argument(): ...
def nothing(rules, settings): ...
def raises(rules, settings):
    raise KeyError("x")
def exits(rules, settings):
    raise SystemExit(3)
def odd(rules, settings):
    raise Odd("odd")
def mute(rules, settings):
    raise Mute

class Broken(Game):
    def __init__(self, size):
        raise RuntimeError("no game")
"""
PLAYERS = {
    "no_argument": "TypeError: no_argument() takes 0 positional arguments but 2 were given",
    "nothing": "expected an object with choose and close from scripts.made:nothing, found None",
    "raises": "KeyError: 'x' (scripts/made.py:12)",
    "exits": "SystemExit: 3 (scripts/made.py:14)",
    "odd": "Odd: odd (scripts/made.py:16)",
    "mute": "Mute (scripts/made.py:18)",
}


@pytest.fixture
def project(tmp_path):
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "made.py").write_text(TEXT, encoding="utf-8")
    players = "".join(f'{name} = "scripts.made:{name}"\n' for name in PLAYERS)
    game = '[games.broken]\ncreate = "scripts.made:Broken"\nsize = 5\n'
    (tmp_path / "goishi.toml").write_text(f"[players]\n{players}{game}", encoding="utf-8")
    with own_scripts():
        yield tmp_path


@pytest.mark.parametrize("name", PLAYERS)
def test_a_player_that_cannot_be_made_is_one_error_with_its_place(project, name):
    with pytest.raises(MakerError) as caught:
        create_player(name, Rules(5, 5), project=project)
    assert str(caught.value) == f"player {name}: {PLAYERS[name]}"


def test_a_game_that_cannot_be_made_is_one_error_with_its_place(project):
    game = get_game("broken", project)
    with pytest.raises(ProjectError) as caught:
        _ = game.rules
    assert str(caught.value) == (
        "goishi.toml:games.broken: RuntimeError: no game (scripts/made.py:22)"
    )
