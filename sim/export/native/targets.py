"""The systems for which a library without Python can be made."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass
from typing import Final

from base.errors import UsageError


@dataclass(frozen=True, slots=True)
class Machine:
    """A processor with a system, for which machine code is made.

    Attributes:
        triple: its name for LLVM.
        zig: its name for `zig cc`.
        cpu: name of the processor for LLVM: the oldest that the system runs on.
    """

    triple: str
    zig: str
    cpu: str


@dataclass(frozen=True, slots=True)
class Target:
    """A system, with the kind of library that it loads.

    Attributes:
        name: what `--target` calls it.
        machines: the processors of the library; several are put into one file.
        library: name of the library's file, with `{}` for the name of the export.
    """

    name: str
    machines: tuple[Machine, ...]
    library: str


GLIBC: Final = "2.17"
"""The oldest C library of Linux on which an exported library loads."""
LINUX: Final = Target(
    "linux",
    (Machine("x86_64-unknown-linux-gnu", f"x86_64-linux-gnu.{GLIBC}", "x86-64"),),
    "lib{}.so",
)
LINUX_ARM: Final = Target(
    "linux on ARM",
    (Machine("aarch64-unknown-linux-gnu", f"aarch64-linux-gnu.{GLIBC}", "generic"),),
    "lib{}.so",
)
WINDOWS: Final = Target(
    "windows", (Machine("x86_64-w64-windows-gnu", "x86_64-windows-gnu", "x86-64"),), "{}.dll"
)
MACOS: Final = Target(
    "macos",
    (
        Machine("x86_64-apple-macosx11.0.0", "x86_64-macos.11.0", "x86-64"),
        Machine("arm64-apple-macosx11.0.0", "aarch64-macos.11.0", "generic"),
    ),
    "lib{}.dylib",
)
WASM: Final = Target("wasm", (Machine("wasm32-unknown-wasi", "wasm32-wasi", "generic"),), "{}.wasm")
TARGETS: Final = {target.name: target for target in (LINUX, WINDOWS, MACOS, WASM)}
HERE: Final = "here"


def target_of(name: str) -> Target:
    """Return the target of a name, a key of `TARGETS` or `HERE`.

    Raises:
        UsageError: there is no such target, or none for this machine.
    """
    if name != HERE:
        if name not in TARGETS:
            names = ", ".join((*TARGETS, HERE))
            raise UsageError(f"--target: expected one of {names}, found {name!r:.60}")
        return TARGETS[name]
    found = here()
    if found is None:
        what = f"{platform.system()} on {platform.machine()}"
        raise UsageError(f"--target: expected one of {', '.join(TARGETS)}, found {what} here")
    return found


def here() -> Target | None:
    """Return the target for the machine that this runs on; None if there is none."""
    machine = platform.machine().lower()
    is_intel, is_arm = machine in ("x86_64", "amd64"), machine in ("aarch64", "arm64")
    if sys.platform == "linux":
        return LINUX if is_intel else LINUX_ARM if is_arm else None
    if sys.platform == "darwin":
        return MACOS
    return WINDOWS if sys.platform == "win32" and is_intel else None
