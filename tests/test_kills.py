"""A few of the kills of `benchmarks.kills`, and what it calls lost, doubled and half written."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from base.storage.json_file import LinesFile
from benchmarks.kills import KillError, Store, leftovers

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.skipif(sys.platform != "linux", reason="slow_writes.c is for Linux")
@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs a C compiler: install gcc")
def test_kills_amid_saving_lose_nothing():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.kills", "--kills", "16", "--only", "scene", "store"],
        cwd=ROOT, capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].startswith("16 kills, seed 0: nothing lost")


def kept(folder: Path, *games: int, learnt: int | None = None) -> Path:
    """Write a folder with games, and perhaps a checkpoint."""
    with LinesFile(folder / "games.jsonl") as lines:
        for game in games:
            lines.append({"game": game, "moves": [game]})
    if learnt is not None:
        checkpoint = folder / "learner" / "00000001"
        checkpoint.mkdir(parents=True)
        manifest = {"format": "goishi.checkpoint/1", "files": {}, "state": {"games_learnt": learnt}}
        (checkpoint / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("games", "learnt", "found"),
    [((1, 2, 3), 2, None), ((1, 2), 2, None), ((1,), 1, "games .2. are lost"), ((1, 3), 2, "expected games"),
     ((1, 2, 2), 2, "kept twice"), ((1, 2), 1, "games learnt"), ((1, 2), 3, "3 games are learnt")],
)  # fmt: skip
def test_what_is_lost_or_doubled_is_told(tmp_path, games, learnt, found):
    before = Store(kept(tmp_path / "before", 1, 2, learnt=2))
    assert before.last == 2
    after = kept(tmp_path / "after", *games, learnt=learnt)
    if found is None:
        Store(after).check_after(before)
        return
    with pytest.raises(KillError, match=found):
        Store(after).check_after(before)


def test_what_is_half_written_is_told(tmp_path):
    for name in (
        ".a.json.12.tmp",
        ".unfinished-00000001-5",
        ".removed-00000001",
        "damaged-00000001",
    ):
        (tmp_path / name).mkdir()
    assert len(leftovers(tmp_path)) == 4
    (tmp_path / "00000003").mkdir()
    with pytest.raises(KillError, match="without its manifest"):
        Store(tmp_path)
