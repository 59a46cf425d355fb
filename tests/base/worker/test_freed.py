"""What is garbage is given back to the system."""

from __future__ import annotations

import ctypes
import platform
from types import SimpleNamespace

import psutil
import pytest

from base import garbage

PIECES = 6_000
SIZE = 10_000


def test_what_lies_free_below_a_piece_in_use_is_given_back():
    if platform.libc_ver()[0] != "glibc":
        pytest.skip("another C library keeps garbage memory in its own way")
    library = ctypes.CDLL(None)
    library.malloc.argtypes, library.malloc.restype = [ctypes.c_size_t], ctypes.c_void_p
    library.free.argtypes = [ctypes.c_void_p]
    garbage.give_back_freed()
    process = psutil.Process()
    before = process.memory_info().rss
    pieces = [library.malloc(SIZE) for _ in range(PIECES)]
    for piece in pieces:
        ctypes.memset(piece, 1, SIZE)
    for piece in pieces[:-1]:
        library.free(piece)
    held = process.memory_info().rss
    assert held - before > 40e6, "the last piece holds what is below it"
    assert garbage.give_back_freed()
    assert process.memory_info().rss - before < 10e6
    library.free(pieces[-1])


@pytest.mark.parametrize("error", [AttributeError, OSError, TypeError])
def test_another_c_library_is_left_alone(monkeypatch, error):
    def no_library(name):
        raise error

    garbage._trim.cache_clear()
    monkeypatch.setattr(garbage, "ctypes", SimpleNamespace(CDLL=no_library, c_size_t=0, c_int=0))
    assert not garbage.give_back_freed()
    garbage._trim.cache_clear()
