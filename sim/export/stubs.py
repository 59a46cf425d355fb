"""The exported functions as machine code for x86-64 Linux (System V ABI).

Each function is a stub of three instructions that names its number and jumps to the common part,
which saves the registers that may carry arguments and calls the shim with their place:

    NAME_function:  mov eax, number; jmp common
    common:         save rdi rsi rdx rcx r8 r9, xmm0 to xmm7 and where the stack's arguments begin
                    goishi_shim_call(description, number, saved)
"""

from __future__ import annotations

import struct
from typing import Final

from sim.export.description import describe
from sim.export.elf import X86_64, Addresses, Code, SharedLibrary, write_library
from sim.export.library import Library

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
    """Bytes at an address, with distances counted from the next instruction."""

    def __init__(self, address: int) -> None:
        self._address = address
        self.data = bytearray()

    def refer(self, instruction: bytes, target: int) -> None:
        """Add an instruction that ends with the distance to an address."""
        end = self._address + len(self.data) + len(instruction) + 4
        # Only the draft, whose addresses are all 0, may refer further than 2 GiB: it never does.
        self.data += instruction + struct.pack("<i", target - end)

    def align(self) -> int:
        """Fill up with traps to where a function may begin, and return that offset."""
        self.data += b"\xcc" * (-len(self.data) % _ENTRY_SIZE)
        return len(self.data)


def library_bytes(library: Library, *, soname: str) -> bytes:
    """Return the bytes of an exported library: stubs, description, and a dependency on the shim."""
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
    """Return the machine code of all stubs of a library."""
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
