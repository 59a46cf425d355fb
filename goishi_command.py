"""The command `goishi` of an installed Goishi: does what `python main.py` does in a clone.

It is no part of the package `goishi`, which imports Gymnasium: the window does without.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent


def main_file() -> Path:
    """Return the path of `main.py`, which a wheel has inside the package."""
    inside = HERE / "goishi" / "shipped" / "main.py"
    return inside if inside.is_file() else HERE / "main.py"


def main() -> None:
    """Run `main.py` in this process, as if it had been started itself."""
    path = main_file()
    sys.path[0] = str(path.parent)
    sys.argv[0] = str(path)
    runpy.run_path(str(path), run_name="__main__")
