from __future__ import annotations

import os

import pytest

from sim.core.project.settings import SettingsFile, UserSettings, usual_scale


def test_what_is_changed_is_there_at_the_next_start(tmp_path):
    first = SettingsFile(tmp_path)
    assert first.values == UserSettings()
    chosen = {"theme": "light", "scale": 1.5, "step_milliseconds": 30.0}
    assert first.change(**chosen, keys={"studio.undo": "f7"}) == ""
    second = SettingsFile(tmp_path)
    assert second.values == UserSettings(**chosen, keys={"studio.undo": "f7"})
    assert second.notes == []


def test_tables_of_others_are_kept(tmp_path):
    (tmp_path / "settings.toml").write_text('theme = "light"\n[sound]\nis_muted = true\n')
    SettingsFile(tmp_path).change(scale=2.0)
    text = (tmp_path / "settings.toml").read_text()
    assert "[sound]" in text
    assert "is_muted = true" in text


@pytest.mark.parametrize(("text", "says"), [
    ('theme = "pink"', "theme: expected one of dark, light, high-contrast, found 'pink'"),
    ("scale = nan", "scale: expected 0 or a number from 0.75 to 3, found nan"),
    ("scale = 1e300", "scale: expected"),
    ("scale = true", "scale: expected"),
    ("keys = 3", "keys: expected a table"),
    ("keys = {undo = 3}", "keys.undo: expected a chord"),
    ("layout = 3", "layout: expected a text"),
    ("muted = 1", "muted: expected true or false"),
    ("step_milliseconds = 0.5", "step_milliseconds: expected a number from 1 to 1000, found 0.5"),
    ("step_milliseconds = nan", "step_milliseconds: expected a number from 1 to 1000"),
    ("step_milliseconds = true", "step_milliseconds: expected a number from 1 to 1000"),
    ('step_milliseconds = "12"', "step_milliseconds: expected a number from 1 to 1000"),
    ("theme = ", "expected settings in TOML"),
    ("\x00\xff", "expected settings in TOML"),
])  # fmt: skip
def test_a_wrong_value_is_one_note_and_the_usual_value(tmp_path, text, says):
    (tmp_path / "settings.toml").write_bytes(text.encode("latin-1"))
    found = SettingsFile(tmp_path)
    assert found.values == UserSettings()
    assert len(found.notes) == 1
    assert says in found.notes[0]


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path):
    settings = SettingsFile(tmp_path / "missing")
    assert "expected to write the settings" in settings.change(theme="light")
    assert settings.values.theme == "light"


def test_without_a_folder_nothing_is_written():
    assert SettingsFile(None).change(theme="light") == ""


@pytest.mark.parametrize(("height", "scale"), [(480, 1.0), (1080, 1.0), (1440, 1.0), (1600, 1.25),
                                               (2160, 1.75), (2400, 2.0), (9000, 3.0)])  # fmt: skip
def test_scale_follows_the_screen(height, scale):
    assert usual_scale(height) == scale


@pytest.mark.parametrize("text", ["theme = ", '[keys]\n"studio.undo" = "f7"\n[keys]\n'])
def test_a_file_that_cannot_be_read_is_kept_before_a_new_one_is_written(tmp_path, text):
    (tmp_path / "settings.toml").write_text(text)
    settings = SettingsFile(tmp_path)
    assert "expected settings in TOML" in settings.notes[0]
    said = settings.change(scale=2.0)
    assert said.endswith(f"the file is kept as {tmp_path / 'settings.toml.bad'}")
    assert (tmp_path / "settings.toml.bad").read_text() == text
    assert settings.change(scale=1.0) == ""
    assert SettingsFile(tmp_path).values.scale == 1.0


def test_a_wrong_value_stays_until_it_is_changed(tmp_path):
    (tmp_path / "settings.toml").write_text('theme = "pink"\nscale = "1,5"\nkeys = 3\n')
    settings = SettingsFile(tmp_path)
    assert settings.change(scale=2.0) == ""
    text = (tmp_path / "settings.toml").read_text()
    assert 'theme = "pink"' in text
    assert "keys = 3" in text
    assert SettingsFile(tmp_path).values.scale == 2.0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are of POSIX alone")
def test_a_pipe_is_no_settings_file_and_no_wait(tmp_path):
    os.mkfifo(tmp_path / "settings.toml")
    settings = SettingsFile(tmp_path)
    assert "a pipe, no file" in settings.notes[0]
    assert "is kept as" in settings.change(scale=2.0)
    assert SettingsFile(tmp_path).values.scale == 2.0


def test_folders_of_files_are_kept_and_wrong_ones_are_told(tmp_path):
    chosen = {"folders": {".sgf": "/games", "any": "/räume"}, "recent_folders": ("/räume", "/g")}
    assert SettingsFile(tmp_path).change(**chosen) == ""
    second = SettingsFile(tmp_path)
    assert second.values == UserSettings(**chosen)
    assert second.notes == []
    (tmp_path / "settings.toml").write_text('recent_folders = [3]\n[folders]\n".sgf" = 3\n')
    wrong = SettingsFile(tmp_path)
    assert wrong.values == UserSettings()
    assert [note.partition(": ")[2] for note in wrong.notes] == [
        "folders..sgf: expected a path, found 3",
        "recent_folders: expected a list of paths, found [3]",
    ]
