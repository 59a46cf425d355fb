"""Builds the launcher that Goishi ships: `python -m sim.pack.build`.

The launcher is the executable of a packed game, and its Python. It must be built again after
`launcher.c` was changed. `ziglang` (a package) compiles it for Linux and Windows on every system.
`source.sha256` says which source the two files were built from.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from base.worker.starting import SAFE

HERE: Final = Path(__file__).resolve().parent
SOURCE: Final = HERE / "launcher.c"
LAUNCHERS: Final = HERE / "launchers"
DIGEST: Final = LAUNCHERS / "source.sha256"
LAUNCHER_OF: Final = {"linux": "linux-x86_64", "windows": "windows-x86_64.exe"}
_WORDS: Final = {
    "linux": "-target x86_64-linux-gnu.2.17 -ldl",
    "windows": "-target x86_64-windows-gnu -municode -Wl,--subsystem,windows",
}
_COMPILE: Final = "-Os -s -std=c11 -Wall -Wextra"


def source_digest() -> str:
    """Return the SHA-256 of the launcher's source."""
    return hashlib.sha256(SOURCE.read_bytes()).hexdigest()


def launcher_of(target: str) -> Path:
    """Return the shipped launcher of a system, "linux" or "windows"."""
    return LAUNCHERS / LAUNCHER_OF[target]


def main() -> int:
    """Build both launchers; return the exit code."""
    if find_spec("ziglang") is None:
        sys.stderr.write("goishi: expected the package ziglang, found none: pip install ziglang\n")
        return 1
    for target, words in _WORDS.items():
        out = ["-o", str(launcher_of(target)), str(SOURCE)]
        zig = [sys.executable, SAFE, "-m", "ziglang", "cc"]
        command = [*zig, *_COMPILE.split(), *out, *words.split()]
        if subprocess.run(command, check=False).returncode:
            return 1
    DIGEST.write_text(f"{source_digest()}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
