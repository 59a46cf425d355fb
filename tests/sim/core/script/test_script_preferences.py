"""What the user chooses in scripts is kept for the user: shared by key, checked, saved."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from base.schema import Option, OptionError
from sim.core.project.script_preferences import ScriptPreferences
from sim.core.project.settings import SettingsFile
from sim.core.script.preferences import preference, preferences_of

COLORS = ("red", "green")


class Lamp:
    color: str = preference("red", key="lamp_color", title="Colour", group="Lamps", choices=COLORS)
    power: float = preference(0.5, key="power", title="Power", group="Lamps", min=0.0, max=1.0)

    def __init__(self, preferences):
        run = SimpleNamespace(preferences=preferences)
        self.slot = SimpleNamespace(host=SimpleNamespace(run=run))


class Torch(Lamp):
    is_on: bool = preference(False, key="torch", title="On", group="A group before")


def test_scripts_with_the_same_key_share_a_value_and_each_change_is_saved_once():
    kept = []
    preferences = ScriptPreferences(keep=kept.append)
    one, other = Lamp(preferences), Torch(preferences)
    one.color = "green"
    assert (other.color, other.is_on, preferences.revision) == ("green", False, 1)
    one.color = "green"
    assert kept == [{"lamp_color": "green"}]
    with pytest.raises(OptionError, match="power: expected a number from 0 to 1, found 2"):
        one.power = 2
    assert one.power == 0.5


def test_what_is_kept_is_there_at_the_next_start_and_what_does_not_fit_is_one_line(tmp_path):
    settings = SettingsFile(tmp_path)
    first = Lamp(ScriptPreferences(keep=lambda values: settings.change(scripts=values)))
    first.color, first.power = "green", 0.25
    told = []
    again = SettingsFile(tmp_path)
    assert again.notes == []
    second = Lamp(ScriptPreferences(again.values.scripts, warn=told.append))
    assert (second.color, second.power, told) == ("green", 0.25, [])
    again.change(scripts={"lamp_color": "pink", "other": 3})
    third = Lamp(ScriptPreferences(SettingsFile(tmp_path).values.scripts, warn=told.append))
    assert [third.color, third.color] == ["red", "red"]
    assert told == ["settings.toml: scripts: lamp_color: expected one of red, green, found 'pink'"]
    third.color = "green"
    assert third.color == "green"


def test_a_table_that_is_none_is_a_note(tmp_path):
    (tmp_path / "settings.toml").write_text("scripts = 3")
    found = SettingsFile(tmp_path)
    assert "scripts: expected a table of values, found 3" in found.notes[0]
    assert found.values.scripts == {}


def test_each_preference_is_listed_once_in_groups():
    preferences = ScriptPreferences()
    scripts = [Lamp(preferences), Torch(preferences)]
    found = preferences_of(scripts)
    assert [(item.name, item.declared.group) for item in found] == [
        ("is_on", "A group before"), ("color", "Lamps"), ("power", "Lamps"),
    ]  # fmt: skip
    assert found[1].declared.option == Option("lamp_color", "red", choices=COLORS)
    assert Lamp.color is vars(Lamp)["color"]
