"""Links machine code and C source into a library, by ziglang or a C compiler of this machine."""

from __future__ import annotations

import importlib.util
import os
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from base.errors import GoishiError
from sim.core.project.data_dir import user_cache_dir
from sim.export.build import COMPILERS, CompilerError, find_compiler
from sim.export.native.targets import MACOS, WASM, WINDOWS, Machine, Target, here

ARRAYS: Final = Path(__file__).with_name("arrays.c")
INSTALL: Final = "`pip install ziglang`"
COMPILE: Final = ("-std=c11", "-O2", "-fvisibility=hidden", "-fno-ident", "-fno-stack-protector")
LINK_ELF: Final = (
    "-shared", "-s", "-fPIC", "-fno-asynchronous-unwind-tables", "-Wl,--build-id=none",
    "-Wl,-z,noexecstack", "-Wl,--gc-sections",
)  # fmt: skip


def has_zig() -> bool:
    """Return whether the package `ziglang` is installed."""
    return importlib.util.find_spec("ziglang") is not None


class Linker:
    """Links a library for one target.

    Args:
        target: the system.
        name: name of the library.
        compiler: the C compiler that the user named; None for ziglang, or else one of this machine.

    Raises:
        CompilerError: there is no compiler for the target.
    """

    def __init__(self, target: Target, name: str, compiler: str | None) -> None:
        self.target = target
        self.name = name
        self.file = target.library.format(name)
        self._zig = compiler is None and has_zig()
        self._words: tuple[str, ...] = (sys.executable, "-m", "ziglang", "cc")
        if not self._zig:
            self._words = (_own_compiler(target, compiler),)

    @property
    def is_first(self) -> bool:
        """Whether ziglang links for this target for the first time, which takes minutes."""
        return self._zig and not self._mark.exists()

    @property
    def _mark(self) -> Path:
        return _cache() / f"{self.target.name}.linked"

    def link(
        self, folder: Path, source: Path, objects: Sequence[Path], functions: Sequence[str]
    ) -> list[str]:
        """Link the library and return the names of the files that it consists of.

        Args:
            folder: folder to write to.
            source: the C source.
            objects: an object file for each machine of the target.
            functions: names of the functions that C calls.

        Raises:
            CompilerError: the compiler failed.
        """
        parts = []
        for number, (machine, code) in enumerate(zip(self.target.machines, objects, strict=True)):
            place = code.parent / f"part{number}" / self.file
            place.parent.mkdir()
            self._link_one(machine, place, [source, ARRAYS, code], functions)
            parts.append(place)
        data = [part.read_bytes() for part in parts]
        (folder / self.file).write_bytes(data[0] if len(data) == 1 else universal(data))
        imports = parts[0].with_suffix(".lib")
        if self.target is WINDOWS and imports.is_file():
            (folder / imports.name).write_bytes(imports.read_bytes())
            return [self.file, imports.name]
        return [self.file]

    def _link_one(
        self, machine: Machine, place: Path, files: Sequence[Path], functions: Sequence[str]
    ) -> None:
        words = [*self._words, *COMPILE, *self._flags(place, functions)]
        if self._zig:
            words[4:4] = ["-target", machine.zig, "-mcpu=baseline"]
        words += ["-o", place.name, *map(str, files), *([] if self.target is WASM else ["-lm"])]
        folders = {f"ZIG_{kind}_CACHE_DIR": str(_cache()) for kind in ("GLOBAL", "LOCAL")}
        done = subprocess.run(
            words,
            cwd=place.parent,
            env={**os.environ, **folders},
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            stdin=subprocess.DEVNULL,
        )
        if done.returncode or not place.is_file():
            said = " | ".join((done.stderr or done.stdout).strip().splitlines()[:6])
            raise CompilerError(f"{' '.join(self._words)} failed: {said}")
        if self._zig:
            self._mark.touch()

    def _flags(self, place: Path, functions: Sequence[str]) -> list[str]:
        if self.target is MACOS:
            return ["-dynamiclib", "-s", f"-Wl,-install_name,@rpath/{place.name}"]
        if self.target is WASM:
            wanted = (*functions, f"{self.name}_last_error", "malloc", "free")
            names = [f"-Wl,--export={name}" for name in wanted]
            return ["-mexec-model=reactor", "-s", *names]
        if self.target is WINDOWS:
            return ["-shared", "-s"]
        return [*LINK_ELF, f"-Wl,-soname,{place.name}"]


def _cache() -> Path:
    """Return the folder in which ziglang keeps what it has compiled for each system."""
    return user_cache_dir() / "zig"


def _own_compiler(target: Target, wanted: str | None) -> str:
    """Return a C compiler of this machine that can link for a target.

    Raises:
        CompilerError: there is none, or the target is not this machine.
    """
    if target is not here() or (len(target.machines) > 1 and wanted is None):
        given = "" if wanted is None else f"--compiler {wanted}: "
        raise CompilerError(
            f"{given}--target {target.name}: expected the package ziglang, which links for other "
            f"systems: {INSTALL}"
        )
    try:
        return find_compiler(wanted)
    except CompilerError as error:
        if wanted is not None:
            raise
        names = ", ".join(COMPILERS)
        raise CompilerError(
            f"expected the package ziglang ({INSTALL}) or a C compiler ({names}), found neither"
        ) from error


_FAT_MAGIC: Final = 0xCAFEBABE
_MACH_MAGIC: Final = 0xFEEDFACF
_ALIGNMENT: Final = 14
"""Logarithm of the size of a page, to which each part of a universal file is aligned."""


def universal(parts: Sequence[bytes]) -> bytes:
    """Put libraries of macOS for several processors into one file, which holds them all.

    Source: `mach-o/fat.h`.

    Args:
        parts: the libraries.

    Raises:
        GoishiError: a part is no library of macOS of 64 bits.
    """
    page = 1 << _ALIGNMENT
    head, body, place = struct.pack(">II", _FAT_MAGIC, len(parts)), b"", page
    for part in parts:
        magic, kind, subkind = struct.unpack_from("<III", part)
        if magic != _MACH_MAGIC:
            raise GoishiError(f"expected a library of macOS, found the magic {magic:#x}")
        head += struct.pack(">5I", kind, subkind, place, len(part), _ALIGNMENT)
        body = body.ljust(place - page, b"\0") + part
        place = -(-(place + len(part)) // page) * page
    return head.ljust(page, b"\0") + body
