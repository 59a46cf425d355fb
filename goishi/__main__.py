"""`python -m goishi` is `python main.py`: the same command, in a process without this package."""

from __future__ import annotations

import os
import subprocess
import sys

from goishi.internal_imports import ROOT


def main() -> int:
    """Start `main.py` with the same words; return its exit code."""
    words = [sys.executable, str(ROOT / "main.py"), *sys.argv[1:]]
    if os.name != "nt":
        os.execv(sys.executable, words)
    return subprocess.call(words)  # there exec ends this process before the new one is through


if __name__ == "__main__":
    sys.exit(main())
