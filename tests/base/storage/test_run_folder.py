"""The folder of a run: begun, compared, resumed, and its lines cut."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from base.locks import FolderBusyError, FolderLock
from base.storage.run_folder import RunFolder, RunFolderError, difference_of, require_empty

CONFIG = {"seed": 1, "settings": {"rate": 0.5}}


def folder_in(path: Path) -> RunFolder:
    return RunFolder(path, "test/1", "training")


def test_a_run_is_begun_and_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "a" / "run"
    assert folder_in(out).open(CONFIG, resume=True, versions={"python": "3"}) is None
    stored = json.loads((out / "run.json").read_text())
    assert stored == {"format": "test/1", "config": CONFIG, "versions": {"python": "3"}}
    assert folder_in(out).open(CONFIG, resume=True) == CONFIG
    with pytest.raises(RunFolderError, match=r"found a training in .*; add --resume"):
        folder_in(out).open(CONFIG, resume=False)


def test_another_run_is_named_by_what_differs(tmp_path: Path) -> None:
    folder_in(tmp_path).open(CONFIG, resume=False)
    other = {"seed": 1, "settings": {"rate": 0.25}}
    with pytest.raises(RunFolderError, match=r"found another in .*: rate: 0.5, not 0.25"):
        folder_in(tmp_path).open(other, resume=True)
    assert folder_in(tmp_path).open(other, resume=True, difference=lambda found: "") == CONFIG
    assert difference_of(CONFIG, {**CONFIG, "more": 1}) == "more: None, not 1"
    assert difference_of({**CONFIG, "more": 1}, CONFIG) == "more: 1, not None"
    assert difference_of(CONFIG, CONFIG) == ""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "expected JSON, found an empty file"),
        ("[]", "expected a JSON object"),
        ("[" * 100_000, "expected JSON, found values nested too deep"),
        ('{"format": "other/1"}', "format: expected 'test/1', found 'other/1'"),
        ('{"format": "test/1", "config": 3}', "without a configuration"),
        ('{"format": "test/1", "config": {"seed": 1, "settings": 3}}', "found .*run.json: "),
    ],
)
def test_a_damaged_or_foreign_file_is_one_line(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(RunFolderError, match=told) as caught:
        folder_in(tmp_path).open(CONFIG, resume=True)
    assert str(caught.value).startswith("--out: expected a training's folder, found ")
    assert len(str(caught.value).splitlines()) == 1
    assert (tmp_path / "run.json").read_text() == text


def test_what_a_killed_start_left_is_nothing_and_anything_else_is_foreign(tmp_path: Path) -> None:
    for name in (".run.json.999999999.tmp", "run.lock"):
        (tmp_path / name).write_text("{")
    require_empty(tmp_path)
    require_empty(tmp_path / "none")
    (tmp_path / "mine.txt").write_text("")
    with pytest.raises(RunFolderError, match="--data: expected an empty folder, found files in"):
        require_empty(tmp_path, "--data")
    with pytest.raises(RunFolderError, match="--out: expected a folder, found the file"):
        require_empty(tmp_path / "mine.txt")
    require_empty(tmp_path, holds=lambda folder: True)
    with pytest.raises(RunFolderError):
        folder_in(tmp_path).open(CONFIG, resume=True)
    assert not (tmp_path / "run.json").exists()


def test_the_lock_is_held_once(tmp_path: Path) -> None:
    with folder_in(tmp_path), pytest.raises(FolderBusyError):
        folder_in(tmp_path).__enter__()
    lock = FolderLock(tmp_path)
    lock.acquire()
    with RunFolder(tmp_path, "test/1", "training", lock=lock):
        assert lock.is_held
    assert not lock.is_held


def test_lines_after_a_checkpoint_are_cut_and_a_broken_one_too(tmp_path: Path) -> None:
    folder = folder_in(tmp_path)
    with folder.appending("lines.jsonl") as file:
        for number in range(1, 6):
            file.append({"update": number})
    with (tmp_path / "lines.jsonl").open("ab") as raw:
        raw.write(b'{"upda')
    assert folder.cut("lines.jsonl", "update", 3) == 3
    assert [line["update"] for line in folder.lines("lines.jsonl")] == [1, 2, 3]
    assert (tmp_path / "lines.jsonl").read_bytes().count(b"\n") == 3
    assert folder.cut("none.jsonl", "update", 3) == 0
