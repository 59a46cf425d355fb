"""TensorFlow's messages are left out of stderr, and nothing else is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from base.worker.chatter import CHATTER, LEVEL

FAKE = '''
import os, sys
os.write(2, b"""WARNING: All log messages before absl::InitializeLog() is called are written to STDERR
I0000 00:00:1795780762.550804   24865 port.cc:153] oneDNN custom operations are on. You may see
E0000 00:00:1795780847.290505   25917 cuda_platform.cc:52] failed call to cuInit: INTERNAL
2026-11-27 12:01:01.123456: I tensorflow/core/platform/cpu_feature_guard.cc:210] This binary
To enable the following instructions: AVX2 AVX512F, in other operations, rebuild TensorFlow
a warning of ours
""")
print("written by Python", file=sys.stderr)
'''


def import_it(tmp_path: Path, level: str | None) -> list[str]:
    """Import a package of that name in a fresh process; return the lines of its stderr."""
    (tmp_path / "tensorflow").mkdir()
    (tmp_path / "tensorflow" / "__init__.py").write_text(FAKE, encoding="utf-8")
    code = (
        f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(Path.cwd())!r}]; "
        "from base.worker.chatter import hide_chatter; hide_chatter(); hide_chatter(); "
        "import tensorflow"
    )
    environment = {name: value for name, value in os.environ.items() if name != LEVEL}
    environment |= {} if level is None else {LEVEL: level}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return done.stderr.splitlines()


@pytest.mark.parametrize("level", [None, "3"])
def test_an_import_is_quiet_but_for_what_is_not_tensorflows(tmp_path, level):
    assert import_it(tmp_path, level) == ["a warning of ours", "written by Python"]


def test_a_users_own_level_wins(tmp_path):
    found = import_it(tmp_path, "0")
    assert len(found) == 7
    assert sum(CHATTER.match(line.encode()) is not None for line in found) == 5
