"""goishi.toml below engine and AI: tables, entries, targets, docstrings read without running."""

from __future__ import annotations

import pickle

import pytest

from base.errors import GoishiError
from base.manifest import (
    ProjectError,
    check_keys,
    check_target,
    entries_of,
    find_manifest,
    read_tables,
    refuse,
    summary,
)


def test_no_file_has_no_tables_and_no_entries(tmp_path):
    assert read_tables(tmp_path) == {}
    assert entries_of({}, "players") == {}
    assert find_manifest(tmp_path) is None


@pytest.mark.parametrize("content", [b"x", b"\xff\xfe\x00", b"[a" * 5_000, b"a = " + b"[" * 9_999])
def test_what_is_no_toml_is_one_error_of_the_project(tmp_path, content):
    (tmp_path / "goishi.toml").write_bytes(content)
    with pytest.raises(ProjectError, match=r"^goishi.toml: expected a TOML file, found "):
        read_tables(tmp_path)
    assert issubclass(ProjectError, GoishiError)
    assert issubclass(ProjectError, ValueError)


def test_the_error_goes_from_a_worker_to_the_app():
    with pytest.raises(ProjectError) as caught:
        refuse("players.x", "a table", 3)
    there = pickle.loads(pickle.dumps(caught.value))
    assert type(there) is ProjectError
    assert str(there) == "goishi.toml:players.x: expected a table, found 3"


def test_names_are_checked_by_the_table_that_they_stand_in():
    tables = {"players": {"a-1": 1}, "panels": {"A b": 2}, "games": 3}
    assert entries_of(tables, "players") == {"a-1": 1}
    assert entries_of(tables, "panels", lambda name: "") == {"A b": 2}
    with pytest.raises(ProjectError, match=r"panels.A b: expected a name of small letters"):
        entries_of(tables, "panels")
    with pytest.raises(ProjectError, match=r"goishi.toml:games: expected a table, found 3"):
        entries_of(tables, "games")


@pytest.mark.parametrize("value", ["a", "a:b:c", "a.b:", ":b", "a.:b", "a b:c", "a:b\n", 3, None])
def test_a_target_has_the_form_module_and_name(value):
    with pytest.raises(ProjectError, match=r"goishi.toml:x.y: expected module:name, as in"):
        check_target("x.y", value)


def test_a_target_may_have_to_be_a_script():
    assert check_target("x", "package.module:name") == "package.module:name"
    assert check_target("x", "scripts.a:b", within="scripts.") == "scripts.a:b"
    for value in ("package.module:name", "scripts:b", "scriptsa:b"):
        with pytest.raises(ProjectError):
            check_target("x", value, within="scripts.")


def test_a_switch_is_no_number():
    check_keys("x", {"a": 1, "b": True}, {"a": int, "b": bool})
    with pytest.raises(ProjectError, match=r"x.a: expected a value of type int, found True"):
        check_keys("x", {"a": True}, {"a": int})
    with pytest.raises(ProjectError, match=r"x.c: expected one of a, found 'c'"):
        check_keys("x", {"c": 1}, {"a": int})


def test_a_summary_is_the_first_paragraph_and_runs_nothing(tmp_path):
    (tmp_path / "scripts" / "pack").mkdir(parents=True)
    text = '"""Of the\nmodule."""\nraise SystemExit\ndef f():\n  """One\n  line.\n\n  Rest."""\n'
    for name in ("loud.py", "pack/__init__.py"):
        (tmp_path / "scripts" / name).write_text(text)
    (tmp_path / "scripts" / "torn.py").write_text("def f(:\n")
    for module in ("scripts.loud", "scripts.pack"):
        assert summary(tmp_path, f"{module}:f") == "One line."
        assert summary(tmp_path, f"{module}:g") == ""
        assert summary(tmp_path, f"{module}:g", or_module=True) == "Of the module."
    for target in ("scripts.torn:f", "scripts.gone:f", "numpy:array"):
        assert summary(tmp_path, target, or_module=True) == ""
