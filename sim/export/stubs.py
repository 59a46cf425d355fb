"""Writes the exported functions as machine code for x86-64 Linux (System V ABI).

Each function is a stub that loads its number and jumps to the common code. The common code saves
the registers that may carry arguments. It calls the shim with the address of the saved values:

    NAME_function:  mov eax, number; jmp common
    common:         save rdi rsi rdx rcx r8 r9, xmm0 to xmm7 and where the stack's arguments begin
                    goishi_shim_call(description, number, saved)
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from sim.export.library import Library, describe

PAGE: Final = 0x1000
X86_64: Final = 62
_GLOB_DAT: Final = {X86_64: 6}
"""Number of the ELF relocation that stores a symbol's address, by the number of the processor."""

_HEADER: Final = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT: Final = struct.Struct("<IIQQQQQQ")
_SECTION: Final = struct.Struct("<IIQQQQIIQQ")
_SYMBOL: Final = struct.Struct("<IBBHQQ")
_RELOCATION: Final = struct.Struct("<QQq")
_DYNAMIC: Final = struct.Struct("<qQ")

_LOAD, _DYNAMIC_SEGMENT, _STACK, _RELRO = 1, 2, 0x6474E551, 0x6474E552
_GLOBAL_FUNCTION: Final = 0x12
_SEGMENTS: Final = 6


@dataclass(frozen=True, slots=True)
class Addresses:
    """Memory addresses to which the machine code refers.

    Attributes:
        code: start of the code.
        constants: start of the read-only data.
    """

    code: int
    constants: int
    table: Mapping[str, int]
    """Address at which the loader stores the address of an imported function, by its name."""


@dataclass(frozen=True, slots=True)
class Code:
    """Machine code, and where its functions begin.

    Attributes:
        data: the code.
    """

    data: bytes
    entries: Mapping[str, tuple[int, int]]
    """Place of each exported function in the code, by name: (offset, size) in bytes."""


@dataclass(frozen=True, slots=True)
class SharedLibrary:
    """Contents of a shared library to be written.

    Attributes:
        soname: name of the library.
        imports: names of the functions that it imports.
        constants: read-only data.
        machine: ELF number of the processor type.
    """

    soname: str
    needed: tuple[str, ...]
    """Names of the libraries that the loader loads together with this one."""
    run_path: str
    """Search path for the needed libraries; `$ORIGIN` is this library's folder."""
    imports: tuple[str, ...]
    constants: bytes
    write_code: Callable[[Addresses], Code]
    """Function that returns the code for given addresses.

    The code's size and its `entries` must be the same for all addresses.
    """
    machine: int = X86_64


class _Texts:
    """ELF string table: texts, each followed by a zero byte, referred to by offset."""

    def __init__(self) -> None:
        self.data = b"\0"

    def place(self, text: str) -> int:
        place = self.data.find(b"\0" + text.encode() + b"\0") + 1
        if place == 0:
            place = len(self.data)
            self.data += text.encode() + b"\0"
        return place


class _Layout:
    """Where each part of the library's file begins; the same numbers are its memory addresses."""

    def __init__(self, library: SharedLibrary) -> None:
        nothing = Addresses(0, 0, dict.fromkeys(library.imports, 0))
        draft = library.write_code(nothing)
        self.texts = _Texts()
        self.names = (*library.imports, *draft.entries)
        for name in (*self.names, library.soname, library.run_path, *library.needed):
            self.texts.place(name)
        self.hash = _HEADER.size + _SEGMENTS * _SEGMENT.size
        self.symbols = _align(self.hash + 4 * (2 + 1 + 1 + len(self.names)), 8)
        self.strings = self.symbols + _SYMBOL.size * (1 + len(self.names))
        self.relocations = _align(self.strings + len(self.texts.data), 8)
        self.constants = _align(self.relocations + _RELOCATION.size * len(library.imports), 16)
        self.read_end = self.constants + len(library.constants)
        self.code = _align(self.read_end, PAGE)
        self.code_end = self.code + len(draft.data)
        self.dynamic = _align(self.code_end, PAGE)
        self.table = self.dynamic + _DYNAMIC.size * (len(library.needed) + 13)
        self.write_end = self.table + 8 * len(library.imports)
        places = {name: self.table + 8 * i for i, name in enumerate(library.imports)}
        self.addresses = Addresses(self.code, self.constants, places)


