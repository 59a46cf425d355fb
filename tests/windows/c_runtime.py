"""What the C runtime of Wine 8 lacks and wheels for Windows use, in libraries of our own.

Complex numbers, the floating-point environment and a source of random bytes. A library of ours has
every function that wheels take from one of Windows' own: those that are missing are in C, the
others are passed on. The wheels' import tables are pointed at ours, whose name has the same length.
"""

from __future__ import annotations

import re
import struct
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

GCC: Final = "x86_64-w64-mingw32-gcc"
PE64: Final = b"\x0b\x02"
"""Beginning of the optional header of a 64-bit program."""
UCRT: Final = "ucrtbase"
"""Where Windows has the functions of its C runtime."""
COMPLEX: Final = [
    "cabs",
    "carg",
    "cimag",
    "creal",
    "ccos",
    "ccosh",
    "cexp",
    "cpow",
    "csin",
    "csinh",
    "ctan",
    "ctanh",
]
TO_REAL: Final = ("cabs", "carg", "cimag", "creal")
LONG: Final = [
    "acosh",
    "asinh",
    "atanh",
    "exp2",
    "expm1",
    "log1p",
    "rint",
    "trunc",
    "cbrt",
    "nextafter",
    "copysign",
]
"""Functions of one or two `long double`, which has the size of `double` on Windows."""
OF_TWO: Final = ("nextafter", "copysign")
OTHER: Final = {
    "_FCbuild": "float _Complex goishi__FCbuild(float a, float b)"
    " { float _Complex z; __real__ z = a; __imag__ z = b; return z; }",
    "_dpcomp": "int goishi__dpcomp(double a, double b)"
    " { return a < b ? 1 : a == b ? 2 : a > b ? 4 : 0; }",
    "_fdpcomp": "int goishi__fdpcomp(float a, float b)"
    " { return a < b ? 1 : a == b ? 2 : a > b ? 4 : 0; }",
    "_hypotf": "float goishi__hypotf(float a, float b) { return hypotf(a, b); }",
}
FLAGS: Final = """\
#include <xmmintrin.h>
typedef struct { unsigned long control, status; } Environment; /* fenv_t of Windows */
enum { FLAGS = 0x3f, MASKS = 0x1f80, ROUNDING = 0x6000, KEPT = 0x10000 };
static int told(unsigned bits) /* the processor's flags as Windows numbers them */
{ return (bits & 1) << 4 | (bits & 4) << 1 | (bits & 8) >> 1 | (bits & 16) >> 3 | (bits & 32) >> 5; }
static unsigned meant(int e)
{ return (e & 16) >> 4 | (e & 8) >> 1 | (e & 4) << 1 | (e & 2) << 3 | (e & 1) << 5; }
static void put(const Environment *e)
{ _mm_setcsr((e->control & KEPT ? e->control & 0xffff : MASKS) | meant((int)e->status)); }
static void take(Environment *e)
{ e->control = (_mm_getcsr() & ~(unsigned)FLAGS) | KEPT; e->status = (unsigned)told(_mm_getcsr()); }
"""
"""The floating-point environment of Windows; MinGW numbers flags otherwise, and its fenv_t is larger."""
ENVIRONMENT: Final = {
    "fegetenv": "(Environment *e) { take(e); return 0; }",
    "fesetenv": "(const Environment *e) { put(e); return 0; }",
    "feholdexcept": "(Environment *e) { take(e);"
    " _mm_setcsr((_mm_getcsr() & ~(unsigned)FLAGS) | MASKS); return 0; }",
    "feupdateenv": "(const Environment *e) { unsigned raised = _mm_getcsr() & FLAGS; put(e);"
    " _mm_setcsr(_mm_getcsr() | raised); return 0; }",
    "fetestexcept": "(int e) { return told(_mm_getcsr()) & e; }",
    "feclearexcept": "(int e) { _mm_setcsr(_mm_getcsr() & ~meant(e)); return 0; }",
    "feraiseexcept": "(int e) { _mm_setcsr(_mm_getcsr() | meant(e)); return 0; }",
    "fesetround": "(int e) { if (e & ~0x300) return 1;"
    " _mm_setcsr((_mm_getcsr() & ~(unsigned)ROUNDING) | (unsigned)e << 5); return 0; }",
    "fegetround": "(void) { return (int)(_mm_getcsr() & ROUNDING) >> 5; }",
}  # fmt: skip
RANDOM: Final = """\
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL ProcessPrng(PBYTE data, SIZE_T size)
{ return SystemFunction036(data, (ULONG)size); }
"""


@dataclass(frozen=True)
class Replaced:
    """A library of Windows, and ours that takes its place.

    Attributes:
        name: its file.
        own: our file, a name of the same length.
        beginning: what our C code begins with.
    """

    name: str
    own: str
    beginning: str

    def in_c(self, function: str) -> str:
        """Return the C code of `goishi_FUNCTION`; "" where Wine's own is passed on."""
        if function in OTHER:
            return OTHER[function]
        if function in ENVIRONMENT:
            return f"int goishi_{function}{ENVIRONMENT[function]}"
        for base in COMPLEX:
            if function in (base, f"{base}f", f"{base}l"):
                return complex_in_c(base, function)
        base = function.removesuffix("l")
        if base in LONG and base != function:
            two = base in OF_TWO
            return (
                f"double goishi_{function}(double a{', double b' if two else ''})"
                f" {{ return {base}(a{', b' if two else ''}); }}"
            )
        return ""


