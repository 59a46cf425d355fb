"""Which folders are trusted: the user's file, Goishi's own projects, folders without programs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from base.errors import TrustError
from base.files import SHIPPED_ROOT
from base.trust import (
    GATE,
    Trust,
    check_import,
    has_code,
    linked_folders,
    read_trust,
    trust_fault,
    trust_file,
    trust_of,
)
from sim.core.project.trust import remember


@pytest.fixture(autouse=True)
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of settings for this test alone."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("WIN_PD_OVERRIDE_LOCAL_APPDATA", str(tmp_path / "config"))
    trust_file().parent.mkdir(parents=True)
    return trust_file()


def project(folder: Path) -> Path:
    (folder / "scripts").mkdir(parents=True)
    return folder


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("trusted", Trust.TRUSTED),
        ("safe", Trust.SAFE),
        ("perhaps", Trust.UNKNOWN),
    ],
)
def test_the_file_says_what_the_user_answered(
    answer: str, expected: Trust, tmp_path: Path, settings: Path
) -> None:
    mine = project(tmp_path / "mine")
    assert trust_of(mine) is Trust.UNKNOWN
    settings.write_text(f"[projects]\n'{mine}' = '{answer}'\n", encoding="utf-8")
    assert trust_of(mine) is expected
    assert trust_of(project(mine / "inside")) is Trust.UNKNOWN, "another project"
    (tmp_path / "link").symlink_to(mine)
    assert trust_of(tmp_path / "link") is expected, "the folder itself counts"


@pytest.mark.parametrize("text", ["no toml at all [", "projects = 3\nlinked_folders = 4\n", "\0"])
def test_a_damaged_file_trusts_nobody(text: str, tmp_path: Path, settings: Path) -> None:
    settings.write_text(text, encoding="utf-8")
    assert trust_of(project(tmp_path / "mine")) is Trust.UNKNOWN
    assert linked_folders() == ()


def test_what_ships_is_trusted_and_what_is_put_beside_it_is_not() -> None:
    assert trust_of(SHIPPED_ROOT) is Trust.TRUSTED
    assert trust_of(SHIPPED_ROOT / "docs" / "projects" / "othello") is Trust.TRUSTED
    assert trust_of(SHIPPED_ROOT / "tests" / "drive" / "project_written_before") is Trust.TRUSTED
    assert trust_of(SHIPPED_ROOT / "scripts") is Trust.UNKNOWN


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("scenes/a.scene.json", False),
        ("assets/figure.glb", False),
        ("goishi.toml", True),
        ("scripts/a.py", True),
        ("numpy.py", True),
        ("yaml/__init__.py", True),
        ("fast.so", True),
    ],
)
def test_a_folder_that_holds_nothing_to_run_needs_no_trust(
    name: str, expected: bool, tmp_path: Path
) -> None:
    folder = tmp_path / "project"
    (folder / name).parent.mkdir(parents=True)
    (folder / name).touch()
    assert has_code(folder) is expected
    assert trust_of(folder) is (Trust.UNKNOWN if expected else Trust.TRUSTED)


def test_folders_that_links_may_lead_to(tmp_path: Path, settings: Path) -> None:
    assert linked_folders() == ()
    settings.write_text(f"linked_folders = ['{tmp_path / 'shared'}', 'relative', 3]\n")
    assert linked_folders() == (tmp_path / "shared",)


@pytest.mark.parametrize("text", ['[projects]\n"/home/me/a" = "trusted\n', "projects = 3\n", "\0"])
def test_an_answer_beside_a_typo_keeps_the_file_and_says_so(
    text: str, tmp_path: Path, settings: Path
) -> None:
    settings.write_text(text, encoding="utf-8")
    assert str(settings) in trust_fault()
    said = remember(tmp_path, Trust.TRUSTED)
    assert said.startswith(f"{settings}: ")
    assert f"it is kept as {settings}.bad" in said
    assert settings.with_name("trust.toml.bad").read_text(encoding="utf-8") == text
    assert trust_fault() == ""
    assert remember(tmp_path / "b", Trust.SAFE) == ""
    assert read_trust()["projects"] == {str(tmp_path): "trusted", str(tmp_path / "b"): "safe"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are of POSIX alone")
def test_a_pipe_is_no_file_of_answers_and_no_wait(tmp_path: Path, settings: Path) -> None:
    os.mkfifo(settings)
    assert trust_of(project(tmp_path / "mine")) is Trust.UNKNOWN
    assert "a pipe, no file" in trust_fault()
    assert "is kept as" in remember(tmp_path / "mine", Trust.TRUSTED)
    assert trust_of(tmp_path / "mine") is Trust.TRUSTED


def test_a_refusal_names_a_file_of_answers_that_cannot_be_read(
    tmp_path: Path, settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.write_text("[projects\n", encoding="utf-8")
    monkeypatch.setenv(GATE, "[]")
    with pytest.raises(TrustError, match=r"found no answer that can be read \(.*trust.toml: exp"):
        check_import(project(tmp_path / "mine"))