def write_library(library: SharedLibrary) -> bytes:
    """Return the bytes of a shared library (an ELF file)."""
    layout = _Layout(library)
    code = library.write_code(layout.addresses)
    data = bytearray(_align(layout.write_end, 8))
    names = _Texts()
    sections = _sections(layout, names, len(library.imports))
    section_start = len(data) + _align(len(names.data), 8)
    for place, part in (
        (0, _header(library, section_start, len(sections))),
        (_HEADER.size, _segments(layout)),
        (layout.hash, _hash_table(len(layout.names))),
        (layout.symbols, _symbols(layout, code, len(library.imports))),
        (layout.strings, layout.texts.data),
        (layout.relocations, _relocations(library, layout)),
        (layout.constants, library.constants),
        (layout.code, code.data),
        (layout.dynamic, _dynamic(library, layout)),
    ):
        data[place : place + len(part)] = part
    data += names.data.ljust(_align(len(names.data), 8), b"\0")
    return bytes(data) + b"".join(sections)


def _align(number: int, step: int) -> int:
    return -(-number // step) * step


def _header(library: SharedLibrary, section_start: int, section_count: int) -> bytes:
    identity = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")  # 64 bits, little-endian, System V
    shared = 3
    return _HEADER.pack(
        identity, shared, library.machine, 1, 0, _HEADER.size, section_start, 0,
        _HEADER.size, _SEGMENT.size, _SEGMENTS, _SECTION.size, section_count, section_count - 1,
    )  # fmt: skip


def _segments(layout: _Layout) -> bytes:
    read, execute, write = 4, 5, 6

    def segment(kind: int, flags: int, start: int, end: int, align: int) -> bytes:
        size = end - start
        return _SEGMENT.pack(kind, flags, start, start, start, size, size, align)

    return b"".join(
        (
            segment(_LOAD, read, 0, layout.read_end, PAGE),
            segment(_LOAD, execute, layout.code, layout.code_end, PAGE),
            segment(_LOAD, write, layout.dynamic, layout.write_end, PAGE),
            segment(_DYNAMIC_SEGMENT, write, layout.dynamic, layout.table, 8),
            segment(_RELRO, read, layout.dynamic, _align(layout.write_end, PAGE), 1),
            segment(_STACK, write, 0, 0, 16),
        )
    )


def _hash_table(count: int) -> bytes:
    """Return an ELF hash table in which all symbols form a single chain, since they are few.

    Args:
        count: number of symbols.
    """
    chain = [0, *range(2, count + 1), 0][: count + 1]
    return struct.pack(f"<{3 + count + 1}I", 1, count + 1, min(count, 1), *chain)


def _symbols(layout: _Layout, code: Code, import_count: int) -> bytes:
    result = bytearray(_SYMBOL.size)
    for i, name in enumerate(layout.names):
        offset, size = code.entries.get(name, (0, 0))
        is_import = i < import_count
        section, address = (0, 0) if is_import else (_CODE_SECTION, layout.code + offset)
        place = layout.texts.place(name)
        result += _SYMBOL.pack(place, _GLOBAL_FUNCTION, 0, section, address, size)
    return bytes(result)


def _relocations(library: SharedLibrary, layout: _Layout) -> bytes:
    kind = _GLOB_DAT[library.machine]
    return b"".join(
        _RELOCATION.pack(layout.addresses.table[name], (i + 1) << 32 | kind, 0)
        for i, name in enumerate(library.imports)
    )


def _dynamic(library: SharedLibrary, layout: _Layout) -> bytes:
    place = layout.texts.place
    now, now_and_keep = 8, 1 | 8  # resolve at load; never unload
    entries = [
        *((1, place(name)) for name in library.needed),
        (14, place(library.soname)),
        (29, place(library.run_path)),
        (4, layout.hash),
        (5, layout.strings),
        (6, layout.symbols),
        (10, len(layout.texts.data)),
        (11, _SYMBOL.size),
        (7, layout.relocations),
        (8, _RELOCATION.size * len(library.imports)),
        (9, _RELOCATION.size),
        (30, now),
        (0x6FFFFFFB, now_and_keep),
        (0, 0),
    ]
    return b"".join(_DYNAMIC.pack(tag, value) for tag, value in entries)


_CODE_SECTION: Final = 6
"""Index of the section `.text` in the list of `_sections`."""


def _sections(layout: _Layout, names: _Texts, imports: int) -> list[bytes]:
    allocated, executable, writable = 2, 4, 1

    def section(name: str, kind: int, flags: int, start: int, end: int, *more: int) -> bytes:
        """Return an entry of the ELF section table.

        Args:
            name: name of the section.
            kind: its type.
            flags: its flags; 0 for a section that is not loaded into memory.
            start: offset of its first byte in the file.
            end: offset behind its last byte.
            more: its link, info, alignment and entry size, as far as they differ from 0, 0, 8 and
                0.
        """
        place, address = names.place(name), start if flags else 0
        more += (0, 0, 8, 0)[len(more) :]
        return _SECTION.pack(place, kind, flags, address, start, end - start, *more)

    a = allocated
    text_end = layout.strings + len(layout.texts.data)
    relocation_end = layout.relocations + _RELOCATION.size * imports
    found = [
        bytes(_SECTION.size),
        section(".hash", 5, a, layout.hash, layout.symbols, 2, 0, 8, 4),
        section(".dynsym", 11, a, layout.symbols, layout.strings, 3, 1, 8, _SYMBOL.size),
        section(".dynstr", 3, a, layout.strings, text_end, 0, 0, 1),
        section(".rela.dyn", 4, a, layout.relocations, relocation_end, 2, 0, 8, _RELOCATION.size),
        section(".rodata", 1, a, layout.constants, layout.read_end, 0, 0, 16),
        section(".text", 1, a | executable, layout.code, layout.code_end, 0, 0, 16),
        section(".dynamic", 6, a | writable, layout.dynamic, layout.table, 3, 0, 8, _DYNAMIC.size),
        section(".got", 1, a | writable, layout.table, layout.write_end, 0, 0, 8, 8),
    ]
    names.place(".shstrtab")
    start = _align(layout.write_end, 8)
    found.append(section(".shstrtab", 3, 0, start, start + len(names.data), 0, 0, 1))
    return found


SHIM: Final = "libgoishi_shim.so"
IMPORTS: Final = (
    "goishi_shim_call",
    "goishi_shim_init",
    "goishi_shim_shutdown",
    "goishi_shim_last_error",
)
_ENTRY: Final = bytes.fromhex("F30F1EFA")  # endbr64: a jump's allowed target
_ENTRY_SIZE: Final = 16

_SAVE: Final = bytes.fromhex(
    "55"  # push rbp
    "4889E5"  # mov rbp, rsp
    "4881EC80000000"  # sub rsp, 128
    "48893C24"  # mov [rsp], rdi
    "4889742408"  # mov [rsp+8], rsi
    "4889542410"  # mov [rsp+16], rdx
    "48894C2418"  # mov [rsp+24], rcx
    "4C89442420"  # mov [rsp+32], r8
    "4C894C2428"  # mov [rsp+40], r9
    "F20F11442430"  # movsd [rsp+48], xmm0
    "F20F114C2438"  # movsd [rsp+56], xmm1
    "F20F11542440"  # movsd [rsp+64], xmm2
    "F20F115C2448"  # movsd [rsp+72], xmm3
    "F20F11642450"  # movsd [rsp+80], xmm4
    "F20F116C2458"  # movsd [rsp+88], xmm5
    "F20F11742460"  # movsd [rsp+96], xmm6
    "F20F117C2468"  # movsd [rsp+104], xmm7
    "4C8D5510"  # lea r10, [rbp+16]: after the return address
    "4C89542470"  # mov [rsp+112], r10
)
_ARGUMENTS: Final = bytes.fromhex("89C64889E2")  # mov esi, eax; mov rdx, rsp
_LEAVE: Final = bytes.fromhex("C9C3")  # leave; ret
_LOAD_DESCRIPTION: Final = bytes.fromhex("488D3D")  # lea rdi, [rip+distance]
_CALL: Final = bytes.fromhex("FF15")  # call [rip+distance]
_JUMP: Final = bytes.fromhex("FF25")  # jmp [rip+distance]
_SECOND_ARGUMENT: Final = bytes.fromhex("4889FE")  # mov rsi, rdi


class _Assembler:
    """Machine code that is being written for a known address; it computes relative distances."""

    def __init__(self, address: int) -> None:
        self._address = address
        self.data = bytearray()

    def refer(self, instruction: bytes, target: int) -> None:
        """Append an instruction that refers to an address by its distance.

        Args:
            instruction: bytes of the instruction without its last four, which hold the distance.
            target: the address. The distance is measured from the end of the instruction.
        """
        end = self._address + len(self.data) + len(instruction) + 4
        # Only the draft, whose addresses are all 0, may refer further than 2 GiB: it never does.
        self.data += instruction + struct.pack("<i", target - end)

    def align(self) -> int:
        """Fill the space up to the start of the next function; return the offset of that start."""
        self.data += b"\xcc" * (-len(self.data) % _ENTRY_SIZE)
        return len(self.data)


def library_bytes(library: Library, *, soname: str) -> bytes:
    """Return the bytes of an exported library, which depends on the shim.

    Args:
        library: the library.
        soname: its file name.
    """
    return write_library(
        SharedLibrary(
            soname=soname,
            needed=(SHIM,),
            run_path="$ORIGIN",
            imports=IMPORTS,
            constants=describe(library),
            write_code=lambda addresses: write_stubs(library, addresses),
            machine=X86_64,
        )
    )


def write_stubs(library: Library, addresses: Addresses) -> Code:
    """Return the machine code of all stubs of a library.

    Args:
        library: the library.
        addresses: addresses of code, constants and imported functions.
    """
    code = _Assembler(addresses.code)
    entries: dict[str, tuple[int, int]] = {}
    call, init, shutdown, last_error = (addresses.table[name] for name in IMPORTS)
    code.data += _SAVE
    code.refer(_LOAD_DESCRIPTION, addresses.constants)
    code.data += _ARGUMENTS
    code.refer(_CALL, call)
    code.data += _LEAVE

    def begin(name: str) -> None:
        start = code.align()
        entries[f"{library.name}_{name}"] = (start, 0)
        code.data += _ENTRY

    for number, function in enumerate(library.functions):
        begin(function.name)
        code.data += b"\xb8" + struct.pack("<I", number)  # mov eax, number
        code.refer(b"\xe9", addresses.code)  # jmp to the common part
    begin("init")
    code.data += _SECOND_ARGUMENT
    code.refer(_LOAD_DESCRIPTION, addresses.constants)
    code.refer(_JUMP, init)
    begin("shutdown")
    code.refer(_LOAD_DESCRIPTION, addresses.constants)
    code.refer(_JUMP, shutdown)
    begin("last_error")
    code.refer(_JUMP, last_error)
    ends = [*(start for start, _ in list(entries.values())[1:]), code.align()]
    sized = {
        name: (start, end - start)
        for (name, (start, _)), end in zip(entries.items(), ends, strict=True)
    }
    return Code(bytes(code.data), sized)
