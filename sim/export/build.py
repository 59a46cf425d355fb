"""Builds the shim that Goishi ships: `python -m sim.export.build`.

The shim is the C code that starts Python in an exported library. It must be built again after
`shim.h`, `shim_start.c` or `shim_call.c` was changed. On x86-64 Linux the result is
`sim/export/linux-x86_64/libgoishi_shim.so`, which is part of the repository. The same source and
compiler give the same bytes. No header of Python is needed.
"""

from __future__ import annotations

import argparse
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from base.errors import GoishiError
from sim.export.stubs import SHIM

HERE: Final = Path(__file__).resolve().parent
SOURCES: Final = (HERE / "shim_start.c", HERE / "shim_call.c")
PREBUILT: Final = HERE / "linux-x86_64" / SHIM
WARNINGS: Final = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")
COMPILE: Final = (
    "-std=c11 -O2 -fPIC -fvisibility=hidden -fno-ident -fno-stack-protector "
    "-fno-asynchronous-unwind-tables"
)
LINK_LINUX: Final = (
    "-shared -s -Wl,--build-id=none -Wl,-z,nodelete -Wl,-z,now -Wl,-z,relro -Wl,-z,noexecstack "
    f"-Wl,-soname,{SHIM}"
)
# Before glibc 2.34 dlopen and the locks were in libraries of their own.
OLD_GLIBC: Final = ("-Wl,--no-as-needed", "-l:libdl.so.2", "-l:libpthread.so.0")
COMPILERS: Final = ("cc", "gcc", "clang")


class CompilerError(GoishiError):
    """There is no C compiler, or it failed."""


def find_compiler(wanted: str | None = None) -> str:
    """Return the path of a C compiler.

    Args:
        wanted: name or path of a compiler; None for the first one found of `COMPILERS`.

    Raises:
        CompilerError: no compiler is installed, or not the wanted one.
    """
    for name in (wanted,) if wanted else COMPILERS:
        found = shutil.which(name)
        if found:
            return found
    expected = wanted or ", ".join(COMPILERS)
    raise CompilerError(f"expected a C compiler ({expected}), found none: install gcc or clang")


def compile_c(compiler: str, words: Sequence[str]) -> None:
    """Run the compiler with the command-line arguments `words`.

    Raises:
        CompilerError: it failed; the message has the first lines of its output.
    """
    done = subprocess.run(
        [compiler, *words], capture_output=True, text=True, errors="replace", cwd=HERE
    )
    if done.returncode:
        said = " | ".join((done.stderr or done.stdout).strip().splitlines()[:6])
        raise CompilerError(f"{compiler} failed: {said}")


def build_shim(target: Path, *, compiler: str | None = None) -> None:
    """Compile the shim for x86-64 Linux on this machine.

    Args:
        target: file to write; missing folders are created.
        compiler: name or path of a compiler; None for the first one found.

    Raises:
        CompilerError: there is no compiler, or it failed.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    old = OLD_GLIBC if platform.libc_ver()[0] == "glibc" else ()
    words = [*COMPILE.split(), *WARNINGS, *LINK_LINUX.split(), "-o", str(target.absolute())]
    compile_c(find_compiler(compiler), [*words, *map(str, SOURCES), *old])
    target.chmod(0o644)


def main() -> int:
    """Build the shim, by default at its place in the repository; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m sim.export.build", description=__doc__)
    parser.add_argument("--out", type=Path, default=PREBUILT, help="the file to write")
    parser.add_argument("--compiler", help="the C compiler to use")
    options = parser.parse_args()
    try:
        build_shim(options.out, compiler=options.compiler)
    except CompilerError as error:
        sys.stderr.write(f"goishi: {error}\n")
        return 1
    sys.stdout.write(f"wrote {options.out} ({options.out.stat().st_size} bytes)\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
