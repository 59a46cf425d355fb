"""What a person chooses in a panel: checked, kept beside the scene, and used at the next start."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from scripts.learning.kept_choices import FILE, KeptChoices
from sim.core.scene.fields import field

KEYS = ("games", "opening")


class Room:
    games: int = field(4, min=2, max=100)
    opening: str = field("first", choices=("first", "none"))


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Makes the choices of a newly started scene."""

    class Fake:
        games = 6
        opening = "first"

        def __init__(self):
            self.run = SimpleNamespace(scene_dir=tmp_path)
            self.said = []
            self.log = SimpleNamespace(warning=self.said.append, python=self.said.append)
            self.expression = "room"
            self.slot = SimpleNamespace(host=SimpleNamespace(
                set_field=lambda slot, key, value: setattr(self, key, value)))  # fmt: skip

    monkeypatch.setattr(KeptChoices, "_option", lambda self, key: getattr(Room, key).option)

    def make():
        script = Fake()
        choices = KeptChoices(script, KEYS)
        choices.apply()
        return script, choices

    return make


def test_values_take_effect_together_and_are_there_at_the_next_start(made, tmp_path):
    script, choices = made()
    assert choices.prepare("games", "12")
    assert (script.games, choices.value("games"), choices.is_changed) == (6, 12, True)
    choices.take()
    assert (script.games, choices.is_changed, choices.is_own) == (12, False, False)
    later, again = made()
    assert (later.games, later.opening, later.said) == (12, "first", [])
    again.prepare_own()
    again.take()
    assert json.loads((tmp_path / FILE).read_text())["choices"] == {}
    assert made()[0].games == 6


def test_a_refused_text_is_told_and_the_value_before_stays(made):
    _script, choices = made()
    assert not choices.prepare("games", "many")
    assert "expected a whole number from 2 to 100, found 'many'" in choices.refusals["games"]
    assert not choices.prepare("opening", "third")
    assert choices.value("games") == 6
    assert choices.prepare("games", "8")
    assert "games" not in choices.refusals


@pytest.mark.parametrize("text", ["", "[]", '{"format": "x"}', '{"format": "goishi.choices/1"}'])
def test_a_damaged_file_is_one_warning_and_the_scene_begins_as_it_is(made, tmp_path, text):
    (tmp_path / FILE).write_text(text)
    script, choices = made()
    assert script.games == 6
    assert len(script.said) == 1
    assert "expected kept choices" in script.said[0]
    choices.prepare("games", "8")
    choices.take()
    assert script.said[-1].endswith(f"it is kept as {tmp_path / FILE}.bad")
    assert (tmp_path / f"{FILE}.bad").read_text() == text


def test_a_kept_value_that_does_not_fit_is_told(made, tmp_path):
    kept = {"Fake": {"games": 1000, "opening": "none", "other": 3}}
    (tmp_path / FILE).write_text(json.dumps({"format": "goishi.choices/1", "choices": kept}))
    script, _ = made()
    assert (script.games, script.opening) == (6, "none")
    assert len(script.said) == 1
    assert "expected a whole number from 2 to 100, found 1000" in script.said[0]
