"""The scenes opened lately, and what a scene tells of itself."""

from __future__ import annotations

import json

import pytest

from base.files import SHIPPED_ROOT
from sim.core.project.recent_scenes import (
    MOST,
    RecentScenes,
    card_of,
    example_cards,
    window_title,
)


def test_the_last_one_opened_is_the_first_and_stands_once(tmp_path):
    warnings: list[str] = []
    recent = RecentScenes(tmp_path / "recent.json", warn=warnings.append)
    assert recent.is_first_start
    for name in ("a", "b", "a"):
        recent.add(tmp_path / f"{name}.scene.json")
    (tmp_path / "a.scene.json").write_text("{}")
    again = RecentScenes(tmp_path / "recent.json", warn=warnings.append)
    assert not again.is_first_start
    assert [path.name for path in again.paths] == ["a.scene.json", "b.scene.json"]
    assert [card.name for card in again.cards()] == ["A"], "one that is gone is not shown"
    for number in range(30):
        again.add(tmp_path / f"{number}.scene.json")
    assert len(RecentScenes(tmp_path / "recent.json", warn=warnings.append).paths) == MOST
    assert warnings == []


@pytest.mark.parametrize(
    "damage", ["", "[]", "{", '{"format": "other"}', '{"format": "goishi.recent/1"}',
               '{"format": "goishi.recent/1", "scenes": [3]}', "[" * 100_000]
)  # fmt: skip
def test_a_damaged_file_is_one_warning_and_is_kept_beside_a_new_one(tmp_path, damage):
    path = tmp_path / "recent.json"
    path.write_text(damage)
    warnings: list[str] = []
    recent = RecentScenes(path, warn=warnings.append)
    assert recent.paths == []
    assert len(warnings) == 1
    recent.add(tmp_path / "a.scene.json")
    assert len(RecentScenes(path, warn=warnings.append).paths) == 1
    assert warnings[1:] == [f"{path}: it is kept as {path}.bad"]
    assert path.with_name("recent.json.bad").read_text() == damage


def test_a_folder_that_cannot_be_written_is_a_warning(tmp_path):
    warnings: list[str] = []
    recent = RecentScenes(tmp_path / "missing" / "recent.json", warn=warnings.append)
    recent.add(tmp_path / "a.scene.json")
    assert len(warnings) == 1
    assert len(recent.paths) == 1


def test_every_shipped_scene_has_a_name_a_description_and_a_picture():
    cards = example_cards(SHIPPED_ROOT)
    assert len(cards) == len(list((SHIPPED_ROOT / "scenes").glob("*.scene.json")))
    for card in cards:
        assert card.name
        assert card.description, card.path
        assert card.picture is not None, card.path


@pytest.mark.parametrize("text", ["", "[1]", '{"name": 3}', "{"])
def test_a_scene_that_tells_nothing_has_the_name_of_its_file(tmp_path, text):
    path = tmp_path / "my_scene.scene.json"
    path.write_text(text)
    assert card_of(path).name == "My scene"
    path.write_text(json.dumps({"name": "Mine", "description": "of stones"}))
    assert (card_of(path).name, card_of(path).description) == ("Mine", "of stones")


def test_scenes_of_one_name_are_told_apart_by_their_projects(tmp_path):
    recent = RecentScenes(tmp_path / "recent.json", warn=str)
    for name in ("cave", "quest"):
        scene = tmp_path / name / "scenes" / "main.scene.json"
        scene.parent.mkdir(parents=True)
        scene.write_text("{}")
        recent.add(scene)
    assert [(card.name, card.place) for card in recent.cards()] == [
        ("Main", "quest"), ("Main", "cave"),
    ]  # fmt: skip
    places = [(card.name, card.place) for card in recent.projects()]
    assert places == [("quest", tmp_path.name), ("cave", tmp_path.name)]
    assert window_title(recent.paths[0]) == "Main - quest - Goishi"
    assert window_title(SHIPPED_ROOT / "scenes" / "hello.scene.json").endswith(" - Goishi")
    assert window_title(SHIPPED_ROOT / "scenes" / "hello.scene.json").count(" - ") == 1
