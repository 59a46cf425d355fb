"""Runs that block in code that nothing can break off, and threads that would outlive a run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.corpus_scripts import judged, write_project

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 120.0


def run_headless(root: Path, text: str) -> subprocess.CompletedProcess[str]:
    """Run a script headless beside one that ends the run."""
    scene = write_project(root / "p", text, timeout=0.2)
    return subprocess.run(
        [sys.executable, "main.py", "run", str(scene), "--headless", "--no-graphics", "--for", "60",
         "--trust"],
        cwd=ROOT, capture_output=True, text=True, timeout=LONGEST,
    )  # fmt: skip


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize(
    "call",
    ["all(itertools.repeat(1))", "m = (ctypes.c_long * 8)(); take(m); take(m)"],
    ids=["holds Python's lock", "looks at no signal"],
)
def test_a_run_that_blocks_ends_with_1_and_names_the_place(tmp_path, call):
    top = "import ctypes, itertools\ntake = ctypes.CDLL(None).pthread_mutex_lock\n"
    ended = run_headless(
        tmp_path, f"{top}\nclass One(Script):\n    def update(self, dt):\n        {call}\n"
    )
    assert ended.returncode == 1
    assert ended.stderr.splitlines() == [
        f"ERROR One.update  scripts/one.py:7  blocks in {call}: it cannot be stopped, the run ends"
    ]


def test_a_thread_that_is_no_daemon_does_not_outlive_the_run(tmp_path):
    body = "threading.Thread(target=time.sleep, args=(1e6,), name='mine').start()"
    ended = run_headless(
        tmp_path,
        f"import threading, time\n\nclass One(Script):\n    def start(self):\n        {body}\n",
    )
    assert ended.returncode == 0
    assert ended.stderr.splitlines() == [
        "WARNING threads that a script left running are ended: mine"
    ]


def test_the_corpus_tells_a_crash_a_hang_and_silence():
    line = "ERROR A > One.update  scripts/one.py:3  ValueError\n"
    assert judged("x", 0, line, 1.0).kind == "one line"
    assert judged("x", 1, line, 1.0).kind == "ended"
    assert judged("x", 0, "", 1.0).is_fault
    assert judged("x", None, line, 1.0).kind == "hang"
    assert judged("x", -11, line, 1.0).kind == "crash"
    assert judged("x", 1, "Traceback (most recent call last):\n", 1.0).kind == "crash"
    assert judged("ends: abort", -6, line, 1.0).kind == "ended"
    assert judged("ends: abort", -6, "", 1.0).is_fault


def test_listing_players_compiles_nothing(tmp_path):
    ended = subprocess.run(
        [sys.executable, "main.py", "players", "--json"],
        cwd=ROOT, capture_output=True, text=True, timeout=LONGEST,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)},
    )  # fmt: skip
    assert ended.returncode == 0
    assert len(json.loads(ended.stdout)) > 5
    assert list(tmp_path.rglob("*.nbi")) == []
