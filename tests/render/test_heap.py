"""The heap of a process with a window."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

from sim.render.heap import keep_heap

FREES = """
import ctypes, sys
from sim.render.heap import keep_heap
if sys.argv[1] == "kept":
    assert keep_heap()
libc = ctypes.CDLL(None)
libc.sbrk.restype = libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]
blocks = [libc.malloc(60_000) for _ in range(2000)]
before = libc.sbrk(0)
for block in reversed(blocks):
    libc.free(block)
print(before - libc.sbrk(0))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="needs the GNU C library")
def test_the_heap_keeps_its_end():
    def given_back(kind: str) -> int:
        done = subprocess.run(
            [sys.executable, "-c", FREES, kind], capture_output=True, text=True, check=True,
            env={**os.environ, "MALLOC_ARENA_MAX": "1"},
        )  # fmt: skip
        return int(done.stdout)

    assert given_back("kept") == 0
    assert given_back("plain") > 0


def test_other_libraries_are_left_alone(monkeypatch):
    monkeypatch.setattr(platform, "libc_ver", lambda: ("", ""))
    assert not keep_heap()
