"""How a change of a model's file is noticed."""

from __future__ import annotations

import os

from sim.core.assets.assets import stamp


def test_another_size_or_time_is_another_stamp_and_no_file_is_none(tmp_path):
    file = tmp_path / "a"
    assert stamp(file) is None
    file.write_bytes(b"abc")
    os.utime(file, ns=(1, 7_000))
    assert stamp(file) == [3, file.stat().st_mtime_ns]
    first = stamp(file)
    os.utime(file, ns=(1, 8_000))
    assert stamp(file) != first
