"""Memory that processes share: in memory, or in a file where there is no room."""

from __future__ import annotations

import pytest

from base import shared_memory
from base.errors import GoishiError


def test_where_the_shared_memory_is_full_a_file_takes_its_place(monkeypatch, tmp_path):
    full, other = tmp_path / "shm", tmp_path / "other"
    full.mkdir()
    other.mkdir()
    monkeypatch.setattr(shared_memory, "SHARED", full)
    monkeypatch.setattr(shared_memory.tempfile, "gettempdir", lambda: str(other))
    real, shared = shared_memory._mapped_file, shared_memory.SharedFile

    def mapped(folder, size):
        if folder in refusing:
            raise OSError(28, "No space left on device")
        return real(folder, size)

    monkeypatch.setattr(shared_memory, "_mapped_file", mapped)
    refusing = [full]
    made = []
    monkeypatch.setattr(
        shared_memory, "SharedFile", lambda folder: made.append(folder) or shared(folder)
    )
    file, memory = shared_memory.shared_memory(4096)
    assert made == [other]
    assert len(memory) == 4096
    memory.close()
    file.close()
    refusing.append(other)
    with pytest.raises(GoishiError) as caught:
        shared_memory.shared_memory(4096)
    assert str(caught.value) == (
        f"shared memory: expected room for 4,096 bytes in {full} or {other}, "
        "found: No space left on device"
    )
