"""A disk that is full while something is written: one error, and nothing that was kept is lost."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit on the size of files")
@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ("lines", ["full", "full", 1, 2]),
        ("checkpoint", [True, True, 1, [], ["00000001"]]),
        ("database", [True, True, 1]),
        ("reopened", [13, "full", 2, 13]),
    ],
)
def test_a_full_disk_loses_nothing(what: str, expected: list[object], tmp_path: Path) -> None:
    words = [sys.executable, "-m", "tests.ai.store.full_disk", what, str(tmp_path)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == expected
