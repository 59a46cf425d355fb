"""The table of values in shared memory: the same value as by a message, never half of one."""

from __future__ import annotations

import io
import mmap
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from base import value_table, wire
from base.files import SHIPPED_ROOT
from base.value_table import (
    LARGEST,
    MARKS,
    NO_TAG,
    ROW,
    SEQUENCE,
    SIZE,
    WITHDRAWN,
    ValueReader,
    ValueTable,
    pack,
)

KEY = "the value"
TAG = 7
WRITER = """
import sys

import numpy as np

from base.value_table import ValueTable, pack

table = ValueTable()
print(*table.offer.values(), flush=True)
sys.stdin.readline()
tags = [tag.to_bytes(4, "little") for tag in (1, 2)]
for frame in range(10**9):
    rows = pack(np.full(31, float(frame))), pack("x" * (frame % 200) + str(frame))
    table.write(frame, {tag[0]: tag + row for tag, row in zip(tags, rows)})
    if frame % 50 == 49:
        table.withdraw()
"""

PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters())
VALUES = (
    st.recursive(
        PLAIN,
        lambda inner: st.lists(inner) | st.dictionaries(st.text().filter(wire.ARRAY.__ne__), inner),
    )
    | st.lists(st.floats())
    | arrays.arrays(
        st.sampled_from(["<f8", ">f8", "<f4", "<i4", "|b1", "<c16"]),
        arrays.array_shapes(min_dims=0, max_dims=3, min_side=0),
    )
)


@pytest.fixture
def table():
    table = ValueTable()
    yield table
    table.close()


@pytest.fixture
def reader(table):
    reader = ValueReader(table.offer, lambda: True)
    reader.note(KEY, 1, TAG)
    yield reader
    reader.close()


def row(value: object, tag: int = TAG) -> bytes:
    """Return what stands in the row of a value."""
    content = pack(value)
    assert content is not None
    return tag.to_bytes(4, "little") + content


def same(one: object, other: object) -> bool:
    """Return whether two values are the same to the bit, and of the same types."""
    if type(one) is not type(other):
        return False
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(map(same, one.values(), other.values()))
    if isinstance(one, np.ndarray):
        is_alike = (one.dtype, one.shape) == (other.dtype, other.shape)
        return is_alike and one.tobytes() == other.tobytes() and one.flags.writeable
    if one != one:
        return other != other
    return repr(one) == repr(other)


@given(VALUES)
def test_a_value_is_what_it_is_by_a_message(value):
    by_message = wire.read(io.BytesIO(wire.encode({"ok": value})))["ok"]
    content = pack(wire.copied(value))
    if content is None:
        assert len(wire.encode(value)) > LARGEST
        return
    assert len(content) <= ROW - len(NO_TAG)
    found = value_table.UNPACK[content[0]]((NO_TAG + content).ljust(ROW, b"\xff"))
    assert same(found, by_message)


def test_what_is_written_is_read_with_its_frame(table, reader):
    assert reader.read(KEY) is None, "nothing was written"
    table.write(3, {1: row(2.5)})
    assert reader.read(KEY) == (2.5, 3)
    table.write(4, {})
    assert reader.read(KEY) == (2.5, 4)
    assert reader.read("another") is None
    table.write(5, {1: row("now a text")})
    assert reader.read(KEY) == ("now a text", 5)


def test_what_is_withdrawn_must_be_asked_for(table, reader):
    table.write(3, {1: row(2.5)})
    table.withdraw()
    table.withdraw()
    assert reader.read(KEY) is None
    table.write(3, {})
    assert reader.read(KEY) == (2.5, 3)


@pytest.mark.parametrize("content", [NO_TAG, row(9.5, tag=8)])
def test_a_row_that_is_given_up_is_not_read(table, reader, content):
    table.write(3, {1: row(2.5)})
    table.write(4, {1: content})
    assert reader.read(KEY) is None


class Busy:
    """Memory in which the writer writes while it is read.

    Args:
        memory: the memory.
        writes: what the writer does at each reading, the first one first.
    """

    def __init__(self, memory, writes) -> None:
        self._memory, self._writes = memory, list(writes)

    def __getitem__(self, place):
        half = place.start + ROW // 2
        found = self._memory[place.start : half]
        if self._writes:
            self._writes.pop(0)()
        return found + self._memory[half : place.stop]

    def close(self):
        self._memory.close()


def test_half_of_a_value_is_never_read(table, reader):
    long = [row(np.full(31, float(number))) for number in range(4)]
    table.write(0, {1: long[0]})
    writes = [lambda number=number: table.write(number, {1: long[number]}) for number in (1, 2)]
    reader._memory = Busy(reader._memory, writes)
    found, frame = reader.read(KEY)
    assert (frame, set(found)) == (2, {2.0})
    reader._memory._writes = [table.withdraw]
    assert reader.read(KEY) is None
    reader._memory._writes = [lambda: table.write(3, {1: long[3]})] * 1000
    assert reader.read(KEY) is None, "a writer that never rests is asked"