MATHEMATICS: Final = Replaced(
    "api-ms-win-crt-math-l1-1-0.dll",
    "apx-ms-win-crt-math-l1-1-0.dll",
    "#include <complex.h>\n#include <math.h>\n",
)
RUNTIME: Final = Replaced(
    "api-ms-win-crt-runtime-l1-1-0.dll", "apx-ms-win-crt-runtime-l1-1-0.dll", FLAGS
)
REPLACED: Final = (MATHEMATICS, RUNTIME)


def complex_in_c(base: str, function: str) -> str:
    """Return the C code of a function of complex numbers, of single or double precision."""
    kind, called = ("float", f"{base}f") if function.endswith("f") else ("double", base)
    result = kind if base in TO_REAL else f"{kind} _Complex"
    second, given = (f", {kind} _Complex w", "z, w") if base == "cpow" else ("", "z")
    return f"{result} goishi_{function}({kind} _Complex z{second}) {{ return {called}({given}); }}"


def add_missing(python: Path, work: Path) -> None:
    """Build the libraries beside `python.exe`, and point the wheels' import tables at them.

    Args:
        python: folder of `python.exe`, whose wheels are installed.
        work: folder for sources.
    """
    used = {
        path: imports(path)
        for path in (*python.rglob("*.pyd"), *python.rglob("*.dll"))
        if "tensorflow" not in path.parts
    }
    for library in REPLACED:
        wanted = {
            path: found[library.name] | found[library.own]
            for path, found in used.items()
            if found[library.name] | found[library.own]
        }
        functions = set().union(*wanted.values())
        code = {name: library.in_c(name) for name in sorted(functions)}
        lines = (library.beginning, *filter(None, code.values()))
        build(python / library.own, work, lines, {
            name: f"goishi_{name}" if text else f"{UCRT}.{name}" for name, text in code.items()
        })  # fmt: skip
        for path in wanted:
            point(path, library)
    source = work / "random.c"
    source.write_text(RANDOM)
    run(GCC, "-O2", "-shared", "-static", "-o", python / "bcryptprimitives.dll", source,
        "-ladvapi32")  # fmt: skip


def imports(path: Path) -> Mapping[str, set[str]]:
    """Return the functions that a 64-bit library imports, by the library that has them.

    The format is Microsoft's "PE Format" (import directory table, import lookup table).
    """
    found = defaultdict[str, set[str]](set)
    data = path.read_bytes()
    head = int.from_bytes(data[60:64], "little")
    if data[:2] != b"MZ" or data[head : head + 4] != b"PE\0\0" or len(data) < head + 264:
        return found
    sections, _, _, _, size = struct.unpack_from("<HIIIH", data, head + 6)
    if data[head + 24 : head + 26] != PE64:
        return found
    table = [
        struct.unpack_from("<IIII", data, head + 24 + size + 40 * number + 8)
        for number in range(sections)
    ]

    def place(address: int) -> int:
        for length, begin, stored, offset in table:
            if begin <= address < begin + max(length, stored):
                return int(address - begin + offset)
        return -1

    def text(at: int) -> str:
        return data[at : data.index(b"\0", at)].decode("ascii", "replace")

    (directory,) = struct.unpack_from("<I", data, head + 24 + 120)
    at = place(directory) if directory else -1
    while at >= 0:
        lookup, _, _, name, bound = struct.unpack_from("<IIIII", data, at)
        if not name:
            break
        thunk = place(lookup or bound)
        while entry := int.from_bytes(data[thunk : thunk + 8], "little"):
            if not entry >> 63:  # by name, not by number
                found[text(place(name)).lower()].add(text(place(entry) + 2))
            thunk += 8
        at += 20
    return found


def build(path: Path, work: Path, code: Iterable[str], exports: Mapping[str, str]) -> None:
    """Build a library from lines of C and from what it exports under which name."""
    source, definitions = work / f"{path.stem}.c", work / f"{path.stem}.def"
    source.write_text("\n".join(code) + "\n")
    lines = "".join(f"  {name}={target}\n" for name, target in sorted(exports.items()))
    definitions.write_text(f"LIBRARY {path.name}\nEXPORTS\n{lines}")
    run(GCC, "-O2", "-shared", "-static", "-o", path, source, definitions)


def point(path: Path, library: Replaced) -> None:
    """Write our library's name into an import table."""
    name = re.compile(re.escape(library.name.encode()), re.IGNORECASE)
    path.write_bytes(name.sub(library.own.encode(), path.read_bytes()))


def run(*words: object) -> str:
    """Run a program of the setting-up and return its output.

    Raises:
        RuntimeError: it failed; with the end of what it wrote.
    """
    done = subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, errors="replace"
    )
    if done.returncode:
        said = (done.stdout + done.stderr).strip()[-600:]
        shown = " ".join(str(word) for word in words)[:200]
        raise RuntimeError(
            f"expected success of {shown}, found exit code {done.returncode}: {said}"
        )
    return done.stdout
