"""One process at a time writes into a folder, and the second is told who the first is."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from base.errors import UsageError
from base.locks import RUN_LOCK, FolderBusyError, FolderLock

HOLDER = """
import sys
from pathlib import Path
from base.locks import FolderLock
lock = FolderLock(Path(sys.argv[1]))
lock.acquire()
print("held", flush=True)
sys.stdin.read()
"""


def test_the_second_is_told_the_firsts_process(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    with FolderLock(folder) as lock:
        assert lock.is_held
        with pytest.raises(FolderBusyError, match=f"in use by process {os.getpid()}") as caught:
            FolderLock(folder).acquire()
        assert isinstance(caught.value, UsageError)
    assert list(folder.iterdir()) == []
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.holder) == (str(caught.value), os.getpid())


def test_a_killed_holder_leaves_no_lock(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        with pytest.raises(FolderBusyError, match=f"process {process.pid}"):
            FolderLock(tmp_path).acquire()
    finally:
        os.kill(process.pid, signal.SIGKILL) if os.name != "nt" else process.kill()
        process.communicate()
    assert (tmp_path / RUN_LOCK).exists()
    with FolderLock(tmp_path) as lock:
        assert lock.holder() == os.getpid()


@pytest.mark.skipif(os.name == "nt", reason="an open file cannot be removed")
def test_a_lock_whose_file_has_gone_meanwhile_is_none(tmp_path: Path, monkeypatch) -> None:
    """Between opening and locking the file, its holder removes it: another one is made."""
    first = FolderLock(tmp_path)
    first.acquire()
    opened = os.open

    def open_late(*words: object) -> int:
        descriptor = opened(*words)
        first.release()
        return descriptor

    monkeypatch.setattr(os, "open", open_late)
    with FolderLock(tmp_path):
        monkeypatch.undo()
        with pytest.raises(FolderBusyError):
            FolderLock(tmp_path).acquire()
