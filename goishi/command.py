"""The command `goishi` of an installed Goishi: does what `python main.py` does in a clone.

An installation has this file at its top as `goishi_command`. There it is no part of the package
`goishi`, which imports Gymnasium: the window does without.
"""

from __future__ import annotations

import runpy
import sys
from importlib.util import find_spec
from pathlib import Path


def main_file() -> Path:
    """Return the path of `main.py`: inside the package, or beside it in a clone.

    Raises:
        ImportError: there is no package `goishi`.
    """
    spec = find_spec("goishi")
    if spec is None or spec.origin is None:
        raise ImportError("goishi: expected the package goishi beside its command, found none")
    package = Path(spec.origin).parent
    inside = package / "shipped" / "main.py"
    return inside if inside.is_file() else package.parent / "main.py"


def main() -> None:
    """Run `main.py` in this process, as if it had been started itself."""
    path = main_file()
    sys.path[0] = str(path.parent)
    sys.argv[0] = str(path)
    runpy.run_path(str(path), run_name="__main__")


if __name__ == "__main__":  # python -m goishi_command, for debuggers: it stays in this process
    main()
