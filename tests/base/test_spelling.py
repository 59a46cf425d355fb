"""A refused name is answered with the known ones, those first that were meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai.registry.players import UnknownPlayerError, get_player_info
from ai.registry.project_games import UnknownGameError, get_game
from base.schema import Option, OptionError, resolve
from base.spelling import MOST_NAMES, near_names, nearest_first, one_of, project_file, suggested
from sim.core.tasks.waits import easing

NAMES = st.lists(st.text(max_size=8), max_size=12, unique=True)


@given(NAMES, st.one_of(st.text(max_size=8), st.integers()))
def test_all_names_are_kept_and_the_alike_come_first(known, found):
    names = nearest_first(known, found)
    assert sorted(names) == sorted(known)
    near = near_names(known, found) if isinstance(found, str) else []
    assert names[: len(near)] == near
    assert names[len(near) :] == [name for name in known if name not in near]
    if found in known:
        assert near[0].lower() == found.lower()


def test_of_very_many_names_some_are_listed():
    said = one_of([f"joint {number}" for number in range(99)], "joint 42")
    assert said.startswith("one of joint 42, ")
    assert said.endswith(f" and {99 - MOST_NAMES} more")


@pytest.mark.parametrize(
    ("refused", "error", "meant"),
    [
        (lambda: get_player_info("alfa-beta"), UnknownPlayerError, "expected one of alpha-beta, "),
        (lambda: get_player_info("Gentic"), UnknownPlayerError, "expected one of genetic, "),
        (lambda: get_game("conect-four"), UnknownGameError, "expected one of connect-four, "),
        (lambda: easing("cubic_inn"), ValueError, "expected one of cubic_in, "),
        (
            lambda: Option("rule", "free", choices=("free", "caro", "renju")).check("rennju"),
            OptionError,
            "rule: expected one of renju, free, caro, found",
        ),
        (
            lambda: resolve([Option("depth", 1), Option("nodes", 1)], {"node": 1}, owner="x"),
            OptionError,
            "x: expected one of nodes, depth; found 'node'",
        ),
    ],
)
def test_the_name_that_was_meant_is_named_first(refused, error, meant):
    with pytest.raises(error) as raised:
        refused()
    assert meant in str(raised.value)


def test_a_missing_file_is_answered_with_files_like_it(tmp_path):
    (tmp_path / "assets" / "models").mkdir(parents=True)
    for name in ("models/tower.glb", "models/moon.glb", "wood.png"):
        (tmp_path / "assets" / name).touch()
    said = project_file(tmp_path, "assets/models/towr.glb")
    assert said.startswith("a file of the project, such as assets/models/tower.glb")
    assert project_file(tmp_path, "pictures/none.png") == "a file of the project"
    assert project_file(tmp_path, "../secrets.txt") == "a file of the project"


@pytest.mark.parametrize(("message", "names"), [
    ("guest: expected one of alpha-beta, mcts, pattern, found 'alfa-beta'", ["alpha-beta"]),
    ("expected one of mcts, mcts-nn and 12 more; found 'mcst'", ["mcts"]),
    ("expected one of blue, green or none, found 'grean'", ["green"]),
    ("expected one of blue, green, found 'xyz'", []),
    ("expected 3 to 22, found 2", []),
    ("", []),
])  # fmt: skip
def test_the_names_like_a_misspelt_one_are_found_in_its_message(message, names):
    assert suggested(message) == names


def test_files_of_the_same_kind_are_named_before_others(tmp_path):
    (tmp_path / "assets").mkdir()
    for name in ("pling.wav", "plong.png", "tower.glb"):
        (tmp_path / "assets" / name).write_bytes(b"")
    said = project_file(tmp_path, "assets/plong.wav")
    assert said == "a file of the project, such as assets/pling.wav"
    assert "assets/tower.glb" in project_file(tmp_path, "assets/tower.gltf")
