"""The ELF writer: what the loader, the linker and tools make of its libraries."""

from __future__ import annotations

import ctypes
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.core.native.exported import ExportedType, Signature
from sim.export.exporter import is_writable_here
from sim.export.library import Library, PythonFiles
from sim.export.runtime import PythonFolder, find_libraries, is_of_the_system, needed_libraries
from sim.export.stubs import PAGE, Addresses, Code, SharedLibrary, library_bytes, write_library
from tests.sim.export.hosts import COMPILER, needs_compiler

on_this_machine = pytest.mark.skipif(
    not is_writable_here(), reason="only x86-64 Linux can load these libraries"
)
ANSWER = bytes.fromhex("B82A000000C3")  # mov eax, 42; ret


def simple_code(addresses: Addresses) -> Code:
    """`answer` returns 42; `plus` is abs() of the C library; `constant` returns an address."""
    jump = b"\xff\x25" + struct.pack("<i", addresses.table["abs"] - (addresses.code + 16 + 6))
    lea = b"\x48\x8d\x05" + struct.pack("<i", addresses.constants - (addresses.code + 32 + 7))
    data = ANSWER.ljust(16, b"\xcc") + jump.ljust(16, b"\xcc") + lea + b"\xc3"
    return Code(data, {"answer": (0, 6), "plus": (16, 6), "constant": (32, 8)})


def simple_library(**changes: object) -> bytes:
    parts: dict = {
        "soname": "libsimple.so", "needed": ("libc.so.6",), "run_path": "$ORIGIN",
        "imports": ("abs",), "constants": b"Goishi\0", "write_code": simple_code, **changes,
    }  # fmt: skip
    return write_library(SharedLibrary(**parts))


def export_of(names: list[str]) -> bytes:
    value = ExportedType("a", "float")
    functions = tuple(Signature(name, (value,), value) for name in names)
    files = PythonFiles("lib/libpython3.11.so.1.0", "lib/python3.11", ("lib/libz.so.1",))
    return library_bytes(
        Library("player", "scripts.player", functions, files), soname="libplayer.so"
    )


@on_this_machine
def test_the_loader_finds_functions_imports_and_constants(tmp_path: Path) -> None:
    path = tmp_path / "libsimple.so"
    path.write_bytes(simple_library())
    library = ctypes.CDLL(str(path))
    assert library.answer() == 42
    assert [library.plus(-5), library.plus(7)] == [5, 7]
    library.constant.restype = ctypes.c_char_p
    assert library.constant() == b"Goishi"
    assert not hasattr(library, "nothing")


@on_this_machine
def test_an_import_that_is_missing_is_refused_when_loaded(tmp_path: Path) -> None:
    def code(addresses: Addresses) -> Code:
        return Code(ANSWER, {"answer": (0, 6)})

    path = tmp_path / "libmissing.so"
    path.write_bytes(simple_library(imports=("goishi_has_no_such_function",), write_code=code))
    with pytest.raises(OSError, match="goishi_has_no_such_function"):
        ctypes.CDLL(str(path))


@on_this_machine
def test_memory_is_never_writable_and_executable(tmp_path: Path) -> None:
    path = tmp_path / "libguarded.so"
    path.write_bytes(simple_library(soname="libguarded.so"))
    stack = re.search(r"^\S+ (\S+) .*\[stack\]$", Path("/proc/self/maps").read_text(), re.MULTILINE)
    ctypes.CDLL(str(path))
    lines = [
        line.split()
        for line in Path("/proc/self/maps").read_text().splitlines()
        if line.endswith("libguarded.so")
    ]
    assert [line[1] for line in lines] == ["r--p", "r-xp", "r--p"], (
        "the GOT is read-only once bound"
    )
    assert stack is not None
    assert "x" not in stack[1]


@needs_compiler
def test_a_linker_takes_it(tmp_path: Path) -> None:
    (tmp_path / "libsimple.so").write_bytes(simple_library())
    source = tmp_path / "host.c"
    source.write_text(
        "int answer(void); int plus(int);\nint main(void) { return answer() + plus(-1); }"
    )
    host = tmp_path / "host"
    words = [str(COMPILER), str(source), "-o", str(host), f"-L{tmp_path}", "-lsimple"]
    subprocess.run([*words, f"-Wl,-rpath,{tmp_path}"], check=True, timeout=60)
    if is_writable_here():
        assert subprocess.run([str(host)], timeout=60).returncode == 43


