"""Saved games: a folder for each project, data as they were, and nothing lost on a full disk."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from base.errors import SaveError
from base.storage.plain_data import plain_data
from sim.core.geometry.vectors import Vector3
from sim.core.project import saves as module
from sim.core.project.saves import Saves

DATA = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
    ),
    max_leaves=12,
)


def a_project(path: Path, own_id: str = "") -> Path:
    (path / "scenes").mkdir(parents=True)
    if own_id:
        (path / "goishi.toml").write_text(f'id = "{own_id}"\n', encoding="utf-8")
    return path


@pytest.fixture
def game(tmp_path: Path) -> Saves:
    return Saves(tmp_path / "saves", a_project(tmp_path / "game"))


def test_what_is_written_is_read_and_nothing_else_is_there(game: Saves) -> None:
    assert (game.names(), game.read("slot 1"), game.read("slot 1", 7)) == ([], None, 7)
    game.write("slot 1", {"at": Vector3([1, 2, 3]), "bag": ("key", None), "n": np.int64(4)})
    assert game.read("slot 1") == {"at": [1.0, 2.0, 3.0], "bag": ["key", None], "n": 4}
    game.write("Größe", [])
    os.utime(game.folder / "slot 1.json", (2e9, 2e9))
    assert game.names() == ["slot 1", "Größe"], "the last one first"
    assert game.delete("slot 1")
    assert not game.delete("slot 1")
    assert game.names() == ["Größe"]


@given(DATA)
def test_data_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, data: object
) -> None:
    game = Saves(tmp_path_factory.getbasetemp() / "laws", tmp_path_factory.getbasetemp())
    game.write("law", data)
    assert game.read("law") == data == plain_data(data, "data")


def test_two_games_never_meet_wherever_they_are(tmp_path: Path) -> None:
    one, other = (a_project(tmp_path / name / "game", "twin") for name in ("a", "b"))
    above = tmp_path / "saves"
    Saves(above, one).write("slot", "one's")
    Saves(above, other).write("slot", "the copy's")
    assert Saves(above, one).read("slot") == "one's"
    assert Saves(above, other).read("slot") == "the copy's"


def test_a_project_with_an_id_keeps_its_games_when_it_moves(tmp_path: Path) -> None:
    above, old = tmp_path / "saves", a_project(tmp_path / "old", "mine")
    Saves(above, old).write("slot", 1)
    shutil.move(old, tmp_path / "new")
    moved = Saves(above, tmp_path / "new")
    assert moved.read("slot") == 1
    moved.write("slot", 2)
    assert Saves(above, tmp_path / "new").read("slot") == 2
    assert len(list(above.iterdir())) == 1
    (tmp_path / "new" / "goishi.toml").write_text('id = "another"\n', encoding="utf-8")
    assert Saves(above, tmp_path / "new").read("slot") == 2, "an id that came later"


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "a/b",
        "a\\b",
        "../x",
        "x.",
        " x",
        "x ",
        "a\n",
        "nul",
        "COM1.x",
        "a" * 61,
        3,
        "a:b",
    ],
)
def test_a_name_that_is_no_file_everywhere_is_refused(game: Saves, name: str) -> None:
    for call in (lambda: game.write(name, 1), lambda: game.read(name), lambda: game.delete(name)):
        with pytest.raises(ValueError, match="expected a name"):
            call()
    assert not game.folder.exists()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"a": [0, float("nan")]}, r"saves.write\('s'\)\['a'\]\[1\]: expected a finite number"),
        ({1: 2}, "expected texts as keys, found 1"),
        ({"a": {1, 2}}, r"\['a'\]: expected numbers, texts"),
        (object(), "found object"),
        ("\ud800", "Unicode"),
    ],
)
def test_what_is_no_data_is_named_and_the_old_game_stays(
    game: Saves, data: object, said: str
) -> None:
    game.write("s", 1)
    with pytest.raises(ValueError, match=said):
        game.write("s", data)
    circle: list[object] = []
    circle.append(circle)
    with pytest.raises(ValueError, match="50 levels"):
        game.write("s", circle)
    assert game.read("s") == 1


def test_a_full_disk_is_one_line_and_the_old_game_stays(
    game: Saves, monkeypatch: pytest.MonkeyPatch
) -> None:
    game.write("s", "before")

    def full(path: Path, content: str, *, sync: bool = False) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(module, "atomic_write", full)
    with pytest.raises(SaveError) as caught:
        game.write("s", "after")
    assert "\n" not in str(caught.value)
    assert "No space left on device" in str(caught.value)
    assert "what was saved before is unchanged" in str(caught.value)
    assert game.read("s") == "before"


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "saves").write_text("a file")
    with pytest.raises(SaveError, match="expected a file that can be written"):
        Saves(tmp_path / "saves", a_project(tmp_path / "game")).write("s", 1)


@pytest.mark.parametrize("text", ["", "{", "[1]", "\x00", json.dumps({"format": "goishi.save/9"})])
def test_a_damaged_game_is_one_line_and_is_left_as_it_is(game: Saves, text: str) -> None:
    game.write("s", 1)
    path = game.folder / "s.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SaveError, match=r"saves.read\('s'\): expected a saved game, found ."):
        game.read("s", "default")
    assert path.read_text(encoding="utf-8") == text
    game.write("s", 2)
    assert game.read("s") == 2
