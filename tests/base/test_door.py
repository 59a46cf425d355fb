"""A door names each public thing once and imports it when it is first used."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from base.door import homes_of, open_door

TEXT = """\"\"\"A door.\"\"\"
from typing import TYPE_CHECKING

from base.door import open_door

if TYPE_CHECKING:
    from doorway.inner import LARGE, Thing
    from os.path import join

__getattr__, __dir__, __all__ = open_door(__name__, __file__)
"""


@pytest.fixture
def doorway(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A package with a door, and one module behind it."""
    (tmp_path / "doorway").mkdir()
    (tmp_path / "doorway" / "__init__.py").write_text(TEXT)
    (tmp_path / "doorway" / "inner.py").write_text("LARGE = 7\nclass Thing: ...\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path / "doorway" / "__init__.py"
    for name in [name for name in sys.modules if name.partition(".")[0] == "doorway"]:
        del sys.modules[name]


def test_a_name_is_imported_when_it_is_used(doorway):
    import doorway as door

    assert "doorway.inner" not in sys.modules
    assert door.LARGE == 7
    assert vars(door)["LARGE"] == 7, "looked up once"
    assert door.Thing.__module__ == "doorway.inner"
    assert dir(door) == sorted(door.__all__) == ["LARGE", "Thing", "join"]


def test_homes_are_read_from_the_file(doorway):
    assert homes_of(doorway) == {
        "LARGE": "doorway.inner", "Thing": "doorway.inner", "join": "os.path",
    }  # fmt: skip


def test_what_no_door_has_is_an_attribute_error(doorway):
    import doorway as door

    with pytest.raises(AttributeError, match="module 'doorway' has no attribute 'tiny'"):
        _ = door.tiny


def test_a_name_that_left_goes_on_working_with_a_line_that_says_where_it_lives(doorway, caplog):
    text = TEXT.replace("LARGE, Thing", "Thing").replace(
        "__file__)", "__file__, former={'Item': 'Thing'}, inner=['doorway.inner'])"
    )
    doorway.write_text(text)
    import doorway as door

    assert (door.Item, caplog.messages) == (door.Thing, [])
    assert door.LARGE == door.LARGE == 7
    assert caplog.messages == ["doorway.LARGE is now doorway.inner.LARGE; the old name still works"]
    assert "LARGE" not in dir(door)
    with pytest.raises(AttributeError, match="no attribute 'tiny'"):
        _ = door.tiny


def test_a_module_among_those_that_left_is_none_of_the_names(doorway):
    doorway.write_text(TEXT.replace("__file__)", "__file__, inner=['doorway.nested'])"))
    (doorway.parent / "nested").mkdir()
    (doorway.parent / "nested" / "__init__.py").write_text("from doorway.nested import game")
    (doorway.parent / "nested" / "game.py").write_text("")
    import doorway as door

    with pytest.raises(AttributeError, match="no attribute 'game'"):
        _ = door.game


@pytest.mark.parametrize("package", ["sim", "ai"])
def test_every_name_at_the_doors_is_there(package):
    file = Path(__file__).resolve().parents[2] / package / "__init__.py"
    door = open_door(package, str(file))
    assert len(door.names) > 30
    for name in door.names:
        assert door.look_up(name) is not None