def test_a_writer_that_dies_amid_writing_is_asked(table, reader):
    table.write(3, {1: row(2.5)})
    table._header[SEQUENCE] |= 1
    assert reader.read(KEY) is None
    table.write(4, {1: row(3.5)})  # interrupted, it goes on
    assert reader.read(KEY) == (3.5, 4)
    table._header[SEQUENCE] = WITHDRAWN  # the number begins anew
    table.write(5, {})
    assert (table._header[SEQUENCE], reader.read(KEY)) == (0, (3.5, 5))


def test_two_processes_agree_on_each_value():
    """One writes as fast as it can. Values and frames that the other reads belong together."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=SHIPPED_ROOT,
    ) as writer:  # fmt: skip
        path, secret = writer.stdout.readline().split()
        reader = ValueReader({"path": path, "secret": secret}, lambda: writer.poll() is None)
        reader.note("numbers", 1, 1)
        reader.note("text", 2, 2)
        writer.stdin.write("go\n")
        writer.stdin.flush()
        frames, latest = [], time.monotonic() + 30.0
        while len(frames) < 200 and time.monotonic() < latest:
            numbers, text = reader.read("numbers"), reader.read("text")
            if numbers is not None:
                assert set(numbers[0]) == {numbers[1]}
                if not frames or frames[-1] != numbers[1]:
                    frames.append(numbers[1])
            if text is not None:
                assert text[0] == "x" * (text[1] % 200) + str(text[1])
        writer.kill()
    assert frames == sorted(frames)
    assert len(frames) == 200, "the writer wrote meanwhile"
    reader.close()


def test_marks_say_what_is_read(table, reader):
    table.write(3, {1: row(2.5)})
    assert table.take_marks() == set()
    reader.read(KEY)
    assert table.take_marks() == {1}
    reader.read(KEY)
    assert table.take_marks() == set(), "until it is due again"
    reader._rows[KEY].due = 0.0
    reader.read(KEY)
    assert table.take_marks() == {1}


def test_whether_the_writer_lives_is_asked_now_and_then(table, monkeypatch):
    asked = []
    reader = ValueReader(table.offer, lambda: asked.append(0) or len(asked) < 3)
    reader.note(KEY, 1, TAG)
    table.write(3, {1: row(2.5)})
    now = 100.0
    monkeypatch.setattr(value_table, "monotonic", lambda: now)
    for _ in range(10):
        assert reader.read(KEY) == (2.5, 3)
    assert len(asked) == 1
    now += value_table.LOOK_SECONDS
    assert reader.read(KEY) == (2.5, 3)
    now += value_table.LOOK_SECONDS
    assert reader.read(KEY) is None
    assert len(asked) == 3
    reader.close()


def test_readers_cannot_change_what_is_written(reader):
    with pytest.raises(TypeError):
        reader._memory[0] = 1
    with pytest.raises(TypeError):
        reader._header[0] = 1


def test_a_closed_reader_or_table_is_asked(table, reader):
    table.write(3, {1: row(2.5)})
    reader.close()
    reader.close()
    assert reader.read(KEY) is None


def test_readers_see_that_the_table_is_closed():
    table = ValueTable()
    reader = ValueReader(table.offer, lambda: True)
    reader.note(KEY, 1, TAG)
    table.write(3, {1: row(2.5)})
    table.close()
    assert reader.read(KEY) is None
    reader.close()


def test_what_is_no_table_is_not_read(table, tmp_path):
    def opened(path: Path, secret: str = table.offer["secret"]) -> None:
        ValueReader({"path": str(path), "secret": secret}, lambda: True).close()

    with pytest.raises(OSError, match="No such file"):
        opened(tmp_path / "none")
    with pytest.raises(ValueError, match="expected the app's table, found another"):
        opened(Path(table.offer["path"]), "00" * 16)
    short = tmp_path / "short"
    short.write_bytes(bytes(SIZE - 1))
    with pytest.raises(ValueError, match=f"expected a table of {SIZE} bytes"):
        opened(short)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(ValueError, match="expected a table"):
            opened(tmp_path / "pipe")


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="needs to be root")
def test_another_user_cannot_read_it(table):
    found = subprocess.run(["cat", table.offer["path"]], user="nobody", capture_output=True)
    assert (found.returncode, found.stdout) == (1, b"")
    assert b"Permission denied" in found.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
def test_it_has_no_name_and_only_its_user_may_open_it(table):
    path = Path(table.offer["path"])
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.stat().st_nlink == 0


def test_marks_and_rows_lie_where_every_system_maps():
    assert MARKS % mmap.ALLOCATIONGRANULARITY == 0
    assert (SIZE - MARKS) % ROW == 0
    assert not ROW % 8
