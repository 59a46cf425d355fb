"""What is written for a worker is read the same, arrays included."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from base.files import SHIPPED_ROOT
from base.worker.process import decode
from base.worker.sender import encode


@dataclass(frozen=True)
class Weights:
    name: str
    arrays: list[Any]


ARRAYS = [
    np.arange(12, dtype=np.float32).reshape(3, 4),
    np.asfortranarray(np.arange(12).reshape(3, 4)),
    np.arange(20)[::3],
    np.zeros((0, 5), np.uint8),
    np.array(7.5),
    np.array([(1, 2.5)], dtype=[("a", "i4"), ("b", "f8")]),
    np.frombuffer(b"read only", np.uint8),
    np.array(["text", None], dtype=object),
]


@pytest.mark.parametrize("count", [0, 1, len(ARRAYS)])
def test_arrays_of_all_kinds_come_out_the_same(count):
    number, is_final, read = decode(encode((3, True, Weights("net", ARRAYS[:count]))))
    assert (number, is_final, read.name, len(read.arrays)) == (3, True, "net", count)
    for written, found in zip(ARRAYS, read.arrays, strict=False):
        assert (found.dtype, found.shape) == (written.dtype, written.shape)
        assert np.array_equal(found, written)
        assert found.flags.writeable


@pytest.mark.parametrize("message", [None, ("goodbye",), b"\0" * 100, bytearray(b"abc"), "é", {}])
def test_messages_without_arrays_come_out_the_same(message):
    assert decode(encode(message)) == message


def test_what_is_changed_after_the_call_does_not_travel():
    array = np.zeros(1000)
    content = encode(array)
    array[:] = 1.0
    assert not decode(content).any()


def test_a_worker_sets_its_environment_before_it_imports_numpy():
    code = "import sys, base.worker.process; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=SHIPPED_ROOT).returncode == 0
