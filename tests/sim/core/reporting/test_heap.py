"""The heaps of a process with Panda3D: two allocators, one program break."""

from __future__ import annotations

import platform
import subprocess
import sys
from types import SimpleNamespace

import pytest

from sim.core.reporting import heap
from sim.core.reporting.heap import separate_heaps

ONLY_GLIBC = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="needs the GNU C library")

GROW = """
import ctypes, sys, threading
from sim.core.reporting.heap import separate_heaps
if sys.argv[1] == "separate":
    assert separate_heaps() and separate_heaps()
from panda3d.core import PNMImage
libc = ctypes.CDLL(None)
libc.sbrk.restype = libc.malloc.restype = ctypes.c_void_p
libc.sbrk.argtypes = [ctypes.c_ssize_t]
libc.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
before = libc.sbrk(0)
pictures = []

def draw():
    pictures.extend(PNMImage(170, 170, 3) for _ in range(400))

def fill():
    for number in range(800):
        blocks.append(libc.malloc(100_000))
        libc.memset(blocks[-1], number % 256, 100_000)

blocks = []
if sys.argv[1] == "separate":
    panda = threading.Thread(target=draw)
    panda.start()
    fill()
    panda.join()
else:
    draw()
    fill()
for number, block in enumerate(blocks):
    assert ctypes.string_at(block, 100_000) == bytes([number % 256]) * 100_000
print(libc.sbrk(0) - before)
"""

FIRST = """
import sys

class Guard:
    def find_spec(self, name, path=None, target=None):
        if name == "panda3d":
            seen.append(ctypes.CDLL(None).sbrk(8192) == -1)

import ctypes
from sim.core.reporting.heap import separate_heaps
seen = []
sys.meta_path.insert(0, Guard())
import {module}
assert seen and all(seen), seen
"""


def run(code: str, *arguments: str) -> str:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@ONLY_GLIBC
def test_neither_allocator_moves_the_break_once_it_is_walled_in() -> None:
    assert int(run(GROW, "separate")) == 0
    assert int(run(GROW, "plain")) > 0


@ONLY_GLIBC
@pytest.mark.parametrize(
    "module", ["sim.render.window.display", "sim.physics.world", "sim.ui.shell.backend"]
)
def test_the_break_is_walled_in_before_panda3d_is_loaded(module: str) -> None:
    run(FIRST.format(module=module))


def test_other_libraries_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "libc_ver", lambda: ("", ""))
    assert not separate_heaps()


def test_the_break_is_told_not_to_go_back_before_a_wall_is_built(monkeypatch):
    told = []

    class Called:
        def __init__(self, name):
            self.name = name

        def __call__(self, *values):
            told.append((self.name, *values[:2]))
            return 4096

    calls = {name: Called(name) for name in ("mallopt", "sbrk", "mmap")}
    monkeypatch.setattr(heap.sys, "platform", "linux")
    monkeypatch.setattr(heap.platform, "libc_ver", lambda: ("glibc", "2.36"))
    monkeypatch.setattr(heap.ctypes, "CDLL", lambda name: SimpleNamespace(**calls))
    assert not heap.separate_heaps(), "the break went on, so nothing was gained"
    assert told[:2] == [
        ("mallopt", heap.M_TRIM_THRESHOLD, heap.NEVER),
        ("mallopt", heap.M_MMAP_THRESHOLD, heap.LARGE),
    ]
    assert [name for name, *_ in told[2:]] == ["sbrk", "mmap", "sbrk"]
