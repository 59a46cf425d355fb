"""Settings outlive a run; a damaged file costs nothing but one line."""

from __future__ import annotations

import pytest

from sim.core.user_settings import UserSettings


def test_what_is_set_is_read_by_the_next_one(tmp_path):
    warnings: list[str] = []
    first = UserSettings(tmp_path / "settings.toml", warn=warnings.append)
    assert not first.get_flag("muted")
    first.set("muted", True)
    first.set("name", 'a "quoted"\n\\ line')
    first.set("volume", 0.5)
    second = UserSettings(tmp_path / "settings.toml", warn=warnings.append)
    assert second.get_flag("muted")
    assert second._values == first._values
    assert warnings == []


@pytest.mark.parametrize("damage", [b"\xff\xfe\x00", b"muted = ", b"[[["])
def test_a_damaged_file_is_one_warning(tmp_path, damage):
    path = tmp_path / "settings.toml"
    path.write_bytes(damage)
    warnings: list[str] = []
    settings = UserSettings(path, warn=warnings.append)
    assert not settings.get_flag("muted")
    assert len(warnings) == 1
    settings.set("muted", True)
    assert UserSettings(path, warn=warnings.append).get_flag("muted")
    assert len(warnings) == 1


def test_a_value_of_another_kind_is_the_default(tmp_path):
    (tmp_path / "settings.toml").write_text('muted = "loud"\n')
    assert not UserSettings(tmp_path / "settings.toml", warn=print).get_flag("muted")


def test_a_folder_that_cannot_be_written_is_one_warning(tmp_path):
    warnings: list[str] = []
    settings = UserSettings(tmp_path / "missing" / "settings.toml", warn=warnings.append)
    settings.set("muted", True)
    assert settings.get_flag("muted")
    assert len(warnings) == 1
