"""goishi.toml as the engine reads it: entries by name, faults by key, no code run."""

from __future__ import annotations

import pytest

from base.manifest import ProjectError, find_manifest
from sim.core.project.manifest import Entry, Manifest, look_at_project, read_manifest
from sim.core.reporting.console import Console
from tests.project_page import build_project


def test_the_page_offers_a_command_a_panel_and_a_component(tmp_path, capsys):
    project = build_project(tmp_path / "four")
    manifest = read_manifest(project)
    assert manifest.commands == (
        Entry(
            "tournament",
            "scripts.tournament:tournament",
            "Let two players play some games and say who won.",
        ),
    )
    assert manifest.panels == (
        Entry("Tally", "scripts.tally:Tally", "Counts how often each side has won."),
    )
    assert manifest.components == (
        Entry("Bow", "scripts.bow:Bow", "Bows when a stone was placed."),
    )
    assert find_manifest(project / "scripts") == project.resolve()


def test_no_file_offers_nothing(tmp_path):
    assert read_manifest(tmp_path) == Manifest(tmp_path)
    assert find_manifest(tmp_path) is None


def test_reading_runs_nothing(tmp_path):
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "loud.py").write_text("raise SystemExit(3)\ndef go():\n  'Goes.'\n")
    (tmp_path / "scripts" / "torn.py").write_text("def go(:\n")
    (tmp_path / "goishi.toml").write_text(
        '[commands]\ngo = "scripts.loud:go"\ntorn = "scripts.torn:go"\ngone = "scripts.gone:go"\n'
    )
    assert [entry.help for entry in read_manifest(tmp_path).commands] == ["Goes.", "", ""]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("x", "goishi.toml: expected a TOML file, found "),
        ("[plugins]", "goishi.toml:plugins: expected one of players, games, commands, panels, "),
        ("panels = 3", "goishi.toml:panels: expected a table, found 3"),
        ("[commands]\nGo = 'scripts.a:b'", "commands.Go: expected a word of small letters"),
        ("[commands]\ngo = 3", "commands.go: expected module:name, .*, found 3"),
        (
            "[commands]\ngo = 'a:b'",
            "commands.go: expected module:name, as in scripts.* found 'a:b'",
        ),
        ('[panels]\n"\\t" = "scripts.a:b"', "expected a name that can be shown"),
        (
            "[components]\nBow = 'sim:Camera'",
            "components.Bow: expected module:name, .*'sim:Camera'",
        ),
    ],
)
def test_a_mistake_names_its_key(tmp_path, text, fault):
    (tmp_path / "goishi.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ProjectError, match=fault):
        read_manifest(tmp_path)
    console = Console()
    assert look_at_project(tmp_path, console) == Manifest(tmp_path)
    (record,) = console.records
    assert record.level == "warning"
    assert record.text.startswith("goishi.toml")


def test_a_file_that_is_no_text_is_one_error(tmp_path):
    (tmp_path / "goishi.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ProjectError, match="expected a TOML file"):
        read_manifest(tmp_path)
