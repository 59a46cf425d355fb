"""What is listed while the path of a file is typed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sim.ui.widgets.file_list import MOST, listing_of


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    for name in ("Games", "engines", ".hidden"):
        (folder / name).mkdir()
    for name in ("game.sgf", "Other.PSQ", "notes.txt", ".dot.sgf", "engines/brain"):
        (folder / name).write_text("")
    return folder


def test_folders_come_first_and_hidden_entries_do_not(home: Path) -> None:
    found = listing_of("", home)
    assert found.folders == ("engines", "Games")
    assert found.files == ("game.sgf", "notes.txt", "Other.PSQ")
    assert (found.folder, found.selected, found.fault) == (home, "", "")
    assert listing_of("", home, (".sgf", ".psq")).files == ("game.sgf", "Other.PSQ")


def test_what_is_typed_begins_the_names(home: Path) -> None:
    found = listing_of(f"{home}/g", home)
    assert (found.folders, found.files) == (("Games",), ("game.sgf",))
    assert listing_of(f"{home}/.", home).folder == home
    assert listing_of(f"{home}/.d", home).files == (".dot.sgf",)
    assert listing_of(f"'{home}/engines/'", home).files == ("brain",)
    whole = listing_of(str(home / "game.sgf"), home)
    assert whole.selected == "game.sgf"
    assert len(whole.files) == 3, "the others stay beside the chosen one"


def test_what_cannot_be_listed_says_why(home: Path) -> None:
    assert "No such file" in listing_of(f"{home}/nowhere/x", home).fault
    assert listing_of("~nobody-has-this-name/x", home).fault


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(typed=st.text(max_size=12))
def test_no_text_is_an_error(typed: str, home: Path) -> None:
    found = listing_of(typed, home)
    assert len(found.folders) + len(found.files) <= MOST