def test_tools_read_it_without_a_complaint(tmp_path: Path) -> None:
    tool = shutil.which("readelf")
    if tool is None:
        pytest.skip("needs readelf: install binutils")
    path = tmp_path / "libplayer.so"
    path.write_bytes(export_of(["choose", "winner"]))
    assert needed_libraries(path) == ["libgoishi_shim.so"]
    done = subprocess.run([tool, "-aW", str(path)], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "Warning" not in done.stdout
    for text in ("Library soname: [libplayer.so]", "Shared library: [libgoishi_shim.so]",
                 "Library runpath: [$ORIGIN]", "BIND_NOW", "NODELETE"):  # fmt: skip
        assert text in done.stdout
    exported = re.findall(r"FUNC +GLOBAL DEFAULT +6 (\w+)", done.stdout)
    assert exported == ["player_choose", "player_winner", "player_init", "player_shutdown",
                        "player_last_error"]  # fmt: skip


def test_the_machine_code_is_what_it_should_be(tmp_path: Path) -> None:
    tool = shutil.which("objdump")
    if tool is None:
        pytest.skip("needs objdump: install binutils")
    path = tmp_path / "libplayer.so"
    path.write_bytes(export_of(["choose"]))
    done = subprocess.run(
        [tool, "-d", "-M", "intel", "--no-show-raw-insn", str(path)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    lines = [re.sub(r"\s+", " ", line.partition(":\t")[2]) for line in done.stdout.splitlines()]
    text = "\n".join(line.strip() for line in lines)
    for register, place in zip(
        ["rdi", "rsi", "rdx", "rcx", "r8", "r9"], range(0, 48, 8), strict=True
    ):
        target = f"[rsp+{place:#x}]" if place else "[rsp]"
        assert f"mov QWORD PTR {target},{register}\n" in text
    for number in range(8):
        assert f"movsd QWORD PTR [rsp+{48 + 8 * number:#x}],xmm{number}\n" in text
    assert "endbr64\nmov eax,0x0\njmp 1000 " in text
    assert "(bad)" not in text


@settings(max_examples=40, deadline=None)
@given(
    names=st.lists(st.from_regex(r"[a-z][a-z0-9_]{0,30}", fullmatch=True), min_size=1, max_size=60,
                   unique=True)
)  # fmt: skip
def test_segments_lie_apart_and_every_symbol_can_be_found(names: list[str]) -> None:
    data = export_of(names)
    assert data == export_of(names), "the same request gives the same bytes"
    start, size, count = struct.unpack_from("<Q", data, 32) + struct.unpack_from("<HH", data, 54)
    segments = [struct.unpack_from("<IIQQQQQQ", data, start + size * i) for i in range(count)]
    loads = [segment for segment in segments if segment[0] == 1]
    pages = [set(range(one[2] // PAGE, -(-(one[2] + one[5]) // PAGE))) for one in loads]
    assert not pages[0] & pages[1] | pages[1] & pages[2] | pages[0] & pages[2]
    assert all(one[2] == one[3] and one[2] + one[5] <= len(data) for one in loads)
    assert {f"player_{name}" for name in names} <= symbols_by_hash(data, loads[0])


def symbols_by_hash(data: bytes, first: tuple) -> set[str]:
    """Return the names that a loader can reach from the hash table."""
    sections, size, count = struct.unpack_from("<Q", data, 40) + struct.unpack_from("<HH", data, 58)
    table = [struct.unpack_from("<IIQQQQIIQQ", data, sections + size * i) for i in range(count)]
    kinds = {section[1]: section for section in reversed(table)}
    hash_place, symbols, strings = kinds[5][4], kinds[11][4], table[3][4]
    buckets, entries, number = struct.unpack_from("<3I", data, hash_place)
    assert buckets == 1
    chain = struct.unpack_from(f"<{entries}I", data, hash_place + 12)
    found: set[str] = set()
    while number:
        (name,) = struct.unpack_from("<I", data, symbols + 24 * number)
        place = strings + name
        found.add(data[place : data.index(b"\0", place)].decode())
        number = chain[number]
    return found


# -- reading what others need --------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="reads this machine's libraries")
def test_what_a_library_needs_is_read_as_the_loader_reads_it() -> None:
    import _ctypes

    path = Path(_ctypes.__file__)
    needed = needed_libraries(path)
    assert any(name.startswith("libffi") for name in needed)
    assert set(needed) <= set(find_libraries(path))


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"\x7fELF\x02\x01" + b"\xff" * 100, b"text"])
def test_a_file_that_is_no_library_needs_nothing(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.so"
    path.write_bytes(content)
    assert needed_libraries(path) == []


def test_what_is_left_to_the_system() -> None:
    system = ["libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "libstdc++.so.6", "libGL.so.1"]
    assert all(map(is_of_the_system, [*system, "libpython3.11.so.1.0"]))
    assert not any(
        map(is_of_the_system, ["libcrypto.so.3", "libcrypt.so.1", "libmpdec.so.3", "libz.so.1"])
    )


def test_native_libraries_are_brought_in_the_order_of_their_names():
    """The order in which a folder lists them is another on each disk."""
    found = [Path(name) for name in ("c.so", "a.so", "b.so.1")]
    folder = SimpleNamespace(
        home=SimpleNamespace(rglob=lambda pattern: iter(found)),
        _bring=lambda path, inside, order: order.append(path.name),
    )
    names = PythonFolder.copy_native_libraries(folder)
    assert names == ("lib/a.so", "lib/b.so.1", "lib/c.so")
